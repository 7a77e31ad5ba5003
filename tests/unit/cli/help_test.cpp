#include "cli/help.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include "base/text.hpp"

using namespace cudaenv;

namespace {

struct Sample {
  CLI::App app{"Do it", "tool"};
  std::string spec;
  std::vector<std::string> parts;
  double seconds = 0;
  bool all = false;

  Sample() {
    auto* argument = app.add_option("SPEC", spec, "What to do it with");
    app.add_option("-p,--part", parts, "Only these, of which there may be many, one after another");
    app.add_option("--time-limit", seconds, "How long")->check(CLI::Range(0.5, 10.0));
    app.add_option("--out-of-the-other-folder", spec, "Where to")->type_name("FILE");
    app.add_flag("--all", all, "Everything")->excludes(argument);
  }

  std::string help(unsigned width) {
    app.formatter(cli::help_formatter([width] { return width; }));
    return app.help();
  }
};

}  // namespace

TEST_CASE("help names values after their options, and says what goes with what") {
  CHECK(Sample().help(80) ==
        "Do it\n"
        "\n"
        "Usage: tool [OPTIONS] [SPEC]\n"
        "\n"
        "Arguments:\n"
        "  SPEC  What to do it with (not with --all)\n"
        "\n"
        "Options:\n"
        "  -h, --help                   Print this help message and exit\n"
        "  -p, --part PART...           Only these, of which there may be many, one after\n"
        "                               another\n"
        "      --time-limit TIME_LIMIT  How long\n"
        "      --out-of-the-other-folder FILE\n"
        "                               Where to\n"
        "      --all                    Everything (not with SPEC)\n");
}

TEST_CASE("no line of help is longer than it may be, as far as words allow") {
  Sample sample;
  for (const unsigned width : {60u, 72u, 100u}) {
    for (const auto line : text::lines(sample.help(width))) CHECK(line.size() <= width);
  }
}
