#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/checks.hpp"
#include "gpu/driver_api.hpp"
#include "model/facts.hpp"

namespace cudaenv::gpu {

// Loads libcuda and starts it. Throws CheckFailed.
DriverApi start_driver();

// The place of the GPU of this UUID among those that this process sees, 0 if that is empty.
// `asked`: how many CUDA_VISIBLE_DEVICES names. Throws CheckFailed(no_device).
int ordinal_of(const DriverApi& api, const std::string& uuid, std::size_t asked = 1);

// One GPU in use by this process: its primary context, which the runtime and the libraries share.
// Everything throws CheckFailed. Lives as long as what is made on it.
class Device {
 public:
  Device(const DriverApi& api, int ordinal, Plant plant);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device();

  const DriverApi& api() const { return api_; }
  int ordinal() const { return ordinal_; }
  int number() const { return device_; }
  Handle context() const { return context_; }
  Plant plant() const { return plant_; }
  std::string name() const;
  ComputeCapability capability() const;
  int attribute(Attribute attribute) const;
  std::size_t free_memory() const;
  // From now on this GPU, whose context is current, works on the other's memory. False where it
  // cannot.
  bool reach(const Device& other) const;

  void make_current() const;
  void synchronize(std::string_view doing) const;

 private:
  DriverApi api_;
  Plant plant_;
  int ordinal_;
  int device_ = 0;
  Handle context_ = nullptr;
};

// Memory on a device. Words of T are copied as they are.
class Memory {
 public:
  Memory(const Device& device, std::size_t bytes);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&&) = delete;
  ~Memory();

  DevicePointer address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  void fill(unsigned char value) const;
  void write(const void* from, std::size_t bytes, std::size_t offset = 0) const;
  void read(void* to, std::size_t bytes, std::size_t offset = 0) const;
  // Inverts a bit in the middle, as failing memory would.
  void flip_bit() const;

 private:
  const Device* device_;
  std::size_t bytes_;
  DevicePointer address_ = 0;
};

template <typename T>
Memory on_device(const Device& device, const std::vector<T>& values) {
  Memory memory(device, values.size() * sizeof(T));
  memory.write(values.data(), memory.bytes());
  return memory;
}

// The result of a kernel or library. A planted wrong result is planted here.
template <typename T>
std::vector<T> result_of(const Device& device, const Memory& memory) {
  device.synchronize("waiting for the result");
  if (device.plant() == Plant::wrong) memory.flip_bit();
  std::vector<T> values(memory.bytes() / sizeof(T));
  memory.read(values.data(), memory.bytes());
  return values;
}

struct Shape {
  unsigned blocks = 1;
  unsigned threads = 256;
};

// A function of a module, found once and launched often. Lives no longer than its module.
class Kernel {
 public:
  Kernel(const Device& device, Handle function, const char* name)
      : device_(device), function_(function), name_(name) {}

  // The arguments are the kernel's own, by value and of its own types; does not wait.
  template <typename... Arguments>
  void launch(Handle stream, Shape shape, Arguments... arguments) const {
    std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
    launch_with(stream, shape, pointers.data());
  }

 private:
  void launch_with(Handle stream, Shape shape, void** arguments) const;

  const Device& device_;
  Handle function_;
  const char* name_;
};

// Code loaded on a device.
class Module {
 public:
  // `image` is PTX or machine code. What the driver's compiler says of PTX is in the failure.
  Module(const Device& device, std::string image, std::string_view name);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  Kernel kernel(const char* name) const;
  // Of this name, on the usual stream.
  template <typename... Arguments>
  void launch(const char* name, Shape shape, Arguments... arguments) const {
    kernel(name).launch(nullptr, shape, arguments...);
  }

 private:
  const Device& device_;
  Handle module_ = nullptr;
};

}  // namespace cudaenv::gpu
