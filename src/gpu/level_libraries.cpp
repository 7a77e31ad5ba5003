// cuBLAS, cuFFT and the loading of all others; cuDNN and NCCL have files of their own.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "gpu/cublas.hpp"
#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"
#include "gpu/math_library.hpp"
#include "sys/file.hpp"

namespace cudaenv::gpu {
namespace {

namespace fs = std::filesystem;

// Matrices lie column by column. Whole numbers that are exact in every type and order of summing.
template <typename T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, int rows, int columns,
                       int depth) {
  std::vector<T> result(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int column = 0; column < columns; ++column) {
    for (int i = 0; i < depth; ++i) {
      const T factor = b[static_cast<std::size_t>(column * depth + i)];
      for (int row = 0; row < rows; ++row) {
        result[static_cast<std::size_t>(column * rows + row)] +=
            a[static_cast<std::size_t>(i * rows + row)] * factor;
      }
    }
  }
  return result;
}

struct Gemm {
  int rows;
  int columns;
  int depth;
};
constexpr Gemm gemms[] = {{1, 1, 1}, {33, 17, 65}, {256, 128, 300}};

template <typename T, typename Call>
std::string compare_gemms(const Device& device, const std::string& name, const Call& call) {
  for (const auto& [rows, columns, depth] : gemms) {
    const auto a = small_whole<T>(static_cast<std::size_t>(rows * depth));
    const auto b = small_whole<T>(static_cast<std::size_t>(depth * columns));
    const Memory c(device, static_cast<std::size_t>(rows * columns) * sizeof(T));
    call(Gemm{rows, columns, depth}, a, b, c);
    compare(fmt::format("{} {} x {} x {}", name, rows, columns, depth),
            product(a, b, rows, columns, depth), result_of<T>(device, c));
  }
  return fmt::format("{} shapes, exact", std::size(gemms));
}

std::string check_float(const Device& device, const Cublas& api, Handle handle) {
  return compare_gemms<float>(device, "cublasSgemm", [&](const Gemm& g, auto& a, auto& b, auto& c) {
    const auto on_a = on_device(device, a);
    const auto on_b = on_device(device, b);
    const float one = 1;
    const float none = 0;
    check_status(api.sgemm(handle, 0, 0, g.rows, g.columns, g.depth, &one, on_a.address(), g.rows,
                           on_b.address(), g.depth, &none, c.address(), g.rows),
                 "cublasSgemm");
    device.synchronize("cublasSgemm");
  });
}

std::string check_double(const Device& device, const Cublas& api, Handle handle) {
  return compare_gemms<double>(
      device, "cublasDgemm", [&](const Gemm& g, auto& a, auto& b, auto& c) {
        const auto on_a = on_device(device, a);
        const auto on_b = on_device(device, b);
        const double one = 1;
        const double none = 0;
        check_status(api.dgemm(handle, 0, 0, g.rows, g.columns, g.depth, &one, on_a.address(),
                               g.rows, on_b.address(), g.depth, &none, c.address(), g.rows),
                     "cublasDgemm");
        device.synchronize("cublasDgemm");
      });
}

// 16-bit factors, summed in 32 bits: on the tensor cores where the chip has them.
std::string check_small(const Device& device, const Cublas& api, Handle handle, TensorType type) {
  const auto first = type == TensorType::half ? ComputeCapability{5, 3} : first_with(type);
  if (device.capability() < first) {
    throw CheckSkipped(fmt::format("{} does not compute with it", device.capability().sm()));
  }
  const int small = type == TensorType::half ? Cublas::type_16f : Cublas::type_16bf;
  const std::string name = fmt::format("cublasGemmEx {}", name_of(type));
  return compare_gemms<float>(device, name, [&](const Gemm& g, auto& a, auto& b, auto& c) {
    const auto on_a = on_device(device, sixteen_bits(a, type));
    const auto on_b = on_device(device, sixteen_bits(b, type));
    const float one = 1;
    const float none = 0;
    check_status(api.gemm_ex(handle, 0, 0, g.rows, g.columns, g.depth, &one, on_a.address(), small,
                             g.rows, on_b.address(), small, g.depth, &none, c.address(),
                             Cublas::type_32f, g.rows, Cublas::compute_32f, -1),
                 name);
    device.synchronize(name);
  });
}

struct Cufft {
  Status (*version)(int* version);
  Status (*plan)(int* plan, int size, int type, int batch);
  Status (*destroy)(int plan);
  Status (*run_float)(int plan, DevicePointer in, DevicePointer out, int direction);
  Status (*run_double)(int plan, DevicePointer in, DevicePointer out, int direction);
};

Cufft load_cufft(const fs::path& toolkit) {
  const auto library = Library::open(toolkit_library(toolkit, "cufft"));
  Cufft api{};
  library.find(api.version, "cufftGetVersion");
  library.find(api.plan, "cufftPlan1d");
  library.find(api.destroy, "cufftDestroy");
  library.find(api.run_float, "cufftExecC2C");
  library.find(api.run_double, "cufftExecZ2Z");
  return api;
}

template <typename T>
std::vector<std::complex<T>> wave(std::size_t count) {
  const auto parts = small_whole<T>(2 * count);
  std::vector<std::complex<T>> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = {parts[2 * i], parts[2 * i + 1]};
  return values;
}

template <typename T>
std::vector<std::complex<T>> transform(const std::vector<std::complex<T>>& values) {
  const std::size_t count = values.size();
  std::vector<std::complex<double>> roots(count);
  for (std::size_t i = 0; i < count; ++i) {
    roots[i] = std::polar(
        1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count));
  }
  std::vector<std::complex<T>> result(count);
  for (std::size_t k = 0; k < count; ++k) {
    std::complex<double> sum;
    for (std::size_t i = 0; i < count; ++i) {
      sum += std::complex<double>(values[i]) * roots[k * i % count];
    }
    result[k] = std::complex<T>(sum);
  }
  return result;
}

template <typename T>
void compare_waves(const std::string& what, const std::vector<std::complex<T>>& expected,
                   const std::vector<std::complex<T>>& got, T scale) {
  T greatest = 0;
  for (const auto& value : expected) greatest = std::max(greatest, std::abs(value));
  const T tolerance = std::is_same_v<T, float> ? static_cast<T>(1e-5) : static_cast<T>(1e-13);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto value = got[i] * scale;
    // Written so that a value that is no number differs.
    if (std::abs(value - expected[i]) <= greatest * tolerance) continue;
    throw CheckFailed({Layer::wrong_result, 0, "",
                       fmt::format("{}: element {} of {}: expected {}{:+}i, got {}{:+}i", what, i,
                                   expected.size(), expected[i].real(), expected[i].imag(),
                                   value.real(), value.imag())});
  }
}

// Forward beside the sum on the CPU, then back to where it began.
template <typename T, typename Run>
std::string check_transform(const Device& device, const Cufft& api, int type, const Run& run) {
  constexpr int forward = -1;
  constexpr int backward = 1;
  for (const std::size_t count : {std::size_t{8}, std::size_t{105}, std::size_t{1024}}) {
    const auto values = wave<T>(count);
    const auto in = on_device(device, values);
    const Memory out(device, in.bytes());
    int plan = 0;
    check_status(api.plan(&plan, static_cast<int>(count), type, 1), "cufftPlan1d");
    check_status(run(plan, in.address(), out.address(), forward), "cufftExec forward");
    const std::string name = fmt::format("cuFFT of {}", count);
    compare_waves<T>(name, transform(values), result_of<std::complex<T>>(device, out), T{1});
    check_status(run(plan, out.address(), in.address(), backward), "cufftExec backward");
    compare_waves<T>(name + " and back", values, result_of<std::complex<T>>(device, in),
                     T{1} / static_cast<T>(count));
    check_status(api.destroy(plan), "cufftDestroy");
  }
  return "8, 105 and 1024 points, there and back";
}

// Profilers and interposers do things when they are loaded.
bool acts_when_loaded(const std::string& file) {
  return file.find("inj") != std::string::npos || file.starts_with("libnvblas") ||
         file.find(".alt.") != std::string::npos;
}

}  // namespace

void cublas_checks(Checks& checks, const LevelRequest& request) {
  if (!has_library(checks, request, "cublas")) return;
  const auto device = open_device(checks, request.uuid, "cublas/");
  if (!device) return;
  Cublas api{};
  Handle handle = nullptr;
  checks.run("cublas/load", [&] {
    api = Cublas::load(request.toolkit);
    check_status(api.create(&handle), "cublasCreate");
    int version = 0;
    check_status(api.version(handle, &version), "cublasGetVersion");
    return fmt::format("cuBLAS {}", library_version(version));
  });
  if (!handle) return;
  checks.run("cublas/float", [&] { return check_float(*device, api, handle); });
  checks.run("cublas/double", [&] { return check_double(*device, api, handle); });
  for (const auto type : {TensorType::half, TensorType::bfloat16}) {
    checks.run(fmt::format("cublas/{}", name_of(type)),
               [&] { return check_small(*device, api, handle, type); });
  }
  api.destroy(handle);
}

void cufft_checks(Checks& checks, const LevelRequest& request) {
  if (!has_library(checks, request, "cufft")) return;
  const auto device = open_device(checks, request.uuid, "cufft/");
  if (!device) return;
  Cufft api{};
  const bool loaded = checks.run("cufft/load", [&] {
    api = load_cufft(request.toolkit);
    int version = 0;
    check_status(api.version(&version), "cufftGetVersion");
    return fmt::format("cuFFT {}.{}.{}", version / 1000, version % 1000 / 100, version % 100);
  });
  if (!loaded) return;
  checks.run("cufft/float",
             [&] { return check_transform<float>(*device, api, 0x29, api.run_float); });
  checks.run("cufft/double",
             [&] { return check_transform<double>(*device, api, 0x69, api.run_double); });
}

void loading_checks(Checks& checks, const LevelRequest& request) {
  // What needs the driver finds it by name, if anywhere.
  checks.run("loading", [] {
    Library::libcuda();
    return std::string();
  });
  for (const auto& folder : library_folders(request.toolkit)) {
    for (const auto& file : sys::list(folder)) {
      // libx.so.12.1.105 and libx.so lead to the same as libx.so.12.
      const auto name = file.substr(0, file.find(".so."));
      if (name == file || acts_when_loaded(file)) continue;
      if (find_library(request.toolkit, name.substr(3)) != folder / file) continue;
      checks.run("load/" + file, [&] {
        Library::open(folder / file);
        return std::string();
      });
    }
  }
}

}  // namespace cudaenv::gpu
