#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "net/downloader.hpp"
#include "net/transport.hpp"

namespace cudaenv::net {

// What Downloader::sizes promises: asks for each file and hangs up when the size is told.
std::vector<std::optional<std::uint64_t>> probe_sizes(const std::vector<std::string>& urls,
                                                      const Options& options,
                                                      const Interrupt& interrupt,
                                                      Transport& transport);

}  // namespace cudaenv::net
