#include "cli/progress_plain.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {

void PlainProgress::job_begin(std::uint64_t fetch_bytes, std::uint64_t) {
  if (fetch_bytes > 0) say(fmt::format("fetching {}", text::bytes(fetch_bytes)));
}

void PlainProgress::fetch_begin(std::string_view item, std::uint64_t already, std::uint64_t total,
                                std::string_view from) {
  std::string line = fmt::format("fetching {}", item);
  if (total > 0) line += fmt::format(" ({})", text::bytes(total));
  if (already > 0) line += fmt::format(", {} are here", text::bytes(already));
  if (!from.empty()) line += fmt::format(" from {}", from);
  say(line);
}

void PlainProgress::fetch_retry(std::string_view item, std::string_view why,
                                std::uint64_t delay_ms) {
  say(fmt::format("trying {} again in {:.1f} s: {}", item, static_cast<double>(delay_ms) / 1000,
                  why));
}

void PlainProgress::unpack_end(std::string_view item) { say(fmt::format("unpacked {}", item)); }

void PlainProgress::step(std::string_view what) { say(std::string(what)); }

void PlainProgress::note(std::string_view line) {
  const std::lock_guard guard(mutex_);
  sys::write_stderr(fmt::format("note: {}\n", without_secrets(line)));
}

void PlainProgress::say(const std::string& line) {
  if (quiet_) return;
  const std::lock_guard guard(mutex_);
  sys::write_stderr(without_secrets(line) + "\n");
}

}  // namespace cudaenv::cli
