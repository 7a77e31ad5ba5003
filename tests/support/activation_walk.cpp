#include "support/activation_walk.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace cudaenv::test {
namespace {

using activate::Change;
using activate::Variables;

constexpr std::array variable_names{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT",
                                    "CUDACXX"};
constexpr std::array list_names{"PATH", "LD_LIBRARY_PATH", "MANPATH", "PKG_CONFIG_PATH"};

// What shells or people trip over, and what would leave a trace if it ran.
constexpr std::array<std::string_view, 36> words{
    "/opt/tools/bin",
    "/usr/local/bin",
    "/home/a b/bin",
    "/two  blanks",
    " blank first",
    "blank last ",
    "/tab\there",
    "line\nbreak",
    "\n\nbreaks\n\n",
    "*",
    "?",
    "[a-z]*",
    "{a,b}",
    "~root",
    "=ls",
    "%s%n%1",
    "!!",
    "!$",
    "-n",
    "#comment",
    "\\",
    "\\n\\0",
    "it's",
    "\"",
    "$HOME",
    "${x",
    "$(/usr/bin/touch ran)",
    "`/usr/bin/touch ran`",
    "'; /usr/bin/touch ran; '",
    "\"; /usr/bin/touch ran; \"",
    "x\n/usr/bin/touch ran\n",
    "(/usr/bin/touch ran)",
    ">ran",
    "&& /usr/bin/touch ran",
    "\xC3\xA4\xE2\x82\xAC",
    "\xFF\xFE\xC3\x81\x88",
};

constexpr std::array<std::string_view, 5> roots{"/r/cuda-11.8.0", "/r/cuda-12.1.1", "/r/c u*da'",
                                                "/r/$(/usr/bin/touch ran)", "/r/\xFF\n\t\\!"};

bool contains(const std::vector<std::string>& elements, const std::string& value) {
  return std::find(elements.begin(), elements.end(), value) != elements.end();
}

std::vector<std::string> folders_of_toolkits() {
  std::vector<std::string> result{"/usr/bin", "/bin", "/r/cudnn/lib"};
  for (const auto root : roots) {
    for (const char* folder : {"/bin", "/lib", "/share/man", "/pkg-config"}) {
      result.push_back(std::string(root) + folder);
    }
  }
  return result;
}

const std::vector<std::string>& of_toolkits() {
  static const auto folders = folders_of_toolkits();
  return folders;
}

Change difference(const Variables& before, const Variables& after) {
  Change change;
  for (const auto& [name, value] : after) {
    const auto found = before.find(name);
    if (found == before.end() || found->second != value) change.variables[name] = value;
  }
  for (const auto& [name, value] : before) {
    if (!after.contains(name)) change.variables[name] = std::nullopt;
  }
  return change;
}

}  // namespace

std::vector<std::string> elements_of(std::string_view list) {
  if (list.empty()) return {};
  const auto parts = text::split(list, ':');
  return {parts.begin(), parts.end()};
}

bool is_walked(std::string_view name) {
  const auto is = [&](const char* other) { return name == other; };
  return std::any_of(variable_names.begin(), variable_names.end(), is) ||
         std::any_of(list_names.begin(), list_names.end(), is) || activate::is_record(name);
}

ActivationWalk::ActivationWalk(unsigned seed, Limits limits) : random_(seed), limits_(limits) {
  for (const char* name : variable_names) {
    if (below(3) > 0) variables_[name] = below(5) == 0 ? "" : word();
  }
  for (const char* name : list_names) {
    const bool needed = limits_.starts_with_path && name == std::string_view("PATH");
    if (below(4) == 0 && !needed) continue;
    auto& list = lists_[name] = some_elements();
    if (needed) list.emplace_back("/usr/games");
    // The user may have a toolkit's folder in a list himself, in any place.
    if (below(3) > 0) continue;
    const auto& ours = of_toolkits();
    const auto at = static_cast<std::ptrdiff_t>(below(static_cast<unsigned>(list.size()) + 1));
    list.insert(list.begin() + at, ours[below(static_cast<unsigned>(ours.size()))]);
  }
  environment_ = without_toolkits();
  forget_lone_empties();
}

Change ActivationWalk::step() {
  entered_.reset();
  switch (below(6)) {
    case 0:
    case 1:
      return enter();
    case 2:
      return leave();
    default:
      return edit();
  }
}

void ActivationWalk::take(const Change& change) {
  entered_.reset();
  environment_ = applied(environment_, change);
  forget_lone_empties();
}

Variables ActivationWalk::without_toolkits() const {
  Variables result = variables_;
  for (const auto& [name, elements] : lists_) result[name] = text::join(elements, ":");
  return result;
}

unsigned ActivationWalk::below(unsigned limit) {
  return std::uniform_int_distribution<unsigned>(0, limit - 1)(random_);
}

std::string ActivationWalk::word() {
  if (below(2) == 0) return std::string(words[below(words.size())]);
  std::string result;
  for (unsigned left = 1 + below(12); left > 0; --left) {
    result += static_cast<char>(1 + below(255));
  }
  return result;
}

std::string ActivationWalk::element() {
  if (limits_.empty_elements && below(8) == 0) return "";
  std::string result = word();
  std::replace(result.begin(), result.end(), ':', ';');
  return result;
}

ActivationWalk::Elements ActivationWalk::some_elements() {
  Elements result;
  for (unsigned left = below(5); left > 0; --left) result.push_back(element());
  if (result.empty() && !limits_.empty_elements) result.emplace_back("/opt/some");
  return result;
}

activate::Prefix ActivationWalk::prefix() {
  activate::Prefix prefix{std::string(roots[below(roots.size())]), {}};
  if (below(4) == 0) prefix.libraries.emplace_back("/r/cudnn/lib");
  return prefix;
}

Change ActivationWalk::enter() {
  const auto toolkit = prefix();
  activate::Options options{below(4) > 0, below(4) > 0, below(2) > 0 ? word() : ""};
  Change change = activate::change(environment_, toolkit, options);
  environment_ = applied(environment_, change);
  entered_ = {toolkit, options};
  forget_lone_empties();
  said_ = "use " + text::visible(toolkit.path);
  return change;
}

Change ActivationWalk::leave() {
  Change change = activate::leave(environment_);
  environment_ = applied(environment_, change);
  forget_lone_empties();
  said_ = "deactivate";
  return change;
}

Change ActivationWalk::edit() {
  const Variables before = environment_;
  if (below(2) == 0) {
    edit_variable(variable_names[below(variable_names.size())]);
  } else {
    edit_list(list_names[below(list_names.size())]);
  }
  for (auto& [name, elements] : lists_) {
    if (environment_.at(name).empty()) elements.clear();
  }
  return difference(before, environment_);
}

void ActivationWalk::edit_variable(const std::string& name) {
  said_ = "the user edits " + name;
  if (below(4) == 0) {
    environment_.erase(name);
    variables_.erase(name);
    return;
  }
  environment_[name] = variables_[name] = below(5) == 0 ? "" : "by hand " + word();
}

void ActivationWalk::set_list(const std::string& name, std::optional<Elements> elements) {
  said_ = "the user sets the whole of " + name;
  if (elements) {
    environment_[name] = text::join(*elements, ":");
    lists_[name] = std::move(*elements);
  } else {
    environment_.erase(name);
    lists_.erase(name);
  }
}

void ActivationWalk::edit_list(const std::string& name) {
  const unsigned kind = below(12);
  if (kind == 0) return set_list(name, std::nullopt);
  if (kind == 1) return set_list(name, some_elements());
  const auto found = environment_.find(name);
  Elements actual = elements_of(found == environment_.end() ? "" : found->second);
  Elements& own = lists_[name];
  const std::string value = element();
  if (kind < 5) {
    said_ = "the user puts `" + text::visible(value) + "` last in " + name;
    actual.push_back(value);
    own.push_back(value);
  } else if (kind < 8 || own.empty()) {
    said_ = "the user puts `" + text::visible(value) + "` first in " + name;
    actual.insert(actual.begin(), value);
    own.insert(own.begin(), value);
  } else {
    const std::string other = own[below(static_cast<unsigned>(own.size()))];
    // Which of two equal ones the user means can't be told, nor whether a list that was unset and
    // has nothing any more should be unset again.
    if (contains(of_toolkits(), other) || own.size() == 1) return set_list(name, some_elements());
    for (Elements* list : {&actual, &own}) {
      const auto at = std::find(list->begin(), list->end(), other);
      if (kind == 8) {
        list->erase(at);
      } else {
        list->insert(at, value);
      }
    }
    said_ = "the user " + std::string(kind == 8 ? "removes" : "puts something before") + " `" +
            text::visible(other) + "` in " + name;
  }
  environment_[name] = text::join(actual, ":");
}

// One empty element alone is the empty text, as is no element. Beside an entry of a toolkit they
// differ, until that is taken out.
void ActivationWalk::forget_lone_empties() {
  for (auto& [name, elements] : lists_) {
    if (elements.size() == 1 && elements.front().empty()) elements.clear();
  }
}

}  // namespace cudaenv::test
