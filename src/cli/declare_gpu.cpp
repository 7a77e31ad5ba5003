#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/declare.hpp"
#include "cli/gpu_print.hpp"
#include "cli/gpu_screen.hpp"
#include "cli/live_screen.hpp"
#include "cli/report.hpp"
#include "commands/gpu_state.hpp"
#include "sys/machine.hpp"

namespace cudaenv::cli {
namespace {

using Clock = std::chrono::steady_clock;
using commands::GpuTrouble;
using commands::trouble_of;
using Detail = gpu::Monitor::Detail;

struct Options {
  bool watch = false;
  bool json = false;
  std::string format;
  std::optional<double> interval;
  std::optional<std::uint64_t> count;

  bool again() const { return watch || interval || count; }
  Clock::duration pause() const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(interval.value_or(1)));
  }
};

Error error_of(const GpuTrouble& trouble) {
  Error error(ErrorKind::system, trouble.what);
  return trouble.help.empty() ? error : std::move(error).help(trouble.help);
}

// The first look: ends the command where there is nothing to look at.
std::optional<int> ends(const std::optional<GpuTrouble>& trouble, const Session& session) {
  if (!trouble) return std::nullopt;
  if (!trouble->missing) throw error_of(*trouble);
  session.note(trouble->what);
  return Exit::skipped;
}

std::string json_text(const gpu::Readings& readings, int indent) {
  return gpu_json(readings, sys::now_utc())
             .dump(indent, ' ', false, nlohmann::json::error_handler_t::replace) +
         "\n";
}

int show_once(const Options& options, const Session& session) {
  gpu::Monitor monitor(commands::driver_timeout(session.host));
  const auto readings = monitor.read(Detail::state, session.host.interrupt);
  if (const auto status = ends(trouble_of(readings), session)) return *status;
  if (options.json) {
    session.print(json_text(readings, 2));
  } else if (options.format == "prometheus") {
    session.print(gpu_metrics(readings));
  } else {
    session.print(gpu_blocks(readings, session.out));
  }
  return Exit::done;
}

// The time of the next look: from look to look, not from end to beginning; one that came too late
// is left out.
Clock::time_point next_time(Clock::time_point former, Clock::duration pause) {
  return std::max(former + pause, Clock::now());
}

int print_samples(const Options& options, const Session& session) {
  gpu::Monitor monitor(commands::driver_timeout(session.host));
  const auto& interrupt = session.host.interrupt;
  bool any = false;
  auto time = Clock::now();
  for (std::uint64_t i = 0; !options.count || i < *options.count; ++i) {
    if (i > 0) sys::wait_until(time = next_time(time, options.pause()), interrupt);
    interrupt.check();
    const auto readings = monitor.read(Detail::state, interrupt);
    const auto trouble = trouble_of(readings);
    if (trouble && trouble->missing && !any) return *ends(trouble, session);
    if (trouble) {
      session.note(fmt::format("{} {}", sys::now_utc(), trouble->what));
      continue;
    }
    any = true;
    session.print(options.json ? json_text(readings, -1) : gpu_lines(readings, sys::now_utc()));
    if (!session.flush()) return Exit::done;
  }
  return any ? Exit::done : Exit::failed;
}

int show_live(const Options& options, const Session& session) {
  // Destroyed after the screen, so that a driver that hangs does not delay the way back.
  gpu::Monitor monitor(commands::driver_timeout(session.host));
  const auto& interrupt = session.host.interrupt;
  auto readings = monitor.read(Detail::state, interrupt);
  if (const auto status = ends(trouble_of(readings), session)) return *status;

  GpuScreen view;
  LiveScreen screen;
  auto time = Clock::now();
  for (std::uint64_t i = 1;; ++i) {
    const auto trouble = trouble_of(readings);
    view.add(readings, sys::now_utc().substr(11), trouble ? trouble->what : "");
    if (options.count && i >= *options.count) return Exit::done;
    time = next_time(time, options.pause());
    auto event = LiveScreen::Event::resized;
    while (event == LiveScreen::Event::resized) {
      screen.draw(view.render(screen.width(), screen.height(), session.out));
      event = screen.wait(time, interrupt);
    }
    if (event == LiveScreen::Event::quit) return Exit::done;
    readings = monitor.read(Detail::state, interrupt);
  }
}

int act(Options options, const Session& session) {
  if (options.format == "json") options.json = true;
  if (!options.again()) return show_once(options, session);
  if (options.format == "prometheus") {
    throw Error(ErrorKind::usage, "the metrics of Prometheus are those of one moment")
        .help("leave out --watch, --interval and --count, and run it again for each scrape");
  }
  const bool terminal = sys::is_terminal(STDOUT_FILENO) &&
                        session.host.environment.get("TERM").value_or("dumb") != "dumb";
  if (options.watch && terminal && !options.json) return show_live(options, session);
  return print_samples(options, session);
}

}  // namespace

void declare_gpu(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  app.add_flag("-w,--watch", options->watch, "A live view; without a terminal a line a sample");
  app.add_option("-i,--interval", options->interval, "Look again every S seconds (1)")
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0));
  app.add_option("-n,--count", options->count, "End after N looks")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  const auto format = app.add_option("--format", options->format, "text, json or prometheus")
                          ->check(CLI::IsMember({"text", "json", "prometheus"}));
  app.add_flag("--json", options->json, "Print JSON, with --interval an object a line")
      ->excludes(format);
  app.callback([options, &session] {
    session.action = [options, &session] { return act(*options, session); };
  });
}

}  // namespace cudaenv::cli
