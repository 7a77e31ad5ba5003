#include "cli/json_parts.hpp"

#include <nlohmann/json.hpp>

namespace cudaenv::cli {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<Version>& version) {
  return version ? Json(version->text()) : Json(nullptr);
}

Json json_of(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace cudaenv::cli
