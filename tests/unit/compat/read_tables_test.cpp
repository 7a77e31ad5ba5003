// The tables' text form, and tables laid over others.
#include <string>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "compat/tables.hpp"

namespace cudaenv::compat {
namespace {

const std::string head = "compat\t1\t2027-01-01\nsource\ts\thttps://vendor.example\n";

std::string refusal(const std::string& text) {
  Tables tables;
  try {
    overlay(tables, text, "site.tsv");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK(error.message() == "site.tsv is damaged");
    return error.causes().at(0);
  }
  return "";
}

TEST_CASE("a row of a newer table takes the place of the one that is there") {
  Tables tables = builtin_tables();
  const auto count = tables.toolkits.size();
  overlay(tables, head + "toolkit\t12.4.0\t2024-03-05\t551.1\t\t526.1\tours\ts\n", "site.tsv");
  CHECK(tables.toolkits.size() == count);
  const auto* row = tables.toolkit(*Version::parse("12.4.0"));
  REQUIRE(row);
  CHECK(row->driver->text() == "551.1");
  CHECK(row->floor->text() == "526.1");
  CHECK(row->note == "ours");
  CHECK(row->source == "https://vendor.example");
  CHECK(tables.date == "2027-01-01");
}

TEST_CASE("a new row finds its place in the order") {
  Tables tables = builtin_tables();
  overlay(tables,
          head + "toolkit\t14.0.0\t\t700.1\t\t700.1\t\ts\n" +
              "driver\t700\t14.0\t\t\t\t\t8.0\t\ts\n" + "arch\t14.0\t8.0,9.0\t\ts\n",
          "site.tsv");
  CHECK(tables.toolkits.back().release.text() == "14.0.0");
  CHECK(tables.driver(*Version::parse("700.2"))->cuda.text() == "14.0");
  CHECK(tables.last_with({9, 0})->text() == "14.0");
}

TEST_CASE("a local framework row comes before the others") {
  Tables tables = builtin_tables();
  overlay(tables, head + "framework\tourtorch\t1\t1.x\t12.4\t\t\t\t\t\tsystem\tstable\thigh\t\ts\n",
          "site.tsv");
  CHECK(tables.frameworks.front().name == "ourtorch");
}

TEST_CASE("a table may come from an editor that writes a mark, CR LF and no last newline") {
  Tables tables;
  overlay(tables,
          "\xEF\xBB\xBF"
          "compat\t1\t2027-01-01\r\nsource\ts\tx\r\n\r\ngpu\tA\t9.0\tB\tC\ts\r",
          "site.tsv");
  CHECK(tables.gpus.size() == 1);
  CHECK(tables.gpus[0].source == "x");
}

TEST_CASE("a table says a thing once, by every part of its key") {
  Tables tables;
  overlay(tables,
          head + "cudnn\t9.1\t12\t12.1\tlisted\t\t5.0\t9.0\ts\n" +
              "cudnn\t9.1\t11\t11.8\tlisted\t\t5.0\t9.0\ts\n" +
              "compiler\t12.1\tgcc\t\t12\t\ts\ncompiler\t12.1\tclang\t\t15\t\ts\n",
          "site.tsv");
  CHECK(tables.cudnn.size() == 2);
  CHECK(tables.compilers.size() == 2);
  // Another table may say it otherwise.
  overlay(tables, head + "cudnn\t9.1\t12\t12.2\tlisted\t\t5.0\t9.0\ts\n", "newer.tsv");
  CHECK(tables.cudnn.size() == 2);
}

TEST_CASE("comments and empty lines say nothing") {
  Tables tables;
  overlay(tables, head + "\n# ours\ngpu\tOur GPU\t9.0\tHopper\tdata center\ts\n", "site.tsv");
  CHECK(tables.gpus.size() == 1);
}

TEST_CASE("a table that is damaged names the line and changes nothing") {
  CHECK(refusal("") == "line 1: it does not begin with `compat`");
  CHECK(refusal("compat\t2\t2027-01-01\n") == "line 1: schema `2` is not known");
  CHECK(refusal("compat\t1\t\n") == "line 1: the table has no date");
  CHECK(refusal("compat\t1\t2027-1-1\n") == "line 1: the date `2027-1-1` is not a date");
  CHECK(refusal(head + "tool\t12\n") == "line 3: `tool` is no kind of row");
  CHECK(refusal(head + "toolkit\t12.x\n") == "line 3: the release `12.x` is not a version");
  CHECK(refusal(head + "toolkit\t12.4.0\t\t1\n") == "line 3: the bundled driver is missing");
  CHECK(refusal(head + "gpu\tA\t9\tB\tC\ts\n") ==
        "line 3: the capability `9` is not a compute capability");
  CHECK(refusal(head + "gpu\tA\t9.0\tB\tC\tt\n") == "line 3: there is no source `t` above it");
  CHECK(refusal(head + "gpu\tA\t9.0\tB\tC\ts\tmore\n") == "line 3: it has 7 fields, not 6");
  CHECK(refusal(head + "gpu\tA\x1b[31m\t9.0\tB\tC\ts\n") == "line 3: the name is not fit to show");
  CHECK(refusal(head + "arch\t12.4\t9.0,8.0\t\ts\n") ==
        "line 3: the capabilities are not in order");
  CHECK(refusal(head + "glibc\t2.41\t<=\tx\ts\n") ==
        "line 3: the CUDA `<=` is not a version or a range of versions");
  CHECK(refusal(head + "board\tA\t0\n") ==
        "line 3: the memory bandwidth `0` is not a number above 0");
  CHECK(refusal(head + "board\tA\t1e3\n") ==
        "line 3: the memory bandwidth `1e3` is not a number above 0");
  CHECK(refusal(head + "board\tA\t\t\t\t\t4\t\t\ts\n") ==
        "line 3: PCIe takes both a generation and lanes");
  CHECK(refusal(head + "measured\tA\tx\tus\t1\ts\n") == "line 3: there is no board `A` above it");
  CHECK(refusal(head + "source\ts\tagain\n") == "line 3: line 2 says it already");
  CHECK(refusal(head + "gpu\tA\t9.0\tB\tC\ts\n\ngpu\tB\t9.0\tB\tC\ts\ngpu\tA\t8.9\tB\tC\ts\n") ==
        "line 6: line 3 says it already");
  CHECK(refusal("\xFF\xFE"
                "c\0o\0") == "line 1: it is UTF-16; save it as UTF-8");

  CHECK(refusal(head + "context\truntime\tCUDA error\ts\n") ==
        "line 3: it has no place for a number or words");
  CHECK(refusal(head + "context\truntime\tCUDA error {number}: {words}\ts\n") ==
        "line 3: there is another place before its words");

  Tables tables;
  CHECK_THROWS_AS(overlay(tables, head + "gpu\tA\t9.0\tB\tC\ts\nbroken\n", "x"), Error);
  CHECK(tables.gpus.empty());
}

}  // namespace
}  // namespace cudaenv::compat
