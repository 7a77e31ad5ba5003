#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv {

// What of a machine failed, from the bottom to the top.
enum class Layer {
  no_driver,      // libcuda is not there, is a stub, or cannot be loaded
  no_device,      // the driver sees no GPU, or its device nodes are missing or closed to us
  driver,         // the driver refuses a call
  busy,           // the GPU belongs to another: exclusive mode, MPS, no memory left
  hardware,       // ECC, NVLink, a GPU that fell off the bus
  jit,            // the driver cannot compile PTX
  no_image,       // there is no code for this GPU
  toolkit_newer,  // the toolkit is newer than the driver takes
  library,        // a library of the toolkit is missing, is none, or refuses a call
  host_compiler,  // nvcc does not take the host compiler, or finds none
  compiler,       // nvcc or NVRTC does not compile what it should
  kernel,         // a kernel was stopped: an illegal address, an illegal instruction
  wrong_result,   // it ran, and the result is not the CPU's
  hang,           // no answer within the limit
  crash,          // the process died
};

// "no_driver", ...: the words of --json.
std::string_view name_of(Layer layer);
std::optional<Layer> parse_layer(std::string_view name);

// One failure as data.
struct Failure {
  Layer layer = Layer::driver;
  int code = 0;      // CUresult, cudaError_t, a library's status, a signal; 0: none
  std::string name;  // of the code: "CUDA_ERROR_NO_DEVICE", "SIGSEGV"; may be empty
  std::string what;  // one line, without a full stop: what was done, which element, which file
  std::vector<std::string> causes{};  // what may be behind it; commands/remedies.hpp fills both in
  std::vector<std::string> help{};    // what to type or do
};

// Where a CUresult or cudaError_t belongs. They have been the same numbers since CUDA 10.1.
Layer layer_of_cuda_error(int code);

// How one check of the self-test ended.
enum class Verdict { passed, failed, skipped };
std::string_view name_of(Verdict verdict);

struct Check {
  std::string name;
  Verdict verdict = Verdict::passed;
  double milliseconds = 0;
  std::string detail;              // what was seen, or why it was skipped
  std::optional<Failure> failure;  // of a failed one
};

}  // namespace cudaenv
