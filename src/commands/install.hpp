#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands/host.hpp"
#include "install/plan.hpp"
#include "install/publish.hpp"
#include "install/source.hpp"

namespace cudaenv::commands {

struct InstallRequest {
  std::string spec;                  // "12.1", "auto", ...; or the prefix for a lone add-on
  std::string framework;             // "pytorch==2.1": chooses among what the spec accepts
  std::string source;                // "nvidia", "wheels", "wheels:DIR", "auto"; empty: auto
  std::vector<std::string> mirrors;  // empty: CUDAENV_MIRROR
  bool trust_mirror = false;
  bool offline = false;
  std::string profile;                  // empty: dev, or what the prefix has
  std::vector<std::string> components;  // as typed
  std::vector<std::string> without;
  bool no_static = false;
  std::string platform;           // empty: this machine's
  std::string name;               // of the prefix; empty: cuda-<release>
  std::vector<std::string> with;  // add-ons: "cudnn@8.9"
  bool set_default = false;
  bool force = false;  // make it anew, exactly as asked
  bool system = false;
  unsigned jobs = 0;  // 0: CUDAENV_JOBS, else the processors
};

// An install that is worked out and not yet run. `plan.unusable` is empty unless the sources lack
// an essential part: then run_install refuses, and `alternative` is what they do give.
struct PreparedInstall {
  store::Layout layout;
  install::Plan plan;
  std::vector<std::string> notes;  // one line each: why this release, which source, what it lacks
  std::optional<InstallRequest> alternative;
  std::string alternative_command;  // what to type for it
  bool already = false;             // nothing to do
  std::filesystem::path prefix;
  InstallRequest request;
};

// Chooses release, platform and source, and plans. Reads; changes nothing but caches. Throws when
// no source has the release.
PreparedInstall prepare_install(const InstallRequest& request, const Host& host);

// Fetches, unpacks, publishes. Throws Error(missing) naming what lacks and the command for the
// alternative when an essential part is not to be had.
install::Published run_install(const PreparedInstall& prepared, install::Eula eula,
                               const Host& host);

// For a plan with nothing to do: does what the command that made the prefix did not get to, because
// it was killed or a link could not be made. True if the default link leads to it now.
bool finish_install(const PreparedInstall& prepared, const Host& host);

// Whether what is installed is for a machine of another kind than this one.
bool is_for_elsewhere(const PreparedInstall& prepared);

// The Error that run_install throws for a plan with unusable parts.
Error unusable_error(const PreparedInstall& prepared);

}  // namespace cudaenv::commands
