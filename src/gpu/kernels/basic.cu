// What every GPU from sm_50 on can do, each kernel checked against the CPU. No headers: NVRTC
// compiles this as it is. basic.ptx is made of it by tools/kernels.py.

typedef unsigned int u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 first_item() {
  return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ u64 stride() { return static_cast<u64>(gridDim.x) * blockDim.x; }

extern "C" __global__ void vector_add(const float* a, const float* b, float* sum, u64 count) {
  for (u64 i = first_item(); i < count; i += stride()) sum[i] = a[i] + b[i];
}

// One sum for each block of 256 threads, by halving in shared memory.
extern "C" __global__ void block_sums(const u32* values, u64* sums, u64 count) {
  __shared__ u64 partial[256];
  u64 sum = 0;
  for (u64 i = first_item(); i < count; i += stride()) sum += values[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (u32 half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

// How often each of 64 values occurs: atomics in shared, then in global memory. bins[64] is the
// greatest value.
extern "C" __global__ void histogram(const u32* values, u32* bins, u64 count) {
  __shared__ u32 own[64];
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  __syncthreads();
  for (u64 i = first_item(); i < count; i += stride()) {
    atomicAdd(&own[values[i] % 64], 1u);
    atomicMax(&bins[64], values[i]);
  }
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// The running sum within each warp of 32. `count` is a multiple of 32 and the grid covers it.
extern "C" __global__ void warp_scan(const u32* values, u32* sums, u64 count) {
  const u64 i = first_item();
  if (i >= count) return;
  const u32 lane = threadIdx.x % 32;
  u32 sum = values[i];
  for (u32 distance = 1; distance < 32; distance *= 2) {
    const u32 lower = __shfl_up_sync(0xffffffffu, sum, distance);
    if (lane >= distance) sum += lower;
  }
  sums[i] = sum;
}

// Rounds once, as IEEE 754 has it.
extern "C" __global__ void double_fma(const double* a, const double* b, double* c, u64 count) {
  for (u64 i = first_item(); i < count; i += stride()) c[i] = __fma_rn(a[i], b[i], c[i]);
}

// Runs until somebody writes the flag, which nobody does: the planted hang.
extern "C" __global__ void wait_for_flag(volatile u32* flag) {
  while (*flag == 0) {
  }
}
