#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "gpu/kernel_checks.hpp"
#include "gpu/levels.hpp"
#include "gpu/nvcc_output.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/scratch.hpp"

namespace cudaenv::gpu {
namespace {

namespace fs = std::filesystem;
using Variables = std::map<std::string, std::string, std::less<>>;

constexpr std::chrono::milliseconds compile_limit = std::chrono::minutes(5);
constexpr std::chrono::milliseconds run_limit = std::chrono::minutes(2);

std::string_view word_of(Plant plant) {
  switch (plant) {
    case Plant::wrong:
      return "wrong";
    case Plant::hang:
      return "hang";
    case Plant::crash:
      return "crash";
    case Plant::none:
      break;
  }
  return "";
}

// One toolkit's nvcc on one GPU.
class Compiling {
 public:
  Compiling(const LevelRequest& request, const sys::Environment& environment,
            const Interrupt& interrupt)
      : request_(request),
        interrupt_(interrupt),
        scratch_(environment.non_empty("TMPDIR").value_or("")),
        nvcc_(request.toolkit / "bin" / "nvcc"),
        variables_(environment.variables()) {
    variables_["TMPDIR"] = scratch_.path().string();
    if (!request.uuid.empty()) variables_["CUDA_VISIBLE_DEVICES"] = request.uuid;
    variables_["CUDA_CACHE_DISABLE"] = "1";
  }

  std::vector<Check> run() {
    if (!check("nvcc", [&] { return version(); })) return checks_;
    if (checks_.back().verdict == Verdict::skipped) return checks_;
    sys::write_atomically(scratch_.path() / "program.cu", kernel_text("program.cu"), 0644, false);
    both("sass", true);
    both("ptx", false);
    return checks_;
  }

 private:
  bool check(const std::string& name, const std::function<std::string()>& work) {
    checks_.push_back(done_check(name, work));
    return checks_.back().verdict != Verdict::failed;
  }

  // Machine code and PTX apart: a driver older than the toolkit runs only the first.
  void both(const std::string& kind, bool machine) {
    const bool compiled = check(kind + "/compile", [&] { return compile(kind, machine); });
    if (compiled && checks_.back().verdict == Verdict::passed) {
      check(kind + "/run", [&] { return run_program(kind); });
    }
  }

  sys::Outcome start(std::vector<std::string> arguments, std::chrono::milliseconds limit) const {
    sys::Command command;
    command.arguments = std::move(arguments);
    command.environment = variables_;
    command.directory = scratch_.path();
    command.timeout = request_.limit.value_or(limit);
    const std::string program = fs::path(command.arguments[0]).filename().string();
    try {
      auto outcome = sys::run(command, interrupt_);
      if (outcome.refused) throw CheckFailed({Layer::compiler, 0, "", outcome.err});
      throw_unless_ended(outcome, program, command.timeout);
      return outcome;
    } catch (const Error& error) {
      throw CheckFailed({Layer::compiler, 0, "", error.what()});
    }
  }

  std::string version() {
    if (!sys::exists(nvcc_)) throw CheckSkipped("the toolkit has no nvcc");
    const auto outcome = start({nvcc_.string(), "--version"}, compile_limit);
    if (!outcome.ok()) throw CheckFailed(nvcc_failure(outcome.err));
    chips_ = nvcc_chips(start({nvcc_.string(), "--list-gpu-arch"}, compile_limit).out);
    return nvcc_release(outcome.out);
  }

  // The newest that this nvcc knows and the GPU runs.
  int chip(bool machine) const {
    const auto& gpu = request_.capability;
    const int number = static_cast<int>(gpu.major * 10 + gpu.minor);
    const auto above = std::upper_bound(chips_.begin(), chips_.end(), number);
    if (above != chips_.begin()) {
      const int chip = *std::prev(above);
      if (!machine || chip / 10 == static_cast<int>(gpu.major)) return chip;
      throw CheckSkipped(fmt::format("nvcc makes no machine code for {}", gpu.sm()));
    }
    throw CheckFailed(
        {Layer::no_image, 0, "", fmt::format("nvcc compiles nothing for {}", gpu.sm())});
  }

  std::string compile(const std::string& kind, bool machine) const {
    const int newest = chip(machine);
    const std::string code = machine ? fmt::format("arch=compute_{0},code=sm_{0}", newest)
                                     : fmt::format("arch=compute_{0},code=compute_{0}", newest);
    const auto outcome =
        start({nvcc_.string(), "-gencode", code, "-o", kind, "program.cu"}, compile_limit);
    if (!outcome.ok()) throw CheckFailed(nvcc_failure(outcome.err + outcome.out));
    return code;
  }

  std::string run_program(const std::string& kind) const {
    std::vector<std::string> arguments{(scratch_.path() / kind).string()};
    if (request_.plant != Plant::none) arguments.emplace_back(word_of(request_.plant));
    const auto outcome = start(std::move(arguments), run_limit);
    if (!outcome.ok()) throw CheckFailed(program_failure(outcome.out, outcome.err));
    return "two kernels, as on the CPU";
  }

  const LevelRequest& request_;
  const Interrupt& interrupt_;
  sys::ScratchFolder scratch_;
  fs::path nvcc_;
  Variables variables_;
  std::vector<int> chips_;
  std::vector<Check> checks_;
};

}  // namespace

std::vector<Check> compiler_level(const LevelRequest& request, const sys::Environment& environment,
                                  const Interrupt& interrupt) {
  try {
    return Compiling(request, environment, interrupt).run();
  } catch (const Error& error) {
    return {{"scratch", Verdict::failed, 0, "", Failure{Layer::compiler, 0, "", error.what()}}};
  }
}

}  // namespace cudaenv::gpu
