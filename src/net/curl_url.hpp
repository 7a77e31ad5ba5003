#pragma once

#include <optional>
#include <string>

// libcurl's reading of URLs.
namespace cudaenv::net {

// A URL cut into the part that may be shown to others and the part that may not.
struct SplitUrl {
  std::string url;
  std::optional<std::string> user;
  std::optional<std::string> password;
};
// Nothing where it is malformed.
std::optional<SplitUrl> split_credentials(const std::string& url);

// Where a Location leads from `base`; "" where nowhere.
std::string resolved(const std::string& base, const std::string& location);

}  // namespace cudaenv::net
