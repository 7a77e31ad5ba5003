# shellcheck shell=bash disable=SC2154
# Programs that suites compile with an installed toolkit, and the checks on them. None needs a
# GPU or a driver: they ask the libraries for their versions and compile to PTX.

write_programs() {
  mkdir -p "$scratch/programs/project"
  cat >"$scratch/programs/runtime.cu" <<'END'
#include <cstdio>
#include <cuda_runtime.h>
#include <thrust/version.h>
__global__ void add(float* x, float y) { x[threadIdx.x] += y; }
int main(int argc, char**) {
  if (argc > 100) add<<<1, 32>>>(nullptr, 1.0f);
  int version = 0;
  if (cudaRuntimeGetVersion(&version) != cudaSuccess) return 1;
  std::printf("cudart %d thrust %d\n", version, THRUST_VERSION > 0);
}
END
  cat >"$scratch/programs/libraries.cu" <<'END'
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nvrtc.h>
int main() {
  int runtime = 0, blas = 0, rtc_major = 0, rtc_minor = 0;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess) return 1;
  if (cublasGetProperty(MAJOR_VERSION, &blas) != CUBLAS_STATUS_SUCCESS) return 2;
  if (nvrtcVersion(&rtc_major, &rtc_minor) != NVRTC_SUCCESS) return 3;
  nvrtcProgram program;
  const char* source = "extern \"C\" __global__ void k(int* x) { *x = 7; }";
  nvrtcCreateProgram(&program, source, "k.cu", 0, nullptr, nullptr);
  if (nvrtcCompileProgram(program, 0, nullptr) != NVRTC_SUCCESS) return 4;
  std::printf("cudart %d cublas %d nvrtc %d.%d\n", runtime, blas, rtc_major, rtc_minor);
}
END
  cp "$scratch/programs/runtime.cu" "$scratch/programs/project/main.cu"
  cat >"$scratch/programs/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(uses_toolkit LANGUAGES CXX CUDA)
find_package(CUDAToolkit REQUIRED)
add_executable(uses_toolkit main.cu)
target_link_libraries(uses_toolkit PRIVATE CUDA::cudart)
get_target_property(cudart CUDA::cudart IMPORTED_LOCATION)
message(STATUS "seen version ${CUDAToolkit_VERSION}")
message(STATUS "seen nvcc ${CUDAToolkit_NVCC_EXECUTABLE}")
message(STATUS "seen include ${CUDAToolkit_INCLUDE_DIRS}")
message(STATUS "seen cudart ${cudart}")
END
}

# nvcc of a prefix compiles and links a program, which then tells the runtime's number.
check_nvcc() {  # prefix, number of the runtime (13000)
  must "$1/bin/nvcc" -arch=sm_80 -o "$scratch/runtime" "$scratch/programs/runtime.cu"
  must "$scratch/runtime"
  assert_equal "the compiled program's output" "cudart $2 thrust 1" "$out"
}

# The same against the shared runtime, cuBLAS and NVRTC, found by -l alone.
check_libraries() {  # prefix, expected output
  must "$1/bin/nvcc" -arch=sm_80 -cudart shared -o "$scratch/libraries" \
    "$scratch/programs/libraries.cu" -lcublas -lnvrtc
  must env "LD_LIBRARY_PATH=$1/lib64" "$scratch/libraries"
  assert_equal "what the libraries say" "$2" "$out"
}

# A CMake project that is given nothing but the prefix finds everything in it.
check_cmake() {  # prefix, release's first two numbers, runtime's number
  if ! command -v cmake >/dev/null; then
    step "no cmake here: the CMake project is left out"
    return
  fi
  rm -rf "$scratch/project-build"
  must cmake -S "$scratch/programs/project" -B "$scratch/project-build" \
    "-DCUDAToolkit_ROOT=$1" "-DCMAKE_CUDA_COMPILER=$1/bin/nvcc" -DCMAKE_CUDA_ARCHITECTURES=80
  assert_contains "CMake's version" "$out" "seen version $2"
  assert_within "$1" nvcc "$out"
  assert_within "$1" include "$out"
  assert_within "$1" cudart "$out"
  must cmake --build "$scratch/project-build"
  # CMake writes no run path for nvcc's own library folder.
  must env "LD_LIBRARY_PATH=$1/lib64" "$scratch/project-build/uses_toolkit"
  assert_equal "the CMake project's output" "cudart $3 thrust 1" "$out"
}

assert_within() {  # prefix, word, CMake's output
  local seen
  seen=$(sed -n "s/^-- seen $2 //p" <<<"$3")
  seen=$(realpath "${seen%%;*}")
  [[ $seen == "$(realpath "$1")"/* ]] || fail "CMake took $2 from $seen, not from $1"
}
