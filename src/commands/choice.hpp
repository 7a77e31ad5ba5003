#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "catalog/project.hpp"
#include "commands/host.hpp"

namespace cudaenv::commands {

inline constexpr const char* project_name = ".cudaenv";
inline constexpr std::uint64_t longest_project = 64u << 10;

// The `.cudaenv` that holds in a folder.
struct ProjectFile {
  std::filesystem::path path;
  catalog::Project project;

  std::string place() const;  // "/p/.cudaenv:3", where it names the toolkit
};

// The nearest one: in the host's folder, or above it up to the filesystem's root or the folder
// that CUDAENV_CEILING names. What is no regular file is passed over, and so is a folder that this
// user may not look into. A note for each key that is unknown. Throws as parse_project does, and
// where the file cannot be read.
std::optional<ProjectFile> project_file(const Host& host);

// Where project_file() looks, in order; and whether it takes what is there.
std::vector<std::filesystem::path> project_places(const Host& host);
bool is_project_file(const std::filesystem::path& path);

using Libraries = std::vector<catalog::Project::Library>;

// What a toolkit has to have or to be for, beside its release.
struct Wanted {
  Libraries libraries{};
  std::string framework{};  // "pytorch==2.1"; empty: none
};
Wanted wanted_by(const catalog::Project& project);

enum class ChosenBy { spec, shell, project, default_link };

// A toolkit, and what asked for it.
struct Choice {
  store::InstalledPrefix prefix;
  ChosenBy by;
  // The spec; what the shell's toolkit was chosen by; the project file and line, also where a shell
  // has the toolkit because of it; the link.
  std::string where;
};

// The installed toolkits as far as they can be chosen. Reads what it is asked for, when it is: of
// most receipts the summary. Each throws Error(corrupt) for a receipt of a toolkit that would be
// taken, but cannot be read.
class Toolkits {
 public:
  explicit Toolkits(const Host& host) : host_(host) {}

  // What a spec means, of those with these libraries in them and, for a framework, of those that
  // suit it best; nothing where none is installed. Throws Error(usage) for what is no framework.
  std::optional<Choice> find(const Spec& spec, const Wanted& wanted = {});
  // The same. Throws Error(missing) with what is installed and how to install what is not.
  Choice named(const std::string& spec, const Wanted& wanted = {});
  // In this shell: CUDAENV_ACTIVE names it, or CUDA_HOME one that is installed. Throws
  // Error(missing) where the active one is no longer there.
  std::optional<Choice> active();
  // What the project file asks for. Throws Error(missing) where that is not installed.
  std::optional<Choice> of_project();
  Choice of(const ProjectFile& file);
  // The shell's, else the project's; nothing where neither names one.
  std::optional<Choice> asked_for();
  std::optional<Choice> by_default();
  // The named one; without a spec the active one, else the project's, else the default. Throws
  // Error(missing).
  Choice chosen(const std::string& spec = "");
  // Why there is none. Told with what to type.
  Error none_chosen();

  const store::Inventory& inventory();

 private:
  std::optional<store::InstalledPrefix> at(const std::filesystem::path& path);

  const Host& host_;
  std::optional<store::Inventory> inventory_;
};

// Whether a toolkit is one that the wanted framework's project names; true without a framework.
bool is_made_for(const Wanted& wanted, const store::Receipt& receipt, const Host& host);

// What could hold here: the shell's toolkit, the project's, the default one, in the order in which
// they do. The project's may not be installed.
struct Candidate {
  std::optional<store::InstalledPrefix> prefix;
  ChosenBy by;
  std::string where;  // as in Choice
};
// One at least, the first with a prefix. Throws as Toolkits::chosen() does.
std::vector<Candidate> candidates(const Host& host);

}  // namespace cudaenv::commands
