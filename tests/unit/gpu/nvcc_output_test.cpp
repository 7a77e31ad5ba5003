#include "gpu/nvcc_output.hpp"

#include <doctest/doctest.h>

#include "gpu/checks.hpp"

using namespace cudaenv;
using namespace cudaenv::gpu;

TEST_CASE("nvcc tells its release, with the line that came in 11.0 and without (F48)") {
  const std::string old =
      "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright (c) 2005-2019 NVIDIA Corporation\n"
      "Built on Wed_Oct_23_19:24:38_PDT_2019\nCuda compilation tools, release 10.2, V10.2.89\n";
  CHECK(nvcc_release(old) == "CUDA 10.2, V10.2.89");
  const std::string now =
      "Cuda compilation tools, release 12.1, V12.1.105\nBuild "
      "cuda_12.1.r12.1/compiler.32688072_0\n";
  CHECK(nvcc_release(now) == "CUDA 12.1, V12.1.105");
  CHECK(nvcc_release("release") == "release");
  CHECK(nvcc_release("") == "");
}

TEST_CASE("the chips that nvcc lists are taken, whatever is between them") {
  CHECK(nvcc_chips("compute_90\ncompute_50\r\n\nwarning: x\ncompute_90a\ncompute_\n") ==
        std::vector<int>{50, 90});
  CHECK(nvcc_chips("").empty());
}

TEST_CASE("who refuses to compile is told from what is printed (F08, F29)") {
  const auto gnu = nvcc_failure(
      "In file included from /usr/local/cuda/include/cuda_runtime.h:82,\n"
      "host_config.h:143:2: error: #error -- unsupported GNU version! gcc versions later than 12 "
      "are not supported!\n");
  CHECK(gnu.layer == Layer::host_compiler);
  CHECK(gnu.what.starts_with("host_config.h:143:2"));
  CHECK(nvcc_failure("gcc: fatal error: cannot execute 'cc1plus': execvp: No such file\n").layer ==
        Layer::host_compiler);
  CHECK(nvcc_failure("math.h(2547): error: exception specification is incompatible with that of "
                     "previous function \"cospi\"\n")
            .layer == Layer::host_compiler);
  CHECK(nvcc_failure("nvcc fatal   : Unsupported gpu architecture 'compute_120'\n").layer ==
        Layer::no_image);
  const auto plain = nvcc_failure("program.cu(3): error: identifier \"x\" is undefined\n1 error\n");
  CHECK(plain.layer == Layer::compiler);
  CHECK(plain.what == "program.cu(3): error: identifier \"x\" is undefined");
  CHECK_FALSE(nvcc_failure("").what.empty());
}

TEST_CASE("a program says by what it failed; what it does not say is told as that") {
  const auto cuda =
      program_failure("cuda\t222\tcudaErrorUnsupportedPtxVersion\tlaunching: old\n", "");
  CHECK(cuda.layer == Layer::toolkit_newer);
  CHECK(cuda.code == 222);
  CHECK(cuda.name == "cudaErrorUnsupportedPtxVersion");
  CHECK(program_failure("wrong\tscale: element 3\n", "").layer == Layer::wrong_result);
  const auto loader = program_failure("", "./sass: error while loading shared libraries: x\n");
  CHECK(loader.what == "./sass: error while loading shared libraries: x");
  CHECK_FALSE(program_failure("", "").what.empty());
}
