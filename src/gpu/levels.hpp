#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/selftest.hpp"

// The levels themselves, as they run in a child process that sees one GPU (several for the last
// two); the compiler's runs in ours, because nvcc is a process anyway.
namespace cudaenv::gpu {

// What every level begins with: the checks `driver` and `context`, with `label` before their names.
// Nothing where one of them failed. `asked` is that of ordinal_of. A hang that is to be planted is
// planted here.
std::unique_ptr<Device> open_device(Checks& checks, const std::string& uuid,
                                    const std::string& label = "", std::size_t asked = 1);

// Where a hang is to be planted: a kernel that does not end, and a check that waits for it.
void plant_hang(Checks& checks, const Device& device, const std::string& label);

// What the GPU itself counted, by NVML: the check `health`.
void health_check(Checks& checks, const std::string& uuid);

void driver_level(Checks& checks, const LevelRequest& request);
void runtime_level(Checks& checks, const LevelRequest& request);
void memory_level(Checks& checks, const LevelRequest& request);
void cublas_checks(Checks& checks, const LevelRequest& request);
void cufft_checks(Checks& checks, const LevelRequest& request);
void cudnn_checks(Checks& checks, const LevelRequest& request);
void loading_checks(Checks& checks, const LevelRequest& request);

std::vector<Check> compiler_level(const LevelRequest& request, const sys::Environment& environment,
                                  const Interrupt& interrupt);

void peer_checks(Checks& checks, const std::vector<std::string>& uuids);
void nccl_checks(Checks& checks, const LevelRequest& request,
                 const std::vector<std::string>& uuids);

}  // namespace cudaenv::gpu
