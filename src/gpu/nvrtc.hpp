#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/library.hpp"
#include "model/facts.hpp"

namespace cudaenv::gpu {

// A toolkit's NVRTC, the compiler as a library, from 11.2 on. Everything throws CheckFailed.
class Nvrtc {
 public:
  explicit Nvrtc(const std::filesystem::path& toolkit);

  std::string version() const;  // "12.1"
  // What it compiles for, ascending: 50, 52, ..., 90.
  const std::vector<int>& chips() const { return chips_; }

  // The newest chip that it compiles machine code for and that the GPU runs: the same major, no
  // newer minor. Nothing where there is none.
  std::optional<int> machine_chip(const ComputeCapability& gpu) const;
  // The newest chip of which the GPU's driver can compile the PTX.
  std::optional<int> ptx_chip(const ComputeCapability& gpu) const;

  std::string machine_code(const std::string& source, int chip, bool bfloat16) const;
  std::string ptx(const std::string& source, int chip, bool bfloat16) const;

 private:
  struct Api;
  std::string compile(const std::string& source, const std::string& chip, bool bfloat16,
                      bool machine) const;
  void check(int result, const std::string& doing) const;

  Library library_;
  std::shared_ptr<const Api> api_;
  std::vector<int> chips_;
};

}  // namespace cudaenv::gpu
