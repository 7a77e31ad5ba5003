#include "gpu/smi.hpp"

#include <chrono>
#include <functional>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
using End = gpu::SmiAnswer::End;
using namespace std::chrono_literals;
using Variables = std::map<std::string, std::string, std::less<>>;

namespace {

std::string text(const std::optional<Version>& version) { return version ? version->text() : "-"; }

// What is heard of an nvidia-smi that is this shell script.
gpu::SmiAnswer heard(const std::string& script, std::chrono::milliseconds limit = 20s) {
  const TempDir dir;
  ::chmod(dir.make_file("nvidia-smi", "#!/bin/sh\n" + script).c_str(), 0755);
  const sys::Environment environment(Variables{{"PATH", dir.path().string() + ":/usr/bin:/bin"}});
  return gpu::ask_smi(environment, NoInterrupt(), limit);
}

struct BannerCase {
  const char* what;
  const char* text;
  const char* driver;
  const char* cuda;
};

}  // namespace

TEST_CASE("the banner is read in every shape that it has had") {
  const BannerCase cases[] = {
      {"up to 396",
       "| NVIDIA-SMI 390.48                 Driver Version: 390.48                    |", "390.48",
       "-"},
      {"from 410",
       "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: 11.4     |",
       "470.57.02", "11.4"},
      {"from 530",
       "| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |",
       "535.104.05", "12.2"},
      {"WSL2", "| NVIDIA-SMI 535.104.07   Driver Version: 537.34   CUDA Version: 12.2     |",
       "537.34", "12.2"},
      {"from 610",
       "| NVIDIA-SMI 610.43.02      KMD Version: 610.43.02      CUDA UMD Version: 13.3     |",
       "610.43.02", "13.3"},
      {"no library",
       "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: N/A      |",
       "535.104.05", "-"},
      {"nothing", "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
       "-", "-"},
      {"cut", "| NVIDIA-SMI 535.104.05   Driver Version:", "-", "-"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.what);
    const auto banner =
        gpu::read_smi_banner("Mon Nov 30\n+------+\n" + std::string(one.text) + "\n");
    CHECK(text(banner.driver) == one.driver);
    CHECK(text(banner.cuda) == one.cuda);
  }
}

TEST_CASE("F37: every line of a query is a GPU") {
  const auto gpus = gpu::read_smi_query(
      "NVIDIA RTX A4000, GPU-7e5b, 00000000:01:00.0, 570.86.10, 16376, 8.6\n"
      "NVIDIA GeForce RTX 5090, GPU-a0b1, 00000000:41:00.0, 570.86.10, 32607, 12.0\n");
  REQUIRE(gpus.size() == 2);
  CHECK(gpus[0].gpu.capability->text() == "8.6");
  CHECK(gpus[1].gpu.capability->text() == "12.0");
  CHECK(gpus[1].gpu.bus_id == "00000000:41:00.0");
  CHECK(gpus[1].gpu.memory_bytes == 32607ull << 20);
  CHECK(text(gpus[1].driver) == "570.86.10");
}

TEST_CASE("cells without a value are absent, and messages are no GPUs") {
  const auto gpus = gpu::read_smi_query(
      "NVIDIA GeForce GT 710, GPU-11, 00000000:01:00.0, 470.57.02, [N/A]\n"
      "Unable to determine the device handle for GPU 0000:02:00.0: lost, reboot, now, please, ok\n"
      "No devices were found\n\n, , , , , ,\n");
  REQUIRE(gpus.size() == 1);
  CHECK_FALSE(gpus[0].gpu.memory_bytes);
  CHECK_FALSE(gpus[0].gpu.capability);
}

TEST_CASE("F37: a query field that the driver does not know is left out") {
  const auto answer = heard(
      "case \"$1\" in *compute_cap*) echo 'Field \"compute_cap\" is not a valid field to query.';"
      " exit 2;; --query*) echo 'Tesla T4, GPU-22, 00000000:01:00.0, 470.57.02, 15109';; esac\n");
  CHECK(answer.end == End::answered);
  CHECK(text(answer.driver) == "470.57.02");
  REQUIRE(answer.gpus.size() == 1);
  CHECK(answer.gpus[0].name == "Tesla T4");
}

TEST_CASE("F19: an nvidia-smi that fails is not read as data") {
  const auto none = heard(
      "echo \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make "
      "sure that the latest NVIDIA driver is installed and running.\"; exit 9\n");
  CHECK(none.end == End::refused);
  CHECK(none.status == 9);
  CHECK_FALSE(none.driver);
  CHECK(none.said.starts_with("NVIDIA-SMI has failed"));
  const auto empty = heard("echo 'No devices were found'; exit 6\n");
  CHECK(empty.status == 6);
  CHECK(empty.gpus.empty());
}

TEST_CASE("F10: the library's version of a mismatch is kept, and nothing else of it") {
  const auto answer = heard(
      "echo 'Failed to initialize NVML: Driver/library version mismatch'\n"
      "echo 'NVML library version: 580.178'; exit 18\n");
  CHECK(answer.end == End::refused);
  CHECK(text(answer.library) == "580.178");
  CHECK_FALSE(answer.driver);
  CHECK(
      answer.said ==
      "Failed to initialize NVML: Driver/library version mismatch; NVML library version: 580.178");
}

TEST_CASE("the banner is read only where no query is answered") {
  const auto answer = heard(
      "case \"$1\" in --query*) exit 0;; esac\n"
      "echo '| NVIDIA-SMI 367.48   Driver Version: 367.48 |'\n");
  CHECK(answer.end == End::answered);
  CHECK(text(answer.driver) == "367.48");
}

TEST_CASE("an nvidia-smi that hangs is killed") {
  const auto answer = heard("exec sleep 600\n", 400ms);
  CHECK(answer.end == End::hung);
  CHECK_FALSE(answer.driver);
}

TEST_CASE("F17: no nvidia-smi is a value") {
  const sys::Environment environment(Variables{{"PATH", "/nonexistent"}});
  CHECK(gpu::ask_smi(environment, NoInterrupt(), 1s).end == End::not_found);
}

TEST_CASE("control characters that nvidia-smi prints are made visible") {
  const auto answer = heard("printf 'bad\\033[2Jnews\\n'; exit 9\n");
  CHECK(answer.said == "bad\\x1B[2Jnews");
}
