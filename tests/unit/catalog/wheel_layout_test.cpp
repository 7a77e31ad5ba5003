#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/wheels.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;

namespace {

constexpr const char* nowhere = "";

struct Row {
  const char* component;
  const char* path;
  const char* place;
};

// Members of NVIDIA's wheels of 11.8, 12.1, 12.9, 13.0 and 13.5, and where its archives have them.
const Row rows[] = {
    {"cuda_nvcc", "nvidia/__init__.py", nowhere},
    {"cuda_nvcc", "nvidia/cuda_nvcc/__init__.py", nowhere},
    {"cuda_nvcc", "nvidia/cuda_nvcc/include/__init__.py", nowhere},
    {"cuda_nvcc", "nvidia/cuda_nvcc/lib/__init__.py", nowhere},
    {"cuda_nvcc", "nvidia/cuda_nvcc/bin/ptxas", "bin/ptxas"},
    {"cuda_nvcc", "nvidia/cuda_nvcc/include/crt/host_config.h", "include/crt/host_config.h"},
    {"cuda_nvcc", "nvidia/cuda_nvcc/nvvm/include/nvvm.h", "nvvm/include/nvvm.h"},
    {"cuda_nvcc", "nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so", "nvvm/lib64/libnvvm.so"},
    {"cuda_nvcc", "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc",
     "nvvm/libdevice/libdevice.10.bc"},
    {"cuda_nvcc", "nvidia_cuda_nvcc_cu11-11.8.89.dist-info/License.txt", "LICENSE"},
    {"cuda_nvcc", "nvidia_cuda_nvcc_cu11-11.8.89.dist-info/METADATA", nowhere},
    {"cuda_nvcc", "nvidia_cuda_nvcc_cu11-11.8.89.dist-info/WHEEL", nowhere},
    {"cuda_nvcc", "nvidia_cuda_nvcc_cu11-11.8.89.dist-info/top_level.txt", nowhere},
    {"cuda_nvcc", "nvidia_cuda_nvcc_cu11-11.8.89.dist-info/RECORD", nowhere},
    {"cuda_nvcc", "nvidia/cu13/bin/nvcc", "bin/nvcc"},
    {"cuda_nvcc", "nvidia/cu13/bin/cudafe++", "bin/cudafe++"},
    {"cuda_nvcc", "nvidia/cu13/bin/nvcc.profile", "bin/nvcc.profile"},
    {"cuda_nvcc", "nvidia/cu13/bin/crt/link.stub", "bin/crt/link.stub"},
    {"cuda_nvcc", "nvidia/cu13/include/fatbinary_section.h", "include/fatbinary_section.h"},
    {"cuda_nvcc", "nvidia_cuda_nvcc-13.0.88.dist-info/licenses/License.txt", "LICENSE"},
    {"libnvvm", "nvidia/cu13/include/nvvm.h", "nvvm/include/nvvm.h"},
    {"libnvvm", "nvidia/cu13/lib/libnvvm.so.4", "nvvm/lib64/libnvvm.so.4"},
    {"libnvvm", "nvidia/cu13/nvvm/bin/cicc", "nvvm/bin/cicc"},
    {"libnvvm", "nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "nvvm/libdevice/libdevice.10.bc"},
    {"cuda_cudart", "nvidia/cuda_runtime/include/CL/cl.h", "include/CL/cl.h"},
    {"cuda_cudart", "nvidia/cuda_runtime/include/cooperative_groups/details/async.h",
     "include/cooperative_groups/details/async.h"},
    {"cuda_cudart", "nvidia/cuda_runtime/lib/libcudart.so.11.0", "lib/libcudart.so.11.0"},
    {"cuda_cudart", "nvidia/cu13/lib/libcudart_static.a", "lib/libcudart_static.a"},
    {"cuda_cccl", "nvidia/cuda_cccl/include/thrust/copy.h", "include/thrust/copy.h"},
    {"cuda_cccl", "nvidia/cuda_cccl/include/cuda/std/array", "include/cuda/std/array"},
    {"cuda_cccl", "nvidia/cuda_cccl/lib/cmake/cub/cub-config.cmake",
     "lib/cmake/cub/cub-config.cmake"},
    {"cuda_cccl", "nvidia/cuda_cccl/.metadata/.sizes.txt", nowhere},
    {"cccl", "nvidia/cu13/.metadata/provenance.txt", nowhere},
    {"cccl", "nvidia/cu13/include/cccl/cub/config.cuh", "include/cccl/cub/config.cuh"},
    {"cccl", "nvidia/cu13/include/nv/target", "include/nv/target"},
    {"cuda_cupti", "nvidia/cuda_cupti/lib/libcupti.so.11.8", "lib/libcupti.so.11.8"},
    {"cuda_cupti", "nvidia/cu13/include/Openmp/omp-tools.h", "include/Openmp/omp-tools.h"},
    {"cuda_cupti", "nvidia/cu13/include/generated_cuda_meta.h", "include/generated_cuda_meta.h"},
    {"cuda_sanitizer_api", "nvidia/cu13/include/generated_cuda_meta.h",
     "compute-sanitizer/include/generated_cuda_meta.h"},
    {"cuda_sanitizer_api", "nvidia/cu13/include/sanitizer.h",
     "compute-sanitizer/include/sanitizer.h"},
    {"cuda_sanitizer_api", "nvidia/cuda_sanitizer_api/lib/libsanitizer-public.so",
     "compute-sanitizer/libsanitizer-public.so"},
    {"cuda_sanitizer_api", "nvidia/cuda_sanitizer_api/bin/compute-sanitizer",
     "compute-sanitizer/compute-sanitizer"},
    {"cuda_sanitizer_api", "nvidia/cu13/bin/libsanitizer-collection.so", nowhere},
    {"cuda_sanitizer_api", "nvidia_cuda_sanitizer_api-13.0.85.dist-info/licenses/License.txt",
     "LICENSE"},
    {"libnvjitlink", "nvidia/nvjitlink/res/nvJitLink_linux.def", "res/nvJitLink_linux.def"},
    {"libnvjitlink", "nvidia/cu13/lib/libnvJitLink.so.13", "lib/libnvJitLink.so.13"},
    {"libcufile", "nvidia/cufile/lib/libcufile_rdma.so.1", "lib/libcufile_rdma.so.1"},
    {"cuda_nvrtc", "nvidia/cu13/lib/libnvrtc.alt.so.13", "lib/libnvrtc.alt.so.13"},
    {"cuda_nvtx", "nvidia/nvtx/include/nvtx3/nvtxDetail/nvtxImpl.h",
     "include/nvtx3/nvtxDetail/nvtxImpl.h"},
    {"cudnn", "nvidia/cudnn/lib/libcudnn_ops_infer.so.8", "lib/libcudnn_ops_infer.so.8"},
    {"cudnn", "nvidia_cudnn_cu11-8.9.6.50.dist-info/License.txt", "LICENSE"},
    {"libcusparse_lt", "cusparselt/include/cusparseLt.h", nowhere},
    {"libcusparselt", "cusparselt/include/cusparseLt.h", "include/cusparseLt.h"},
    {"libcusparselt", "cusparselt/LICENSE.txt", "LICENSE"},
    {"libcublas", "nvidia/cublas/lib64/libcublas.so.12", "lib/libcublas.so.12"},
};

std::vector<std::string> placed(const std::vector<std::optional<std::string>>& places) {
  std::vector<std::string> found;
  for (const auto& place : places) found.push_back(place.value_or(nowhere));
  return found;
}

}  // namespace

TEST_CASE("a wheel's files go where NVIDIA's archives have them") {
  for (const Row& row : rows) {
    CAPTURE(row.component);
    CAPTURE(row.path);
    CHECK(wheel_place(row.component, row.path).value_or(nowhere) == row.place);
    CHECK(wheel_places(row.component, {row.path})[0].value_or(nowhere) == row.place);
  }
}

TEST_CASE("a sanitizer that comes in the archives' layout stays in it") {
  const std::vector<std::string> members = {
      "nvidia/cu13/bin/compute-sanitizer",
      "nvidia/cu13/compute-sanitizer/compute-sanitizer",
      "nvidia/cu13/compute-sanitizer/TreeLauncherSubreaper",
      "nvidia/cu13/compute-sanitizer/include/sanitizer.h",
      "nvidia/cu13/compute-sanitizer/x86/TreeLauncherSubreaper",
      "nvidia_cuda_sanitizer_api-13.5.25.dist-info/licenses/License.txt"};
  CHECK(placed(wheel_places("cuda_sanitizer_api", members)) ==
        std::vector<std::string>{"bin/compute-sanitizer", "compute-sanitizer/compute-sanitizer",
                                 "compute-sanitizer/TreeLauncherSubreaper",
                                 "compute-sanitizer/include/sanitizer.h",
                                 "compute-sanitizer/x86/TreeLauncherSubreaper", "LICENSE"});
}

TEST_CASE("the wheels of one release that bring the same path do not meet in the prefix") {
  const char* shared[] = {"generated_cuda_meta.h",
                          "generated_cuda_runtime_api_meta.h",
                          "generated_cuda_gl_interop_meta.h",
                          "generated_cuda_vdpau_interop_meta.h",
                          "generated_cudaGL_meta.h",
                          "generated_cudaVDPAU_meta.h"};
  for (const char* name : shared) {
    const std::string path = std::string("nvidia/cu13/include/") + name;
    CHECK(wheel_place("cuda_cupti", path) == std::string("include/") + name);
    CHECK(wheel_place("cuda_sanitizer_api", path) ==
          std::string("compute-sanitizer/include/") + name);
  }
}

TEST_CASE("a licence that lies at both of its places is taken once") {
  CHECK(placed(wheel_places("libcublas",
                            {"x-1.dist-info/licenses/License.txt", "x-1.dist-info/License.txt"})) ==
        std::vector<std::string>{"LICENSE", nowhere});
}

TEST_CASE("two members with one place are refused by name") {
  try {
    wheel_places("cuda_nvcc", {"nvidia/cu13/bin/ptxas", "nvidia/cuda_nvcc/bin/ptxas"});
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK(error.message() == "the wheel of cuda_nvcc is malformed");
    REQUIRE(error.causes().size() == 1);
    CHECK(error.causes()[0] ==
          "nvidia/cu13/bin/ptxas and nvidia/cuda_nvcc/bin/ptxas belong at the same place: "
          "bin/ptxas");
  }
  CHECK_THROWS_AS(wheel_places("x", {"nvidia/x/bin/a", "nvidia/x/bin/a"}), Error);
}

TEST_CASE("a hostile path goes nowhere") {
  using namespace std::string_literals;
  const std::string hostile[] = {"",
                                 "/",
                                 "/etc/passwd",
                                 "//nvidia/cu13/bin/x",
                                 "nvidia",
                                 "nvidia/",
                                 "nvidia/cu13",
                                 "nvidia/cu13/",
                                 "nvidia/cu13/bin/",
                                 "nvidia/cu13/x",
                                 "nvidia//bin/x",
                                 "nvidia/cu13/../../../etc/passwd",
                                 "nvidia/cu13/bin/..",
                                 "nvidia/../bin/x/y",
                                 "nvidia/cu13/./bin/x",
                                 "./nvidia/cu13/bin/x",
                                 "../nvidia/cu13/bin/x",
                                 "nvidia/cu13/bin/a\\..\\b",
                                 "nvidia/cu13/bin/a\nb",
                                 "nvidia/cu13/bin/a\0b"s,
                                 "nvidia/cu13/.cudaenv/receipt.json",
                                 "nvidia/cu13/bin/.hidden",
                                 "nvidia/cu13/version.json",
                                 "nvidia/cu13/lib/__pycache__/x.so",
                                 "nvidia/cu13/lib/x.pyc",
                                 "nvidia_x-1.data/scripts/nvcc",
                                 "nvidia_x-1.data/data/bin/nvcc",
                                 "bin/nvcc",
                                 "lib/libcudart.so.13",
                                 "NVIDIA/cu13/bin/x",
                                 ".dist-info/../License.txt",
                                 "x.dist-info/other/License.txt",
                                 "x.dist-info/licenses/deep/License.txt"};
  for (const std::string& path : hostile) {
    CAPTURE(text::visible(path));
    CHECK_FALSE(wheel_place("cuda_nvcc", path));
    CHECK_FALSE(wheel_place("cuda_sanitizer_api", path));
  }
}

TEST_CASE("whatever a member is called, its place is clean and relative") {
  const std::string_view pieces[] = {"nvidia",
                                     "cu13",
                                     "..",
                                     ".",
                                     "/",
                                     "/",
                                     "/",
                                     "bin",
                                     "lib",
                                     "lib64/",
                                     "compute-sanitizer",
                                     "libnvvm.so.4",
                                     "\\",
                                     "\n",
                                     "x.dist-info",
                                     "License.txt",
                                     "include",
                                     "nvvm.h",
                                     "",
                                     "__init__.py",
                                     "libx.so"};
  std::mt19937 random(20261130);
  std::size_t somewhere = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string path = round % 2 == 0 ? "nvidia/cu13/" : "";
    const auto count = random() % 8;
    for (std::size_t i = 0; i < count; ++i) path += pieces[random() % std::size(pieces)];
    for (const char* component : {"cuda_sanitizer_api", "libnvvm", "libcublas"}) {
      const auto place = wheel_place(component, path);
      if (!place) continue;
      ++somewhere;
      CAPTURE(text::visible(path));
      REQUIRE_FALSE(place->empty());
      for (const auto part : text::split(*place, '/'))
        REQUIRE((!part.empty() && part != "." && part != ".." && part.front() != '.'));
      REQUIRE(place->find_first_of("\\\n") == std::string::npos);
    }
  }
  CHECK(somewhere > 1000);
}
