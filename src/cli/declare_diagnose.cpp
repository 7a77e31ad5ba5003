#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/diagnose_print.hpp"
#include "cli/report.hpp"
#include "sys/file.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {
namespace {

struct Options {
  std::optional<std::uint32_t> pid;
  double interval = 0.5;
  std::optional<double> duration;
  bool json = false;
  std::string output;
  std::string html;
};

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<long long>(seconds * 1000));
}

commands::DiagnoseRequest request_of(const Options& options, const Session& session) {
  if (session.command.empty() == !options.pid) {
    throw Error(ErrorKind::usage, options.pid ? "a command and --pid cannot be watched at once"
                                              : "no command to run was named")
        .help("write it after `--`: `cudaenv diagnose -- python3 train.py`");
  }
  commands::DiagnoseRequest request;
  request.command = session.command;
  request.pid = options.pid.value_or(0);
  request.interval = milliseconds(options.interval);
  if (options.duration) request.duration = milliseconds(*options.duration);
  return request;
}

void write_report(const std::string& path, std::string_view text) {
  sys::write_atomically(std::filesystem::absolute(path), text);
}

// A run of hours must not end in a file that cannot be written.
void try_file(const std::string& path) {
  if (path.empty()) return;
  const auto there = sys::stat_target(path);
  if (there && there->kind != sys::Kind::regular) {
    throw Error(ErrorKind::usage, fmt::format("`{}` is no regular file", text::visible(path)));
  }
  write_report(path, "");
}

int act(const Options& options, const Session& session) {
  const auto request = request_of(options, session);
  try_file(options.output);
  try_file(options.html);
  const auto result = commands::diagnose(request, session.host);
  if (!options.html.empty()) write_report(options.html, diagnose_html(result));

  // The command's own output keeps stdout to itself.
  const bool to_stdout = request.command.empty() && options.output.empty();
  const Style style = options.output.empty() ? (to_stdout ? session.out : session.err) : Style();
  const std::string report =
      options.json
          ? diagnose_json(result).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                "\n"
          : diagnose_text(result, style);
  if (to_stdout) {
    session.print(report);
  } else if (options.output.empty()) {
    sys::write_stderr(report);
  } else {
    write_report(options.output, report);
  }
  if (!result.ending) return Exit::done;
  if (result.ending->signal != 0) sys::die_of(result.ending->signal);
  return result.ending->status;
}

}  // namespace

void declare_diagnose(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  const auto pid =
      app.add_option("-p,--pid", options->pid, "Watch this process, till it ends or Ctrl-C")
          ->type_name("N")
          ->check(CLI::Range(1u, 1u << 30));
  app.add_option("--duration", options->duration, "With --pid: watch for S seconds")
      ->type_name("S")
      ->check(CLI::Range(0.1, 1e8))
      ->needs(pid);
  app.add_option("-i,--interval", options->interval, "Look every S seconds (0.5)")
      ->type_name("S")
      ->check(CLI::Range(0.05, 3600.0));
  app.add_flag("--json", options->json, "The report as JSON, with all samples");
  app.add_option("-o,--output", options->output, "The report into FILE instead of stderr")
      ->type_name("FILE");
  app.add_option("--html", options->html, "Also a page with the run as charts")->type_name("FILE");
  app.footer(
      "The command follows: cudaenv diagnose -- python3 train.py\n"
      "Its output and exit status are passed on; the report goes to stderr.");
  app.callback([options, &session] {
    session.action = [options, &session] { return act(*options, session); };
  });
}

}  // namespace cudaenv::cli
