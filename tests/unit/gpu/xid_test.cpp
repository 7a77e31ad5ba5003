#include "gpu/xid.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;

TEST_CASE("an Xid of the kernel log, as modules of several ages write it") {
  // Seen on an H200 with driver 580.
  auto xid = gpu::read_xid(
      "NVRM: Xid (PCI:0000:00:06): 31, pid=590, name=oob, channel 0x0000000a, intr 00000000. MMU "
      "Fault: ENGINE GRAPHICS GPC1 GPCCLIENT_T1_10 faulted @ 0x400_00000000.");
  REQUIRE(xid);
  CHECK(xid->number == 31);
  CHECK(xid->bus_id == "0000:00:06");
  CHECK(xid->words.starts_with("pid=590, name=oob, channel"));

  xid = gpu::read_xid("NVRM: Xid (0000:03:00): 79, GPU has fallen off the bus.");
  REQUIRE(xid);
  CHECK(xid->number == 79);
  CHECK(xid->bus_id == "0000:03:00");
  CHECK(xid->words == "GPU has fallen off the bus.");

  xid = gpu::read_xid("NVRM: Xid (PCI:0000:41:00 GPU-I:05): 13, pid=1");
  REQUIRE(xid);
  CHECK(xid->bus_id == "0000:41:00");
  CHECK(gpu::read_xid("NVRM: Xid (PCI:0000:00:06): 43")->words.empty());
  CHECK(gpu::read_xid("NVRM: Xid (PCI:0000:00:06): 13, \x1b[31m")->words == "\\x1B[31m");
}

TEST_CASE("what is no Xid") {
  for (const char* text :
       {"", "NVRM: loading NVIDIA UNIX Open Kernel Module", "NVRM: Xid (", "NVRM: Xid (PCI:0): x",
        "NVRM: Xid (PCI:0000:00:06): -1", "NVRM: Xid (PCI:0000:00:06): 99999999999999999999, x"}) {
    CAPTURE(text);
    CHECK_FALSE(gpu::read_xid(text));
  }
}
