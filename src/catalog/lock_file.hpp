#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "catalog/project.hpp"
#include "model/version.hpp"

namespace cudaenv::catalog {

// What a `.cudaenv.lock` pins: the release and the archives that a project's toolkit is made of.
struct Lock {
  // What the project file asked for when it was locked.
  struct Asked {
    std::string cuda;
    std::string profile;                           // empty: it named none
    std::map<std::string, std::string> libraries;  // version, or "latest"
    std::string framework;                         // empty: it named none
    bool operator==(const Asked&) const = default;
  };
  struct Archive {
    std::string component;
    std::string version;
    std::string url;  // where it was had, fit to show
    Digest sha256;
    std::uint64_t size = 0;
    std::string filter;  // which of its files: "all", "no_static", "runtime_only"
  };

  Asked asked;
  Version cuda;
  Profile profile = Profile::dev;
  std::map<std::string, std::vector<Archive>> platforms;  // by name; by component
};

Lock::Asked asked_of(const Project& project);

// JSON with a line an archive, so that a change is seen in a review.
std::string write_lock(const Lock& lock);

// Passes over platforms that it does not know. Throws Error(corrupt) naming `file` and the place
// in it, also for text with control characters.
Lock read_lock(std::string_view text, std::string_view file);

}  // namespace cudaenv::catalog
