// A libcudart over this machine's memory, for what the real one needs of a driver no fake has.

#include <cstdlib>
#include <cstring>

extern "C" {

int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaGetDeviceCount(int* count) {
  *count = 1;
  return std::getenv("FAKE_CUDART_OLD_DRIVER") ? 35 : 0;
}
int cudaSetDevice(int) { return 0; }
int cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return 0;
}
int cudaFree(void* memory) {
  std::free(memory);
  return 0;
}
int cudaMemcpy(void* to, const void* from, std::size_t bytes, int) {
  std::memcpy(to, from, bytes);
  return 0;
}
int cudaMemset(void* memory, int value, std::size_t count) {
  std::memset(memory, value, count);
  return 0;
}
int cudaDeviceSynchronize() { return 0; }
const char* cudaGetErrorName(int) { return "cudaErrorInsufficientDriver"; }
const char* cudaGetErrorString(int) { return "CUDA driver version is insufficient"; }

}  // extern "C"
