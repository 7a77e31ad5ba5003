#include "sys/kernel_log.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "sys/fd.hpp"

namespace cudaenv::sys {
namespace {

// The kernel gives a record at a time, and none that is longer (CONSOLE_EXT_LOG_MAX).
constexpr std::size_t longest_record = 8192;
// A log of 64 MB has about so many.
constexpr std::size_t most_records = 1'000'000;

// The log, or a file that stands for it; a pipe would be waited for.
bool is_log(int fd) {
  struct stat stat {};
  return ::fstat(fd, &stat) == 0 && (S_ISCHR(stat.st_mode) || S_ISREG(stat.st_mode));
}

}  // namespace

std::optional<KernelMessage> read_kernel_record(std::string_view record) {
  const auto end_of_fields = record.find(';');
  if (end_of_fields == std::string_view::npos) return std::nullopt;
  const auto fields = text::split(record.substr(0, end_of_fields), ',');
  if (fields.size() < 3) return std::nullopt;
  const auto at = text::parse_unsigned(fields[2]);
  if (!at) return std::nullopt;
  const auto words = record.substr(end_of_fields + 1);
  return KernelMessage{std::chrono::microseconds(*at),
                       std::string(words.substr(0, words.find('\n')))};
}

std::optional<std::vector<KernelMessage>> kernel_messages(std::string_view word,
                                                          const std::filesystem::path& log) {
  const Fd fd(::open(log.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd || !is_log(fd.get())) return std::nullopt;
  std::vector<KernelMessage> messages;
  std::string record(longest_record, '\0');
  for (std::size_t i = 0; i < most_records; ++i) {
    const auto count = ::read(fd.get(), record.data(), record.size());
    // A record was overwritten before it was read: the next one is there.
    if (count < 0 && (errno == EPIPE || errno == EINTR)) continue;
    if (count <= 0) break;
    const auto said = std::string_view(record).substr(0, static_cast<std::size_t>(count));
    if (said.find(word) == std::string_view::npos) continue;
    if (auto message = read_kernel_record(said)) messages.push_back(std::move(*message));
  }
  return messages;
}

}  // namespace cudaenv::sys
