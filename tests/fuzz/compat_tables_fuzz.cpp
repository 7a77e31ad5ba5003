// Tables that a site lays over the built-in ones, and what is judged by them.
#include "base/text.hpp"
#include "compat/baseline.hpp"
#include "compat/build.hpp"
#include "compat/driver.hpp"
#include "compat/framework.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"
#include "compat/solve.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

void expect_shown(const std::vector<compat::Finding>& findings) {
  for (const auto& finding : findings) {
    expect(!finding.id.empty() && !finding.seen.empty(), "a finding has an id and says something");
    expect(text::visible(finding.seen, 1u << 20) == finding.seen, "a finding is fit to show");
    for (const auto& why : finding.why) {
      expect(text::visible(why, 1u << 20) == why, "a reason is fit to show");
    }
  }
}

void try_constraint(std::string_view text) {
  const auto constraint = compat::Constraint::parse(text);
  if (!constraint) return;
  expect(constraint->text() == text, "a constraint keeps its text");
  expect(!constraint->words().empty(), "a constraint has words");
  for (const char* known : {"0", "9.10.2.21", "11.8.0", "12.4", "13.10.1"}) {
    const bool accepted = constraint->accepts(*Version::parse(known));
    expect(accepted == compat::Constraint::parse(text)->accepts(*Version::parse(known)),
           "a constraint accepts the same again");
  }
}

void judge_all(const compat::Tables& tables) {
  DriverFacts driver;
  driver.module_version = Version::parse("535.104.05");
  GpuFacts gpu;
  gpu.name = "NVIDIA H200";
  compat::Question question{
      {driver, {gpu}, Version::parse("2.41"), {}, Version::parse("3.11")}, std::nullopt, {}, {}};
  question.machine.compilers.push_back({"gcc", *Version::parse("13.2"), ""});
  for (std::size_t i = 0; i < tables.toolkits.size() && i < 20; ++i) {
    const auto& release = tables.toolkits[i].release;
    question.toolkits.push_back(release);
    expect_shown(compat::judge_driver(tables, release, driver, {gpu}).findings);
    expect_shown(compat::judge_gpu(tables, release, gpu, driver).findings);
    expect_shown(compat::judge_cudnn(tables, release, *Version::parse("9")).findings);
    expect_shown(compat::judge_nccl(tables, release, *Version::parse("2")).findings);
  }
  for (std::size_t i = 0; i < tables.frameworks.size() && i < 20; ++i) {
    const auto& row = tables.frameworks[i];
    question.framework = compat::FrameworkWish{row.name, std::nullopt};
    const auto answer = compat::solve(tables, question);
    expect_shown(answer.findings);
    if (answer.toolkit) expect(!answer.why.empty(), "a choice has a reason");
    for (const auto& rejected : answer.newer) {
      expect(!rejected.reason.empty(), "so has what was not chosen");
    }
  }
}

void compare_with_boards(const compat::Tables& tables) {
  for (std::size_t i = 0; i < tables.boards.size() && i < 20; ++i) {
    const auto& name = tables.boards[i].name;
    const auto found = compat::boards_like(tables, name);
    expect(!found.empty(), "a board is like itself");
    for (const auto& row : found.front().measured) {
      const auto baselines = found.front().of(row.figure, row.unit);
      expect(!baselines.empty(), "what was measured is found");
      for (const auto& each : baselines) expect(each.value > 0, "a figure can be divided by");
    }
    tables.rate({9, 0}, name);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  for (const auto line : text::lines(input)) {
    for (const auto field : text::split(line, '\t')) try_constraint(field);
  }
  compat::Tables tables;
  const bool read = fuzz::result_of([&] {
                      compat::overlay(tables, input, "table");
                      return true;
                    }).has_value();
  if (!read) {
    expect(tables.date.empty() && tables.toolkits.empty() && tables.frameworks.empty(),
           "what is damaged changes nothing");
    return 0;
  }
  expect(tables.date.size() == 10, "a table has a date");
  // Once more changes nothing: every row takes its own place.
  const auto before = tables;
  compat::overlay(tables, input, "table");
  expect(tables.toolkits.size() == before.toolkits.size() &&
             tables.frameworks.size() == before.frameworks.size() &&
             tables.boards.size() == before.boards.size() &&
             tables.measured.size() == before.measured.size() &&
             tables.rates.size() == before.rates.size(),
         "a table laid over itself adds nothing");
  judge_all(tables);
  compare_with_boards(tables);
  return 0;
}
