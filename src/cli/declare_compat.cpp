#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/declare.hpp"
#include "cli/machine_options.hpp"
#include "cli/matrix_print.hpp"
#include "cli/report.hpp"
#include "commands/compat.hpp"
#include "sys/file.hpp"

namespace cudaenv::cli {
namespace {

struct Options {
  commands::CompatRequest request;
  bool json = false;
  bool markdown = false;
  std::string html;
};

// A table of the site's that was forgotten would otherwise speak as if it were ours.
void say_tables(const commands::CompatResult& result, const Session& session) {
  session.say(session.err.dim("from the tables of " + result.date));
  for (const auto& file : result.overlays) {
    const bool older = file.date < result.builtin_date;
    const std::string age =
        older ? ", older than the built-in tables of " + result.builtin_date : "";
    session.say(
        session.err.dim(fmt::format("with {} of {}{}", file.path.string(), file.date, age)));
  }
}

int act(Options options, const Session& session) {
  auto& request = options.request;
  // A page has room for everything.
  if (!options.html.empty() && request.by.empty() && request.framework.empty()) request.by = "all";
  const auto result = commands::show_compat(request, session.host);
  if (!options.html.empty()) {
    sys::write_atomically(options.html, matrix_html(result));
    session.say("written to " + options.html);
  } else if (options.json) {
    session.print(matrix_json(result));
  } else if (options.markdown) {
    session.print(matrix_markdown(result));
  } else {
    session.print(matrix_text(result, session.out));
    say_tables(result, session);
  }
  return Exit::done;
}

}  // namespace

void declare_compat(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  auto& request = options->request;
  app.add_option("FRAMEWORK", request.framework, "pytorch, tensorflow==2.13, jax, ...");
  app.add_option("--by", request.by, "framework, cuda, driver, gpu, board or all")
      ->check(CLI::IsMember({"framework", "cuda", "driver", "gpu", "board", "all"}).description(""))
      ->type_name("VIEW");
  app.add_option("--cuda", request.cuda, "With this toolkit: 12.4, 12.4.1")->type_name("VERSION");
  add_driver_options(app, request.driver, request.gpus);
  app.add_option("--cudnn", request.cudnn, "With this cuDNN: 8.9")->type_name("VERSION");
  app.add_option("--python", request.python, "With this Python: 3.11")->type_name("VERSION");
  auto* json = app.add_flag("--json", options->json, "Print JSON");
  auto* markdown = app.add_flag("--markdown", options->markdown, "Print Markdown tables");
  auto* html =
      app.add_option("--html", options->html, "Write a page that stands alone")->type_name("FILE");
  json->excludes(markdown)->excludes(html);
  markdown->excludes(html);
  app.callback([options, &session] {
    session.action = [options, &session] { return act(*options, session); };
  });
}

}  // namespace cudaenv::cli
