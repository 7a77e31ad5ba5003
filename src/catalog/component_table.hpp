#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/components.hpp"

namespace cudaenv::catalog {

enum class Role { none, extra, essential };

// The CUDA releases from `since` to `until`, both compared on the numbers they have.
struct Span {
  std::optional<Version> since;
  std::optional<Version> until;
  bool holds(const Version& cuda) const;
};

// What the table says of one component beside its ComponentInfo.
struct ComponentRules {
  // By Profile. What minimal has is in dev too, and everything but driver-side and Windows
  // parts is in full.
  std::array<Role, 4> roles{};
  Span span;  // the releases that have it
  // Platforms that have it, where not every Linux one does, each with its own span.
  std::map<Platform, Span> platforms;
  std::map<std::string, Version> former;  // a former name -> the release before which it held
  std::vector<std::string> aliases;       // what people also call it

  // What it is called in a release of that version.
  std::string name_in(const Version& cuda, const std::string& newest) const;
  bool expected(const Version& cuda, const Platform& platform) const;
};

struct ComponentTable {
  std::vector<ComponentInfo> components;  // sorted by name
  std::vector<ComponentRules> rules;      // of the component with the same index
  std::vector<AddOn> add_ons;

  // The index of a component by its name or a former one.
  std::optional<std::size_t> find(std::string_view name) const;
};

// Reads the text of manifests/components.json (manifests/README.md has the schema). Throws
// Error(corrupt) that names `where` and the place.
ComponentTable read_component_table(std::string_view json, std::string_view where);

// The table that is compiled into the program, read at the first call.
const ComponentTable& component_table();

}  // namespace cudaenv::catalog
