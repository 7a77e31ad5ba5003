#include "cli/matrix_print.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/findings_print.hpp"
#include "cli/html.hpp"
#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

using commands::CompatResult;
using commands::Matrix;
using Json = nlohmann::ordered_json;

// Which columns have anything in them.
std::vector<std::size_t> used_columns(const Matrix& matrix) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
    const bool any = std::any_of(matrix.rows.begin(), matrix.rows.end(),
                                 [&](const auto& row) { return !row.cells[i].empty(); });
    if (any) used.push_back(i);
  }
  return used;
}

std::string verdict_line(const CompatResult& result) {
  if (!result.judged) return {};
  return result.findings.empty() ? "nothing known speaks against it" : "";
}

// What there is to say of a framework besides its rows.
std::vector<std::string> framework_lines(const CompatResult& result) {
  std::vector<std::string> lines;
  if (result.toolkit_needed) {
    lines.emplace_back(*result.toolkit_needed ? "it takes the toolkit of the machine"
                                              : "its package brings CUDA: to run it takes a "
                                                "driver and no toolkit");
  }
  if (!result.framework_line.empty()) lines.push_back("to install it: " + result.framework_line);
  return lines;
}

std::string escaped_for_markdown(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '*' || c == '_' || c == '`' || c == '<') result += '\\';
    result += c;
  }
  return result;
}

// What is typed is set as code; the rest is text.
bool is_code(const Matrix::Column& column) { return column.id == "install"; }

std::string html_table(const Matrix& matrix) {
  const auto used = used_columns(matrix);
  std::string page =
      fmt::format("<h2 id=\"{}\">{}</h2>\n<div class=\"scroll\"><table>\n<thead><tr>", matrix.id,
                  html_escaped(matrix.title));
  for (const auto i : used) {
    page += fmt::format("<th>{}</th>", html_escaped(matrix.columns[i].heading));
  }
  page += "<th>source</th></tr></thead>\n<tbody>\n";
  for (const auto& row : matrix.rows) {
    page += "<tr>";
    for (const auto i : used) {
      const std::string cell = html_escaped(row.cells[i]);
      page += is_code(matrix.columns[i]) && !cell.empty()
                  ? fmt::format("<td class=\"typed\"><code>{}</code></td>", cell)
                  : fmt::format("<td{}>{}</td>", row.cells[i].size() < 28 ? " class=\"short\"" : "",
                                cell);
    }
    page += fmt::format("<td class=\"source\">{}</td></tr>\n", html_escaped(row.source));
  }
  return page + "</tbody>\n</table></div>\n";
}

// A table that is larger than the window scrolls below its head.
constexpr std::string_view page_style = R"(
body { max-width: 110rem; }
.scroll { max-height: 85vh; overflow: auto; margin: 1rem 0 2rem;
  border: 1px solid var(--line); width: fit-content; max-width: 100%; }
th { position: sticky; top: 0; background: var(--paper); border-bottom-width: 2px; }
td { min-width: 12rem; max-width: 24rem; overflow-wrap: anywhere; }
tbody tr:nth-child(even) { background: var(--shade); }
td:first-child, th:first-child { padding-left: .5rem; }
.typed { min-width: 20rem; } .short { min-width: 0; white-space: nowrap; }
.source { min-width: 18rem; font-size: .75rem; color: var(--faint); }
)";

}  // namespace

std::string matrix_text(const CompatResult& result, const Style& style) {
  std::string text;
  for (const auto& matrix : result.matrices) {
    const auto used = used_columns(matrix);
    std::vector<std::vector<std::string>> rows(1);
    for (const auto i : used) rows[0].push_back(style.bold(matrix.columns[i].heading));
    for (const auto& row : matrix.rows) {
      auto& cells = rows.emplace_back();
      for (const auto i : used) cells.push_back(row.cells[i]);
    }
    if (result.matrices.size() > 1) text += style.bold(matrix.title) + "\n\n";
    text += table(rows);
    if (result.matrices.size() > 1) text += "\n";
  }
  std::string below;
  for (const auto& line : framework_lines(result)) below += line + "\n";
  below += findings_text(result.findings, style);
  if (const auto verdict = verdict_line(result); !verdict.empty()) below += verdict + "\n";
  return below.empty() ? text : text + "\n" + below;
}

std::string matrix_json(const CompatResult& result) {
  Json matrices = Json::object();
  for (const auto& matrix : result.matrices) {
    Json rows = Json::array();
    for (const auto& row : matrix.rows) {
      Json object = Json::object();
      for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
        if (row.cells[i].empty()) {
          object[matrix.columns[i].id] = nullptr;
        } else {
          object[matrix.columns[i].id] = row.cells[i];
        }
      }
      object["source"] = row.source;
      rows.push_back(std::move(object));
    }
    matrices[matrix.id] = std::move(rows);
  }
  Json overlays = Json::array();
  for (const auto& file : result.overlays) overlays.push_back(file.path.string());
  Json json{{"schema", 1},
            {"tables", {{"date", result.date}, {"overlays", std::move(overlays)}}},
            {"by", std::move(matrices)},
            {"judged", result.judged},
            {"findings", findings_json(result.findings)}};
  json["install"] = result.framework_line.empty() ? Json() : Json(result.framework_line);
  json["toolkit_needed"] = result.toolkit_needed ? Json(*result.toolkit_needed) : Json();
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string matrix_markdown(const CompatResult& result) {
  std::string text;
  for (const auto& matrix : result.matrices) {
    const auto used = used_columns(matrix);
    if (!text.empty()) text += "\n";
    text += fmt::format("## {}\n\n|", matrix.title);
    for (const auto i : used) {
      text += fmt::format(" {} |", escaped_for_markdown(matrix.columns[i].heading));
    }
    text += "\n|";
    for (std::size_t i = 0; i < used.size(); ++i) text += " --- |";
    text += "\n";
    for (const auto& row : matrix.rows) {
      text += "|";
      for (const auto i : used) {
        const auto& cell = row.cells[i];
        text += is_code(matrix.columns[i]) && !cell.empty()
                    ? fmt::format(" `{}` |", cell)
                    : fmt::format(" {} |", escaped_for_markdown(cell));
      }
      text += "\n";
    }
  }
  for (const auto& finding : result.findings) {
    text += fmt::format("\n- **{}**: {}", compat::name_of(finding.severity),
                        escaped_for_markdown(finding.seen));
    for (const auto& why : finding.why) text += fmt::format("; {}", escaped_for_markdown(why));
  }
  if (!result.findings.empty()) text += "\n";
  return text + fmt::format("\nFrom the tables of {}.\n", result.date);
}

std::string matrix_html(const CompatResult& result) {
  std::string page = fmt::format(
      "<h1>CUDA compatibility</h1>\n<p>From the tables of {}. Driver figures are those of "
      "Linux.</p>\n",
      result.date);
  for (const auto& line : framework_lines(result)) {
    page += fmt::format("<p>{}</p>\n", html_prose(line));
  }
  if (!result.findings.empty()) page += "<ul>\n";
  for (const auto& finding : result.findings) {
    const auto severity = compat::name_of(finding.severity);
    page += fmt::format("<li><strong class=\"{0}\">{0}</strong> {1}", severity,
                        html_prose(finding.seen));
    for (const auto& why : finding.why) page += "<br>" + html_prose(why);
    for (const auto& help : finding.help) page += "<br><em>" + html_prose(help) + "</em>";
    page += "</li>\n";
  }
  if (!result.findings.empty()) page += "</ul>\n";
  for (const auto& matrix : result.matrices) page += html_table(matrix);
  return html_page("CUDA compatibility", page_style, page);
}

}  // namespace cudaenv::cli
