#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::sys {

struct KernelMessage {
  std::chrono::microseconds at{};  // since boot, by the kernel's own clock
  std::string text;                // foreign text, its control characters escaped by the kernel
};

// One record of /dev/kmsg, "4,1207,27168572,-;NVRM: Xid ...", with or without the lines of fields
// that follow it; nothing for what is none.
std::optional<KernelMessage> read_kernel_record(std::string_view record);

// What the kernel said since boot and still remembers that holds `word`, the oldest first. Never
// waits. Nothing where there is no such log or this user may not read it, as in most containers.
std::optional<std::vector<KernelMessage>> kernel_messages(
    std::string_view word, const std::filesystem::path& log = "/dev/kmsg");

}  // namespace cudaenv::sys
