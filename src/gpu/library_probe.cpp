#include "gpu/library_probe.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/cuda_number.hpp"
#include "gpu/probe_report.hpp"

namespace cudaenv::gpu {
namespace {

using End = LibraryProbe::End;

// Real GPUs have at least 64 MiB; no driver knows one with 1 PiB.
std::optional<std::uint64_t> memory(std::string_view value) {
  const auto bytes = text::parse_unsigned(value);
  if (!bytes || *bytes < (64ull << 20) || *bytes > (1ull << 50)) return std::nullopt;
  return bytes;
}

std::optional<ComputeCapability> capability(std::string_view value) {
  const auto parsed = ComputeCapability::parse(value);
  return parsed && parsed->major >= 1 && parsed->major < 100 ? parsed : std::nullopt;
}

bool is_uuid(std::string_view value) {
  if (value.starts_with("GPU-") || value.starts_with("MIG-")) value.remove_prefix(4);
  if (value.size() < 8) return false;
  for (const char c : value) {
    if (!text::is_alphanumeric(c) && c != '-' && c != '/') return false;
  }
  return true;
}

}  // namespace

std::optional<int> small_number(std::string_view value) {
  const bool negative = value.starts_with('-');
  const auto number = text::parse_unsigned(negative ? value.substr(1) : value);
  if (!number || *number > 1'000'000) return std::nullopt;
  return negative ? -static_cast<int>(*number) : static_cast<int>(*number);
}

void read_device_line(GpuFacts& gpu, std::string_view key, std::string_view value) {
  if (key == "name") gpu.name = value;
  if (key == "uuid" && is_uuid(value)) gpu.uuid = value;
  if (key == "bus") gpu.bus_id = value;
  if (key == "memory") gpu.memory_bytes = memory(value);
  if (key == "capability") gpu.capability = capability(value);
}

void read_report(LibraryProbe& probe, const sys::ChildOutcome& outcome, const OnLine& on_line) {
  probe.end = End::answered;
  for (const std::string_view line : outcome.lines) {
    const auto tab = line.find('\t');
    if (tab == std::string_view::npos) continue;
    const auto key = line.substr(0, tab);
    const auto value = line.substr(tab + 1);
    if (key == "call") {
      probe.call = value;
    } else if (key == "file") {
      probe.file = value;
    } else if (key == "absent" || key == "unusable") {
      probe.end = key == "absent" ? End::not_found : End::unusable;
      probe.detail = value;
    } else if (key == "status") {
      probe.status = small_number(value);
    } else {
      on_line(key, value);
    }
  }
  switch (outcome.end) {
    case sys::ChildOutcome::End::done:
      break;
    case sys::ChildOutcome::End::timed_out:
      probe.end = End::hung;
      break;
    case sys::ChildOutcome::End::crashed:
      probe.end = End::crashed;
      probe.signal = outcome.signal;
      break;
    case sys::ChildOutcome::End::exited:
      // A library that ends its process is as bad as one that crashes.
      probe.end = End::crashed;
      break;
  }
  if (probe.end == End::crashed) probe.detail = text::visible(text::trimmed(outcome.said));
}

CudaProbe read_cuda_report(const sys::ChildOutcome& outcome) {
  CudaProbe probe;
  read_report(probe, outcome, [&](std::string_view key, std::string_view value) {
    if (key == "version") {
      probe.cuda = cuda_from_number(small_number(value).value_or(0));
    } else if (key == "device") {
      probe.gpus.emplace_back();
    } else if (!probe.gpus.empty()) {
      read_device_line(probe.gpus.back(), key, value);
    }
  });
  for (auto& gpu : probe.gpus) {
    gpu.mig = gpu.name.find(" MIG ") != std::string::npos;
    if (!gpu.uuid.empty()) gpu.uuid.insert(0, gpu.mig ? "MIG-" : "GPU-");
  }
  return probe;
}

NvmlProbe read_nvml_report(const sys::ChildOutcome& outcome) {
  NvmlProbe probe;
  std::optional<ComputeCapability> of_whole;
  read_report(probe, outcome, [&](std::string_view key, std::string_view value) {
    if (key == "driver") {
      probe.driver = Version::parse(value);
    } else if (key == "version") {
      probe.cuda = cuda_from_number(small_number(value).value_or(0));
    } else if (key == "device") {
      probe.gpus.emplace_back();
      probe.gpus.back().mig = value == "instance";
      if (probe.gpus.back().mig) probe.gpus.back().capability = of_whole;
    } else if (key == "mode") {
      (value == "prohibited" ? probe.prohibited : probe.exclusive) = true;
    } else if (key == "partitioned") {
      probe.partitioned = true;
    } else if (key == "fabric") {
      probe.fabric_waits = true;
    } else if (!probe.gpus.empty()) {
      read_device_line(probe.gpus.back(), key, value);
      if (!probe.gpus.back().mig) of_whole = probe.gpus.back().capability;
    }
  });
  return probe;
}

}  // namespace cudaenv::gpu
