#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/levels.hpp"
#include "gpu/math_library.hpp"

namespace cudaenv::gpu {
namespace {

// The interface that cuDNN 7, 8 and 9 have in common. Descriptors are handles.
struct Cudnn {
  Status (*create)(Handle* handle);
  Status (*destroy)(Handle handle);
  std::size_t (*version)();
  const char* (*error)(Status);
  Status (*new_tensor)(Handle* tensor);
  Status (*set_tensor)(Handle tensor, int format, int type, int n, int c, int h, int w);
  Status (*new_filter)(Handle* filter);
  Status (*set_filter)(Handle filter, int type, int format, int k, int c, int h, int w);
  Status (*new_convolution)(Handle* convolution);
  Status (*set_convolution)(Handle convolution, int pad_h, int pad_w, int stride_h, int stride_w,
                            int dilation_h, int dilation_w, int mode, int type);
  Status (*workspace)(Handle handle, Handle x, Handle filter, Handle convolution, Handle y,
                      int algorithm, std::size_t* bytes);
  Status (*forward)(Handle handle, const void* alpha, Handle x, DevicePointer on_x, Handle filter,
                    DevicePointer on_filter, Handle convolution, int algorithm,
                    DevicePointer workspace, std::size_t bytes, const void* beta, Handle y,
                    DevicePointer on_y);

  void check(Status status, const char* doing) const {
    if (status == 0) return;
    // Of cuDNN 8, and the range of cuDNN 9.
    if (status == 9 || (status >= 3000 && status < 4000)) {
      throw CheckSkipped(fmt::format("{}: {}", doing, text::visible(error(status), 100)));
    }
    throw CheckFailed({Layer::library, status, error(status), fmt::format("{} failed", doing)});
  }
};

Cudnn load_cudnn(const std::filesystem::path& toolkit) {
  // cuDNN 8 asks the loader for its parts by name and has no path of its own to look in.
  preload(toolkit, {"cublasLt", "cublas", "nvrtc-builtins", "nvrtc", "cudnn_ops_infer",
                    "cudnn_cnn_infer", "cudnn_graph", "cudnn_ops", "cudnn_cnn", "cudnn_heuristic",
                    "cudnn_engines_precompiled", "cudnn_engines_runtime_compiled"});
  const auto library = Library::open(toolkit_library(toolkit, "cudnn"));
  Cudnn api{};
  library.find(api.create, "cudnnCreate");
  library.find(api.destroy, "cudnnDestroy");
  library.find(api.version, "cudnnGetVersion");
  library.find(api.error, "cudnnGetErrorString");
  library.find(api.new_tensor, "cudnnCreateTensorDescriptor");
  library.find(api.set_tensor, "cudnnSetTensor4dDescriptor");
  library.find(api.new_filter, "cudnnCreateFilterDescriptor");
  library.find(api.set_filter, "cudnnSetFilter4dDescriptor");
  library.find(api.new_convolution, "cudnnCreateConvolutionDescriptor");
  library.find(api.set_convolution, "cudnnSetConvolution2dDescriptor");
  library.find(api.workspace, "cudnnGetConvolutionForwardWorkspaceSize");
  library.find(api.forward, "cudnnConvolutionForward");
  return api;
}

// A batch of square images through square filters, padded so that the size stays.
struct Convolution {
  int images;
  int channels;
  int side;
  int filters;
  int filter_side;  // odd

  int pad() const { return filter_side / 2; }
  std::size_t in_count() const { return static_cast<std::size_t>(images * channels * side * side); }
  std::size_t filter_count() const {
    return static_cast<std::size_t>(filters * channels * filter_side * filter_side);
  }
  std::size_t out_count() const { return static_cast<std::size_t>(images * filters * side * side); }
};
constexpr Convolution convolutions[] = {{1, 1, 1, 1, 1}, {2, 3, 13, 5, 3}, {4, 16, 28, 32, 5}};

float one_pixel(const Convolution& shape, const std::vector<float>& in,
                const std::vector<float>& filter, int image, int k, int y, int x) {
  float sum = 0;
  for (int c = 0; c < shape.channels; ++c) {
    for (int v = 0; v < shape.filter_side; ++v) {
      for (int u = 0; u < shape.filter_side; ++u) {
        const int row = y + v - shape.pad();
        const int column = x + u - shape.pad();
        if (row < 0 || column < 0 || row >= shape.side || column >= shape.side) continue;
        const int pixel = ((image * shape.channels + c) * shape.side + row) * shape.side + column;
        const int weight =
            ((k * shape.channels + c) * shape.filter_side + v) * shape.filter_side + u;
        sum += in[static_cast<std::size_t>(pixel)] * filter[static_cast<std::size_t>(weight)];
      }
    }
  }
  return sum;
}

std::vector<float> convolved(const Convolution& shape, const std::vector<float>& in,
                             const std::vector<float>& filter) {
  std::vector<float> out;
  out.reserve(shape.out_count());
  for (int image = 0; image < shape.images; ++image) {
    for (int k = 0; k < shape.filters; ++k) {
      for (int y = 0; y < shape.side; ++y) {
        for (int x = 0; x < shape.side; ++x) {
          out.push_back(one_pixel(shape, in, filter, image, k, y, x));
        }
      }
    }
  }
  return out;
}

std::vector<float> convolve(const Device& device, const Cudnn& api, Handle handle,
                            const Convolution& shape, int algorithm) {
  constexpr int nchw = 0;
  constexpr int type_float = 0;
  constexpr int cross_correlation = 1;
  Handle x = nullptr;
  Handle y = nullptr;
  Handle filter = nullptr;
  Handle convolution = nullptr;
  const auto& [images, channels, side, filters, filter_side] = shape;
  api.check(api.new_tensor(&x), "cudnnCreateTensorDescriptor");
  api.check(api.new_tensor(&y), "cudnnCreateTensorDescriptor");
  api.check(api.new_filter(&filter), "cudnnCreateFilterDescriptor");
  api.check(api.new_convolution(&convolution), "cudnnCreateConvolutionDescriptor");
  api.check(api.set_tensor(x, nchw, type_float, images, channels, side, side),
            "cudnnSetTensor4dDescriptor");
  api.check(api.set_tensor(y, nchw, type_float, images, filters, side, side),
            "cudnnSetTensor4dDescriptor");
  api.check(api.set_filter(filter, type_float, nchw, filters, channels, filter_side, filter_side),
            "cudnnSetFilter4dDescriptor");
  api.check(api.set_convolution(convolution, shape.pad(), shape.pad(), 1, 1, 1, 1,
                                cross_correlation, type_float),
            "cudnnSetConvolution2dDescriptor");
  std::size_t bytes = 0;
  api.check(api.workspace(handle, x, filter, convolution, y, algorithm, &bytes),
            "cudnnGetConvolutionForwardWorkspaceSize");

  const auto on_x = on_device(device, small_whole<float>(shape.in_count()));
  const auto on_filter = on_device(device, small_whole<float>(shape.filter_count()));
  const Memory on_y(device, shape.out_count() * sizeof(float));
  const Memory workspace(device, std::max<std::size_t>(bytes, 256));
  const float one = 1;
  const float none = 0;
  api.check(api.forward(handle, &one, x, on_x.address(), filter, on_filter.address(), convolution,
                        algorithm, workspace.address(), bytes, &none, y, on_y.address()),
            "cudnnConvolutionForward");
  return result_of<float>(device, on_y);
}

std::string version_of(const Cudnn& api) {
  const auto number = static_cast<int>(api.version());
  if (number >= 90000) return library_version(number);
  return fmt::format("{}.{}.{}", number / 1000, number % 1000 / 100, number % 100);
}

}  // namespace

void cudnn_checks(Checks& checks, const LevelRequest& request) {
  if (!has_library(checks, request, "cudnn")) return;
  const auto device = open_device(checks, request.uuid, "cudnn/");
  if (!device) return;
  Cudnn api{};
  Handle handle = nullptr;
  checks.run("cudnn/load", [&] {
    api = load_cudnn(request.toolkit);
    api.check(api.create(&handle), "cudnnCreate");
    return fmt::format("cuDNN {}", version_of(api));
  });
  if (!handle) return;
  constexpr std::array<const char*, 2> algorithms{"implicit_gemm", "implicit_precomp_gemm"};
  for (std::size_t algorithm = 0; algorithm < algorithms.size(); ++algorithm) {
    checks.run(fmt::format("cudnn/{}", algorithms[algorithm]), [&] {
      for (const auto& shape : convolutions) {
        const auto expected = convolved(shape, small_whole<float>(shape.in_count()),
                                        small_whole<float>(shape.filter_count()));
        compare(
            fmt::format("convolution of {} x {} x {}", shape.images, shape.channels, shape.side),
            expected, convolve(*device, api, handle, shape, static_cast<int>(algorithm)));
      }
      return fmt::format("{} shapes, exact", std::size(convolutions));
    });
  }
  api.destroy(handle);
}

}  // namespace cudaenv::gpu
