#include "gpu/cublas.hpp"

namespace cudaenv::gpu {

Cublas Cublas::load(const std::filesystem::path& toolkit) {
  preload(toolkit, {"cublasLt"});
  const auto library = Library::open(toolkit_library(toolkit, "cublas"));
  Cublas api{};
  library.find(api.create, "cublasCreate_v2");
  library.find(api.destroy, "cublasDestroy_v2");
  library.find(api.version, "cublasGetVersion_v2");
  library.find(api.set_stream, "cublasSetStream_v2");
  library.find(api.sgemm, "cublasSgemm_v2");
  library.find(api.dgemm, "cublasDgemm_v2");
  library.find(api.gemm_ex, "cublasGemmEx");
  return api;
}

}  // namespace cudaenv::gpu
