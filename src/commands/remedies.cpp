#include "commands/remedies.hpp"

#include <algorithm>

namespace cudaenv::commands {
namespace {

struct CodeRemedy {
  int code;  // CUresult, cudaError_t
  std::vector<std::string> lines;
};

// The numbers are those of cuda.h; causes as NVIDIA's documentation of the error codes has them.
const std::vector<CodeRemedy>& by_code() {
  static const std::vector<CodeRemedy> table{
      {34,
       {"a toolkit's stub libcuda.so is loaded, which is there to link against",
        "take every `stubs` folder off LD_LIBRARY_PATH"}},
      {35,
       {"the driver is older than this toolkit's runtime",
        "upgrade the driver, or use an older toolkit: `cudaenv install auto` takes one that fits"}},
      {46,
       {"the GPU is in exclusive mode and another process has it; the installation is not at fault",
        "see who: `nvidia-smi`; share it: `nvidia-smi -c DEFAULT` as root"}},
      {100,
       {"the driver is loaded and shows no GPU to this process",
        "see what hides it: CUDA_VISIBLE_DEVICES, the rights of /dev/nvidia*, a container "
        "without GPUs"}},
      {222,
       {"the PTX is from a toolkit newer than the driver: it runs machine code of this toolkit, "
        "and cannot compile its PTX",
        "compile for the GPU itself (`nvcc -arch=sm_NN`), or upgrade the driver"}},
      {221,
       {"libnvidia-ptxjitcompiler.so.1 is missing beside libcuda",
        "install the driver's libraries completely"}},
      {802,
       {"the GPUs are joined by NVSwitch, and the fabric manager is not ready",
        "`systemctl start nvidia-fabricmanager` as root, then look at `nvidia-smi -q -i 0`"}},
      {803,
       {"the loaded kernel module and the user libraries are of different versions",
        "restart the machine, or reload the kernel modules"}},
      {804,
       {"a forward-compatibility libcuda is in front on a GPU that has no such support",
        "take the `compat` folder off LD_LIBRARY_PATH, or upgrade the driver"}},
      {805,
       {"CUDA is told to use MPS, and its daemon does not answer; the installation is not at fault",
        "`nvidia-cuda-mps-control -d` starts it; unset CUDA_MPS_PIPE_DIRECTORY does without"}},
      {999,
       {"the driver does not know why; after a suspend it is mostly the module nvidia_uvm",
        "as root: `rmmod nvidia_uvm && modprobe nvidia_uvm`, else restart the machine",
        "without /dev/nvidia-uvm: `nvidia-modprobe -u -c=0`"}},
  };
  return table;
}

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
      return {"name a compiler that this nvcc takes: `export NVCC_CCBIN=g++-12`",
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

}  // namespace

std::vector<std::string> remedies(const Failure& failure) {
  const auto& table = by_code();
  // A signal's or a library's status is a number, too.
  const bool cuda = failure.layer != Layer::crash && failure.layer != Layer::library &&
                    failure.layer != Layer::compiler;
  const auto found = std::find_if(table.begin(), table.end(), [&](const CodeRemedy& row) {
    return cuda && row.code == failure.code;
  });
  return found == table.end() ? by_layer(failure.layer) : found->lines;
}

}  // namespace cudaenv::commands
