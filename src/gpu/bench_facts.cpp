// What the figures were measured on: clocks and links as they are, and as they could be.
#include <array>

#include <fmt/format.h>

#include "gpu/bench_parts.hpp"
#include "gpu/nvml_device.hpp"

namespace cudaenv::gpu {
namespace {

// Names and numbers are those of nvml.h.
struct Nvml {
  int (*clock)(Handle device, int type, unsigned* mhz);
  int (*most_clock)(Handle device, int type, unsigned* mhz);
  int (*generation)(Handle device, unsigned* generation);
  int (*most_generation)(Handle device, unsigned* generation);
  int (*width)(Handle device, unsigned* lanes);
  int (*most_width)(Handle device, unsigned* lanes);
  int (*link_state)(Handle device, unsigned link, unsigned* active);
  int (*link_version)(Handle device, unsigned link, unsigned* version);
};

Nvml load_nvml(const Library& library) {
  Nvml api{};
  library.find(api.clock, "nvmlDeviceGetClockInfo");
  library.find(api.most_clock, "nvmlDeviceGetMaxClockInfo");
  library.find(api.generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  library.find(api.most_generation, "nvmlDeviceGetMaxPcieLinkGeneration");
  library.find(api.width, "nvmlDeviceGetCurrPcieLinkWidth");
  library.find(api.most_width, "nvmlDeviceGetMaxPcieLinkWidth");
  library.find(api.link_state, "nvmlDeviceGetNvLinkState");
  library.find(api.link_version, "nvmlDeviceGetNvLinkVersion");
  return api;
}

// "5 of 5"; nothing where either is not told.
template <typename Ask, typename... Kind>
std::string of_most(Ask ask, Ask ask_most, Handle device, Kind... kind) {
  unsigned now = 0;
  unsigned most = 0;
  if (ask(device, kind..., &now) != 0 || ask_most(device, kind..., &most) != 0) return {};
  return fmt::format("{} of {}", now, most);
}

// "18 of 18, NVLink 4.0": those that are up of those that there are; nothing where there is none.
std::string nvlinks(const Nvml& api, Handle device) {
  constexpr unsigned most_links = 18;  // NVML_NVLINK_MAX_LINKS
  // nvmlNvlinkVersion_t
  constexpr std::array<const char*, 8> names{"", "1.0", "2.0", "2.2", "3.0", "3.1", "4.0", "5.0"};
  unsigned links = 0;
  unsigned active = 0;
  unsigned version = 0;
  for (unsigned link = 0; link < most_links; ++link) {
    unsigned state = 0;
    if (api.link_state(device, link, &state) != 0) continue;
    ++links;
    if (state == 0) continue;
    ++active;
    api.link_version(device, link, &version);
  }
  if (links == 0) return {};
  const auto found = fmt::format("{} of {}", active, links);
  return version > 0 && version < names.size() ? fmt::format("{}, NVLink {}", found, names[version])
                                               : found;
}

}  // namespace

void tell_links(const std::string& uuid, const sys::ChildReport& report) {
  const auto opened = nvml::open_device(uuid);
  const auto device = opened.device;
  const auto api = load_nvml(opened.library);
  constexpr int sm_clock = 1;      // NVML_CLOCK_SM
  constexpr int memory_clock = 2;  // NVML_CLOCK_MEM
  const auto tell = [&](const char* name, const std::string& value) {
    if (!value.empty()) report.line(fmt::format("fact\t{}\t{}", name, value));
  };
  tell("sm_mhz", of_most(api.clock, api.most_clock, device, sm_clock));
  tell("memory_mhz", of_most(api.clock, api.most_clock, device, memory_clock));
  tell("pcie_generation", of_most(api.generation, api.most_generation, device));
  tell("pcie_lanes", of_most(api.width, api.most_width, device));
  tell("nvlinks", nvlinks(api, device));
}

}  // namespace cudaenv::gpu
