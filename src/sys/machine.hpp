#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace cudaenv::sys {

struct Machine {
  std::string name;         // what uname calls it: "x86_64", "aarch64"
  bool jetson = false;      // it has a Tegra release file
  unsigned processors = 1;  // that this process may use
};
Machine this_machine();

bool is_root();      // effective user
unsigned user_id();  // the same
// Whether this user may not enter a folder above the path, as in another one's home that HOME still
// names after su: nothing of it can be seen.
bool is_closed(const std::filesystem::path& path);
std::filesystem::path own_program();  // the file of the running program
std::int64_t now_ns();                // since the epoch
std::string now_utc();                // "2026-11-30T07:15:00Z"
std::string host_name();
// The folder that this process is in: as `claimed` (PWD) has it, links and all, where that is
// true, else without links. Empty where the folder has been deleted.
std::filesystem::path working_directory(const std::optional<std::string>& claimed);
std::string c_library_version();  // of the running glibc: "2.36"

}  // namespace cudaenv::sys
