#include "cli/gpu_print.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace cudaenv;

namespace {

gpu::Readings one_gpu_of(GpuReading gpu) {
  gpu::Readings readings;
  readings.gpus.push_back(std::move(gpu));
  return readings;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a chip that tells nothing gives N/A, null and no metric, never 0") {
  const auto readings = one_gpu_of({});
  CHECK(cli::gpu_lines(readings, "now") ==
        "now gpu=0 util=N/A mem_util=N/A mem_mib=N/A mem_total_mib=N/A temp_c=N/A power_w=N/A "
        "limit_w=N/A clock_mhz=N/A max_mhz=N/A held_back=\"N/A\"\n");
  const auto json = cli::gpu_json(readings, "now")["gpus"][0];
  for (const char* field : {"memory", "utilization_percent", "power_watts", "ecc", "mig",
                            "processes", "throttle", "lost", "name"}) {
    CAPTURE(field);
    CHECK(json.at(field).is_null());
  }
  const auto metrics = cli::gpu_metrics(readings);
  CHECK(has(metrics, "cudaenv_gpu_up{"));
  CHECK_FALSE(has(metrics, "power"));
  const auto blocks = cli::gpu_blocks(readings, cli::Style());
  CHECK(has(blocks, "temperature   N/A\n"));
  CHECK_FALSE(has(blocks, "0 %"));
}

TEST_CASE("a GPU that is lost has one line and is down") {
  GpuReading gpu;
  gpu.index = 3;
  gpu.lost = 15;
  const auto readings = one_gpu_of(gpu);
  CHECK(cli::gpu_lines(readings, "now") == "now gpu=3 lost=15\n");
  CHECK(has(cli::gpu_metrics(readings), "cudaenv_gpu_up{gpu=\"3\",uuid=\"\",name=\"\"} 0\n"));
  CHECK(has(cli::gpu_blocks(readings, cli::Style()), "it has fallen off the bus"));
}

TEST_CASE("metrics are in base units, labels are escaped, reasons are told one by one") {
  GpuReading gpu;
  gpu.facts.name = "a \"name\"\\";
  gpu.utilization = 50;
  gpu.power = 650'500;
  gpu.clock = 1830;
  gpu.throttle = throttle::idle | throttle::thermal;
  const auto text = cli::gpu_metrics(one_gpu_of(gpu));
  const std::string labels = R"(gpu="0",uuid="",name="a \"name\"\\")";
  CHECK(has(text, "cudaenv_gpu_utilization_ratio{" + labels + "} 0.5\n"));
  CHECK(has(text, "cudaenv_gpu_power_watts{" + labels + "} 650.5\n"));
  CHECK(has(text, "cudaenv_gpu_clock_hertz{" + labels + "} 1830000000"));
  CHECK(has(text, "cudaenv_gpu_throttled{" + labels + ",reason=\"too hot\"} 1\n"));
  CHECK(has(text, "cudaenv_gpu_throttled{" + labels + ",reason=\"power cap\"} 0\n"));
  CHECK(has(text, "# TYPE cudaenv_gpu_power_watts gauge\n"));
}

TEST_CASE("being idle is nothing that holds a GPU back") {
  GpuReading gpu;
  CHECK(cli::throttle_text(gpu) == "N/A");
  gpu.throttle = throttle::idle;
  CHECK(cli::throttle_text(gpu) == "none");
  gpu.throttle = throttle::idle | throttle::power_cap;
  CHECK(cli::throttle_text(gpu) == "power cap");
}
