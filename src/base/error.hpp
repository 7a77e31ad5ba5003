#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace cudaenv {

// What went wrong, in the terms that decide the exit status and a retry.
// `full`: no space, no inode or no quota is left.
enum class ErrorKind { usage, missing, network, corrupt, busy, system, full };

// A failure that ends the command. Only cli::run() catches it, to print it.
// The message is one lower-case line without a full stop.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  // Each adds a line to the report: a cause beneath it, or what the user can type. By value, so
  // that `error = std::move(error).because(...)` is no assignment to itself.
  [[nodiscard]] Error because(std::string cause) &&;
  [[nodiscard]] Error help(std::string advice) &&;

  // The same failure under a broader headline; this message becomes its first cause.
  Error under(std::string headline) const;

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& causes() const { return causes_; }
  const std::vector<std::string>& advice() const { return advice_; }

  // The message and its causes in one line, for tests and logs.
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  void rebuild_what();

  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> causes_;
  std::vector<std::string> advice_;
  std::string what_;
};

// The user or the system asked to stop (Ctrl-C, SIGTERM). Not an Error, so that nothing
// that handles failures can swallow it.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal) : signal_(signal) {}
  int signal() const { return signal_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_;
};

// Runs `step`; an Error that leaves it gets `headline` above it.
template <typename Step>
auto while_doing(const std::string& headline, Step&& step) -> decltype(step()) {
  try {
    return std::forward<Step>(step)();
  } catch (const Error& error) {
    throw error.under(headline);
  }
}

}  // namespace cudaenv
