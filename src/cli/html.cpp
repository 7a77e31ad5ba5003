#include "cli/html.hpp"

#include <fmt/format.h>

namespace cudaenv::cli {
namespace {

// Each colour of text has a contrast of at least 4.5 against the paper.
constexpr std::string_view common_style = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --faint: #5c636c; --line: #d9dce1;
  --shade: #f4f5f7; --paper: #ffffff; --good: #1a7a36; --warning: #8a5300; --error: #b3261e;
  --c0: #1f77b4; --c1: #cf4a22; --c2: #248a3a; --c3: #8350ab; --c4: #9a6f00; --c5: #b8347f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --faint: #9ba2ac; --line: #34383e;
  --shade: #1f2226; --paper: #17191c; --good: #67d07f; --warning: #e3b04e; --error: #ff8a80;
  --c0: #6cb6f0; --c1: #ff8c66; --c2: #67d07f; --c3: #c49be6; --c4: #e3bb4e; --c5: #f086c3; } }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 66rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
p, li { overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: .875rem; line-height: 1.4; }
th, td { padding: .3rem 1.25rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
th { color: var(--faint); font-weight: 600; vertical-align: bottom; }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
code { font: .9em ui-monospace, monospace; }
.faint { color: var(--faint); } .good { color: var(--good); }
.warning { color: var(--warning); } .error { color: var(--error); }
)";

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_prose(std::string_view text) {
  std::string result;
  while (true) {
    const auto begin = text.find('`');
    const auto end = begin == std::string_view::npos ? begin : text.find('`', begin + 1);
    if (end == std::string_view::npos) return result + html_escaped(text);
    result += html_escaped(text.substr(0, begin)) + "<code>" +
              html_escaped(text.substr(begin + 1, end - begin - 1)) + "</code>";
    text.remove_prefix(end + 1);
  }
}

std::string html_time(std::string_view iso) {
  std::string text = html_escaped(iso);
  if (text.size() != 20 || text[10] != 'T' || text[19] != 'Z') return text;
  return text.replace(10, 1, " ").replace(19, 1, " UTC");
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_escaped(title), common_style, style, body);
}

}  // namespace cudaenv::cli
