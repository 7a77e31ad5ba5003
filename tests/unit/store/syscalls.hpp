#pragma once

#include <functional>
#include <string>
#include <vector>

// The test program's own mkdir, rename, fsync and so on stand before libc's, so that a test can see
// in which order the disk is changed, refuse a call, or end the process right before one.
namespace cudaenv::test {

struct Call {
  std::string name;  // "rename"
  std::string path;  // as passed; of a descriptor, what /proc says
};

// Called before each call that changes the disk, or locks; an errno instead of 0 refuses it.
using Watcher = std::function<int(const Call&)>;

class WatchedCalls {
 public:
  explicit WatchedCalls(Watcher watcher);
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;
  ~WatchedCalls();
};

// While it lives, syncs cost nothing: a process that is killed loses no data, only a machine does.
class WithoutSyncs {
 public:
  WithoutSyncs();
  WithoutSyncs(const WithoutSyncs&) = delete;
  WithoutSyncs& operator=(const WithoutSyncs&) = delete;
  ~WithoutSyncs();
};

// What `work` does to the disk, one "name path" a call, with `base` cut off the paths.
std::vector<std::string> calls_of(const std::function<void()>& work, const std::string& base);

// Runs `work` in a child that is killed right before its n-th call, for n from 1 on, until it
// ends by itself. After each kill `check` is called with n. Returns how many kills there were.
int kill_at_every_call(const std::function<void()>& prepare, const std::function<void()>& work,
                       const std::function<void(int)>& check);

}  // namespace cudaenv::test
