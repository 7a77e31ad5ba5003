#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/failure.hpp"
#include "sys/child.hpp"

namespace cudaenv::gpu {

// What a check throws that failed, and one that cannot be done here. Neither is an Error: the
// command goes on and tells.
struct CheckFailed : std::exception {
  explicit CheckFailed(Failure why) : failure(std::move(why)) {}
  const char* what() const noexcept override { return failure.what.c_str(); }
  Failure failure;
};
struct CheckSkipped : std::exception {
  explicit CheckSkipped(std::string reason) : why(std::move(reason)) {}
  const char* what() const noexcept override { return why.c_str(); }
  std::string why;
};

// A fault put in on purpose, to see that the self-test finds it: a flipped bit in a result on the
// device, a kernel that never ends, a process that dies.
enum class Plant { none, wrong, hang, crash };

// Does a check, which returns what it saw or throws one of these, and takes its time.
Check done_check(const std::string& name, const std::function<std::string()>& work);

// The checks of one level as they are done, in the child process: each is told to the parent when
// it begins and when it ends.
class Checks {
 public:
  Checks(const sys::ChildReport& report, Plant plant) : report_(report), plant_(plant) {}

  // Does a check, which returns what it saw, or throws. True unless it failed.
  bool run(const std::string& name, const std::function<std::string()>& check);

  Plant plant() const { return plant_; }

 private:
  const sys::ChildReport& report_;
  Plant plant_;
};

// The checks that a child told of. One that began and did not end is failed by how the child
// ended; `limit` is for the words.
std::vector<Check> read_checks(const sys::ChildOutcome& outcome, std::chrono::milliseconds limit);

}  // namespace cudaenv::gpu
