#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "sys/child.hpp"
#include "sys/fd.hpp"

namespace cudaenv::sys {

// A child process that keeps what it has loaded and answers one question after another. One that
// crashed, ended or hung is replaced at the next question.
class AnsweringChild {
 public:
  // In the child, for each question; what it keeps in itself is kept as long as the child lives.
  // Of what it gets, the report is the same object each time.
  using Answer = std::function<void(std::string_view question, const ChildReport&)>;

  explicit AnsweringChild(Answer answer);
  // Kills the child; waits two seconds at most for its end.
  ~AnsweringChild();
  AnsweringChild(const AnsweringChild&) = delete;
  AnsweringChild& operator=(const AnsweringChild&) = delete;

  // `question` is one line. The limit holds for this answer; one that is too long counts as none,
  // and the child is killed. Where the user interrupts it throws
  // Interrupted at once. Throws Error(system) only where no process can be made. Call it while no
  // other thread runs.
  ChildOutcome ask(std::string_view question, const ChildLimit& limit, const Interrupt& interrupt);

 private:
  void start();
  bool listen(std::chrono::steady_clock::time_point deadline, std::size_t most_report,
              const Interrupt& interrupt);
  bool take_report(std::size_t most_report);

  Answer answer_;
  pid_t pid_ = -1;  // none
  Fd questions_;
  Fd report_;
  Fd said_;
  std::string report_text_;  // of the present answer
  std::string report_end_;   // its last bytes
  std::string said_text_;
};

}  // namespace cudaenv::sys
