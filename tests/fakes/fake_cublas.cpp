// A cuBLAS whose products take as long as a chip of 400 TFLOP/s would, and compute nothing.
#include <chrono>
#include <thread>

extern "C" {

int cublasCreate_v2(void** handle) {
  *handle = handle;
  return 0;
}

int cublasDestroy_v2(void*) { return 0; }
int cublasSetStream_v2(void*, void*) { return 0; }

int cublasGetVersion_v2(void*, int* version) {
  *version = 130000;
  return 0;
}

// Nothing that is measured.
int cublasSgemm_v2() { return 15; }
int cublasDgemm_v2() { return 15; }

int cublasGemmEx(void*, int, int, int rows, int columns, int depth, const void*, const void*, int,
                 int, const void*, int, int, const void*, void*, int, int, int, int) {
  const double operations = 2.0 * rows * columns * depth;
  std::this_thread::sleep_for(std::chrono::duration<double>(operations / 400e12));
  return 0;
}
}
