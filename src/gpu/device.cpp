#include "gpu/device.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::gpu {
namespace {

int count_of(const DriverApi& api) {
  int count = 0;
  api.check(api.device_count(&count), "counting the GPUs");
  if (count < 1) throw CheckFailed({Layer::no_device, 0, "", "the driver sees no GPU"});
  return count;
}

}  // namespace

DriverApi start_driver() {
  const auto api = DriverApi::load();
  api.check(api.init(0), "starting the driver");
  return api;
}

int ordinal_of(const DriverApi& api, const std::string& uuid, std::size_t asked) {
  const int count = count_of(api);
  // One alone is the one that CUDA_VISIBLE_DEVICES names; of several one alone may be another.
  if (uuid.empty() || (count == 1 && asked == 1)) return 0;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    Uuid found{};
    api.check(api.device(&device, ordinal), fmt::format("asking for GPU {}", ordinal));
    if (api.device_uuid(&found, device) != 0) continue;
    if (uuid_text(found, uuid.starts_with("MIG-")) == uuid) return ordinal;
  }
  throw CheckFailed({Layer::no_device, 0, "",
                     fmt::format("the driver does not see {} any more", text::visible(uuid, 60))});
}

Device::Device(const DriverApi& api, int ordinal, Plant plant)
    : api_(api), plant_(plant), ordinal_(ordinal) {
  api_.check(api_.device(&device_, ordinal), fmt::format("asking for GPU {}", ordinal));
  api_.check(api_.retain_context(&context_, device_), "making a context");
  make_current();
}

Device::~Device() {
  if (context_) api_.release_context(device_);
}

std::string Device::name() const {
  std::array<char, 256> name{};
  api_.check(api_.device_name(name.data(), static_cast<int>(name.size() - 1), device_),
             "asking for the GPU's name");
  return text::visible(name.data(), 100);
}

int Device::attribute(Attribute attribute) const {
  int value = 0;
  api_.check(api_.device_attribute(&value, static_cast<int>(attribute), device_),
             "asking for an attribute of the GPU");
  return value;
}

ComputeCapability Device::capability() const {
  return {static_cast<unsigned>(attribute(Attribute::compute_major)),
          static_cast<unsigned>(attribute(Attribute::compute_minor))};
}

std::size_t Device::free_memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  api_.check(api_.free_memory(&free, &total), "asking for the free memory");
  return free;
}

bool Device::reach(const Device& other) const {
  int yes = 0;
  api_.check(api_.can_access_peer(&yes, device_, other.device_), "cuDeviceCanAccessPeer");
  if (!yes) return false;
  constexpr int already_enabled = 704;  // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
  constexpr int too_many = 711;         // CUDA_ERROR_TOO_MANY_PEERS
  const Result enabled = api_.enable_peer(other.context_, 0);
  if (enabled == too_many) return false;
  if (enabled != already_enabled) api_.check(enabled, "cuCtxEnablePeerAccess");
  return true;
}

void Device::make_current() const { api_.check(api_.set_context(context_), "entering a context"); }

void Device::synchronize(std::string_view doing) const { api_.check(api_.synchronize(), doing); }

Memory::Memory(const Device& device, std::size_t bytes) : device_(&device), bytes_(bytes) {
  device.api().check(device.api().allocate(&address_, bytes),
                     fmt::format("allocating {}", text::bytes(bytes)));
}

Memory::Memory(Memory&& other) noexcept
    : device_(other.device_), bytes_(other.bytes_), address_(std::exchange(other.address_, 0)) {}

Memory::~Memory() {
  if (address_) device_->api().release(address_);
}

void Memory::fill(unsigned char value) const {
  device_->api().check(device_->api().set_bytes(address_, value, bytes_), "filling memory");
}

void Memory::write(const void* from, std::size_t bytes, std::size_t offset) const {
  device_->api().check(device_->api().to_device(address_ + offset, from, bytes),
                       "copying to the GPU");
}

void Memory::read(void* to, std::size_t bytes, std::size_t offset) const {
  device_->api().check(device_->api().to_host(to, address_ + offset, bytes),
                       "copying from the GPU");
}

void Memory::flip_bit() const {
  const std::size_t middle = bytes_ / 8 * 4;  // of a word of 32 bits
  std::uint32_t word = 0;
  read(&word, sizeof word, middle);
  word ^= 1u << 30;  // of a float's exponent, or much of a number
  write(&word, sizeof word, middle);
}

Module::Module(const Device& device, std::string image, std::string_view name) : device_(device) {
  constexpr int error_log = 5;       // CU_JIT_ERROR_LOG_BUFFER
  constexpr int error_log_size = 6;  // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  std::string log(4096, '\0');
  std::array<int, 2> keys{error_log, error_log_size};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  const auto& api = device.api();
  // c_str: PTX ends with a zero.
  const Result result = api.load_module(&module_, image.c_str(), 2, keys.data(), values.data());
  if (result == 0) return;
  module_ = nullptr;
  auto failure = api.failure(result, fmt::format("loading {}", name));
  const auto words = text::trimmed(std::string_view(log.c_str()));
  if (!words.empty()) failure.what += fmt::format("; {}", text::visible(words, 400));
  throw CheckFailed(std::move(failure));
}

Module::~Module() {
  if (module_) device_.api().unload_module(module_);
}

Kernel Module::kernel(const char* name) const {
  Handle function = nullptr;
  device_.api().check(device_.api().function(&function, module_, name),
                      fmt::format("finding kernel {}", name));
  return {device_, function, name};
}

void Kernel::launch_with(Handle stream, Shape shape, void** arguments) const {
  const auto& api = device_.api();
  const Result result =
      api.launch(function_, shape.blocks, 1, 1, shape.threads, 1, 1, 0, stream, arguments, nullptr);
  // Words for a failure only: what a launch costs is measured.
  if (result != 0) api.check(result, fmt::format("launching {}", name_));
}

}  // namespace cudaenv::gpu
