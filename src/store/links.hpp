#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/version.hpp"
#include "store/layout.hpp"

namespace cudaenv::store {

// A symlink that names one installed prefix and never disappears while it moves.
class PrefixLink {
 public:
  explicit PrefixLink(const std::filesystem::path& path);

  enum class State {
    absent,
    ours,          // leads to a prefix with our receipt (or a dangling name of ours)
    foreign,       // a link to something that we did not install
    alternatives,  // goes through /etc/alternatives
    directory,     // a real directory or file
  };
  State state() const;

  // What the link says, one hop, made absolute; nothing where it is no link.
  std::optional<std::filesystem::path> target() const;
  // Each hop from the link to the end, absolute, without the link itself; stops at a loop.
  std::vector<std::filesystem::path> hops() const;

  // Relative where the prefix lies in the link's folder, else absolute; moved by rename: a reader
  // sees the old or the new one. Nothing is written where it points there already. Throws
  // Error(system) for a real directory or file, whatever `force`; for an alternatives or foreign
  // link unless `force`. The message says what is there and what to type.
  void point_to(const std::filesystem::path& prefix, bool force) const;

  // Removes the link; the same refusals. Nothing where there is none.
  void remove(bool force) const;

 private:
  std::filesystem::path path_;
};

// Brings every minor link (<root>/cuda-12.1 -> newest installed 12.1.x with a plain name) in line
// with what is installed. Only links that name a plain 12.1.x beside them are moved or removed:
// real folders, and links that a user or another tool made, are left alone. Removes what a killed
// command left of a link that it was about to move. A prefix that is about to be removed is passed
// as `leaving`: no link leads to it any more. Call with the root lock held.
void refresh_minor_links(const Layout& layout, const std::string& leaving = {});

}  // namespace cudaenv::store
