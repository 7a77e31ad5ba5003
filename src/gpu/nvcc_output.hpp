#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "model/failure.hpp"
#include "sys/process.hpp"

// What nvcc and the program that it built say, as values. Their words are foreign text.
namespace cudaenv::gpu {

// "CUDA 12.1, V12.1.105" of `nvcc --version`, which has a line more since 11.0.
std::string nvcc_release(std::string_view output);

// The chips of `nvcc --list-gpu-arch`, ascending: 50, 52, ..., 90.
std::vector<int> nvcc_chips(std::string_view output);

// Which layer refused, by what nvcc and the host compiler print; the line that says so.
Failure nvcc_failure(std::string_view output);

// What kernels/program.cu printed before it ended with 1.
Failure program_failure(std::string_view out, std::string_view err);

// Throws CheckFailed where the program hung or was killed by a signal.
void throw_unless_ended(const sys::Outcome& outcome, const std::string& program,
                        std::chrono::milliseconds limit);

}  // namespace cudaenv::gpu
