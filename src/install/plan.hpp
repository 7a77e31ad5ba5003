#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "install/source.hpp"
#include "model/platform.hpp"
#include "store/layout.hpp"
#include "store/receipt.hpp"

namespace cudaenv::install {

// An add-on as it was asked for: "cudnn@8.9".
struct AddOnRequest {
  std::string name;
  std::optional<Version> version;  // nothing: the newest that fits

  // Throws Error(usage) for an unknown add-on or a malformed version.
  static AddOnRequest parse(const std::string& typed);
};

// What a prefix is to hold.
struct Wish {
  Version cuda;        // release
  std::string prefix;  // its name
  Platform platform;
  std::optional<catalog::Profile> profile;  // nothing: only what is named
  std::vector<std::string> components;      // named, in the release's words
  std::vector<std::string> without;
  bool no_static = false;
  std::vector<AddOnRequest> add_ons;
  std::vector<std::string> drop;  // components or add-ons to take out of the prefix
  bool exactly = false;           // --force: not what the prefix has besides
};

// One archive in a plan.
struct Part {
  Offer offer;
  catalog::Filter filter = catalog::Filter::all;
  bool stored = false;           // its files are in the store already
  std::uint64_t disk_bytes = 0;  // unpacked; an estimate where it is not stored
  std::uint64_t disk_files = 0;
};

// What an install would do: printed by --dry-run, run by the installer.
struct Plan {
  Wish wish;
  std::string source;
  std::vector<Part> parts;                // sorted by component
  std::vector<std::string> lacking;       // extras that the source has not
  std::vector<std::string> unusable;      // essential components that it has not, with the reason
  std::optional<store::Receipt> present;  // the prefix as it is now
  bool changes = true;                    // false: the prefix is already so

  std::uint64_t fetch_bytes() const;  // of archives of known size that are not stored
  std::size_t fetch_count() const;
  std::uint64_t fresh_disk_bytes() const;  // that the disk needs for them at the worst moment
  std::uint64_t fresh_files() const;
};

// Works out what to do to make the prefix as wished: what it has is kept unless `exactly`, taken
// from the store where it is there, and asked of `source` otherwise. Reads, fetches nothing.
Plan make_plan(const store::Layout& layout, Source& source, const Release& release,
               const Wish& wish);

// Whether what a prefix has already covers the wish: nobody needs to ask a source.
bool covers(const store::Receipt& present, const Wish& wish, const Release& release);

// Throws Error(system) that says how much is missing, when the disk has not enough bytes or inodes
// for a plan.
void check_space(const Plan& plan, const store::Layout& layout);

// Brings `stored` of each part in line with what the store has by now: entries may have been
// collected, or supplied, since the plan was made.
void look_again(Plan& plan, const store::Layout& layout);

// One line for a disk that filled up on the way: what a plan still needs beside what is in the
// store by now, and what is free.
std::string still_needed(Plan plan, const store::Layout& layout);

std::string_view name_of(catalog::Filter filter);
std::optional<catalog::Filter> parse_filter(std::string_view name);

}  // namespace cudaenv::install
