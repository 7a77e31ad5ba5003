#include "commands/remedies.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "support/test_host.hpp"

using namespace cudaenv;
using Lines = std::vector<std::string>;

namespace {

Failure advised(Layer layer, int code,
                const std::vector<std::pair<std::string, std::string>>& variables = {}) {
  const test::TestHost host(variables);
  std::vector<Check> checks(2);
  checks[1].failure = Failure{layer, code, "", "x", {}, {}};
  commands::add_remedies(checks, host.host());
  CHECK_FALSE(checks[0].failure);
  return *checks[1].failure;
}

bool contains(const Lines& lines, std::string_view words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("every layer has a remedy, and codes that say more have explain's (F30)") {
  for (int i = 0; i <= static_cast<int>(Layer::crash); ++i) {
    CHECK_FALSE(advised(static_cast<Layer>(i), 0).help.empty());
  }
  for (const int code : {34, 35, 46, 100, 221, 222, 802, 803, 804, 805, 999}) {
    CAPTURE(code);
    const auto known = advised(layer_of_cuda_error(code), code);
    CHECK_FALSE(known.causes.empty());
    CHECK(known.help != advised(layer_of_cuda_error(code), 0).help);
  }
  for (const int code : {46, 805}) {
    CHECK(contains(advised(layer_of_cuda_error(code), code).causes, "not at fault"));
  }
  CHECK(contains(advised(Layer::driver, 999).help, "nvidia_uvm"));
  CHECK(contains(advised(Layer::driver, 802).help, "nvidia-fabricmanager"));
}

TEST_CASE("what goes wrong between GPUs is laid to what lies between them") {
  const auto of = [](const std::string& name, Layer layer) {
    const test::TestHost host;
    std::vector<Check> checks{{name, Verdict::failed, 0, "", Failure{layer, 0, "", "x", {}, {}}}};
    commands::add_remedies(checks, host.host());
    return *checks.front().failure;
  };
  for (const char* name : {"copy/0-1", "reach/1-0", "nccl/all_reduce", "between GPUs/1"}) {
    CAPTURE(name);
    CHECK(contains(of(name, Layer::wrong_result).causes, "IOMMU"));
    CHECK(contains(of(name, Layer::hang).help, "NCCL_P2P_DISABLE"));
    CHECK_FALSE(contains(of(name, Layer::crash).causes, "IOMMU"));
  }
  for (const char* name : {"vector_add", "nccl/all_reduce_alone"}) {
    CHECK_FALSE(contains(of(name, Layer::wrong_result).causes, "IOMMU"));
  }
}

TEST_CASE("what blames the program says nothing of the self-test's own, which is right") {
  CHECK(advised(Layer::kernel, 700).help == advised(Layer::kernel, 0).help);
  CHECK(contains(advised(Layer::kernel, 700).help, "selftest --level memory"));
}

TEST_CASE("a signal or a library's status is no error of CUDA") {
  CHECK(advised(Layer::library, 100).help == advised(Layer::library, 0).help);
  CHECK(advised(Layer::crash, 35).help == advised(Layer::crash, 11).help);
}

TEST_CASE("tables of the user's that are broken do not hide what was found") {
  CHECK_FALSE(advised(Layer::driver, 999, {{"CUDAENV_COMPAT", "/nowhere"}}).causes.empty());
}
