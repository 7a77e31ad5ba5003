#pragma once

#include <string>
#include <string_view>

#include "activate/change.hpp"

// A change for what is no shell. Each throws Error(usage) for a value that the form cannot hold.
namespace cudaenv::activate {

// {"set": {NAME: VALUE}, "unset": [NAME], "added": {LIST: [ENTRY]}, "removed": {LIST: [ENTRY]}}
std::string json(const Change& change);

// A string of JSON; `name` is whose value it is, for the error.
std::string json_string(std::string_view name, std::string_view value);

// What to append to the files that $GITHUB_ENV and $GITHUB_PATH name. PATH is extended by the
// latter only, and a variable that should be unset becomes empty: that form has no other way.
struct GitHubFiles {
  std::string env;
  std::string path;
};
GitHubFiles github(const Change& change);

// NAME=VALUE lines for a file that replaces the environment's values; what is kept to go back is
// left out, and so are unset variables.
std::string dotenv(const Change& change);

// An ENV instruction for a Dockerfile, which extends the lists that the image has. The change is
// to be one of an empty environment: the image's own is not known here.
std::string docker(const Change& change);

}  // namespace cudaenv::activate
