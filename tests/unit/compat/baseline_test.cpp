// What is known of boards, and what a benchmark's figures are held against.
#include "compat/baseline.hpp"

#include <doctest/doctest.h>

namespace cudaenv::compat {
namespace {

std::vector<std::string> names_like(std::string_view asked) {
  std::vector<std::string> names;
  for (const auto& each : boards_like(builtin_tables(), asked)) names.push_back(each.board.name);
  return names;
}

TEST_CASE("a board is found by exactly its name, however it is spelt") {
  const auto& tables = builtin_tables();
  REQUIRE(tables.board("NVIDIA GeForce RTX 3090"));
  CHECK(tables.board("rtx 3090")->name == "NVIDIA GeForce RTX 3090");
  CHECK(tables.board("A100-SXM4-80GB")->memory == 2039);
  CHECK(tables.board("NVIDIA A100-SXM4-40GB")->memory == 1555);
  CHECK_FALSE(tables.board("NVIDIA GeForce RTX 3090 Ti"));
  CHECK_FALSE(tables.board("NVIDIA GeForce RTX 4090 Laptop GPU"));
  CHECK_FALSE(tables.board("NVIDIA H200 MIG 1g.18gb"));
  CHECK_FALSE(tables.board(""));
}

TEST_CASE("a part of a name may mean several boards") {
  CHECK(names_like("L4") == std::vector<std::string>{"NVIDIA L4"});
  CHECK(names_like("H200") == std::vector<std::string>{"NVIDIA H200"});
  CHECK(names_like("h200 nvl") == std::vector<std::string>{"NVIDIA H200 NVL"});
  CHECK(names_like("A100 80GB") ==
        std::vector<std::string>{"NVIDIA A100-SXM4-80GB", "NVIDIA A100 80GB PCIe"});
  CHECK(names_like("Voodoo").empty());
  CHECK(names_like("").size() == builtin_tables().boards.size());
}

TEST_CASE("each figure has the board's peak for what it measures, and what was measured") {
  const auto h200 = boards_like(builtin_tables(), "NVIDIA H200").front();
  const auto copy = h200.of("device to device, 2048 MiB", "GB/s");
  REQUIRE(copy.size() == 2);
  CHECK(copy[0].kind == Baseline::Kind::peak);
  CHECK(copy[0].value == 4800);
  CHECK(copy[0].source.starts_with("NVIDIA H200"));
  CHECK(copy[1].kind == Baseline::Kind::measured);
  CHECK(copy[1].source.starts_with("cudaenv bench"));
  CHECK(copy[1].value < copy[0].value);
  // Another size was not measured.
  CHECK(h200.of("device to device, 256 MiB", "GB/s").size() == 1);

  CHECK(h200.of("host to device, pinned, 64 MiB", "GB/s").at(0).value ==
        doctest::Approx(63).epsilon(0.01));
  CHECK(h200.of("host to device, pinned, 4 B", "us").empty());
  CHECK(h200.of("host to device, pageable, 64 MiB", "GB/s").empty());
  CHECK(h200.of("bf16, 4096 x 4096 by batch of 16", "TFLOP/s").at(0).value == 989.5);
  CHECK(h200.of("fp32, 64 x 64 x 64", "TFLOP/s").at(0).value == 67);

  CHECK(h200.of("to GPU 1, 256 MiB", "GB/s").at(0).value == 450);
  CHECK(h200.of("to and from GPU 1, 256 MiB", "GB/s").at(0).value == 900);
  CHECK(h200.of("to GPU 1, 4 B", "us").empty());

  const auto v100 = boards_like(builtin_tables(), "V100-SXM2-16GB").front();
  CHECK(v100.of("bf16, 512 x 512 x 512", "TFLOP/s").empty());
  // Its host is beyond NVLink, not PCIe.
  const auto gh200 = boards_like(builtin_tables(), "GH200 480GB").front();
  CHECK(gh200.of("host to device, pinned, 64 MiB", "GB/s").empty());
}

TEST_CASE("a link's rate is that of its bits without their coding") {
  CHECK(*pcie_rate(3, 16) == doctest::Approx(15.75).epsilon(0.001));
  CHECK(*pcie_rate(1, 1) == doctest::Approx(0.25));
  CHECK_FALSE(pcie_rate(6, 16));
  CHECK_FALSE(pcie_rate(0, 16));
}

// What drivers report of a board and what its maker reckons with (docs/boards.md says where each
// was read); 0 is not known.
struct Example {
  const char* board;
  ComputeCapability capability;
  int multiprocessors;
  double plain_ghz;
  double tensor_ghz;  // from Hopper on, makers reckon products of matrices at another one
  int bus_bits;       // of the memory
  double pin_gbits;   // a second, two for each tick of the clock that drivers report
};

const Example examples[] = {
    {"Tesla V100-SXM2-16GB", {7, 0}, 80, 1.53, 0, 4096, 1.754},
    {"Tesla V100-SXM2-32GB", {7, 0}, 80, 1.53, 0, 4096, 1.754},
    {"Tesla V100-PCIE-16GB", {7, 0}, 80, 1.38, 0, 4096, 1.754},
    {"Tesla V100-PCIE-32GB", {7, 0}, 80, 1.38, 0, 4096, 1.754},
    {"Tesla T4", {7, 5}, 40, 1.59, 0, 256, 10.002},
    {"NVIDIA A100-SXM4-40GB", {8, 0}, 108, 1.41, 1.41, 5120, 2.43},
    {"NVIDIA A100-SXM4-80GB", {8, 0}, 108, 1.41, 1.41, 5120, 3.186},
    {"NVIDIA A100-PCIE-40GB", {8, 0}, 108, 1.41, 1.41, 5120, 2.43},
    {"NVIDIA A100 80GB PCIe", {8, 0}, 108, 1.41, 1.41, 5120, 3.024},
    {"NVIDIA A10", {8, 6}, 72, 1.695, 1.695, 384, 12.5},
    {"NVIDIA A30", {8, 0}, 56, 1.44, 1.44, 3072, 2.43},
    {"NVIDIA A40", {8, 6}, 84, 1.74, 1.74, 384, 14.5},
    {"NVIDIA RTX A6000", {8, 6}, 84, 1.8, 1.8, 384, 16.002},
    {"NVIDIA GeForce RTX 3090", {8, 6}, 82, 1.695, 1.695, 384, 19.5},
    {"NVIDIA L4", {8, 9}, 58, 2.04, 2.04, 192, 12.502},
    {"NVIDIA L40", {8, 9}, 142, 2.49, 2.49, 384, 18},
    {"NVIDIA L40S", {8, 9}, 142, 2.52, 2.52, 384, 18},
    {"NVIDIA GeForce RTX 4090", {8, 9}, 128, 2.52, 2.52, 384, 21.002},
    {"NVIDIA GeForce RTX 5090", {12, 0}, 170, 2.407, 2.407, 512, 28.002},
    {"NVIDIA H100 PCIe", {9, 0}, 114, 1.755, 1.62, 5120, 3.2},
    {"NVIDIA H100 80GB HBM3", {9, 0}, 132, 1.98, 1.83, 5120, 5.238},
    {"NVIDIA H100 NVL", {9, 0}, 132, 1.785, 0, 6016, 5.238},
    {"NVIDIA H200", {9, 0}, 132, 1.98, 1.83, 6016, 6.402},
    {"NVIDIA GH200 480GB", {9, 0}, 132, 1.98, 1.83, 0, 0},
    {"NVIDIA GH200 144G HBM3e", {9, 0}, 132, 1.98, 1.83, 0, 0},
    {"NVIDIA B200", {10, 0}, 148, 1.965, 1.86, 7680, 7.992},
};

// Two tables that must agree.
TEST_CASE("a chip's units at the board's clock give the board's figures") {
  const auto& tables = builtin_tables();
  for (const auto& example : examples) {
    CAPTURE(example.board);
    const auto* board = tables.board(example.board);
    const auto* rate = tables.rate(example.capability, example.board);
    REQUIRE(board);
    REQUIRE(rate);
    for (const auto arithmetic : arithmetics) {
      CAPTURE(name_of(arithmetic));
      const auto& sold = board->tflops.of(arithmetic);
      const auto& each = rate->operations.of(arithmetic);
      REQUIRE(sold.has_value() == each.has_value());
      const double ghz = arithmetic == Arithmetic::fp32 ? example.plain_ghz : example.tensor_ghz;
      if (!sold || ghz == 0) continue;
      CHECK(*each * example.multiprocessors * ghz / 1e3 == doctest::Approx(*sold).epsilon(0.015));
    }
  }
}

// Makers round down to what is easy to say, but sell no more than the pins carry.
TEST_CASE("a board's memory bandwidth is that of its pins") {
  for (const auto& example : examples) {
    if (example.bus_bits == 0) continue;
    CAPTURE(example.board);
    const auto* board = builtin_tables().board(example.board);
    REQUIRE(board);
    REQUIRE(board->memory);
    const double pins = example.bus_bits / 8.0 * example.pin_gbits;
    CHECK(*board->memory <= pins * 1.005);
    CHECK(*board->memory >= pins * 0.975);
  }
}

TEST_CASE("every board is a GPU that the tables know, and its chip has rates") {
  const auto& tables = builtin_tables();
  for (const auto& board : tables.boards) {
    CAPTURE(board.name);
    const auto* gpu = tables.gpu(board.name);
    REQUIRE(gpu);
    CHECK(tables.rate(gpu->capability, board.name));
  }
  CHECK_FALSE(tables.rate({12, 0}, "NVIDIA RTX PRO 6000 Blackwell Server Edition"));
  CHECK_FALSE(tables.rate({3, 5}, "Tesla K40"));
}

TEST_CASE("a site's table adds boards, and corrects those that are there") {
  Tables tables = builtin_tables();
  overlay(tables,
          "compat\t1\t2027-01-01\nsource\ts\tour own measurement, 2027\n"
          "board\tNVIDIA X1\t9000\t\t\t\t\t\t\ts\n"
          "board\tNVIDIA L4\t301\t30\t\t\t4\t8\t\ts\n"
          "measured\tNVIDIA L4\tdevice to device, 2048 MiB\tGB/s\t250.5\ts\n",
          "site.tsv");
  CHECK(tables.boards.front().name == "NVIDIA X1");
  CHECK(tables.boards.size() == builtin_tables().boards.size() + 1);
  const auto l4 = boards_like(tables, "L4").front();
  CHECK(l4.board.memory == 301);
  CHECK(l4.of("device to device, 2048 MiB", "GB/s").at(1).value == 250.5);
}

}  // namespace
}  // namespace cudaenv::compat
