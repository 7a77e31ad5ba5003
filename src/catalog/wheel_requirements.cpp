#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "catalog/wheels.hpp"

namespace cudaenv::catalog {
namespace {

// What an environment marker is judged by.
struct MarkerWorld {
  std::string_view extra;
  std::string_view machine;  // empty: any
};

// Judges a marker (PEP 508): "(sys_platform == 'linux' or ...) and extra == 'nvcc'". A comparison
// that it knows nothing about (python_version...) counts as met, since pip decides in the end.
// A malformed marker is not met.
class Marker {
 public:
  Marker(std::string_view text, const MarkerWorld& world) : rest_(text), world_(world) {}

  bool met() {
    const bool result = either(0);
    skip_blanks();
    return result && well_formed_ && rest_.empty();
  }

 private:
  static constexpr int deepest = 50;  // nobody nests further; a stranger must not use up the stack

  bool either(int depth) {
    bool result = both(depth);
    while (take_word("or")) {
      const bool other = both(depth);
      result = result || other;
    }
    return result;
  }

  bool both(int depth) {
    bool result = one(depth);
    while (take_word("and")) {
      const bool other = one(depth);
      result = result && other;
    }
    return result;
  }

  bool one(int depth) {
    if (depth > deepest || !well_formed_) return fail();
    if (!take("(")) return comparison();
    const bool result = either(depth + 1);
    return take(")") ? result : fail();
  }

  bool comparison() {
    const auto left = value();
    skip_blanks();
    std::string_view sign;
    for (const std::string_view known : {"==", "!=", "<=", ">=", "~=", "<", ">"}) {
      if (sign.empty() && take(known)) sign = known;
    }
    const auto right = value();
    if (!well_formed_ || sign.empty()) return fail();
    if (left.quoted == right.quoted) return true;
    const auto known = world_value(left.quoted ? right.text : left.text);
    if (!known) return true;
    const std::string_view wanted = left.quoted ? left.text : right.text;
    if (sign == "==") return *known == wanted;
    if (sign == "!=") return *known != wanted;
    return true;
  }

  struct Value {
    std::string_view text;
    bool quoted = false;
  };

  Value value() {
    skip_blanks();
    if (rest_.empty()) return {fail_text()};
    const char quote = rest_.front();
    if (quote == '\'' || quote == '"') {
      const auto end = rest_.find(quote, 1);
      if (end == std::string_view::npos) return {fail_text()};
      const Value found{rest_.substr(1, end - 1), true};
      rest_.remove_prefix(end + 1);
      return found;
    }
    const auto is_part = [](char c) { return (c >= 'a' && c <= 'z') || c == '_' || c == '.'; };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_part);
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    if (length == 0) return {fail_text()};
    const Value found{rest_.substr(0, length), false};
    rest_.remove_prefix(length);
    return found;
  }

  std::optional<std::string_view> world_value(std::string_view variable) const {
    if (variable == "extra") return world_.extra;
    if (variable == "sys_platform") return "linux";
    if (variable == "platform_system") return "Linux";
    if (variable == "os_name") return "posix";
    if (variable == "platform_machine" && !world_.machine.empty()) return world_.machine;
    return std::nullopt;
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    if (!rest_.starts_with(word)) return false;
    const auto after = rest_.substr(word.size());
    if (!after.empty() && after.front() != ' ' && after.front() != '(') return false;
    rest_ = after;
    return true;
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
      rest_.remove_prefix(1);
  }

  bool fail() {
    well_formed_ = false;
    return false;
  }

  std::string_view fail_text() {
    fail();
    return {};
  }

  std::string_view rest_;
  MarkerWorld world_;
  bool well_formed_ = true;
};

struct Requirement {
  std::string distribution;
  std::string version;
  std::string_view marker;
};

// "==13.0.88.*" -> "13.0.88"; "<14,>=13.5.37" -> "13.5.37"; empty where nothing names a version.
std::string version_of(std::string_view specifiers) {
  for (const auto piece : text::split(specifiers, ',')) {
    auto specifier = text::trimmed(piece);
    bool names_one = false;
    for (const std::string_view sign : {"===", "==", "~=", ">="}) {
      if (names_one || !specifier.starts_with(sign)) continue;
      specifier = text::trimmed(specifier.substr(sign.size()));
      names_one = true;
    }
    if (!names_one) continue;
    if (specifier.ends_with(".*")) specifier.remove_suffix(2);
    return std::string(specifier);
  }
  return {};
}

// "nvidia-cuda-nvcc[x] (==13.0.88.*) ; marker"; nothing where no name stands at the start.
std::optional<Requirement> read_requirement(std::string_view line) {
  const auto semicolon = line.find(';');
  std::string_view wanted = text::trimmed(line.substr(0, semicolon));
  Requirement requirement;
  if (semicolon != std::string_view::npos)
    requirement.marker = text::trimmed(line.substr(semicolon + 1));

  const auto is_name = [](char c) {
    return text::is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
  };
  const auto end = std::find_if_not(wanted.begin(), wanted.end(), is_name);
  const auto length = static_cast<std::size_t>(end - wanted.begin());
  if (length == 0) return std::nullopt;
  requirement.distribution = normalised_distribution(wanted.substr(0, length));

  wanted = text::trimmed(wanted.substr(length));
  if (wanted.starts_with('[')) {
    const auto close = wanted.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    wanted = text::trimmed(wanted.substr(close + 1));
  }
  if (wanted.starts_with('(') && wanted.ends_with(')'))
    wanted = wanted.substr(1, wanted.size() - 2);
  requirement.version = version_of(wanted);
  return requirement;
}

}  // namespace

std::map<std::string, std::map<std::string, std::string>> parse_requirements(
    std::string_view metadata, std::string_view machine) {
  constexpr std::string_view extra_label = "Provides-Extra:";
  constexpr std::string_view requirement_label = "Requires-Dist:";
  std::set<std::string> extras;
  std::vector<Requirement> requirements;
  for (const auto line : text::lines(metadata)) {
    if (line.empty()) break;  // the description follows; it may quote anything
    if (line.starts_with(extra_label)) {
      extras.emplace(text::trimmed(line.substr(extra_label.size())));
    } else if (line.starts_with(requirement_label)) {
      if (auto requirement = read_requirement(line.substr(requirement_label.size())))
        requirements.push_back(std::move(*requirement));
    }
  }

  std::map<std::string, std::map<std::string, std::string>> result;
  for (const std::string& extra : extras) {
    auto& wanted = result[extra];
    for (const Requirement& requirement : requirements) {
      if (requirement.marker.empty()) continue;  // wanted without any extra
      if (Marker(requirement.marker, {extra, machine}).met())
        wanted.emplace(requirement.distribution, requirement.version);
    }
  }
  return result;
}

}  // namespace cudaenv::catalog
