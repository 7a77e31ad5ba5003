#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/spec.hpp"
#include "store/layout.hpp"
#include "store/receipt.hpp"

namespace cudaenv::store {

struct InstalledPrefix {
  std::filesystem::path path;
  Receipt receipt;
  Layout layout;  // the root it was found in
};

// What stands in a root but cannot be read as a prefix of ours, or is one that was moved.
struct Oddity {
  std::filesystem::path path;
  std::string why;                  // one line
  std::vector<std::string> advice;  // what the user can type
};

struct Inventory {
  std::vector<InstalledPrefix> prefixes;  // by version, then name; newest first
  std::vector<Oddity> oddities;           // damaged or newer receipts, folders that were moved

  // Reads the receipts of all roots, in order; a name that an earlier root has wins. Takes no
  // lock and writes nothing; dot names, links and folders without .cudaenv are passed over. A
  // prefix is called by its folder: a receipt that says another name was moved or copied.
  // Detail::summary leaves out what read_receipt_summary() does, for commands that are run with
  // every prompt.
  enum class Detail { whole, summary };
  static Inventory read(const std::vector<Layout>& roots, Detail detail = Detail::whole);
  // The summaries of those that `spec` could mean: a folder named after a release that it does not
  // accept is not looked into, so that one among many toolkits is found in the time of a few.
  static Inventory read_for(const Spec& spec, const std::vector<Layout>& roots);

  // The prefix that `folder` is or leads to, with the summary of its receipt; nothing where that
  // is none of these roots' own. Looks at no other.
  static std::optional<InstalledPrefix> read_at(const std::filesystem::path& folder,
                                                const std::vector<Layout>& roots);

  // The prefix a spec means: by name, else the newest whose release matches; among equal
  // releases the one with the plain name ("cuda-12.1.1"). Nothing where none matches.
  // Auto and System find nothing here: they are resolved by the caller.
  const InstalledPrefix* find(const Spec& spec) const;
  // By folder name, or by the name without the "cuda-" that we put before it.
  const InstalledPrefix* find_name(const std::string& name) const;
  // The oddities that are no prefix: nobody knows what is in them.
  std::vector<Oddity> unreadable() const;

 private:
  static Inventory read(const std::vector<Layout>& roots, Detail detail,
                        const std::function<bool(const std::string&)>& is_wanted);
  const InstalledPrefix* find_exact(const std::string& folder) const;
};

// Whether it is called by its release alone.
bool has_plain_name(const Receipt& receipt);

// What a command line may call it: "12.1.1" for "cuda-12.1.1". Found again by find_name().
std::string short_name(const Receipt& receipt);

}  // namespace cudaenv::store
