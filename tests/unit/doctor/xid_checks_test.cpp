#include <doctest/doctest.h>

#include "compat/tables.hpp"
#include "doctor/checks.hpp"

using namespace cudaenv;
using compat::Severity;
using namespace std::chrono_literals;

namespace {

doctor::Findings found(std::vector<gpu::Xid> xids) {
  doctor::Observed seen;
  seen.xids = std::move(xids);
  return doctor::check_xids(seen, compat::builtin_tables());
}

}  // namespace

TEST_CASE("Xids of the kernel log are told once for each GPU and number, the GPU's own first") {
  CHECK(found({}).empty());
  const auto findings = found({{31, "0000:3b:00", "", "pid=1, name=old", 7300s},
                               {79, "0000:81:00", "", "GPU has fallen off the bus.", 61s},
                               {31, "0000:3b:00", "", "pid=2, name=new", 180s}});
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].id == "gpu.xid");
  CHECK(findings[0].severity == Severity::warning);
  CHECK(findings[0].seen ==
        "the kernel reported Xid 79 (GPU has fallen off the bus) of the GPU at 0000:81:00, 61 "
        "seconds ago");
  CHECK_FALSE(findings[0].help.empty());
  // A program's own fault says nothing of the machine.
  CHECK(findings[1].severity == Severity::note);
  CHECK(
      findings[1].seen ==
      "the kernel reported Xid 31 (GPU memory page fault) of the GPU at 0000:3b:00, 2 times, last "
      "3 minutes ago");
  CHECK(findings[1].why.back() == "it says: pid=2, name=new");
}

TEST_CASE("an Xid that no table knows is told by its number") {
  const auto findings = found({{4711, "", "", "", std::nullopt}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::warning);
  CHECK(findings[0].seen == "the kernel reported Xid 4711 of the GPU at an unknown place");
}
