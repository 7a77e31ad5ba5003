#include "cli/plan_print.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/url.hpp"
#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(std::uint64_t bytes) { return bytes > 0 ? text::bytes(bytes) : "?"; }

}  // namespace

std::string plan_text(const commands::PreparedInstall& prepared, const Style& style) {
  const auto& plan = prepared.plan;
  std::string out =
      fmt::format("CUDA {} for {} from {}\n  in {}\n", style.bold(plan.wish.cuda.text()),
                  plan.wish.platform.name(), plan.source, prepared.prefix.string());
  if (prepared.already) return out + "it is installed so: nothing to do\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& part : plan.parts) {
    std::string remark = part.stored ? "here already" : "fetch";
    if (part.filter != catalog::Filter::all)
      remark += fmt::format(", {}", install::name_of(part.filter));
    rows.push_back(
        {"  " + part.offer.component, part.offer.version, size_text(part.offer.size), remark});
  }
  out += table(rows);
  if (!plan.lacking.empty()) out += fmt::format("lacking: {}\n", fmt::join(plan.lacking, ", "));
  for (const auto& line : plan.unusable)
    out += fmt::format("{} {}\n", style.red("not to be had:"), line);
  out += fmt::format("to fetch: {} in {}; on disk about {} more\n", size_text(plan.fetch_bytes()),
                     text::counted(plan.fetch_count(), "archive"),
                     size_text(plan.fresh_disk_bytes() - plan.fetch_bytes()));
  return out;
}

std::string plan_json(const commands::PreparedInstall& prepared) {
  const auto& plan = prepared.plan;
  Json parts = Json::array();
  for (const auto& part : plan.parts) {
    Json urls = Json::array();
    for (const auto& url : part.offer.urls) urls.push_back(shown_url(url));
    parts.push_back({{"component", part.offer.component},
                     {"product", part.offer.product},
                     {"version", part.offer.version},
                     {"sha256", part.offer.sha256.hex()},
                     {"size", part.offer.size},
                     {"urls", std::move(urls)},
                     {"filter", install::name_of(part.filter)},
                     {"stored", part.stored},
                     {"lacks", part.offer.lacks}});
  }
  const Json json{{"schema", 1},
                  {"cuda", plan.wish.cuda.text()},
                  {"platform", plan.wish.platform.name()},
                  {"source", plan.source},
                  {"prefix", prepared.prefix.string()},
                  {"changes", !prepared.already},
                  {"parts", std::move(parts)},
                  {"lacking", plan.lacking},
                  {"unusable", plan.unusable},
                  {"fetch_bytes", plan.fetch_bytes()},
                  {"fetch_count", plan.fetch_count()}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace cudaenv::cli
