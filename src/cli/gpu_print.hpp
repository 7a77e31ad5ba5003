#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "cli/style.hpp"
#include "gpu/monitor.hpp"

namespace cudaenv::cli {

// What `cudaenv gpu` prints of one look. What is not known is "N/A", null, or left out.

// A block for each GPU, for people.
std::string gpu_blocks(const gpu::Readings& readings, const Style& style);

// One line for each GPU, begun with the time.
std::string gpu_lines(const gpu::Readings& readings, std::string_view time);

// docs/json.md has the fields.
nlohmann::ordered_json gpu_json(const gpu::Readings& readings, std::string_view time);

// The text exposition format of Prometheus.
std::string gpu_metrics(const gpu::Readings& readings);

// "140.4 GiB": memory of GPUs is counted in powers of 1024, as NVIDIA's tools do.
std::string gib(std::uint64_t bytes);

// "650", for milliwatts.
std::string watts(std::uint64_t milliwatts);

// "1234 alice python3 train.py", with what is not seen as "?".
std::string process_text(const GpuProcess& process);

// "power cap, too hot"; "none"; "N/A". Being idle is no reason that holds anything back.
std::string throttle_text(const GpuReading& gpu);

}  // namespace cudaenv::cli
