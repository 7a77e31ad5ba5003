#include "model/failure.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace cudaenv {
namespace {

constexpr std::array<std::pair<Layer, std::string_view>, 15> layer_names{{
    {Layer::no_driver, "no_driver"},
    {Layer::no_device, "no_device"},
    {Layer::driver, "driver"},
    {Layer::busy, "busy"},
    {Layer::hardware, "hardware"},
    {Layer::jit, "jit"},
    {Layer::no_image, "no_image"},
    {Layer::toolkit_newer, "toolkit_newer"},
    {Layer::library, "library"},
    {Layer::host_compiler, "host_compiler"},
    {Layer::compiler, "compiler"},
    {Layer::kernel, "kernel"},
    {Layer::wrong_result, "wrong_result"},
    {Layer::hang, "hang"},
    {Layer::crash, "crash"},
}};

}  // namespace

std::string_view name_of(Layer layer) {
  const auto found = std::find_if(layer_names.begin(), layer_names.end(),
                                  [&](const auto& row) { return row.first == layer; });
  return found == layer_names.end() ? "" : found->second;
}

std::optional<Layer> parse_layer(std::string_view name) {
  const auto found = std::find_if(layer_names.begin(), layer_names.end(),
                                  [&](const auto& row) { return row.second == name; });
  if (found == layer_names.end()) return std::nullopt;
  return found->first;
}

// The numbers and their meanings are those of cuda.h.
Layer layer_of_cuda_error(int code) {
  switch (code) {
    case 34:  // the stub library, which has no driver in it
      return Layer::no_driver;
    case 35:   // the driver is older than the runtime
    case 36:   // the call needs a newer driver
    case 222:  // PTX of a toolkit newer than the driver
    case 803:  // driver and user library do not fit
    case 804:  // forward compatibility on a GPU that has none
      return Layer::toolkit_newer;
    case 100:
    case 101:
      return Layer::no_device;
    case 2:    // memory
    case 46:   // exclusive mode
    case 805:  // and the next: MPS
    case 806:
    case 807:
    case 808:
      return Layer::busy;
    case 214:  // ECC
    case 220:  // NVLink
    case 226:  // contained in the device
    case 721:
      return Layer::hardware;
    case 218:  // invalid PTX
    case 221:  // no libnvidia-ptxjitcompiler
    case 223:  // JIT compilation is disabled
      return Layer::jit;
    case 200:
    case 209:
      return Layer::no_image;
    case 700:
    case 702:
    case 714:
    case 715:
    case 716:
    case 717:
    case 718:
    case 719:
      return Layer::kernel;
    default:
      return Layer::driver;
  }
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::skipped:
      break;
  }
  return "skipped";
}

}  // namespace cudaenv
