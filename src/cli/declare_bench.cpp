#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/bench_print.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "commands/bench.hpp"
#include "sys/file.hpp"

namespace cudaenv::cli {
namespace {

struct Options {
  commands::BenchRequest request;
  unsigned timeout = 0;  // seconds; 0: the usual
  std::string html;
  std::string compare;
  bool json = false;
};

void tell_failures(const commands::BenchResult& result, const Session& session) {
  for (const auto& gpu : result.gpus) {
    for (const auto& check : gpu.outcome.checks) {
      if (check.verdict == Verdict::skipped) {
        session.note(fmt::format("GPU {}: {}: {}", gpu.number, check.name, check.detail));
      }
      if (!check.failure) continue;
      session.note(fmt::format("GPU {}: {} failed: {} {}", gpu.number, check.name,
                               check.failure->name, check.failure->what));
      for (const auto& line : check.failure->causes) session.say("  " + line);
      for (const auto& line : check.failure->help) session.say("  " + line);
    }
  }
}

void tell_unknown_boards(const commands::BenchResult& result, const Session& session) {
  for (const auto& gpu : result.gpus) {
    if (!result.compared || gpu.board) continue;
    session.note(fmt::format("GPU {}: no figures of a board `{}` are known", gpu.number,
                             text::visible(gpu.facts.name)));
    session.say(
        "  compare it with another by `--against BOARD`; `cudaenv compat --by board` has them");
  }
}

int act(Options options, const Session& session) {
  EarlierFigures earlier;
  if (!options.compare.empty()) {
    earlier = read_figures(sys::read_file(options.compare), options.compare);
  }
  if (options.timeout > 0) options.request.limit = std::chrono::seconds(options.timeout);
  const auto result = commands::bench(options.request, session.host);
  session.host.progress.job_end();
  if (options.json) {
    session.print(bench_json(result));
  } else if (!result.gpus.empty()) {
    session.print(bench_text(result, earlier, session.out));
  }
  if (!options.html.empty() && !result.gpus.empty()) {
    sys::write_atomically(options.html, bench_html(result, earlier), 0644, false);
  }
  tell_failures(result, session);
  tell_unknown_boards(result, session);
  if (!result.skipped.empty()) {
    session.say(fmt::format("SKIP: {}", result.skipped));
    return Exit::skipped;
  }
  return result.failed() ? Exit::failed : Exit::done;
}

}  // namespace

void declare_bench(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  auto& request = options->request;
  app.add_option("SPEC", request.spec,
                 "The toolkit whose cuBLAS is measured, or its folder; without it the active one, "
                 "else the project's, else the default");
  app.add_option("--gpu", request.gpus, "Only these GPUs: numbers or UUIDs, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--quick", request.quick, "Fewer sizes and rounds: seconds instead of a minute");
  app.add_option("--compare", options->compare, "A file that --json wrote: each figure beside its")
      ->type_name("FILE");
  app.add_flag("--baseline", request.baseline,
               "Each figure beside its board's: NVIDIA's own and measured ones");
  app.add_option("--against", request.against, "The same with another board: \"A100 80GB PCIe\"")
      ->type_name("BOARD");
  app.add_option("--html", options->html, "Also write a page with charts")->type_name("FILE");
  app.add_option("--timeout", options->timeout,
                 "Seconds that each GPU may take (540), and again for its copies to others")
      ->check(CLI::Range(1, 86400).description(""))
      ->type_name("SECONDS");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session] { return act(*options, session); };
  });
}

}  // namespace cudaenv::cli
