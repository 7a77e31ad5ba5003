#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/interrupt.hpp"

namespace cudaenv::archive {

// The symbolic links that a tree is to have. They are judged together when all are known: a
// target may pass through another link.
class LinkMap {
 public:
  void add(const std::string& path, const std::string& target) { targets_[path] = target; }
  const std::string* find(const std::string& path) const;

  // Refuses links that leave the tree and loops; `..` after a name is worked out, so that a
  // target is some `..` and then names, and stays inside whatever else is put into the tree.
  void settle(const Interrupt& interrupt);

  const std::map<std::string, std::string>& targets() const { return targets_; }

 private:
  std::string settled(const std::string& path, const std::string& target) const;

  std::map<std::string, std::string> targets_;
};

}  // namespace cudaenv::archive
