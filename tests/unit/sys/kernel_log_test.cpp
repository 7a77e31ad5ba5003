#include "sys/kernel_log.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"

using namespace cudaenv;
using namespace std::chrono_literals;

TEST_CASE("a record of the kernel log is its time and its words") {
  const auto message = sys::read_kernel_record(
      "4,1207,27168572,-;NVRM: Xid (PCI:0000:00:06): 31, pid=590; x\n SUBSYSTEM=pci\n");
  REQUIRE(message);
  CHECK(message->at == 27'168'572us);
  CHECK(message->text == "NVRM: Xid (PCI:0000:00:06): 31, pid=590; x");
  CHECK(sys::read_kernel_record("6,1,5,c,more=1;")->text.empty());
  for (const char* none : {"", ";", "4,1207;x", "4,1207,soon,-;x", "4,1207,-5,-;x", "no record"}) {
    CAPTURE(none);
    CHECK_FALSE(sys::read_kernel_record(none));
  }
}

TEST_CASE("only messages with the word are taken, and what is no log is not read") {
  const test::TempDir folder;
  const auto log = folder.make_file("kmsg", "4,7,1000000,-;NVRM: Xid (PCI:0000:00:06): 79, x\n");
  REQUIRE(sys::kernel_messages("NVRM: Xid", log));
  CHECK(sys::kernel_messages("NVRM: Xid", log)->size() == 1);
  CHECK(sys::kernel_messages("another", log)->empty());
  CHECK_FALSE(sys::kernel_messages("NVRM", folder.path() / "none"));
  CHECK_FALSE(sys::kernel_messages("NVRM", folder.path()));
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(sys::kernel_messages("NVRM", pipe));
}

TEST_CASE("this machine's log is read to its end") {
  if (::access("/dev/kmsg", R_OK) != 0) return;
  const auto messages = sys::kernel_messages("");
  if (!messages) return;  // the kernel keeps it to root
  for (const auto& message : *messages) CHECK(message.at >= 0us);
}
