#include "cli/session.hpp"

#include <cerrno>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {

bool Session::can_ask() const {
  return sys::is_terminal(STDIN_FILENO) && sys::is_terminal(STDERR_FILENO);
}

bool Session::ask(const std::string& question, bool fallback) const {
  while (true) {
    sys::write_stderr(fmt::format("{} {} ", question, fallback ? "[Y/n]" : "[y/N]"));
    std::string line;
    const bool answered = sys::read_line(line, host.interrupt);
    host.interrupt.check();
    if (!answered) {
      sys::write_stderr("\n");
      return false;
    }
    const std::string word = text::lower(text::trimmed(line));
    if (word.empty()) return fallback;
    if (word == "y" || word == "yes") return true;
    if (word == "n" || word == "no") return false;
  }
}

void Session::print(std::string_view text) const {
  host.progress.job_end();
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  // `cudaenv list | head -1`: whoever read has had enough.
  if (errno == EPIPE) return;
  throw Error(ErrorKind::system, "cannot write to standard output");
}

bool Session::flush() const {
  if (std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;
  throw Error(ErrorKind::system, "cannot write to standard output");
}

void Session::say(std::string_view line) const {
  if (!quiet) host.progress.job_end();
  if (!quiet) sys::write_stderr(without_secrets(line) + "\n");
}

void Session::note(std::string_view line) const {
  host.progress.job_end();
  sys::write_stderr(fmt::format("{} {}\n", err.yellow("note:"), without_secrets(line)));
}

}  // namespace cudaenv::cli
