#include <set>

#include <doctest/doctest.h>

#include "catalog/components.hpp"
#include "catalog/wheels.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;

namespace {

bool fits(const char* file_name, const char* platform) {
  const auto name = parse_wheel_name(file_name);
  REQUIRE_MESSAGE(name, file_name);
  return name->fits(*Platform::parse(platform));
}

std::string number(const char* version) {
  const auto found = wheel_component_version(version);
  return found ? found->text() : "none";
}

std::string release(const char* version) {
  const auto found = toolkit_release(version);
  return found ? found->text() : "none";
}

}  // namespace

TEST_CASE("a wheel's file name tells distribution, version and platform tags") {
  const auto name = parse_wheel_name(
      "nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl");
  REQUIRE(name);
  CHECK(name->distribution == "nvidia-cuda-nvcc");
  CHECK(name->version == "13.0.88");
  CHECK(name->tags == std::vector<std::string>{"manylinux2014_x86_64", "manylinux_2_17_x86_64"});

  const auto post =
      parse_wheel_name("nvidia_cuda_cccl_cu11-11.8.89.post1-py3-none-manylinux2014_x86_64.whl");
  REQUIRE(post);
  CHECK(post->distribution == "nvidia-cuda-cccl-cu11");
  CHECK(post->version == "11.8.89.post1");

  const auto build = parse_wheel_name("nvidia_nccl_cu12-2.18.1-1-py3-none-manylinux1_x86_64.whl");
  REQUIRE(build);
  CHECK(build->version == "2.18.1");
  CHECK(build->tags == std::vector<std::string>{"manylinux1_x86_64"});
}

TEST_CASE("a wheel fits a platform by any of its tags") {
  const char* x86_wheels[] = {
      "nvidia_cuda_nvcc_cu12-12.1.105-py3-none-manylinux1_x86_64.whl",
      "nvidia_cuda_nvcc_cu11-11.8.89-py3-none-manylinux2014_x86_64.whl",
      "nvidia_cuda_nvrtc-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
      "nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64.whl",
      "nvidia_cufile-1.20.0.107-py3-none-manylinux_2_27_x86_64.whl",
      "nvidia_nvtx_cu12-12.9.79-py3-none-manylinux1_x86_64.manylinux_2_5_x86_64.whl"};
  for (const char* wheel : x86_wheels) {
    CAPTURE(wheel);
    CHECK(fits(wheel, "linux-x86_64"));
    CHECK_FALSE(fits(wheel, "linux-sbsa"));
    CHECK_FALSE(fits(wheel, "linux-aarch64"));
    CHECK_FALSE(fits(wheel, "windows-x86_64"));
  }
  const char* arm =
      "nvidia_cudla-13.5.25-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl";
  CHECK(fits(arm, "linux-sbsa"));
  CHECK_FALSE(fits(arm, "linux-aarch64"));
  CHECK_FALSE(fits(arm, "linux-x86_64"));

  CHECK(fits("cuda_toolkit-13.0.2-py2.py3-none-any.whl", "linux-x86_64"));
  CHECK(fits("cuda_toolkit-13.0.2-py2.py3-none-any.whl", "linux-aarch64"));
  CHECK(fits("nvidia_cuda_nvcc-13.0.88-py3-none-win_amd64.whl", "windows-x86_64"));
  CHECK_FALSE(fits("nvidia_cuda_nvcc-13.0.88-py3-none-win_amd64.whl", "linux-x86_64"));
  CHECK_FALSE(fits("x-1-py3-none-musllinux_1_1_x86_64.whl", "linux-x86_64"));
  CHECK_FALSE(fits("x-1-py3-none-manylinux_2_x86_64.whl", "linux-x86_64"));
  CHECK_FALSE(fits("x-1-py3-none-macosx_11_0_x86_64.whl", "linux-x86_64"));
}

TEST_CASE("what is not the name of a wheel is refused") {
  const char* odd[] = {"",
                       ".whl",
                       "a.whl",
                       "cuda_toolkit-13.0.2.tar.gz",
                       "a-1-py3-none.whl",
                       "a-1-py3-none-.whl",
                       "a-1-py3-none-any..whl",
                       "a-x1-py3-none-any.whl",
                       "a--py3-none-any.whl",
                       "-1-py3-none-any.whl",
                       "a-1-b-py3-none-any.whl",
                       "a-1--py3-none-any.whl",
                       "a-1-2-3-py3-none-any.whl",
                       "../a-1-py3-none-any.whl",
                       "a/b-1-py3-none-any.whl",
                       "a-1/2-py3-none-any.whl",
                       "a-1-py3-n/ne-any.whl",
                       "a-1-../py3-none-any.whl",
                       "a-1-py3-none-any\n.whl",
                       "a-1-py3-none-any.whl.metadata"};
  for (const char* name : odd) {
    CAPTURE(name);
    CHECK_FALSE(parse_wheel_name(name));
  }
}

TEST_CASE("distribution names are compared as Python compares them") {
  CHECK(normalised_distribution("NVIDIA_cuda.-_Nvcc") == "nvidia-cuda-nvcc");
  CHECK(normalised_distribution("nvidia-cuda-nvcc-cu12") == "nvidia-cuda-nvcc-cu12");
  CHECK(normalised_distribution("").empty());
}

TEST_CASE("a component's wheel carries the CUDA major until 12 and nothing from 13 on") {
  struct Row {
    const char* component;
    const char* base;
  };
  const Row rows[] = {{"cuda_nvcc", "nvidia-cuda-nvcc"},
                      {"cuda_cudart", "nvidia-cuda-runtime"},
                      {"cuda_nvml_dev", "nvidia-nvml-dev"},
                      {"cuda_nvtx", "nvidia-nvtx"},
                      {"cuda_nvrtc", "nvidia-cuda-nvrtc"},
                      {"cuda_profiler_api", "nvidia-cuda-profiler-api"},
                      {"cuda_sanitizer_api", "nvidia-cuda-sanitizer-api"},
                      {"cccl", "nvidia-cuda-cccl"},
                      {"libcublas", "nvidia-cublas"},
                      {"libnpp", "nvidia-npp"},
                      {"libnvvm", "nvidia-nvvm"},
                      {"libnvjitlink", "nvidia-nvjitlink"},
                      {"libnvptxcompiler", "nvidia-nvptxcompiler"},
                      {"libcufile", "nvidia-cufile"}};
  for (const Row& row : rows) {
    CAPTURE(row.component);
    const std::string base = row.base;
    CHECK(wheel_of(row.component, 11) == base + "-cu11");
    CHECK(wheel_of(row.component, 12) == base + "-cu12");
    CHECK(wheel_of(row.component, 13) == base);
    CHECK(component_of_wheel(base) == row.component);
    CHECK(component_of_wheel(base + "-cu12") == row.component);
  }
  CHECK(component_of_wheel("NVIDIA_CUDA_Runtime.cu12") == "cuda_cudart");
  CHECK(wheel_of("cuda_cccl", 12) == "nvidia-cuda-cccl-cu12");
}

TEST_CASE("an add-on's wheel always says for which CUDA it is") {
  CHECK(wheel_of("cudnn", 11) == "nvidia-cudnn-cu11");
  CHECK(wheel_of("cudnn", 13) == "nvidia-cudnn-cu13");
  CHECK(component_of_wheel("nvidia-cudnn-cu12") == "cudnn");
  CHECK_FALSE(component_of_wheel("nvidia-cudnn"));
}

TEST_CASE("what has no wheel or is no component has none") {
  CHECK_FALSE(wheel_of("cuda_gdb", 13));
  CHECK_FALSE(wheel_of("nsight_compute", 12));
  CHECK_FALSE(wheel_of("", 12));
  CHECK_FALSE(wheel_of("cuda_nvcc ", 12));
  for (const char* other : {"", "-cu12", "cu12", "numpy", "nvidia-cuda-nvcc-cuda", "cuda-toolkit",
                            "nvidia-cuda-nvcc-cu12-cu12"}) {
    CAPTURE(other);
    CHECK_FALSE(component_of_wheel(other));
  }
}

TEST_CASE("no two components share a wheel, and each way leads back") {
  std::set<std::string> seen;
  std::size_t with_wheel = 0;
  for (const ComponentInfo& info : all_components()) {
    if (info.wheel.empty()) continue;
    ++with_wheel;
    CAPTURE(info.name);
    CHECK(seen.insert(info.wheel).second);
    CHECK(normalised_distribution(info.wheel) == info.wheel);
    CHECK(component_of_wheel(*wheel_of(info.name, 12)) == info.name);
    CHECK(component_of_wheel(*wheel_of(info.name, 13)) == info.name);
  }
  CHECK(with_wheel >= 25);
}

TEST_CASE("a wheel's version without Python's additions is the component's") {
  CHECK(number("13.0.88") == "13.0.88");
  CHECK(number("11.8.89.post1") == "11.8.89");
  CHECK(number("13.3.5.0.6") == "13.3.5.0.6");
  CHECK(number("9.1.1.17+cu12") == "9.1.1.17");
  for (const char* odd :
       {"", "1.0rc1", "1.0a2", "1.0.dev3", "1.0.post", "1.0.postx", "1!2.0", "v1.0", ".post1"}) {
    CAPTURE(odd);
    CHECK(number(odd) == "none");
  }
}

TEST_CASE("a version of cuda-toolkit stands for the release in its first three numbers") {
  CHECK(release("11.8.0") == "11.8.0");
  CHECK(release("12.9.2.0") == "12.9.2");
  CHECK(release("13.0.3.0") == "13.0.3");
  CHECK(release("13.4.1.0") == "13.4.1");
  CHECK(release("13.0.2.post1") == "13.0.2");
  for (const char* odd : {"", "13", "13.0", "13.0.0rc1", "13.0.0.dev1", "1.2.3.4.5", "x"}) {
    CAPTURE(odd);
    CHECK(release(odd) == "none");
  }
}
