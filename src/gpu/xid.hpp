#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/interrupt.hpp"
#include "sys/answering_child.hpp"

namespace cudaenv::gpu {

// A fault that the kernel module reported of a GPU. What its number means is compat's to say.
struct Xid {
  unsigned number = 0;
  std::string bus_id;  // "0000:3b:00"; empty: not said
  std::string uuid;    // "GPU-..."; empty: not said
  std::string words;   // the module's own, fit to show; may be empty
  std::optional<std::chrono::seconds> ago;
};

// "NVRM: Xid (PCI:0000:3b:00): 31, pid=4242, name=python, ...", of a kernel module of any age and
// of a MIG instance too; nothing for another message.
std::optional<Xid> read_xid(std::string_view kernel_message);

// Those of this machine's kernel log, the oldest first; nothing where this user may not read it.
std::vector<Xid> logged_xids();

// Hears by NVML which Xids the driver reports while it lives, whoever's program causes them:
// without the kernel log, which most containers and users cannot read. NVML is loaded in a child
// process, which may crash or hang.
class XidWatch {
 public:
  explicit XidWatch(std::chrono::milliseconds limit);  // for each answer of the child

  // Begins to listen, or tells what was reported since it was last asked. One that happens right
  // now is waited for, for `wait` at most. Empty too where NVML cannot listen; one that crashed or
  // hung is not asked again.
  std::vector<Xid> heard(std::chrono::milliseconds wait, const Interrupt& interrupt);

 private:
  std::chrono::milliseconds limit_;
  sys::AnsweringChild child_;
  bool broken_ = false;
};

}  // namespace cudaenv::gpu
