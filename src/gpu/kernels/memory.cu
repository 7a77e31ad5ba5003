// The memory test: fills memory with a pattern, and compares it on the device. Each thread moves 16
// bytes at a time. No headers: NVRTC compiles this as it is. memory.ptx is made of it by
// tools/kernels.py.

typedef unsigned int u32;
typedef unsigned long long u64;

// What is expected in the 64-bit word of this number. A word is known by its place alone, so that
// an address line that fails shows as a word of another place.
__device__ __forceinline__ u64 pattern(u32 kind, u64 parameter, u64 word) {
  switch (kind) {
    case 0:  // everywhere the same
      return parameter;
    case 1:  // a bit that walks
      return 1ull << ((word + parameter) & 63);
    case 2:  // the same, inverted
      return ~(1ull << ((word + parameter) & 63));
    case 3:  // the place itself, inverted where asked
      return word ^ parameter;
    default: {  // scattered bits (one round of a multiply and shift mix)
      u64 mixed = (word + parameter) * 0x9e3779b97f4a7c15ull;
      mixed ^= mixed >> 32;
      return mixed * 0xd6e8feb86659fd93ull;
    }
  }
}

// `pairs` counts 16 bytes; `first` is the number of the first word.
extern "C" __global__ void fill(ulonglong2* memory, u64 pairs, u64 first, u32 kind, u64 parameter) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pairs; i += stride) {
    const u64 word = first + 2 * i;
    memory[i] = make_ulonglong2(pattern(kind, parameter, word), pattern(kind, parameter, word + 1));
  }
}

// findings: how many words differ; of the one that was found first its number and what it held.
__device__ __noinline__ void tell(u64* findings, u64 word, u64 got) {
  if (atomicAdd(&findings[0], 1ull) > 0) return;
  findings[1] = word;
  findings[2] = got;
}

extern "C" __global__ void compare(const ulonglong2* memory, u64 pairs, u64 first, u32 kind,
                                   u64 parameter, u64* findings) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pairs; i += stride) {
    const u64 word = first + 2 * i;
    const ulonglong2 got = memory[i];
    const u64 low = pattern(kind, parameter, word);
    const u64 high = pattern(kind, parameter, word + 1);
    if (got.x != low) tell(findings, word, got.x);
    if (got.y != high) tell(findings, word + 1, got.y);
  }
}
