#include "catalog/strict_json.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::catalog {
namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = 16u << 20;
constexpr int most_levels = 16;

std::string shown(std::string_view where) { return text::visible(where, 300); }

// "line 3, column 7" of the byte that the parser stopped at (counted from 1).
std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte > 0 ? byte - 1 : 0);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto newline = before.rfind('\n');
  const auto column =
      newline == std::string_view::npos ? before.size() + 1 : before.size() - newline;
  return fmt::format("line {}, column {}", line, column);
}

// Watches the parser: nlohmann itself takes any depth, and keeps the last of two equal keys.
class Watch {
 public:
  explicit Watch(std::string_view where) : where_(where) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    using Event = json::parse_event_t;
    if (depth > most_levels) {
      report_damage(where_, {}, fmt::format("it is nested more than {} levels deep", most_levels));
    }
    if (event == Event::object_start) {
      keys_.emplace_back();
    } else if (event == Event::object_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) report_damage(where_, key, "stands there twice");
    }
    return true;
  }

 private:
  std::string_view where_;
  std::vector<std::set<std::string>> keys_;
};

}  // namespace

json parse_strict_json(std::string_view text, std::string_view where, std::string_view what) {
  if (text.size() > most_bytes) {
    throw Error(ErrorKind::corrupt, fmt::format("{} is too large for {}", shown(where), what))
        .because(fmt::format("it has {}, and {} is the most", text::bytes(text.size()),
                             text::bytes(most_bytes)));
  }
  if (looks_like_html(text)) {
    throw Error(ErrorKind::corrupt, fmt::format("{} is an HTML page, not {}", shown(where), what))
        .because(fmt::format("it has {}; a proxy or a login page may have answered instead",
                             text::bytes(text.size())));
  }
  if (text::trimmed(text).empty()) {
    throw Error(ErrorKind::corrupt, fmt::format("{} is empty, not {}", shown(where), what));
  }
  try {
    Watch watch(where);
    return json::parse(text.begin(), text.end(),
                       [&](int depth, json::parse_event_t event, json& parsed) {
                         return watch(depth, event, parsed);
                       });
  } catch (const json::parse_error& error) {
    throw Error(ErrorKind::corrupt, fmt::format("{} is damaged", shown(where)))
        .because(fmt::format("not JSON at {}", position(text, error.byte)));
  } catch (const json::out_of_range&) {
    // A number that fits no type, such as 1e999.
    throw Error(ErrorKind::corrupt, fmt::format("{} is damaged", shown(where)))
        .because("a number in it is out of range");
  }
}

bool looks_like_html(std::string_view text) {
  return text::trimmed(text::without_byte_order_mark(text)).starts_with('<');
}

void report_damage(std::string_view where, std::string_view place, std::string_view why) {
  Error error(ErrorKind::corrupt, fmt::format("{} is damaged", shown(where)));
  const std::string reason =
      place.empty() ? std::string(why) : fmt::format("{} {}", text::visible(place, 200), why);
  throw std::move(error).because(reason);
}

std::string kind_of(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

}  // namespace cudaenv::catalog
