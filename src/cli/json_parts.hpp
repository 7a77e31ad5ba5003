#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "model/version.hpp"

// How the reports say in JSON what is not known: null.
namespace cudaenv::cli {

template <typename Value, typename Json = nlohmann::ordered_json>
Json json_of(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

nlohmann::ordered_json json_of(const std::optional<Version>& version);

// Of a text that is empty where nothing is known.
nlohmann::ordered_json json_of(const std::string& text);

}  // namespace cudaenv::cli
