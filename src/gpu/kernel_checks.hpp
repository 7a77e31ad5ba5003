#pragma once

#include <string>
#include <string_view>

#include "gpu/device.hpp"

namespace cudaenv::gpu {

// The source or PTX that is compiled into the program: "basic.cu", "basic.ptx", ...
std::string kernel_text(std::string_view name);

// Runs each kernel of basic.cu on the device in several shapes and compares it with the CPU, one
// check for each kernel; `label` ("sass/") goes before the names.
void check_basic_kernels(Checks& checks, const Device& device, const Module& module,
                         const std::string& label);

// The first chip whose tensor cores take the type.
enum class TensorType { half, bfloat16 };
ComputeCapability first_with(TensorType type);
std::string_view name_of(TensorType type);  // "half", "bfloat16"

// Whole numbers from -64 to 64 as 16-bit floats.
std::vector<std::uint16_t> sixteen_bits(const std::vector<float>& values, TensorType type);

// tensor.cu's product of 16 by 16 against the CPU. Returns what was seen; throws CheckFailed.
std::string check_tensor_kernel(const Device& device, const Module& module, TensorType type);

// Throws CheckFailed(wrong_result) with the first element that differs, expected and got.
template <typename T>
void compare(std::string_view what, const std::vector<T>& expected, const std::vector<T>& got);

}  // namespace cudaenv::gpu
