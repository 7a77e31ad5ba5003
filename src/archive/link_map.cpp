#include "archive/link_map.hpp"

#include <vector>

#include "archive/entry_path.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// What Linux follows in one path before it says ELOOP.
constexpr int most_hops = 40;

// Bytes of paths looked at for all links together: part of a second's work. The links of a toolkit,
// some thousand to near neighbours, need a hundredth; a few kilobytes can be made to need hours.
constexpr std::uint64_t most_looked_at = 256u << 20;

std::string joined(const std::vector<std::string>& names) { return text::join(names, "/"); }

std::vector<std::string> names_of(std::string_view path) {
  const auto views = components(path);
  return {views.begin(), views.end()};
}

// The path in the tree that a settled target names; the link's own folders are real ones.
std::vector<std::string> destination(const std::string& path, const std::string& target) {
  std::vector<std::string> names = names_of(parent_of(path));
  for (const std::string_view name : components(target)) {
    if (name == "..") {
      names.pop_back();
    } else {
      names.emplace_back(name);
    }
  }
  return names;
}

}  // namespace

const std::string* LinkMap::find(const std::string& path) const {
  const auto found = targets_.find(path);
  return found == targets_.end() ? nullptr : &found->second;
}

void LinkMap::settle(const Interrupt& interrupt) {
  std::map<std::string, std::string> settled_targets;
  for (const auto& [path, target] : targets_) {
    settled_targets.emplace(path, settled(path, target));
  }
  targets_ = std::move(settled_targets);
  std::uint64_t left = most_looked_at;
  for (const auto& [path, target] : targets_) {
    interrupt.check();
    check_end(path, left);
  }
}

std::string LinkMap::settled(const std::string& path, const std::string& target) const {
  std::vector<std::string> place = names_of(parent_of(path));
  std::vector<std::string> spelled;
  for (const std::string_view name : components(target)) {
    if (name != "..") {
      place.emplace_back(name);
      spelled.emplace_back(name);
      continue;
    }
    if (place.empty()) refuse(path, "is a link that leads out of the archive");
    const bool after_name = !spelled.empty() && spelled.back() != "..";
    if (after_name && find(joined(place))) refuse(path, "is a link with `..` behind another link");
    place.pop_back();
    if (after_name) {
      spelled.pop_back();
    } else {
      spelled.emplace_back(name);
    }
  }
  return spelled.empty() ? "." : joined(spelled);
}

void LinkMap::check_end(const std::string& path, std::uint64_t& left) const {
  std::vector<std::string> rest = destination(path, *find(path));
  std::string here;
  int hops = 0;
  for (std::size_t next = 0; next < rest.size(); ++next) {
    if (!here.empty()) here += '/';
    here += rest[next];
    if (here.size() > left) refuse(path, "is one of too many links that lead to further links");
    left -= here.size();
    const std::string* target = find(here);
    if (!target) continue;
    if (++hops > most_hops || here.size() > 4096) refuse(path, "is a link in a loop of links");
    std::vector<std::string> onward = destination(here, *target);
    onward.insert(onward.end(), rest.begin() + static_cast<std::ptrdiff_t>(next) + 1, rest.end());
    rest = std::move(onward);
    here.clear();
    next = static_cast<std::size_t>(-1);
  }
}

}  // namespace cudaenv::archive
