#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/list_print.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"
#include "commands/lacks.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

// The libraries with their own release series: "cudnn 8.9.7.29".
std::vector<std::string> add_ons_of(const store::Receipt& receipt) {
  std::vector<std::string> result;
  for (const auto& component : receipt.components) {
    if (component.product != "cuda") result.push_back(component.name + " " + component.version);
  }
  return result;
}

std::string marks_of(const commands::ListedPrefix& listed) {
  std::string marks;
  if (listed.is_default) marks = "default";
  if (listed.is_active) marks += marks.empty() ? "active" : ", active";
  return marks;
}

// What a toolkit from this source lacks beside NVIDIA's archives.
std::vector<std::string> lacks_of(const store::Receipt& receipt) {
  std::vector<std::pair<std::string, std::string>> lacks;
  for (const auto& component : receipt.components) {
    lacks.emplace_back(component.name, component.lacks);
  }
  auto lines = commands::lack_lines(lacks);
  if (!receipt.lacking.empty()) {
    lines.insert(lines.begin(), fmt::format("no {}", fmt::join(receipt.lacking, ", ")));
  }
  return lines;
}

Json as_json(const commands::ListedPrefix& listed) {
  const auto& receipt = listed.prefix.receipt;
  Json components = Json::array();
  for (const auto& component : receipt.components) {
    Json entry{{"name", component.name},
               {"product", component.product},
               {"version", component.version},
               {"sha256", component.sha256.hex()},
               {"filter", component.filter}};
    if (!component.lacks.empty()) entry["lacks"] = component.lacks;
    components.push_back(std::move(entry));
  }
  Json json{{"name", receipt.name},
            {"cuda", receipt.cuda.text()},
            {"path", listed.prefix.path.string()},
            {"platform", receipt.platform},
            {"profile", receipt.profile},
            {"source", receipt.source},
            {"installed_at", receipt.installed_at},
            {"default", listed.is_default},
            {"active", listed.is_active},
            {"lacking", receipt.lacking},
            {"components", std::move(components)}};
  if (listed.disk_bytes) json["disk_bytes"] = *listed.disk_bytes;
  if (listed.frees_bytes) json["frees_bytes"] = *listed.frees_bytes;
  return json;
}

std::vector<std::string> as_row(const commands::ListedPrefix& listed, bool sizes,
                                const Style& style) {
  const auto& receipt = listed.prefix.receipt;
  std::vector<std::string> row{listed.is_active ? style.green("*") : " ",
                               style.bold(store::short_name(receipt)),
                               store::has_plain_name(receipt) ? "" : receipt.cuda.text(),
                               receipt.profile,
                               receipt.source,
                               text::join(add_ons_of(receipt), ", ")};
  if (sizes) {
    row.push_back(text::bytes(listed.disk_bytes.value_or(0)));
    row.push_back(fmt::format("frees {}", text::bytes(listed.frees_bytes.value_or(0))));
  }
  row.push_back(listed.prefix.path.string());
  row.push_back(style.cyan(marks_of(listed)));
  return row;
}

// A column that is empty in every row only widens the table.
void drop_empty_columns(std::vector<std::vector<std::string>>& rows) {
  for (std::size_t column = rows.empty() ? 0 : rows[0].size(); column-- > 1;) {
    bool used = false;
    for (const auto& row : rows) used = used || !row[column].empty();
    if (used) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

}  // namespace

int show_installed(const ListOptions& options, const Session& session) {
  const auto result = commands::list({options.sizes}, session.host);
  for (const auto& oddity : result.oddities) {
    session.note(fmt::format("`{}`: {}", text::visible(oddity.path.string(), 400), oddity.why));
  }
  if (options.json) {
    Json list = Json::array();
    for (const auto& listed : result.prefixes) list.push_back(as_json(listed));
    Json json{{"schema", 1}, {"prefixes", std::move(list)}};
    session.print(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    return Exit::done;
  }
  if (result.prefixes.empty()) {
    session.say("no toolkit is installed; `cudaenv install latest` installs one");
    return Exit::done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& listed : result.prefixes) {
    rows.push_back(as_row(listed, options.sizes, session.out));
  }
  drop_empty_columns(rows);
  session.print(table(rows));
  for (const auto& listed : result.prefixes) {
    const auto& receipt = listed.prefix.receipt;
    for (const auto& line : lacks_of(receipt)) {
      session.say(session.err.dim(
          fmt::format("{} from {}: {}", store::short_name(receipt), receipt.source, line)));
    }
  }
  return Exit::done;
}

namespace {

std::shared_ptr<ListOptions> declare_list_options(CLI::App& app) {
  const auto options = std::make_shared<ListOptions>();
  app.add_flag("--size,-s", options->sizes, "Also what each takes on disk and would free");
  app.add_flag("--json", options->json, "Print JSON");
  return options;
}

}  // namespace

void declare_list(CLI::App& app, Session& session) {
  const auto options = declare_list_options(app);
  app.callback([options, &session] {
    session.action = [options, &session] { return show_installed(*options, session); };
  });
}

}  // namespace cudaenv::cli
