#include "sys/process_tree.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sys/fd.hpp"

namespace cudaenv::sys {
namespace {

// A process may end at any moment: what cannot be read is empty.
std::string read_proc(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> block;
  while (fd) {
    const ssize_t got = ::read(fd.get(), block.data(), block.size());
    if (got <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::uint64_t number(std::string_view text) {
  return text::parse_unsigned(text::trimmed(text)).value_or(0);
}

struct Stat {
  char state = '?';
  std::uint64_t ticks = 0;
  std::uint64_t started = 0;
};

// proc(5): the fields after the name, which may itself hold blanks and parentheses.
std::optional<Stat> read_stat(const std::string& path) {
  const std::string text = read_proc(path);
  const auto end = text.rfind(')');
  if (end == std::string::npos || end + 2 > text.size()) return std::nullopt;
  const auto fields = text::split(std::string_view(text).substr(end + 2), ' ');
  if (fields.size() < 20 || fields[0].size() != 1) return std::nullopt;
  return Stat{fields[0][0], number(fields[11]) + number(fields[12]), number(fields[19])};
}

std::vector<std::uint32_t> numbers_in(const std::string& folder) {
  std::vector<std::uint32_t> result;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const auto value = text::parse_unsigned(entry->path().filename().string());
    if (value) result.push_back(static_cast<std::uint32_t>(*value));
  }
  return result;
}

// "key: 123" of a file with a key a line.
std::optional<std::uint64_t> value_of(std::string_view text, std::string_view key) {
  for (const auto line : text::lines(text)) {
    if (line.starts_with(key)) return text::parse_unsigned(text::trimmed(line.substr(key.size())));
  }
  return std::nullopt;
}

}  // namespace

TreeLook ProcessTree::look() {
  TreeLook look;
  new_ticks_.clear();
  new_bytes_.clear();
  look_at(root_, look);
  ticks_.swap(new_ticks_);
  bytes_.swap(new_bytes_);
  return look;
}

void ProcessTree::look_at(std::uint32_t pid, TreeLook& look) {
  if (look.pids.contains(pid)) return;
  const std::string folder = fmt::format("/proc/{}", pid);
  const auto stat = read_stat(folder + "/stat");
  if (!stat || stat->state == 'Z') return;
  look.pids.insert(pid);
  look_at_bytes({pid, stat->started}, look);
  for (const auto tid : numbers_in(folder + "/task")) {
    look_at_thread(folder, tid, look);
    const std::string children = read_proc(fmt::format("{}/task/{}/children", folder, tid));
    for (const auto child : text::split(children, ' ')) {
      if (const auto value = text::parse_unsigned(child)) {
        look_at(static_cast<std::uint32_t>(*value), look);
      }
    }
  }
}

void ProcessTree::look_at_thread(const std::string& folder, std::uint32_t tid, TreeLook& look) {
  static const double ticks_a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto stat = read_stat(fmt::format("{}/task/{}/stat", folder, tid));
  if (!stat) return;
  const Key key{tid, stat->started};
  const auto former = ticks_.find(key);
  const std::uint64_t before = former == ticks_.end() ? 0 : former->second;
  const double seconds =
      static_cast<double>(stat->ticks - std::min(before, stat->ticks)) / ticks_a_second;
  new_ticks_[key] = stat->ticks;
  look.cpu_seconds += seconds;
  look.busiest_thread = std::max(look.busiest_thread, seconds);
  ++look.threads;
  if (stat->state == 'D') ++look.waiting;
}

void ProcessTree::look_at_bytes(const Key& process, TreeLook& look) {
  const std::string text = read_proc(fmt::format("/proc/{}/io", process.first));
  const auto read = value_of(text, "read_bytes:");
  const auto written = value_of(text, "write_bytes:");
  if (!read || !written) return;
  const Bytes before = bytes_[process];
  new_bytes_[process] = {*read, *written};
  look.bytes_read = look.bytes_read.value_or(0) + *read - std::min(before.read, *read);
  look.bytes_written =
      look.bytes_written.value_or(0) + *written - std::min(before.written, *written);
}

std::optional<std::uint64_t> io_pressure() {
  const std::string text = read_proc("/proc/pressure/io");
  const auto total = text.find("total=");
  if (!text.starts_with("some ") || total == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(text).substr(total + 6);
  return text::parse_unsigned(rest.substr(0, rest.find('\n')));
}

}  // namespace cudaenv::sys
