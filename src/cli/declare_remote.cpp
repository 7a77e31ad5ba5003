// list --remote and update: what sources have.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/declare.hpp"
#include "cli/list_print.hpp"
#include "cli/report.hpp"
#include "cli/source_options.hpp"
#include "cli/table.hpp"
#include "commands/remote.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

int show_remote(const commands::RemoteRequest& request, bool json, const Session& session) {
  const auto result = commands::list_remote(request, session.host);
  if (result.fell_back) {
    session.note("NVIDIA's host does not answer: showing NVIDIA's Python wheels");
  }
  for (const auto& note : result.notes) session.note(note);
  if (json) {
    Json list = Json::array();
    for (const auto& release : result.releases) {
      list.push_back({{"version", release.version.text()},
                      {"known", release.known},
                      {"installed", release.installed}});
    }
    session.print(Json{{"schema", 1},
                       {"product", result.product},
                       {"source", result.source},
                       {"releases", std::move(list)}}
                      .dump(2) +
                  "\n");
    return Exit::done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& release : result.releases) {
    std::string word = release.installed ? "installed" : "";
    if (!release.known) word += word.empty() ? "new" : ", new";
    rows.push_back({release.version.text(), session.out.cyan(word)});
  }
  session.print(table(rows));
  return Exit::done;
}

}  // namespace

void declare_list_remote(CLI::App& app, Session& session) {
  struct Options {
    ListOptions list;
    commands::RemoteRequest remote;
  };
  const auto options = std::make_shared<Options>();
  app.add_flag("--size,-s", options->list.sizes, "Also what each takes on disk and would free");
  app.add_flag("--json", options->list.json, "Print JSON");
  auto* remote = app.add_flag("--remote,-r", options->list.remote,
                              "What can be installed, after asking the source");
  app.add_option("PRODUCT", options->remote.product, "With --remote: cuda (default), cudnn, ...")
      ->needs(remote);
  add_source_options(app, options->remote.source);
  app.callback([options, &session] {
    session.action = [options, &session] {
      if (!options->list.remote) return show_installed(options->list, session);
      return show_remote(options->remote, options->list.json, session);
    };
  });
}

void declare_update(CLI::App& app, Session& session) {
  const auto request = std::make_shared<commands::InstallRequest>();
  add_source_options(app, *request);
  app.callback([request, &session] {
    session.action = [request, &session] {
      const auto result = commands::update(*request, session.host);
      for (const auto& note : result.notes) session.note(note);
      for (const auto& name : result.fetched) session.print(name + "\n");
      if (result.fetched.empty()) session.say(fmt::format("nothing new at {}", result.source));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
