#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::activate {

using Variables = std::map<std::string, std::string, std::less<>>;

// An element of a colon-separated list such as PATH.
struct Entry {
  std::string list;
  std::string value;
  bool operator==(const Entry&) const = default;
};

// What an installed toolkit brings to an environment.
struct Prefix {
  std::string path;                      // absolute
  std::vector<std::string> libraries{};  // further folders for LD_LIBRARY_PATH, behind its own lib/
};

struct Options {
  bool ld_path = true;      // put lib/ first in LD_LIBRARY_PATH
  bool cudacxx = true;      // set CUDACXX
  std::string chosen_by{};  // what asked for it, such as a file and line; kept for `active`
};

// What becomes different in an environment.
struct Change {
  // The new values; nothing where the variable is unset.
  std::map<std::string, std::optional<std::string>, std::less<>> variables;
  // The toolkits' entries that lists gain at the front and lose, each in the order of a search.
  std::vector<Entry> added;
  std::vector<Entry> removed;

  bool empty() const { return variables.empty(); }
  bool operator==(const Change&) const = default;
};

// From `environment`, whatever is active in it, to one in which `prefix` is: CUDA_HOME, CUDA_PATH,
// CUDA_ROOT and CUDAToolkit_ROOT name it, CUDACXX its nvcc; its folders come first in PATH,
// LD_LIBRARY_PATH and PKG_CONFIG_PATH, and in MANPATH unless that is unset or empty, which means
// the manuals beside the programs of PATH. What is needed to go back is kept in the environment
// itself. Elements of others keep order and number, empty ones too; none of ours is empty.
// Throws Error(usage) for a path that a list cannot hold.
Change change(const Variables& environment, const Prefix& prefix, const Options& options = {});

// Back to what was before `change`, whatever number of times it was applied, but for what the user
// did since: a variable that no longer has the value it was given stays, and of each list only the
// entries that were added go. Of several equal entries it is the first.
Change leave(const Variables& environment);

Variables applied(Variables environment, const Change& change);

// What is active in an environment, by the variables that `change` keeps there.
struct Active {
  std::string prefix;
  std::string chosen_by;
};
std::optional<Active> active(const Variables& environment);

// Whether a variable is one of those in which `change` keeps what it did.
bool is_record(std::string_view name);

}  // namespace cudaenv::activate
