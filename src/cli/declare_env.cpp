// env: every setting, its value, and who says so.
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/url.hpp"
#include "cli/declare.hpp"
#include "cli/env_vars.hpp"
#include "cli/report.hpp"
#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

struct Shown {
  std::optional<std::string> value;  // as it may be shown
  std::string from;                  // "variable", "default", or a file and line
};

// Fit for a log or a bug report: no login or token of a URL, also where it is written amiss.
std::string shown_value(std::string_view name, const std::string& value) {
  if (name != "CUDAENV_MIRROR") return without_secrets(value);
  std::string spaced = value;
  std::replace(spaced.begin(), spaced.end(), ' ', ',');
  std::vector<std::string> mirrors;
  for (const auto mirror : text::split(spaced, ',')) {
    if (!mirror.empty()) mirrors.push_back(shown_url(mirror));
  }
  return text::join(mirrors, ",");
}

Shown shown(const EnvVar& variable, const Session& session) {
  const auto& own = session.host.environment.variables();
  if (const auto found = own.find(variable.name); found != own.end()) {
    return {shown_value(variable.name, found->second), "variable"};
  }
  const auto& settings = session.config.settings;
  if (const auto found = settings.find(variable.name); found != settings.end()) {
    return {shown_value(variable.name, found->second.value), found->second.where};
  }
  return {std::nullopt, "default"};
}

std::string as_json(const Session& session) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& variable : env_vars) {
    const auto [value, from] = shown(variable, session);
    list.push_back({{"name", variable.name},
                    {"key", variable.key.empty() ? nullptr : nlohmann::ordered_json(variable.key)},
                    {"value", value ? nlohmann::ordered_json(*value) : nullptr},
                    {"from", from},
                    {"meaning", variable.meaning}});
  }
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void declare_env(CLI::App& app, Session& session) {
  const auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "Print JSON");
  app.callback([json, &session] {
    session.action = [json, &session] {
      if (*json) {
        session.print(as_json(session));
        return Exit::done;
      }
      std::vector<std::vector<std::string>> rows;
      for (const auto& variable : env_vars) {
        const auto [value, from] = shown(variable, session);
        rows.push_back({session.out.bold(variable.name), value.value_or("-"),
                        value ? text::visible(from, 400) : "-", std::string(variable.meaning)});
      }
      session.print(table(rows));
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
