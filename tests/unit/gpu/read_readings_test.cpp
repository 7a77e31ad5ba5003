#include <doctest/doctest.h>

#include "gpu/monitor.hpp"

using namespace cudaenv;
using End = gpu::LibraryProbe::End;

namespace {

gpu::Readings read(std::vector<std::string> lines, sys::ChildOutcome::End end = {}) {
  sys::ChildOutcome outcome;
  outcome.end = end;
  outcome.lines = std::move(lines);
  return gpu::read_readings(outcome);
}

}  // namespace

TEST_CASE("a reading takes each GPU's figures, and what is not told is absent") {
  const auto readings =
      read({"status\t0", "driver\t580.95.05", "device\tgpu", "name\tNVIDIA H200",
            "memory\t1000000000", "index\t0", "used\t400000000", "free\t600000000",
            "utilization\t0", "power\t650500", "busy_multiprocessors\t91.250",
            "received\t1048576.000", "device\tgpu", "name\tNVIDIA T4", "index\t1"});
  CHECK(readings.works());
  CHECK(readings.driver->text() == "580.95.05");
  REQUIRE(readings.gpus.size() == 2);
  const auto& first = readings.gpus[0];
  CHECK(first.memory->used == 400'000'000);
  CHECK(first.memory->free == 600'000'000);
  CHECK(first.utilization == 0);
  CHECK(first.power == 650'500);
  CHECK(first.busy_multiprocessors == 91.25);
  CHECK(first.received == 1'048'576);
  CHECK_FALSE(first.temperature);
  const auto& second = readings.gpus[1];
  CHECK(second.index == 1);
  CHECK_FALSE(second.memory);
  CHECK_FALSE(second.utilization);
  CHECK_FALSE(second.processes);
}

TEST_CASE("values that cannot be are left out") {
  const auto readings =
      read({"status\t0", "device\tgpu", "memory\t1000000000", "used\t1000000001",
            "utilization\t101", "temperature\t4294967295", "power\t-1", "clock\t1980 ",
            "busy_multiprocessors\tnan", "bandwidth\t-0.001", "tensor\t5.5", "width\t65"});
  const auto& gpu = readings.gpus.at(0);
  CHECK_FALSE(gpu.memory);
  CHECK_FALSE(gpu.utilization);
  CHECK_FALSE(gpu.temperature);
  CHECK_FALSE(gpu.power);
  CHECK_FALSE(gpu.clock);
  CHECK_FALSE(gpu.busy_multiprocessors);
  CHECK_FALSE(gpu.memory_bandwidth);
  CHECK_FALSE(gpu.tensor_activity);
  CHECK_FALSE(gpu.pcie.width);
}

TEST_CASE("instances and processes belong to the GPU that they were told of") {
  const auto readings =
      read({"status\t0", "device\tgpu", "index\t0", "partitioned\t1", "processes\tcompute",
            "process\t12 1073741824 7 compute", "device\tinstance", "name\tNVIDIA H200 MIG 1g.18gb",
            "memory\t17000000000", "used\t1000000000", "free\t16000000000", "gpu_instance\t7",
            "device\tgpu", "index\t1", "processes\tcompute", "process\t34 - - compute",
            "process\t34 5 - graphics", "process\t0 5 - compute", "process\tx"});
  REQUIRE(readings.gpus.size() == 2);
  const auto& first = readings.gpus[0];
  CHECK(first.partitioned == true);
  REQUIRE(first.instances.size() == 1);
  CHECK(first.instances[0].facts.mig);
  CHECK(first.instances[0].memory->free == 16'000'000'000);
  CHECK(first.instances[0].gpu_instance == 7u);
  REQUIRE(first.processes->size() == 1);
  CHECK(first.processes->front().gpu_instance == 7u);
  REQUIRE(readings.gpus[1].processes->size() == 1);
  CHECK(readings.gpus[1].processes->front().pid == 34);
  CHECK_FALSE(readings.gpus[1].processes->front().memory);
}

TEST_CASE("a GPU that is lost is said; the next one goes on") {
  const auto readings = read({"status\t0", "device\tgpu", "index\t0", "utilization\t5", "lost\t15",
                              "device\tgpu", "index\t1", "utilization\t7"});
  CHECK(readings.gpus.at(0).lost == 15);
  CHECK_FALSE(readings.gpus.at(1).lost);
  CHECK(readings.gpus.at(1).utilization == 7);
}

TEST_CASE("a driver that hung or crashed tells in which call, and what it told before is kept") {
  const std::vector<std::string> lines{"status\t0", "device\tgpu", "index\t0",
                                       "call\tnvmlDeviceGetPowerUsage"};
  const auto hung = read(lines, sys::ChildOutcome::End::timed_out);
  CHECK(hung.end == End::hung);
  CHECK(hung.call == "nvmlDeviceGetPowerUsage");
  CHECK(hung.gpus.size() == 1);
  CHECK(read(lines, sys::ChildOutcome::End::crashed).end == End::crashed);
}
