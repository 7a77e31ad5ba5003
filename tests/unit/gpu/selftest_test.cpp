#include "gpu/selftest.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "support/temp_dir.hpp"
#include "sys/environment.hpp"
#include "sys/process.hpp"

using namespace cudaenv;
namespace fs = std::filesystem;

namespace {

struct Line {
  std::string name;
  std::string verdict;
  std::string detail;
};

using Lines = std::vector<Line>;
using Settings = std::map<std::string, std::string>;

// The checks of a level in a process that finds the GPU of fake_gpu.cpp.
Lines checks(const std::vector<std::string>& arguments, const Settings& settings = {},
             const std::string& libcuda = FAKES "/gpu") {
  sys::Command command;
  command.arguments = {RUN_LEVEL};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  auto variables = sys::Environment::of_process().variables();
  variables["LD_LIBRARY_PATH"] = libcuda;
  for (const auto& [name, value] : settings) variables[name] = value;
  command.environment = variables;
  command.timeout = std::chrono::seconds(120);
  const auto outcome = sys::run(command, NoInterrupt());
  INFO(outcome.err);
  REQUIRE(outcome.ok());
  Lines lines;
  for (const auto text : text::lines(outcome.out)) {
    const auto fields = text::split(text, '\t');
    REQUIRE(fields.size() == 3);
    lines.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2])});
  }
  return lines;
}

std::size_t count(const Lines& lines, std::string_view verdict) {
  return static_cast<std::size_t>(std::count_if(
      lines.begin(), lines.end(), [&](const Line& line) { return line.verdict == verdict; }));
}

// The only failure there is.
Line failure(const Lines& lines) {
  REQUIRE(count(lines, "failed") == 1);
  return *std::find_if(lines.begin(), lines.end(),
                       [](const Line& line) { return line.verdict == "failed"; });
}

Line named(const Lines& lines, const std::string& name) {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; });
  REQUIRE(found != lines.end());
  return *found;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

const char* const usual = "20000";  // milliseconds: nothing here takes as many
const char* const soon = "500";

// A toolkit with the real NVRTC, where there is one, and a runtime that the fake GPU suits.
fs::path toolkit_in(const test::TempDir& folder) {
  const fs::path real = "/usr/local/cuda/lib64";
  folder.make_dir("toolkit/lib");
  fs::create_symlink(FAKE_CUDART, folder / "toolkit/lib/libcudart.so.13");
  for (const char* name : {"libnvrtc.so.13", "libnvrtc-builtins.so.13.0"}) {
    if (fs::exists(real / name)) fs::create_symlink(real / name, folder / "toolkit/lib" / name);
  }
  return folder / "toolkit";
}

bool has_nvrtc(const fs::path& toolkit) {
  if (fs::exists(toolkit / "lib/libnvrtc.so.13")) return true;
  MESSAGE("SKIP: /usr/local/cuda has no NVRTC 13");
  return false;
}

}  // namespace

TEST_CASE("a GPU that works passes every check of the driver level") {
  const auto lines = checks({"driver", "none", usual});
  CHECK(count(lines, "passed") == lines.size() - 1);
  CHECK(named(lines, "health").verdict == "skipped");
  CHECK(named(lines, "driver").detail == "CUDA 13.0");
  CHECK(named(lines, "context").detail == "Pretended GPU, sm_90");
  for (const char* name : {"jit", "vector_add", "block_sums", "histogram", "warp_scan",
                           "double_fma", "tensor_half", "tensor_bfloat16"}) {
    CHECK(named(lines, name).verdict == "passed");
  }
}

TEST_CASE("a chip without tensor cores skips what they do") {
  const auto lines = checks({"driver", "none", usual}, {{"FAKE_GPU_CHIP", "61"}});
  CHECK(count(lines, "failed") == 0);
  CHECK(named(lines, "tensor_half").verdict == "skipped");
  CHECK(contains(named(lines, "tensor_half").detail, "sm_61"));
  CHECK(
      named(checks({"driver", "none", usual}, {{"FAKE_GPU_CHIP", "75"}}), "tensor_half").verdict ==
      "passed");
}

TEST_CASE("a driver that fails is told by its number, its name and its layer (F30)") {
  const auto told = [](const char* fault) {
    return failure(checks({"driver", "none", usual}, {{"FAKE_GPU", fault}}));
  };
  CHECK(told("init_999").name == "driver");
  CHECK(contains(told("init_999").detail, "driver: CUDA_ERROR_UNKNOWN (999)"));
  CHECK(contains(told("init_802").detail, "CUDA_ERROR_SYSTEM_NOT_READY (802)"));
  CHECK(contains(told("no_device").detail, "no_device: CUDA_ERROR_NO_DEVICE (100)"));
  CHECK(told("busy").name == "context");
  CHECK(contains(told("busy").detail, "busy: error 46 (46)"));
  CHECK(told("jit_refused").name == "jit");
  CHECK(contains(told("jit_refused").detail, "jit: CUDA_ERROR_INVALID_PTX (218)"));
  CHECK(contains(told("jit_refused").detail, "ptxas fatal: no such thing"));
}

TEST_CASE("a driver that crashes or hangs is told as such, in the check where it did") {
  const auto crashed = failure(checks({"driver", "none", usual}, {{"FAKE_GPU", "init_crashes"}}));
  CHECK(crashed.name == "driver");
  CHECK(contains(crashed.detail, "crash: SIGABRT (6)"));
  const auto hung = failure(checks({"driver", "none", soon}, {{"FAKE_GPU", "init_hangs"}}));
  CHECK(hung.name == "driver");
  CHECK(contains(hung.detail, "hang:"));
  CHECK(contains(hung.detail, "no answer within 0.5 s"));
}

TEST_CASE("no libcuda, and a file that is none, are told with the loader's words") {
  const test::TempDir folder;
  folder.make_file("libcuda.so.1", "this is no library");
  const auto garbage = failure(checks({"driver", "none", usual}, {}, folder.path().string()));
  CHECK(contains(garbage.detail, "no_driver:"));
  CHECK(contains(garbage.detail, "libcuda.so.1"));
}

TEST_CASE("errors of the device come from every kernel that meets them, with their layer") {
  const auto ecc = checks({"driver", "none", usual}, {{"FAKE_GPU", "ecc"}});
  CHECK(contains(named(ecc, "vector_add").detail, "hardware: CUDA_ERROR_ECC_UNCORRECTABLE (214)"));
  const auto illegal = checks({"driver", "none", usual}, {{"FAKE_GPU", "illegal_address"}});
  CHECK(contains(named(illegal, "histogram").detail, "kernel: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
}

TEST_CASE(
    "memory errors that the GPU has counted are told, and fail where they were not corrected") {
  const std::string both = std::string(FAKES) + "/gpu:" + FAKES + "/ecc";
  const auto health = [&](const Settings& settings) {
    return named(checks({"driver", "none", usual}, settings, both), "health");
  };
  CHECK(health({}).detail == "the GPU does not count memory errors");
  CHECK(health({{"FAKE_ECC", "0"}}).verdict == "passed");
  CHECK(health({{"FAKE_ECC", "0"}}).detail == "no uncorrected memory errors, 2 corrected");
  CHECK(contains(health({{"FAKE_ECC", "3"}}).detail, "hardware:"));
  CHECK(contains(health({{"FAKE_ECC", "3"}}).detail, "3 memory errors"));
  CHECK(contains(health({{"FAKE_ECC", "0"}, {"FAKE_BAD_ROW", "1"}}).detail, "a row of memory"));
}

TEST_CASE("a planted wrong result, hang and crash are reported as what they are") {
  const auto wrong = checks({"driver", "wrong", usual});
  CHECK(count(wrong, "failed") == 7);  // each kernel, and nothing before them
  const auto detail = named(wrong, "vector_add").detail;
  CHECK(contains(detail, "wrong_result:"));
  CHECK(contains(detail, "expected"));
  CHECK(contains(detail, "got"));

  const auto hung = failure(checks({"driver", "hang", soon}));
  CHECK(hung.name == "planted_hang");
  CHECK(contains(hung.detail, "hang:"));
  CHECK(contains(failure(checks({"driver", "crash", usual})).detail, "crash: SIGSEGV (11)"));
}

TEST_CASE("the memory test covers what is free, and finds a bit that is stuck or flips") {
  const auto well = checks({"memory", "none", usual});
  CHECK(count(well, "passed") == well.size() - 1);
  CHECK(contains(named(well, "allocate").detail, "33.6 MB in"));
  CHECK(contains(named(well, "all").detail, "16 patterns"));

  const auto stuck = checks({"memory", "none", usual}, {{"FAKE_GPU", "stuck_bit"}});
  // Where the pattern has the bit set, it hides.
  CHECK(named(stuck, "ones").verdict == "passed");
  CHECK(named(stuck, "zeros").verdict == "failed");
  CHECK(contains(named(stuck, "zeros").detail, "hardware:"));
  CHECK(contains(named(stuck, "zeros").detail, "expected 0000000000000000, got 0000000000000080"));
  CHECK(named(stuck, "even_bits").verdict == "failed");
  CHECK(named(stuck, "odd_bits").verdict == "passed");

  const auto flipped = checks({"memory", "wrong", usual});
  CHECK(named(flipped, "random_1").verdict == "failed");
  CHECK(contains(named(flipped, "random_1").detail, "1 of 4194304 words"));
}

TEST_CASE("machine code and PTX are told apart, and 222 is the toolkit's age (F21)") {
  const test::TempDir folder;
  const auto toolkit = toolkit_in(folder);
  if (!has_nvrtc(toolkit)) return;
  const auto well = checks({"runtime", "none", usual, toolkit.string()});
  CHECK(count(well, "passed") == well.size());
  CHECK(named(well, "sass/load").detail == "compiled for sm_90");
  CHECK(named(well, "ptx/load").detail == "compiled for compute_90");
  CHECK(named(well, "sass/tensor_bfloat16").verdict == "passed");
  CHECK(contains(named(well, "cudart").detail, "libcudart.so.13, CUDA 13.0"));

  const auto older =
      checks({"runtime", "none", usual, toolkit.string()}, {{"FAKE_GPU", "driver_older"}});
  CHECK(named(older, "sass/warp_scan").verdict == "passed");
  CHECK(failure(older).name == "ptx/load");
  CHECK(contains(failure(older).detail, "toolkit_newer: CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)"));

  const auto foreign =
      checks({"runtime", "none", usual, toolkit.string()}, {{"FAKE_GPU", "no_image"}});
  CHECK(contains(failure(foreign).detail, "no_image: CUDA_ERROR_NO_BINARY_FOR_GPU (209)"));
  CHECK(named(foreign, "ptx/histogram").verdict == "passed");
}

TEST_CASE("a GPU that the toolkit does not know is told with what it does know") {
  const test::TempDir folder;
  const auto toolkit = toolkit_in(folder);
  if (!has_nvrtc(toolkit)) return;
  const auto newer =
      checks({"runtime", "none", usual, toolkit.string()}, {{"FAKE_GPU_CHIP", "150"}});
  CHECK(named(newer, "sass/load").verdict == "skipped");
  CHECK(contains(named(newer, "sass/load").detail, "the GPU is sm_150"));
  CHECK(named(newer, "ptx/vector_add").verdict == "passed");
  const auto dropped =
      checks({"runtime", "none", usual, toolkit.string()}, {{"FAKE_GPU_CHIP", "61"}});
  CHECK(contains(named(dropped, "ptx/load").detail, "no_image:"));
}

TEST_CASE("a library replaced by garbage is told by its file; one that is not there is skipped") {
  const test::TempDir folder;
  folder.make_file("toolkit/lib/libcudart.so.12", "garbage");
  folder.make_file("toolkit/lib/libnvrtc.so.12", std::string("\x7f"
                                                             "ELF garbage"));
  const auto lines = checks({"runtime", "none", usual, (folder / "toolkit").string()});
  CHECK(contains(named(lines, "cudart").detail, "library:"));
  CHECK(contains(named(lines, "cudart").detail, "libcudart.so.12"));
  CHECK(contains(named(lines, "nvrtc").detail, "libnvrtc.so.12"));
  CHECK(count(lines, "failed") == 2);

  folder.make_dir("empty/lib");
  const auto none = checks({"runtime", "none", usual, (folder / "empty").string()});
  CHECK(count(none, "skipped") == 2);
  CHECK(none.size() == 2);
}

TEST_CASE("a runtime newer than the driver is told as such") {
  const test::TempDir folder;
  const auto lines = checks({"runtime", "none", usual, toolkit_in(folder).string()},
                            {{"FAKE_CUDART_OLD_DRIVER", "1"}});
  CHECK(contains(named(lines, "cudart").detail, "toolkit_newer: cudaErrorInsufficientDriver (35)"));
}

TEST_CASE("GPUs copy from each other; what arrives is compared") {
  const Settings two{{"FAKE_GPU_COUNT", "2"}};
  const auto well = checks({"peers", "none", usual}, two);
  CHECK(count(well, "passed") == well.size());
  CHECK(named(well, "reach/1-0").verdict == "passed");

  auto apart = two;
  apart["FAKE_GPU"] = "no_peers";
  CHECK(named(checks({"peers", "none", usual}, apart), "reach/0-1").verdict == "skipped");
  auto lying = two;
  lying["FAKE_GPU"] = "peers_lie";
  CHECK(contains(named(checks({"peers", "none", usual}, lying), "copy/0-1").detail,
                 "element 77 of 1048576: expected 84, got 85"));
}

TEST_CASE("the libraries level skips what a toolkit lacks") {
  const test::TempDir folder;
  folder.make_dir("toolkit/lib");
  const auto lines = checks({"libraries", "none", usual, (folder / "toolkit").string()});
  for (const char* name : {"cublas", "cufft", "cudnn"}) {
    CHECK(named(lines, name).verdict == "skipped");
  }
  CHECK(named(checks({"nccl", "none", usual, (folder / "toolkit").string()}), "nccl").verdict ==
        "skipped");
}

TEST_CASE("every library of a toolkit is loaded, and the one that is none is named") {
  const test::TempDir folder;
  folder.make_dir("toolkit/lib");
  fs::create_symlink(FAKE_CUDART, folder / "toolkit/lib/libcudart.so.13");
  folder.make_file("toolkit/lib/libnpps.so.13", "garbage");
  const auto lines = checks({"libraries", "none", usual, (folder / "toolkit").string()});
  CHECK(named(lines, "load/libcudart.so.13").verdict == "passed");
  CHECK(failure(lines).name == "load/libnpps.so.13");
}
