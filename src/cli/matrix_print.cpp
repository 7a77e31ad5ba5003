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
  std::string page = fmt::format("<h2 id=\"{}\">{}</h2>\n<table>\n<thead><tr>", matrix.id,
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
                  ? fmt::format("<td><code>{}</code></td>", cell)
                  : fmt::format("<td>{}</td>", cell);
    }
    page += fmt::format("<td class=\"source\">{}</td></tr>\n", html_escaped(row.source));
  }
  return page + "</tbody>\n</table>\n";
}

constexpr std::string_view html_head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CUDA compatibility</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; }
table { border-collapse: collapse; margin: 1rem 0 2rem; }
th, td { border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
  padding: .3rem .6rem; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: Canvas; }
tbody tr:nth-child(even) { background: color-mix(in srgb, currentColor 5%, transparent); }
.source { font-size: .8em; max-width: 24rem; overflow-wrap: anywhere; }
.error { color: #c62828; } .warning { color: #b26a00; }
</style>
</head>
<body>
<h1>CUDA compatibility</h1>
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
  for (const auto& path : result.overlays) overlays.push_back(path.string());
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
  std::string page(html_head);
  page += fmt::format("<p>From the tables of {}. Driver figures are those of Linux.</p>\n",
                      result.date);
  for (const auto& line : framework_lines(result)) {
    page += fmt::format("<p>{}</p>\n", html_escaped(line));
  }
  if (!result.findings.empty()) page += "<ul>\n";
  for (const auto& finding : result.findings) {
    const auto severity = compat::name_of(finding.severity);
    page += fmt::format("<li><strong class=\"{0}\">{0}</strong> {1}", severity,
                        html_escaped(finding.seen));
    for (const auto& why : finding.why) page += "<br>" + html_escaped(why);
    for (const auto& help : finding.help) page += "<br><em>" + html_escaped(help) + "</em>";
    page += "</li>\n";
  }
  if (!result.findings.empty()) page += "</ul>\n";
  for (const auto& matrix : result.matrices) page += html_table(matrix);
  return page + "</body>\n</html>\n";
}

}  // namespace cudaenv::cli
