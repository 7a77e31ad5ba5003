// What takes several GPUs: their memory as seen by each other, and NCCL.
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"
#include "gpu/math_library.hpp"

namespace cudaenv::gpu {
namespace {

using Devices = std::vector<std::unique_ptr<Device>>;

Devices open_all(Checks& checks, const std::vector<std::string>& uuids, const std::string& label) {
  Devices devices;
  checks.run(label + "contexts", [&] {
    const auto api = start_driver();
    for (const auto& uuid : uuids) {
      devices.push_back(
          std::make_unique<Device>(api, ordinal_of(api, uuid, uuids.size()), checks.plant()));
    }
    return text::counted(devices.size(), "GPU");
  });
  if (devices.size() < uuids.size()) devices.clear();
  // The last one's context is the current one.
  if (!devices.empty()) plant_hang(checks, *devices.back(), label);
  return devices;
}

std::vector<float> numbers_of(std::size_t seed) {
  std::vector<float> numbers(1 << 20);
  std::iota(numbers.begin(), numbers.end(), static_cast<float>(seed));
  return numbers;
}

// Works whether or not they reach each other: the driver goes through the host where it must.
std::string copy_between(const Device& from, const Device& to) {
  const auto numbers = numbers_of(7);
  from.make_current();
  const auto there = on_device(from, numbers);
  from.synchronize("copying to the GPU");
  to.make_current();
  const Memory here(to, there.bytes());
  const auto& api = to.api();
  api.check(
      api.copy_peer(here.address(), to.context(), there.address(), from.context(), there.bytes()),
      "cuMemcpyPeer");
  compare("copy", numbers, result_of<float>(to, here));
  return text::bytes(there.bytes());
}

// A kernel on one adds what lies in the other's memory.
std::string reach(const Device& one, const Device& other) {
  one.make_current();
  if (!one.reach(other)) throw CheckSkipped("they do not reach each other's memory");
  const auto numbers = numbers_of(3);
  other.make_current();
  const auto there = on_device(other, numbers);
  other.synchronize("copying to the GPU");
  one.make_current();
  const Module module(one, kernel_text("basic.ptx"), "basic.ptx");
  const Memory sum(one, there.bytes());
  module.launch("vector_add", {256, 256}, there.address(), there.address(), sum.address(),
                std::uint64_t{numbers.size()});
  std::vector<float> expected;
  for (const float number : numbers) expected.push_back(number + number);
  compare("vector_add over peer memory", expected, result_of<float>(one, sum));
  return text::bytes(there.bytes());
}

struct Nccl {
  Status (*version)(int* version);
  const char* (*error)(Status);
  Status (*init_all)(Handle* communicators, int count, const int* devices);
  Status (*destroy)(Handle communicator);
  Status (*group_start)();
  Status (*group_end)();
  Status (*all_reduce)(DevicePointer in, DevicePointer out, std::size_t count, int type,
                       int operation, Handle communicator, Handle stream);

  void check(Status status, const char* doing) const {
    if (status == 0) return;
    throw CheckFailed({Layer::library, status, "",
                       fmt::format("{}: {}", doing, text::visible(error(status), 200))});
  }
};

Nccl load_nccl(const std::filesystem::path& toolkit) {
  const auto library = Library::open(toolkit_library(toolkit, "nccl"));
  Nccl api{};
  library.find(api.version, "ncclGetVersion");
  library.find(api.error, "ncclGetErrorString");
  library.find(api.init_all, "ncclCommInitAll");
  library.find(api.destroy, "ncclCommDestroy");
  library.find(api.group_start, "ncclGroupStart");
  library.find(api.group_end, "ncclGroupEnd");
  library.find(api.all_reduce, "ncclAllReduce");
  return api;
}

// Whole numbers, so that the sum is exact in whatever order.
void all_reduce(const Nccl& api, const Devices& devices, const std::vector<Handle>& communicators,
                std::size_t count) {
  constexpr int type_float = 7;
  constexpr int sum = 0;
  std::vector<Memory> in;
  std::vector<Memory> out;
  std::vector<Handle> streams(devices.size());
  std::vector<float> expected(count);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& device = *devices[i];
    device.make_current();
    auto numbers = small_whole<float>(count);
    for (auto& number : numbers) number += static_cast<float>(i);
    in.push_back(on_device(device, numbers));
    out.emplace_back(device, in[i].bytes());
    device.api().check(device.api().create_stream(&streams[i], 0), "cuStreamCreate");
    device.synchronize("copying to the GPU");
    for (std::size_t j = 0; j < count; ++j) expected[j] += numbers[j];
  }
  api.check(api.group_start(), "ncclGroupStart");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    api.check(api.all_reduce(in[i].address(), out[i].address(), count, type_float, sum,
                             communicators[i], streams[i]),
              "ncclAllReduce");
  }
  api.check(api.group_end(), "ncclGroupEnd");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i]->make_current();
    compare(fmt::format("all-reduce on GPU {}", i), expected,
            result_of<float>(*devices[i], out[i]));
  }
}

}  // namespace

void peer_checks(Checks& checks, const std::vector<std::string>& uuids) {
  const auto devices = open_all(checks, uuids, "");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (std::size_t j = 0; j < devices.size(); ++j) {
      if (i == j) continue;
      checks.run(fmt::format("copy/{}-{}", i, j),
                 [&] { return copy_between(*devices[i], *devices[j]); });
      checks.run(fmt::format("reach/{}-{}", i, j), [&] { return reach(*devices[i], *devices[j]); });
    }
  }
}

void nccl_checks(Checks& checks, const LevelRequest& request,
                 const std::vector<std::string>& uuids) {
  if (!has_library(checks, request, "nccl")) return;
  const auto devices = open_all(checks, uuids, "nccl/");
  if (devices.empty()) return;
  Nccl api{};
  std::vector<Handle> communicators(devices.size());
  const bool ready = checks.run("nccl/load", [&] {
    api = load_nccl(request.toolkit);
    int version = 0;
    api.check(api.version(&version), "ncclGetVersion");
    std::vector<int> ordinals;
    for (const auto& device : devices) ordinals.push_back(device->ordinal());
    api.check(api.init_all(communicators.data(), static_cast<int>(devices.size()), ordinals.data()),
              "ncclCommInitAll");
    return fmt::format("NCCL {}", library_version(version));
  });
  if (!ready) return;
  checks.run(devices.size() > 1 ? "nccl/all_reduce" : "nccl/all_reduce_alone", [&] {
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 22}) {
      all_reduce(api, devices, communicators, count);
    }
    return fmt::format("3 sizes over {}, exact", text::counted(devices.size(), "GPU"));
  });
  for (const auto communicator : communicators) api.destroy(communicator);
}

}  // namespace cudaenv::gpu
