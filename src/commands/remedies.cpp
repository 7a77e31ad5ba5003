#include "commands/remedies.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "commands/compat_tables.hpp"
#include "compat/explain.hpp"

namespace cudaenv::commands {
namespace {

std::vector<std::string> by_layer(Layer layer) {
  switch (layer) {
    case Layer::no_driver:
      return {"install NVIDIA's driver; in a container, start it with the GPUs (`--gpus all`)"};
    case Layer::no_device:
      return {"see which GPUs there are: `lspci -d 10de:`, `ls -l /dev/nvidia*`"};
    case Layer::busy:
      return {"see who uses the GPU: `nvidia-smi`; the installation is not at fault"};
    case Layer::hardware:
      return {
          "look at the kernel's log (`dmesg | grep -i xid`) and at `nvidia-smi -q -d "
          "ECC,ROW_REMAPPER`",
          "reset the GPU or restart the machine; a GPU that fails again is to be replaced"};
    case Layer::jit:
      return {"the driver's compiler refuses code that every driver from R450 on takes",
              "install the driver again; unset CUDA_DISABLE_PTX_JIT and CUDA_FORCE_PTX_JIT"};
    case Layer::no_image:
      return {"this toolkit has no code for this GPU: it is too old for it, or has dropped it",
              "use another release: `cudaenv install auto`"};
    case Layer::toolkit_newer:
      return {"upgrade the driver, or use an older toolkit: `cudaenv install auto`"};
    case Layer::library:
      return {"see whether its files are whole: `cudaenv verify`",
              "see whether another one of that name is in front: LD_LIBRARY_PATH, LD_PRELOAD"};
    case Layer::host_compiler:
      return {"name a compiler that this nvcc takes: `export NVCC_PREPEND_FLAGS='-ccbin g++-12'`",
              "or use a newer toolkit"};
    case Layer::compiler:
      return {"see whether its files are whole: `cudaenv verify`"};
    case Layer::kernel:
    case Layer::wrong_result:
      return {"test the GPU's memory: `cudaenv selftest --level memory`",
              "look at the kernel's log: `dmesg | grep -i xid`"};
    case Layer::hang:
      return {"look at the kernel's log (`dmesg | grep -i xid`); a GPU that hangs needs a reset",
              "a machine that is only slow gets more time with --timeout"};
    case Layer::crash:
      return {"see whether the files are whole: `cudaenv verify`",
              "look at the kernel's log: `dmesg | tail`"};
    case Layer::driver:
      break;
  }
  return {"look at the kernel's log: `dmesg | grep -i nvrm`"};
}

// Checks of what goes from one GPU to another (level_together.cpp, bench_peer.cpp).
bool is_between_gpus(const std::string& check) {
  return check.starts_with("copy/") || check.starts_with("reach/") || check == "nccl/all_reduce" ||
         check.starts_with("between GPUs/");
}

// What the tables say of the check or of its failure's code. The program is the self-test's own and
// right: what blames it says nothing here.
std::optional<compat::Explanation> explained(const Check& check, const compat::Tables& tables) {
  const auto& failure = *check.failure;
  if (is_between_gpus(check.name) &&
      (failure.layer == Layer::wrong_result || failure.layer == Layer::hang)) {
    if (const auto* error = tables.error("peer-copies")) {
      return compat::explanation(*error, nullptr, {});
    }
  }
  // A signal's or a library's status is a number, too.
  const bool cuda = failure.layer != Layer::crash && failure.layer != Layer::library &&
                    failure.layer != Layer::compiler;
  if (!cuda || failure.code <= 0) return std::nullopt;
  const auto* code = tables.code("runtime", static_cast<unsigned>(failure.code));
  const auto* error = code ? tables.error(code->error) : nullptr;
  if (!error || error->layer == "program") return std::nullopt;
  return compat::explanation(*error, code, {});
}

}  // namespace

compat::Tables tables_for_remedies(const Host& host) {
  try {
    return known_tables(host).tables;
  } catch (const Error&) {
    return compat::builtin_tables();
  }
}

void add_remedies(std::vector<Check>& checks, const Host& host) {
  std::optional<compat::Tables> tables;
  for (auto& check : checks) {
    if (!check.failure || !check.failure->help.empty()) continue;
    if (!tables) tables = tables_for_remedies(host);
    auto& failure = *check.failure;
    if (auto known = explained(check, *tables)) {
      failure.causes = std::move(known->causes);
      failure.help = std::move(known->help);
    } else {
      failure.help = by_layer(failure.layer);
    }
  }
}

}  // namespace cudaenv::commands
