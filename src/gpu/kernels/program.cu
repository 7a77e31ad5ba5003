// A program as a user writes one: host code with the standard library, kernels with <<<>>>. Built by
// the toolkit's nvcc and the host compiler, once as machine code and once as PTX. Prints "ok", or
// "cuda TAB code TAB name TAB what" or "wrong TAB what", and ends with 1 then.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

template <typename T>
__global__ void scale_and_add(const T* x, T* y, T factor, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < count) y[i] += factor * x[i];
}

__global__ void block_maxima(const int* values, int* maxima, std::size_t count) {
  extern __shared__ int greatest[];
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  greatest[threadIdx.x] = i < count ? values[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      greatest[threadIdx.x] = max(greatest[threadIdx.x], greatest[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) maxima[blockIdx.x] = greatest[0];
}

static void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  std::printf("cuda\t%d\t%s\t%s: %s\n", static_cast<int>(result), cudaGetErrorName(result), doing,
              cudaGetErrorString(result));
  std::exit(1);
}

template <typename T>
static void compare(const char* what, const std::vector<T>& expected, const std::vector<T>& got) {
  const auto differing = std::mismatch(expected.begin(), expected.end(), got.begin());
  if (differing.first == expected.end()) return;
  std::printf("wrong\t%s: element %zu of %zu: expected %s, got %s\n", what,
              static_cast<std::size_t>(differing.first - expected.begin()), expected.size(),
              std::to_string(*differing.first).c_str(), std::to_string(*differing.second).c_str());
  std::exit(1);
}

template <typename T>
static T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, values.size() * sizeof(T)), "cudaMalloc");
  check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  return memory;
}

template <typename T>
static std::vector<T> from_device(const T* memory, std::size_t count) {
  check(cudaGetLastError(), "launching a kernel");
  check(cudaDeviceSynchronize(), "waiting for a kernel");
  std::vector<T> values(count);
  check(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return values;
}

// A fault that is put in on purpose.
static void plant(const std::string& fault) {
  if (fault == "crash") std::abort();
  while (fault == "hang") {
  }
}

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "";
  plant(fault);
  const std::size_t count = 100003;
  const unsigned threads = 256;
  const unsigned blocks = static_cast<unsigned>((count + threads - 1) / threads);

  std::vector<double> x(count), y(count), sum(count);
  std::vector<int> values(count), maxima(blocks);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<double>(i);
    y[i] = static_cast<double>(count - i);
    sum[i] = y[i] + 3 * x[i];
    values[i] = static_cast<int>(i * 7919 % 100019);
    maxima[i / threads] = std::max(maxima[i / threads], values[i]);
  }
  if (fault == "wrong") sum[count / 2] += 1;

  double* on_y = on_device(y);
  scale_and_add<<<blocks, threads>>>(on_device(x), on_y, 3.0, count);
  compare("scale_and_add", sum, from_device(on_y, count));

  int* on_maxima = on_device(std::vector<int>(blocks));
  block_maxima<<<blocks, threads, threads * sizeof(int)>>>(on_device(values), on_maxima, count);
  compare("block_maxima", maxima, from_device(on_maxima, blocks));
  std::printf("ok\n");
  return 0;
}
