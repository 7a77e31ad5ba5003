#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "commands/host.hpp"

namespace cudaenv::commands {

struct VerifyRequest {
  std::string spec;  // empty with `all`
  bool all = false;
  unsigned jobs = 0;  // 0: the processors
};

struct Damage {
  enum class Kind { missing, changed, mode, extra };
  Kind kind;
  std::string path;  // in the prefix
};

struct Verified {
  store::InstalledPrefix prefix;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<Damage> damages;  // sorted by path; `extra` files are told, and are no damage
  std::string problem;          // why its files cannot be compared; else empty

  bool ok() const;
};

struct VerifyResult {
  std::vector<Verified> prefixes;
  std::vector<store::Oddity> unreadable;  // with `all`: what has no receipt to go by

  bool ok() const;
};

// Reads every file of the prefixes and compares it with what was installed. Changes nothing. A
// prefix that cannot be verified does not keep the others from it.
VerifyResult verify(const VerifyRequest& request, const Host& host);

}  // namespace cudaenv::commands
