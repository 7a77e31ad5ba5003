#include "compat/tables.hpp"

#include <string>

#include <doctest/doctest.h>

#include "catalog/index.hpp"

namespace cudaenv::compat {
namespace {

const Tables& tables() { return builtin_tables(); }

TEST_CASE("every release that can be installed is in the tables") {
  for (const auto& release : catalog::versions("cuda")) {
    CAPTURE(release.text());
    const auto* row = tables().toolkit(release);
    REQUIRE(row);
    CHECK(row->release == release);
    CHECK(row->driver);
    CHECK(tables().architecture(release));
    CHECK(tables().compiler(release, "gcc"));
    CHECK(tables().compiler(release, "clang"));
  }
}

TEST_CASE("every row has its source") {
  for (const auto& row : tables().toolkits) CHECK_FALSE(row.source.empty());
  for (const auto& row : tables().frameworks) CHECK_FALSE(row.source.empty());
  for (const auto& row : tables().recipes) CHECK_FALSE(row.source.empty());
}

TEST_CASE("a release is found by its first numbers, and a patch that is not known by its minor") {
  const auto found = [](const char* text) {
    const auto* row = tables().toolkit(*Version::parse(text));
    return row ? row->release.text() : "nothing";
  };
  CHECK(found("12.4") == "12.4.1");
  CHECK(found("12.4.0") == "12.4.0");
  CHECK(found("12.4.9") == "12.4.1");
  CHECK(found("12.7") == "nothing");
  CHECK(found("99.0.0") == "nothing");
}

TEST_CASE("a driver belongs to the branch at or below it") {
  const auto branch = [](const char* text) {
    const auto* row = tables().driver(*Version::parse(text));
    return row ? row->branch.text() : "none";
  };
  CHECK(branch("535.104.05") == "535");
  CHECK(branch("537.13") == "535");
  CHECK(branch("999.1") == "620");
  CHECK(branch("300.1") == "none");
}

TEST_CASE("a GPU is known by the name that its driver gives it") {
  const auto named = [](const char* name) {
    const auto* row = tables().gpu(name);
    return row ? row->name + " " + row->capability.text() : "nothing";
  };
  CHECK(named("NVIDIA H200") == "NVIDIA H200 9.0");
  CHECK(named("NVIDIA H100 80GB HBM3") == "NVIDIA H100 9.0");
  CHECK(named("Tesla V100-SXM2-16GB") == "NVIDIA V100 7.0");
  CHECK(named("A100-SXM4-40GB MIG 1g.5gb") == "NVIDIA A100 8.0");
  CHECK(named("NVIDIA GeForce RTX 4060 Ti") == "GeForce RTX 4060 Ti 8.9");
  CHECK(named("NVIDIA GeForce RTX 4090 Laptop GPU") == "GeForce RTX 4090 8.9");
  CHECK(named("Quadro RTX 4000") == "Quadro RTX 4000 7.5");
  CHECK(named("NVIDIA RTX 4000 Ada Generation") == "NVIDIA RTX 4000 Ada 8.9");
  CHECK(named("rtx 3090") == "GeForce RTX 3090 8.6");
  CHECK(named("NVIDIA L40S") == "NVIDIA L40S 8.9");
  // Names that only begin alike are other GPUs.
  CHECK(named("NVIDIA A10G") == "nothing");
  CHECK(named("NVIDIA TITAN X (Pascal)") == "nothing");
  CHECK(named("") == "nothing");
  CHECK(named("NVIDIA") == "nothing");
}

TEST_CASE("the first and the last toolkit for a GPU are known") {
  CHECK(tables().first_with({9, 0})->text() == "11.8");
  CHECK(tables().last_with({7, 0})->text() == "12.9");
  CHECK(tables().first_with({12, 0})->text() == "12.8");
  CHECK(tables().last_with({3, 7})->text() == "11.8");
  CHECK_FALSE(tables().first_with({99, 0}));
}

}  // namespace
}  // namespace cudaenv::compat
