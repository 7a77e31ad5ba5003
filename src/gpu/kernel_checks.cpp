#include "gpu/kernel_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

#include "embedded/kernels.hpp"

namespace cudaenv::gpu {
namespace {

// One element, less than a warp, no multiple of a block, and more than the whole grid.
constexpr std::size_t shapes[] = {1, 31, 4099, (1u << 20) + 3};
constexpr unsigned threads = 256;

// Less than the largest shape takes, so that the loop in a kernel is taken, too.
unsigned blocks_for(std::size_t count) {
  return static_cast<unsigned>(std::min<std::size_t>((count + threads - 1) / threads, 1024));
}

// The same numbers on every machine.
class Numbers {
 public:
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<std::uint32_t>(state_ >> 32);
  }
  template <typename T>
  std::vector<T> fractions(std::size_t count) {
    std::vector<T> values(count);
    for (auto& value : values) value = static_cast<T>(next()) / static_cast<T>(1 << 20);
    return values;
  }
  std::vector<std::uint32_t> whole(std::size_t count) {
    std::vector<std::uint32_t> values(count);
    for (auto& value : values) value = next();
    return values;
  }

 private:
  std::uint64_t state_ = 2026;
};

std::string all_shapes() {
  return fmt::format("{} shapes, up to {} elements", std::size(shapes), shapes[3]);
}

void vector_add(const Device& device, const Module& module, std::size_t count) {
  Numbers numbers;
  const auto a = numbers.fractions<float>(count);
  const auto b = numbers.fractions<float>(count);
  const auto on_a = on_device(device, a);
  const auto on_b = on_device(device, b);
  const Memory sum(device, count * sizeof(float));
  module.launch("vector_add", {blocks_for(count)}, on_a.address(), on_b.address(), sum.address(),
                std::uint64_t{count});
  std::vector<float> expected(count);
  std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::plus<>());
  compare("vector_add", expected, result_of<float>(device, sum));
}

void block_sums(const Device& device, const Module& module, std::size_t count) {
  const auto values = Numbers().whole(count);
  const auto on_values = on_device(device, values);
  const unsigned blocks = blocks_for(count);
  const Memory sums(device, blocks * sizeof(std::uint64_t));
  module.launch("block_sums", {blocks, threads}, on_values.address(), sums.address(),
                std::uint64_t{count});
  std::vector<std::uint64_t> expected(blocks);
  for (std::size_t i = 0; i < count; ++i) expected[i / threads % blocks] += values[i];
  compare("block_sums", expected, result_of<std::uint64_t>(device, sums));
}

void histogram(const Device& device, const Module& module, std::size_t count) {
  const auto values = Numbers().whole(count);
  const auto on_values = on_device(device, values);
  const Memory bins(device, 65 * sizeof(std::uint32_t));
  bins.fill(0);
  module.launch("histogram", {blocks_for(count)}, on_values.address(), bins.address(),
                std::uint64_t{count});
  std::vector<std::uint32_t> expected(65);
  for (const auto value : values) {
    ++expected[value % 64];
    expected[64] = std::max(expected[64], value);
  }
  compare("histogram", expected, result_of<std::uint32_t>(device, bins));
}

// Whole warps, and a grid that covers all.
void warp_scan(const Device& device, const Module& module, std::size_t shape) {
  const std::size_t count = (shape + 31) / 32 * 32;
  const auto values = Numbers().whole(count);
  const auto on_values = on_device(device, values);
  const Memory sums(device, count * sizeof(std::uint32_t));
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  module.launch("warp_scan", {blocks, threads}, on_values.address(), sums.address(),
                std::uint64_t{count});
  std::vector<std::uint32_t> expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    expected[i] = values[i] + (i % 32 == 0 ? 0 : expected[i - 1]);
  }
  compare("warp_scan", expected, result_of<std::uint32_t>(device, sums));
}

void double_fma(const Device& device, const Module& module, std::size_t count) {
  Numbers numbers;
  const auto a = numbers.fractions<double>(count);
  const auto b = numbers.fractions<double>(count);
  const auto c = numbers.fractions<double>(count);
  const auto on_a = on_device(device, a);
  const auto on_b = on_device(device, b);
  const auto on_c = on_device(device, c);
  module.launch("double_fma", {blocks_for(count)}, on_a.address(), on_b.address(), on_c.address(),
                std::uint64_t{count});
  std::vector<double> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = std::fma(a[i], b[i], c[i]);
  compare("double_fma", expected, result_of<double>(device, on_c));
}

struct Kernel {
  const char* name;
  void (*check)(const Device&, const Module&, std::size_t count);
};
constexpr Kernel kernels[] = {{"vector_add", vector_add},
                              {"block_sums", block_sums},
                              {"histogram", histogram},
                              {"warp_scan", warp_scan},
                              {"double_fma", double_fma}};

// Half has 5 bits of exponent and 10 of fraction; bfloat16 is the upper half of a float.
std::uint16_t in_sixteen_bits(float value, TensorType type) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (type == TensorType::bfloat16) return static_cast<std::uint16_t>(bits >> 16);
  if (value == 0.0f) return 0;
  const std::uint32_t exponent = (bits >> 23 & 0xff) - 127 + 15;
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3ff));
}

}  // namespace

template <typename T>
void compare(std::string_view what, const std::vector<T>& expected, const std::vector<T>& got) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    throw CheckFailed({Layer::wrong_result, 0, "",
                       fmt::format("{}: element {} of {}: expected {}, got {}", what, i,
                                   expected.size(), expected[i], got[i])});
  }
}
template void compare(std::string_view, const std::vector<float>&, const std::vector<float>&);
template void compare(std::string_view, const std::vector<double>&, const std::vector<double>&);
template void compare(std::string_view, const std::vector<std::uint32_t>&,
                      const std::vector<std::uint32_t>&);
template void compare(std::string_view, const std::vector<std::uint64_t>&,
                      const std::vector<std::uint64_t>&);

std::string kernel_text(std::string_view name) {
  return std::string(embedded::kernels::find(name).value());
}

void check_basic_kernels(Checks& checks, const Device& device, const Module& module,
                         const std::string& label) {
  for (const auto& kernel : kernels) {
    checks.run(label + kernel.name, [&] {
      for (const std::size_t count : shapes) kernel.check(device, module, count);
      return all_shapes();
    });
  }
}

ComputeCapability first_with(TensorType type) {
  return type == TensorType::half ? ComputeCapability{7, 0} : ComputeCapability{8, 0};
}

std::string_view name_of(TensorType type) { return type == TensorType::half ? "half" : "bfloat16"; }

std::vector<std::uint16_t> sixteen_bits(const std::vector<float>& values, TensorType type) {
  std::vector<std::uint16_t> result;
  for (const float value : values) result.push_back(in_sixteen_bits(value, type));
  return result;
}

std::string check_tensor_kernel(const Device& device, const Module& module, TensorType type) {
  constexpr std::size_t side = 16;
  Numbers numbers;
  std::vector<float> a(side * side);
  std::vector<float> b(side * side);
  for (auto& value : a) value = static_cast<float>(numbers.next() % 129) - 64;
  for (auto& value : b) value = static_cast<float>(numbers.next() % 129) - 64;
  const auto on_a = on_device(device, sixteen_bits(a, type));
  const auto on_b = on_device(device, sixteen_bits(b, type));
  const Memory product(device, side * side * sizeof(float));
  const std::string kernel = fmt::format("tensor_{}", name_of(type));
  module.launch(kernel.c_str(), {1, 32}, on_a.address(), on_b.address(), product.address());
  std::vector<float> expected(side * side);
  for (std::size_t row = 0; row < side; ++row) {
    for (std::size_t column = 0; column < side; ++column) {
      // Both lie in memory so that the sum runs along them.
      expected[row * side + column] =
          std::inner_product(&a[row * side], &a[row * side] + side, &b[column * side], 0.0f);
    }
  }
  compare(kernel, expected, result_of<float>(device, product));
  return "16 x 16 x 16, exact";
}

}  // namespace cudaenv::gpu
