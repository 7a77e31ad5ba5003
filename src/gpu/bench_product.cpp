// Matrix products through the toolkit's cuBLAS: by size, and by batch, where the curve shows below
// which batch the GPU starves.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "gpu/bench_parts.hpp"
#include "gpu/cublas.hpp"

namespace cudaenv::gpu {
namespace {

struct Kind {
  Arithmetic arithmetic;
  int type;     // cudaDataType of all three matrices
  int compute;  // cublasComputeType_t
  std::size_t bytes;
};
constexpr Kind kinds[] = {{Arithmetic::fp32, Cublas::type_32f, Cublas::compute_32f, 4},
                          {Arithmetic::tf32, Cublas::type_32f, Cublas::compute_fast_tf32, 4},
                          {Arithmetic::bf16, Cublas::type_16bf, Cublas::compute_32f, 2}};

// Numbers around zero as they occur: with zeros alone a chip takes less power and clocks higher.
Memory filled(const Bench& bench, std::size_t count, const Kind& kind) {
  std::vector<float> block(std::min<std::size_t>(count, 1 << 20));
  std::uint32_t state = 1;
  for (auto& value : block) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(static_cast<std::int32_t>(state)) / 2147483648.0f;
  }
  std::vector<char> bytes(block.size() * kind.bytes);
  for (std::size_t i = 0; i < block.size(); ++i) {
    // The upper half of a float is a bfloat16; the processor keeps the lower half first.
    std::memcpy(&bytes[i * kind.bytes],
                reinterpret_cast<const char*>(&block[i]) + sizeof(float) - kind.bytes, kind.bytes);
  }
  Memory memory(bench.device(), count * kind.bytes);
  for (std::size_t offset = 0; offset < memory.bytes(); offset += bytes.size()) {
    memory.write(bytes.data(), std::min(bytes.size(), memory.bytes() - offset), offset);
  }
  return memory;
}

class Products {
 public:
  Products(const Bench& bench, const BenchRequest& request)
      : bench_(bench), operations_(request.operations), api_(Cublas::load(request.toolkit)) {
    check_status(api_.create(&handle_), "cublasCreate");
    check_status(api_.set_stream(handle_, bench.stream()), "cublasSetStream");
  }

  void measure(const char* group, const std::string& name, const Kind& kind, int rows, int columns,
               int depth) const {
    const auto count = [](int one, int other) {
      return static_cast<std::size_t>(one) * static_cast<std::size_t>(other);
    };
    const Memory a = filled(bench_, count(rows, depth), kind);
    const Memory b = filled(bench_, count(depth, columns), kind);
    const Memory c(bench_.device(), count(rows, columns) * kind.bytes);
    const double operations = 2.0 * rows * columns * depth;
    // Long enough for the clocks of events and of the chip.
    const int repeats = std::clamp(static_cast<int>(1e12 / operations), 1, 100);
    const float one = 1;
    const float none = 0;
    const auto work = [&] {
      for (int i = 0; i < repeats; ++i) {
        check_status(api_.gemm_ex(handle_, 0, 0, rows, columns, depth, &one, a.address(), kind.type,
                                  rows, b.address(), kind.type, depth, &none, c.address(),
                                  kind.type, rows, kind.compute, -1),
                     "cublasGemmEx");
      }
    };
    bench_.measure({group, name, "TFLOP/s", 0, 0, 0, peak(kind)},
                   [&] { return operations * repeats / bench_.seconds_on_gpu(work) / 1e12; });
  }

 private:
  // At the highest clock that the chip has.
  std::optional<double> peak(const Kind& kind) const {
    const auto& each = operations_.of(kind.arithmetic);
    if (!each) return std::nullopt;
    const auto& device = bench_.device();
    return *each * device.attribute(Attribute::multiprocessors) *
           device.attribute(Attribute::clock_khz) * 1e3 / 1e12;
  }

  const Bench& bench_;
  ByArithmetic operations_;
  Cublas api_;
  Handle handle_ = nullptr;
};

}  // namespace

void bench_products(const Bench& bench, const BenchRequest& request) {
  if (request.toolkit.empty() || find_library(request.toolkit, "cublas").empty()) {
    throw CheckSkipped("there is no toolkit with cuBLAS");
  }
  const Products products(bench, request);
  const bool tensor = first_with(TensorType::bfloat16) <= bench.device().capability();
  const auto sizes =
      bench.quick() ? std::vector<int>{1024, 4096} : std::vector<int>{512, 1024, 2048, 4096, 8192};
  const auto batches = bench.quick()
                           ? std::vector<int>{16, 256, 4096}
                           : std::vector<int>{16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  for (const auto& kind : kinds) {
    if (kind.arithmetic != Arithmetic::fp32 && !tensor) continue;
    for (const int size : sizes) {
      products.measure("product",
                       fmt::format("{0}, {1} x {1} x {1}", name_of(kind.arithmetic), size), kind,
                       size, size, size);
    }
    for (const int batch : batches) {
      products.measure(
          "batch", fmt::format("{}, 4096 x 4096 by batch of {}", name_of(kind.arithmetic), batch),
          kind, 4096, batch, 4096);
    }
  }
}

}  // namespace cudaenv::gpu
