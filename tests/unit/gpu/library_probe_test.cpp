#include "gpu/library_probe.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>

#include <doctest/doctest.h>

#include "gpu/cuda_number.hpp"
#include "support/temp_dir.hpp"
#include "sys/environment.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

using namespace cudaenv;
using cudaenv::test::TempDir;
namespace fs = std::filesystem;

namespace {

// What a process hears of the drivers in `folder` that behave as told.
std::string heard(const std::string& what, const std::string& folder, const std::string& behaviour,
                  const std::string& limit = "20000") {
  sys::Command command;
  command.arguments = {ASK_DRIVER, what, limit};
  auto variables = sys::Environment::of_process().variables();
  variables["LD_LIBRARY_PATH"] = folder;
  variables["FAKE_CUDA"] = behaviour;
  variables["FAKE_NVML"] = behaviour;
  command.environment = variables;
  command.timeout = std::chrono::seconds(60);
  const auto outcome = sys::run(command, NoInterrupt());
  CHECK(outcome.ok());
  CHECK(outcome.err == "");
  return outcome.out;
}

const std::string driver = std::string(FAKES) + "/driver";
const std::string empty = std::string(FAKES) + "/empty";

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("a driver tells the newest CUDA that it runs, and what it prints is kept away") {
  const auto cuda = [](const std::string& behaviour) {
    const auto line = first_line(heard("cuda", driver, behaviour));
    return line.substr(line.rfind(' ') + 1);
  };
  CHECK(cuda("talk=cuDriverGetVersion") == "13.0");
  CHECK(cuda("version=11080") == "11.8");
  CHECK(cuda("version=-5") == "-");
  CHECK(cuda("version_status=999") == "-");
  CHECK(cuda("crash=cuDriverGetVersion") == "-");
  CHECK(cuda("exit=cuDriverGetVersion") == "-");
}

TEST_CASE("libcuda tells its GPUs") {
  CHECK(heard("cuda", driver, "devices=2") ==
        "answered in cuDeviceTotalMem_v2, status 0, cuda 13.0\n"
        "gpu NVIDIA H200|GPU-10101010-1010-1010-1010-101010101010|0000:10:00.0|9.0|141|whole\n"
        "gpu NVIDIA H200|GPU-11111111-1111-1111-1111-111111111111|0000:11:00.0|9.0|141|whole\n");
}

TEST_CASE("an instance of a partitioned GPU is told apart by libcuda's name") {
  const auto text = heard("cuda", driver, "name=NVIDIA H200 MIG 1g.18gb");
  CHECK(text.find("|MIG-10101010-1010-1010-1010-101010101010|") != std::string::npos);
  CHECK(text.find("|mig\n") != std::string::npos);
}

TEST_CASE("every number that cuInit returns is kept") {
  for (const int status : {3, 34, 35, 100, 802, 803, 804, 999}) {
    CAPTURE(status);
    CHECK(heard("cuda", driver, "init=" + std::to_string(status)) ==
          "answered in cuInit, status " + std::to_string(status) + ", cuda 13.0\n");
  }
}

TEST_CASE("a libcuda that crashes or hangs is told with the call that it was in") {
  CHECK(first_line(heard("cuda", driver, "crash=cuInit")) ==
        "crashed in cuInit, status -, cuda 13.0");
  CHECK(first_line(heard("cuda", driver, "crash=cuDeviceGetName")) ==
        "crashed in cuDeviceGetName, status 0, cuda 13.0");
  CHECK(first_line(heard("cuda", driver, "exit=cuInit")) ==
        "crashed in cuInit, status -, cuda 13.0");
  CHECK(first_line(heard("cuda", driver, "hang=cuInit", "500")) ==
        "hung in cuInit, status -, cuda 13.0");
}

TEST_CASE("values that cannot be are left out, and their number is bounded") {
  const auto text = heard("cuda", driver, "lie=1,version=77");
  CHECK(first_line(text) == "answered in cuDeviceTotalMem_v2, status 0, cuda -");
  CHECK(std::count(text.begin(), text.end(), '\n') == 129);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("|-|0|whole\n") != std::string::npos);
}

TEST_CASE("a libcuda without functions, and a file that is no library, are not usable") {
  CHECK(first_line(heard("cuda", empty, "")).starts_with("unusable"));
  const TempDir dir;
  dir.make_file("libcuda.so.1", "not a library");
  CHECK(first_line(heard("cuda", dir.path().string(), "")).starts_with("unusable"));
  dir.make_file("libnvidia-ml.so.1", "");
  CHECK(first_line(heard("nvml", dir.path().string(), "")).starts_with("unusable"));
}

TEST_CASE("NVML tells every GPU, its instances with the capability of the whole") {
  CHECK(heard("nvml", driver, "instances=2,mode=3,fabric=1") ==
        "answered in nvmlDeviceGetMigDeviceHandleByIndex, status 0, cuda 13.0\n"
        "driver 580.95.05 partitioned exclusive fabric\n"
        "gpu NVIDIA H200|GPU-10101010-1010-1010-1010-101010101010|00000000:10:00.0|9.0|141|whole\n"
        "gpu NVIDIA H200 MIG 1g.18gb|MIG-00000000-0000-0000-0000-000000001000||9.0|141|mig\n"
        "gpu NVIDIA H200 MIG 1g.18gb|MIG-00000000-0000-0000-0000-000000001001||9.0|141|mig\n");
  CHECK(heard("nvml", driver, "mode=2").find("driver 580.95.05 prohibited\n") != std::string::npos);
}

TEST_CASE("a GPU that fell off the bus does not keep NVML from telling the others") {
  const auto text = heard("nvml", driver, "devices=2,lost=0");
  CHECK(text.find("gpu NVIDIA H200|GPU-11111111-") != std::string::npos);
  CHECK(text.find("GPU-10101010-") == std::string::npos);
}

TEST_CASE("NVML's failures, crashes, hangs and lies are values") {
  CHECK(first_line(heard("nvml", driver, "init=18")) ==
        "answered in nvmlInit_v2, status 18, cuda -");
  CHECK(first_line(heard("nvml", driver, "crash=nvmlDeviceGetName")) ==
        "crashed in nvmlDeviceGetName, status 0, cuda 13.0");
  CHECK(first_line(heard("nvml", driver, "hang=nvmlInit_v2", "400")) ==
        "hung in nvmlInit_v2, status -, cuda -");
  const auto lies = heard("nvml", driver, "lie=1,instances=0");
  CHECK(lies.find('\x1b') == std::string::npos);
  CHECK(lies.find("driver - partitioned\n") != std::string::npos);
  CHECK(first_line(heard("nvml", empty, "")).starts_with("unusable"));
}

TEST_CASE("numbers of CUDA versions are read as NVIDIA counts") {
  CHECK(gpu::cuda_from_number(13000)->text() == "13.0");
  CHECK(gpu::cuda_from_number(12040)->text() == "12.4");
  CHECK(gpu::cuda_from_number(10010)->text() == "10.1");
  CHECK_FALSE(gpu::cuda_from_number(0));
  CHECK_FALSE(gpu::cuda_from_number(-13000));
  CHECK_FALSE(gpu::cuda_from_number(2'000'000'000));
}
