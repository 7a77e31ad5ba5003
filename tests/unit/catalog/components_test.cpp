#include "catalog/components.hpp"

#include <string>

#include <doctest/doctest.h>

#include "catalog/index.hpp"

namespace cudaenv::catalog {
namespace {

std::string found(std::string_view typed, std::string_view cuda) {
  const Release release = load("cuda", Version::parse(cuda).value()).value();
  return find_component(typed, release).value_or("none");
}

TEST_CASE("profiles are known by their names") {
  for (const char* name : {"minimal", "runtime", "dev", "full"}) {
    REQUIRE(parse_profile(name));
    CHECK(name_of(*parse_profile(name)) == name);
  }
  for (const char* other : {"", "Dev", "devel", "all", "full "}) CHECK_FALSE(parse_profile(other));
}

TEST_CASE("a component may be named in short") {
  CHECK(found("cuda_nvcc", "12.1.1") == "cuda_nvcc");
  CHECK(found("nvcc", "12.1.1") == "cuda_nvcc");
  CHECK(found("NVCC", "12.1.1") == "cuda_nvcc");
  CHECK(found(" nvcc\r", "12.1.1") == "cuda_nvcc");
  CHECK(found("cudart", "12.1.1") == "cuda_cudart");
  CHECK(found("cublas", "12.1.1") == "libcublas");
  CHECK(found("libcublas", "12.1.1") == "libcublas");
  CHECK(found("cuda-nvcc", "12.1.1") == "cuda_nvcc");
  CHECK(found("nsight-systems", "12.1.1") == "nsight_systems");
  CHECK(found("profiler-api", "12.1.1") == "cuda_profiler_api");
  CHECK(found("nvvm", "13.0.2") == "libnvvm");
  CHECK(found("crt", "13.0.2") == "cuda_crt");
  CHECK(found("fs", "12.1.1") == "nvidia_fs");
}

TEST_CASE("a component may be named by what it is known for") {
  CHECK(found("ptxas", "12.1.1") == "cuda_nvcc");
  CHECK(found("compute-sanitizer", "12.1.1") == "cuda_sanitizer_api");
  CHECK(found("nsys", "12.1.1") == "nsight_systems");
  CHECK(found("ncu", "12.1.1") == "nsight_compute");
  CHECK(found("nvml", "12.1.1") == "cuda_nvml_dev");
  CHECK(found("cub", "12.1.1") == "cuda_cccl");
  CHECK(found("cu++filt", "12.1.1") == "cuda_cuxxfilt");
  CHECK(found("libdevice", "13.0.2") == "libnvvm");
}

TEST_CASE("a renamed component is found under either name") {
  CHECK(found("cccl", "12.1.1") == "cuda_cccl");
  CHECK(found("cuda_cccl", "12.1.1") == "cuda_cccl");
  CHECK(found("cccl", "13.4.2") == "cccl");
  CHECK(found("cuda_cccl", "13.4.2") == "cccl");
  CHECK(found("cuda-cccl", "13.4.2") == "cccl");
}

TEST_CASE("what a release lacks is not found in it") {
  for (const char* typed : {"", "cuda", "lib", "nosuch", "../nvcc", "cuda_", "nvcc2"}) {
    CAPTURE(typed);
    CHECK(found(typed, "12.1.1") == "none");
  }
  CHECK(found("nvvm", "12.1.1") == "none");
  CHECK(found("nvjitlink", "11.8.0") == "none");
  CHECK(found("memcheck", "12.1.1") == "none");
  CHECK(found("memcheck", "11.8.0") == "cuda_memcheck");
}

TEST_CASE("a component newer than the program is found by its short name too") {
  Release release = load("cuda", Version::parse("13.4.2").value()).value();
  Component fresh = *release.find("cuda_nvcc");
  fresh.name = "libzzfuture";
  release.components = {fresh};
  CHECK(find_component("zzfuture", release) == "libzzfuture");
}

TEST_CASE("every short name of a wheel's extra means that component") {
  const Release release = load("cuda", Version::parse("13.4.2").value()).value();
  for (const auto& info : all_components()) {
    if (info.wheel_extra.empty()) continue;
    CAPTURE(info.wheel_extra);
    if (!release.find(info.name)) continue;
    CHECK(find_component(info.wheel_extra, release) == info.name);
  }
}

TEST_CASE("a row is found by a former name") {
  REQUIRE(component_info("cuda_cccl"));
  CHECK(component_info("cuda_cccl")->name == "cccl");
  CHECK(component_info("nosuch") == nullptr);
  CHECK(component_info("nvidia_driver")->driver_side);
  CHECK(component_info("cuda_compat")->driver_side);
  CHECK(component_info("nsight_vse")->windows_only);
  CHECK(component_info("cuda_cudart")->wheel == "nvidia-cuda-runtime");
}

TEST_CASE("all files are taken where nothing is filtered") {
  CHECK(takes(Filter::all, "libcublas", "lib/libcublas_static.a"));
  CHECK(takes(Filter::all, "cuda_nvcc", "bin/nvcc"));
}

TEST_CASE("without static libraries those stay that nvcc itself links") {
  const auto taken = [](std::string_view path) { return takes(Filter::no_static, "x", path); };
  CHECK_FALSE(taken("lib/libcublas_static.a"));
  CHECK_FALSE(taken("lib/libcufilt.a"));
  CHECK_FALSE(taken("targets/x86_64-linux/lib/libnppc_static.a"));
  CHECK(taken("lib/libcudart_static.a"));
  CHECK(taken("lib/libcudadevrt.a"));
  CHECK(taken("lib/libculibos.a"));
  CHECK(taken("lib/libcublas.so.12"));
  CHECK(taken("lib/stubs/libcublas.so"));
  CHECK(taken("include/a.h"));
  CHECK(taken("bin/liba.a.txt"));
  CHECK(taken("share/doc/notes.a"));
}

TEST_CASE("runtime takes shared libraries and their data") {
  const auto taken = [](std::string_view path) {
    return takes(Filter::runtime_only, "libcublas", path);
  };
  CHECK(taken("lib/libcublas.so"));
  CHECK(taken("lib/libcublas.so.12"));
  CHECK(taken("lib/libcublasLt.so.12.1.3.1"));
  CHECK(taken("lib64/libx.so"));
  CHECK(taken("LICENSE"));
  CHECK(taken("share/licenses/libcublas/LICENSE"));
  CHECK(taken("include/LICENSE.txt"));
  for (const char* path :
       {"include/cublas.h", "include/thrust/a/b.h", "lib/libcublas_static.a",
        "lib/libcudart_static.a", "lib/stubs/libcublas.so", "pkg-config/cublas-12.1.pc",
        "pkgconfig/cublas.pc", "lib/pkgconfig/x.pc", "lib/cmake/cub/cub-config.cmake",
        "samples/a/a.cu", "doc/x.html", "docs/x.html", "extras/CUPTI/include/cupti.h",
        "extras/CUPTI/samples/a/Makefile", "share/man/man1/a.1"}) {
    CAPTURE(path);
    CHECK_FALSE(taken(path));
  }
}

TEST_CASE("of the compiler runtime takes what frameworks call") {
  const auto taken = [](std::string_view path) {
    return takes(Filter::runtime_only, "cuda_nvcc", path);
  };
  for (const char* path :
       {"bin/ptxas", "bin/nvlink", "bin/fatbinary", "nvvm/bin/cicc",
        "nvvm/libdevice/libdevice.10.bc", "nvvm/lib64/libnvvm.so.4.0.0", "LICENSE"}) {
    CAPTURE(path);
    CHECK(taken(path));
  }
  for (const char* path : {"bin/nvcc", "bin/nvcc.profile", "bin/cudafe++", "bin/crt/link.stub",
                           "include/crt/host_config.h", "nvvm/include/nvvm.h", "bin/ptxas2",
                           "lib/libnvptxcompiler_static.a", "extras/bin/ptxas"}) {
    CAPTURE(path);
    CHECK_FALSE(taken(path));
  }
  CHECK(takes(Filter::runtime_only, "libnvvm", "nvvm/libdevice/libdevice.10.bc"));
  CHECK(takes(Filter::runtime_only, "cuda_gdb", "bin/cuda-gdb"));
}

TEST_CASE("a profile has its filter") {
  CHECK(filter_of(Profile::runtime, false) == Filter::runtime_only);
  CHECK(filter_of(Profile::runtime, true) == Filter::runtime_only);
  CHECK(filter_of(Profile::dev, false) == Filter::all);
  CHECK(filter_of(Profile::minimal, true) == Filter::no_static);
}

TEST_CASE("add-ons have a product that the index knows") {
  REQUIRE(add_on("cudnn"));
  CHECK(add_on("cudnn")->wheel == "nvidia-cudnn");
  CHECK(add_on("cudnn")->base.empty());
  CHECK(add_on("nosuch") == nullptr);
  for (const auto& row : all_add_ons()) {
    CAPTURE(row.name);
    REQUIRE_FALSE(versions(row.product).empty());
    CHECK(load(row.product, versions(row.product).back())->find(row.component));
  }
}

}  // namespace
}  // namespace cudaenv::catalog
