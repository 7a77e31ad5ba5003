#include <doctest/doctest.h>

#include "catalog/wheels.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;

namespace {

using Links = std::vector<std::pair<std::string, std::string>>;

constexpr const char* elf =
    "\x7f"
    "ELF\x02\x01\x01";

}  // namespace

TEST_CASE("a library that has only its soname gets the link that linkers look for") {
  CHECK(missing_links("cuda_cudart", {"lib/libcudart.so.11.0", "lib/libOpenCL.so.1"}) ==
        Links{{"lib/libOpenCL.so", "libOpenCL.so.1"}, {"lib/libcudart.so", "libcudart.so.11.0"}});
  CHECK(missing_links("cuda_cupti",
                      {"lib/libcheckpoint.so", "lib/libcupti.so.11.8", "lib/libnvperf_host.so"}) ==
        Links{{"lib/libcupti.so", "libcupti.so.11.8"}});
  CHECK(missing_links("libcufile", {"lib/libcufile.so.0", "lib/libcufile_rdma.so.1"}) ==
        Links{{"lib/libcufile.so", "libcufile.so.0"},
              {"lib/libcufile_rdma.so", "libcufile_rdma.so.1"}});
}

TEST_CASE("the alternative NVRTC and its builtins get links of their own") {
  CHECK(missing_links("cuda_nvrtc",
                      {"lib/libnvrtc-builtins.alt.so.13.0", "lib/libnvrtc-builtins.so.13.0",
                       "lib/libnvrtc.alt.so.13", "lib/libnvrtc.so.13"}) ==
        Links{{"lib/libnvrtc-builtins.alt.so", "libnvrtc-builtins.alt.so.13.0"},
              {"lib/libnvrtc-builtins.so", "libnvrtc-builtins.so.13.0"},
              {"lib/libnvrtc.alt.so", "libnvrtc.alt.so.13"},
              {"lib/libnvrtc.so", "libnvrtc.so.13"}});
}

TEST_CASE("libnvvm gets whichever of its two names the wheel left out") {
  CHECK(missing_links("cuda_nvcc", {"nvvm/lib64/libnvvm.so", "bin/ptxas"}) ==
        Links{{"nvvm/lib64/libnvvm.so.4", "libnvvm.so"}});
  CHECK(missing_links("libnvvm", {"nvvm/lib64/libnvvm.so.4", "nvvm/bin/cicc"}) ==
        Links{{"nvvm/lib64/libnvvm.so", "libnvvm.so.4"}});
  CHECK(missing_links("libnvvm", {"nvvm/lib64/libnvvm.so.4", "nvvm/lib64/libnvvm.so"}).empty());
}

TEST_CASE("no link takes the name of a file that exists") {
  CHECK(missing_links("libcublas", {"lib/libcublas.so", "lib/libcublas.so.12"}).empty());
  CHECK(missing_links("x", {}).empty());
}

TEST_CASE("of several numbers the link names the newest library's soname") {
  CHECK(missing_links("x", {"lib/liba.so.9", "lib/liba.so.10", "lib/liba.so.10.2.1"}) ==
        Links{{"lib/liba.so", "liba.so.10"}});
  CHECK(missing_links("x", {"lib/liba.so.1.10", "lib/liba.so.1.9"}) ==
        Links{{"lib/liba.so", "liba.so.1.10"}});
}

TEST_CASE("what only looks like a numbered library gets no link") {
  CHECK(missing_links("x", {"lib/.so.1", "lib/liba.so.", "lib/liba.so.1x", "lib/liba.so.1.",
                            "lib/liba.so.x.1", "lib/sub/libb.so.1", "bin/libc.so.1", "libd.so.1",
                            "lib/libe.so.99999999999999999999999", "include/libf.so.1"})
            .empty());
}

TEST_CASE("the sanitizer is found in bin, as in an archive") {
  CHECK(missing_links("cuda_sanitizer_api", {"compute-sanitizer/compute-sanitizer",
                                             "compute-sanitizer/libsanitizer-public.so"}) ==
        Links{{"bin/compute-sanitizer", "../compute-sanitizer/compute-sanitizer"}});
  CHECK(missing_links("cuda_sanitizer_api",
                      {"bin/compute-sanitizer", "compute-sanitizer/compute-sanitizer"})
            .empty());
  CHECK(missing_links("cuda_sanitizer_api", {"compute-sanitizer/libsanitizer-public.so"}).empty());
}

TEST_CASE("programs are told by their place and first bytes, since modes in wheels say nothing") {
  for (const char* program :
       {"bin/nvcc", "bin/cudafe++", "bin/__nvcc_device_query", "nvvm/bin/cicc",
        "compute-sanitizer/compute-sanitizer", "compute-sanitizer/TreeLauncherSubreaper",
        "compute-sanitizer/x86/TreeLauncherSubreaper"}) {
    CAPTURE(program);
    CHECK(is_program(program, elf));
    CHECK(is_program(program, "#!/bin/sh\n"));
    CHECK_FALSE(is_program(program, ""));
    CHECK_FALSE(is_program(program,
                           "\x7f"
                           "EL"));
    CHECK_FALSE(is_program(program, "TOP = $(_HERE_)/.."));
  }
  for (const char* other : {"bin/crt/link.stub", "lib/libcudart.so.13", "nvcc", "include/x",
                            "compute-sanitizer/libsanitizer-public.so", "bin/libx.so.1",
                            "nvvm/lib64/libnvvm.so", "nvvm/libdevice/libdevice.10.bc"}) {
    CAPTURE(other);
    CHECK_FALSE(is_program(other, elf));
  }
}

TEST_CASE("before CUDA 13 the wheels cannot compile, and say what is missing") {
  for (const auto minor : {0u, 1u, 9u}) CHECK(wheel_shortfall("cuda_nvcc", 12, minor).unusable);
  const auto nvcc = wheel_shortfall("cuda_nvcc", 11, 8);
  CHECK(nvcc.unusable);
  CHECK(nvcc.what.find("no nvcc, cicc, cudafe++, fatbinary, nvlink") == 0);
  CHECK(wheel_shortfall("cuda_nvcc", 13, 0).what.empty());
  CHECK_FALSE(wheel_shortfall("cuda_nvcc", 13, 0).unusable);
}

TEST_CASE("the runtime's static libraries came with 12.9") {
  CHECK(wheel_shortfall("cuda_cudart", 12, 8).unusable);
  CHECK(wheel_shortfall("cuda_cudart", 11, 8).what.find("static") != std::string::npos);
  CHECK_FALSE(wheel_shortfall("cuda_cudart", 12, 9).unusable);
  CHECK(wheel_shortfall("cuda_cudart", 12, 9).what == "no stub of libcuda");
  CHECK(wheel_shortfall("cuda_cudart", 13, 5).what == "no stub of libcuda");
}

TEST_CASE("what else the wheels lack is told without calling them unusable") {
  CHECK(wheel_shortfall("cuda_sanitizer_api", 12, 1).what.find("no compute-sanitizer") == 0);
  CHECK(wheel_shortfall("cuda_sanitizer_api", 12, 9).what.find("12.9.0") != std::string::npos);
  CHECK(wheel_shortfall("cuda_sanitizer_api", 13, 3).what.find("no launcher") == 0);
  CHECK(wheel_shortfall("cuda_sanitizer_api", 13, 4).what.empty());
  for (const char* component : {"libcublas", "libnpp", "cuda_cupti", "cudnn", "cuda_cuxxfilt"}) {
    CAPTURE(component);
    const auto shortfall = wheel_shortfall(component, 13, 0);
    CHECK_FALSE(shortfall.what.empty());
    CHECK(shortfall.what.find('\n') == std::string::npos);
    CHECK_FALSE(shortfall.unusable);
  }
  CHECK(wheel_shortfall("cuda_crt", 13, 0).what.empty());
  CHECK(wheel_shortfall("no_such", 12, 1).what.empty());
}
