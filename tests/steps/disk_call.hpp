#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace cudaenv::test {

// A system call that changes the disk, makes a change durable, or locks.
struct DiskCall {
  std::string name;    // "rename", "write", "fsync": one word for all variants of a call
  std::string path;    // absolute; of a descriptor, where its file is now
  std::string target;  // of a rename or link the new name, of a symlink what it says
  std::uint64_t flags = 0;
  std::uint64_t mode = 0;
  std::int64_t offset = -1;  // of a write; -1 where the file's own position counts
  std::string data;          // of a write
  long step = 0;             // the how manyth it is, from 1 on
};

// What the stopped thread is about to do; nothing for a call of another kind.
std::optional<DiskCall> disk_call(pid_t thread, std::uint64_t number,
                                  const std::uint64_t (&arguments)[6]);

}  // namespace cudaenv::test
