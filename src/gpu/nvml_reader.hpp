#pragma once

#include <array>
#include <map>
#include <string_view>

#include "gpu/nvml_device.hpp"

namespace cudaenv::gpu::nvml {

// How much a reading asks. The traffic over PCIe takes the driver 40 ms a GPU.
enum class Detail { state, traffic };

// In a child: keeps NVML loaded and tells what it says of each GPU, as lines "key<TAB>value".
class Reader {
 public:
  explicit Reader(const sys::ChildReport& report);

  void tell_all(Detail detail);

 private:
  // Calls on one device, until it is lost.
  class Asked;
  // Two snapshots of a GPU's counters (nvmlGpmSample_t).
  struct Counters {
    std::array<void*, 2> samples{};
    bool usable = false;
    bool filled = false;  // samples[0] is the one before
  };

  void tell_gpu(unsigned index, Detail detail);
  void tell_state(Asked& gpu);
  void tell_memory(Asked& device);
  void tell_link_and_errors(Asked& gpu);
  void tell_instances(Asked& gpu);
  void tell_processes(Device device);
  void tell_processes_of(std::string_view kind, const char* function, Device device);
  void tell_traffic(Asked& gpu, unsigned index);
  bool tell_counters(Asked& gpu, unsigned index);
  Counters& counters_of(Asked& gpu, unsigned index);

  LoadedLibrary library_;
  int status_ = -1;  // of nvmlInit; -1: not asked yet
  std::map<unsigned, Counters> counters_;
};

}  // namespace cudaenv::gpu::nvml
