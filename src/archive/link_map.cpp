#include "archive/link_map.hpp"

#include <unordered_map>
#include <vector>

#include "archive/entry_path.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// What Linux follows in one path before it says ELOOP.
constexpr int most_hops = 40;

constexpr std::size_t longest_path = 4096;

// Bytes of ends that are remembered. The links of a toolkit, some thousand, need a hundredth.
constexpr std::size_t most_remembered = 32u << 20;

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

// Follows settled links to their ends. Each is followed once: links that share a chain of long
// targets would cost a stranger little and us hours.
class Ends {
 public:
  explicit Ends(const LinkMap& links) : links_(links) {}

  void check(const std::string& path) { follow(path, 1); }

 private:
  struct End {
    std::string path;
    int hops = 1;
  };

  const End& follow(const std::string& path, int depth) {
    if (const auto known = known_.find(path); known != known_.end()) return known->second;
    if (depth > most_hops) refuse_loop(path);
    End end;
    for (const std::string& name : destination(path, *links_.find(path))) {
      if (!end.path.empty()) end.path += '/';
      end.path += name;
      if (end.path.size() > longest_path) {
        refuse(path, "is a link to a path of more than 4096 bytes");
      }
      if (!links_.find(end.path)) continue;
      const End& onward = follow(end.path, depth + 1);
      end.path = onward.path;
      end.hops += onward.hops;
      if (end.hops > most_hops) refuse_loop(path);
    }
    remembered_ += end.path.size();
    if (remembered_ > most_remembered) {
      refuse(path, "is one of too many links that lead to further links");
    }
    return known_.emplace(path, std::move(end)).first->second;
  }

  [[noreturn]] static void refuse_loop(const std::string& path) {
    refuse(path, "is a link in a loop of links");
  }

  const LinkMap& links_;
  std::unordered_map<std::string, End> known_;
  std::size_t remembered_ = 0;
};

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
  Ends ends(*this);
  for (const auto& [path, target] : targets_) {
    interrupt.check();
    ends.check(path);
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

}  // namespace cudaenv::archive
