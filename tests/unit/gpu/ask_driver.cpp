#include <cstdio>
#include <string>

#include "gpu/driver_report.hpp"

using namespace cudaenv;

namespace {

const char* name_of(gpu::LibraryProbe::End end) {
  switch (end) {
    case gpu::LibraryProbe::End::answered:
      return "answered";
    case gpu::LibraryProbe::End::not_found:
      return "not found";
    case gpu::LibraryProbe::End::unusable:
      return "unusable";
    case gpu::LibraryProbe::End::crashed:
      return "crashed";
    case gpu::LibraryProbe::End::hung:
      return "hung";
    case gpu::LibraryProbe::End::not_asked:
      return "not asked";
  }
  return "";
}

void print_gpu(const GpuFacts& gpu) {
  std::printf("gpu %s|%s|%s|%s|%llu|%s\n", gpu.name.c_str(), gpu.uuid.c_str(), gpu.bus_id.c_str(),
              gpu.capability ? gpu.capability->text().c_str() : "-",
              static_cast<unsigned long long>(gpu.memory_bytes.value_or(0) >> 30),
              gpu.mig ? "mig" : "whole");
}

void print(const gpu::LibraryProbe& probe, const std::optional<Version>& cuda) {
  std::printf("%s in %s, status %s, cuda %s\n", name_of(probe.end), probe.call.c_str(),
              probe.status ? std::to_string(*probe.status).c_str() : "-",
              cuda ? cuda->text().c_str() : "-");
}

}  // namespace

// ask_driver cuda|nvml MILLISECONDS: prints what was heard of the libraries that the loader
// of this process finds.
int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::string what = arguments[1];
  const std::chrono::milliseconds limit(std::stoi(arguments[2]));
  const NoInterrupt interrupt;
  if (what == "cuda") {
    const auto probe = gpu::probe_cuda(interrupt, limit);
    print(probe, probe.cuda);
    for (const auto& gpu : probe.gpus) print_gpu(gpu);
  } else if (what == "nvml") {
    const auto probe = gpu::probe_nvml(interrupt, limit);
    print(probe, probe.cuda);
    std::printf("driver %s%s%s%s%s\n", probe.driver ? probe.driver->text().c_str() : "-",
                probe.partitioned ? " partitioned" : "", probe.exclusive ? " exclusive" : "",
                probe.prohibited ? " prohibited" : "", probe.fabric_waits ? " fabric" : "");
    for (const auto& gpu : probe.gpus) print_gpu(gpu);
  }
  return 0;
}
