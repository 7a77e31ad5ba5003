#include "gpu/nvrtc.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "gpu/checks.hpp"

namespace cudaenv::gpu {

struct Nvrtc::Api {
  int (*version)(int* major, int* minor);
  int (*chip_count)(int* count);
  int (*chips)(int* chips);
  int (*create)(void** program, const char* source, const char* name, int headers,
                const char* const* header_texts, const char* const* header_names);
  int (*destroy)(void** program);
  int (*compile)(void* program, int count, const char* const* options);
  int (*log_size)(void* program, std::size_t* size);
  int (*log)(void* program, char* log);
  int (*ptx_size)(void* program, std::size_t* size);
  int (*ptx)(void* program, char* ptx);
  int (*machine_size)(void* program, std::size_t* size);
  int (*machine)(void* program, char* code);
  const char* (*error)(int result);
};

namespace {

std::filesystem::path file_of(const std::filesystem::path& toolkit) {
  // NVRTC asks the loader for them by name.
  preload(toolkit, {"nvrtc-builtins"});
  return find_library(toolkit, "nvrtc");
}

int number_of(const ComputeCapability& gpu) { return static_cast<int>(gpu.major * 10 + gpu.minor); }

// The first line that says what is wrong.
std::string first_error(const std::string& log) {
  for (const auto line : text::lines(log)) {
    if (line.find("error") != std::string_view::npos) return text::visible(line, 300);
  }
  return text::visible(text::trimmed(log), 300);
}

}  // namespace

Nvrtc::Nvrtc(const std::filesystem::path& toolkit) : library_(Library::open(file_of(toolkit))) {
  auto api = std::make_shared<Api>();
  library_.find(api->version, "nvrtcVersion");
  library_.find(api->chip_count, "nvrtcGetNumSupportedArchs");
  library_.find(api->chips, "nvrtcGetSupportedArchs");
  library_.find(api->create, "nvrtcCreateProgram");
  library_.find(api->destroy, "nvrtcDestroyProgram");
  library_.find(api->compile, "nvrtcCompileProgram");
  library_.find(api->log_size, "nvrtcGetProgramLogSize");
  library_.find(api->log, "nvrtcGetProgramLog");
  library_.find(api->ptx_size, "nvrtcGetPTXSize");
  library_.find(api->ptx, "nvrtcGetPTX");
  library_.find(api->machine_size, "nvrtcGetCUBINSize");
  library_.find(api->machine, "nvrtcGetCUBIN");
  library_.find(api->error, "nvrtcGetErrorString");
  api_ = std::move(api);
  int count = 0;
  check(api_->chip_count(&count), "asking NVRTC for its chips");
  chips_.resize(static_cast<std::size_t>(std::max(count, 0)));
  check(api_->chips(chips_.data()), "asking NVRTC for its chips");
  std::sort(chips_.begin(), chips_.end());
  if (chips_.empty()) throw CheckFailed({Layer::compiler, 0, "", "NVRTC compiles for no chip"});
}

std::string Nvrtc::version() const {
  int major = 0;
  int minor = 0;
  check(api_->version(&major, &minor), "asking NVRTC for its version");
  return fmt::format("{}.{}", major, minor);
}

std::optional<int> Nvrtc::machine_chip(const ComputeCapability& gpu) const {
  const auto chip = ptx_chip(gpu);
  if (!chip || *chip / 10 != static_cast<int>(gpu.major)) return std::nullopt;
  return chip;
}

std::optional<int> Nvrtc::ptx_chip(const ComputeCapability& gpu) const {
  const auto above = std::upper_bound(chips_.begin(), chips_.end(), number_of(gpu));
  if (above == chips_.begin()) return std::nullopt;
  return *std::prev(above);
}

std::string Nvrtc::machine_code(const std::string& source, int chip, bool bfloat16) const {
  return compile(source, fmt::format("sm_{}", chip), bfloat16, true);
}

std::string Nvrtc::ptx(const std::string& source, int chip, bool bfloat16) const {
  return compile(source, fmt::format("compute_{}", chip), bfloat16, false);
}

std::string Nvrtc::compile(const std::string& source, const std::string& chip, bool bfloat16,
                           bool machine) const {
  void* raw = nullptr;
  check(api_->create(&raw, source.c_str(), "selftest.cu", 0, nullptr, nullptr),
        "making a program for NVRTC");
  const auto destroy = [this](void* program) { api_->destroy(&program); };
  const std::unique_ptr<void, decltype(destroy)> program(raw, destroy);

  const std::string architecture = "--gpu-architecture=" + chip;
  std::vector<const char*> options{architecture.c_str()};
  if (bfloat16) options.push_back("-DBFLOAT16");
  const int result = api_->compile(program.get(), static_cast<int>(options.size()), options.data());
  if (result != 0) {
    std::size_t size = 0;
    api_->log_size(program.get(), &size);
    std::string log(size, '\0');
    if (size > 0) api_->log(program.get(), log.data());
    throw CheckFailed({Layer::compiler, result, text::visible(api_->error(result), 100),
                       fmt::format("NVRTC does not compile for {}: {}", chip, first_error(log))});
  }
  std::size_t size = 0;
  check(machine ? api_->machine_size(program.get(), &size) : api_->ptx_size(program.get(), &size),
        "taking the code from NVRTC");
  std::string code(size, '\0');
  check(machine ? api_->machine(program.get(), code.data()) : api_->ptx(program.get(), code.data()),
        "taking the code from NVRTC");
  return code;
}

void Nvrtc::check(int result, const std::string& doing) const {
  if (result == 0) return;
  throw CheckFailed({Layer::compiler, result, text::visible(api_->error(result), 100), doing});
}

}  // namespace cudaenv::gpu
