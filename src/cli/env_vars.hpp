#pragma once

#include <array>
#include <string_view>

namespace cudaenv::cli {

// What a key of the configuration files can have.
enum class SettingKind { text, path, list, flag, number, profile };

struct EnvVar {
  std::string_view name;
  std::string_view meaning;
  std::string_view key = {};  // of the configuration files; empty: it cannot be there
  SettingKind kind = SettingKind::text;
};

// Every variable of ours that the program reads, once. `cudaenv env` prints them; README and the
// man page name each (a lint test compares).
inline constexpr std::array env_vars{
    EnvVar{"CUDAENV_ROOT", "root for prefixes and store instead of /usr/local or the user's own",
           "root", SettingKind::path},
    EnvVar{"CUDAENV_CACHE_DIR", "folder for fetched manifests instead of ~/.cache/cudaenv",
           "cache_dir", SettingKind::path},
    EnvVar{"CUDAENV_SOURCE", "where toolkits come from: nvidia, wheels, wheels:DIR or auto",
           "source", SettingKind::text},
    EnvVar{"CUDAENV_MIRROR", "mirrors that stand for NVIDIA's host, comma-separated, in order",
           "mirrors", SettingKind::list},
    EnvVar{"CUDAENV_TRUST_MIRROR", "1: take the mirror's own manifests instead of the index",
           "trust_mirror", SettingKind::flag},
    EnvVar{"CUDAENV_OFFLINE", "1: use no network", "offline", SettingKind::flag},
    EnvVar{"CUDAENV_PROFILE", "profile when none is named: minimal, runtime, dev or full",
           "profile", SettingKind::profile},
    EnvVar{"CUDAENV_ACCEPT_EULA", "1: NVIDIA's licence is accepted", "accept_eula",
           SettingKind::flag},
    EnvVar{"CUDAENV_JOBS", "unpackers at once; the number of processors without it", "jobs",
           SettingKind::number},
    EnvVar{"CUDAENV_PIP", "the pip that resolves wheels, a command such as \"python3.12 -m pip\"",
           "pip", SettingKind::text},
    EnvVar{"CUDAENV_CA_BUNDLE", "file of certificates to trust for downloads", "ca_bundle",
           SettingKind::path},
    EnvVar{"CUDAENV_CONNECT_TIMEOUT", "seconds to wait for a connection (10)", "connect_timeout",
           SettingKind::number},
    EnvVar{"CUDAENV_STALL_TIMEOUT", "seconds with hardly a byte until a retry (30)",
           "stall_timeout", SettingKind::number},
    EnvVar{"CUDAENV_ATTEMPTS",
           "how often a mirror that fails is asked (5, then on for half a minute)", "attempts",
           SettingKind::number},
    EnvVar{"CUDAENV_LOCK_TIMEOUT", "seconds to wait for another cudaenv (1800)", "lock_timeout",
           SettingKind::number},
    EnvVar{"CUDAENV_QUIET", "1: say nothing but errors", "quiet", SettingKind::flag},
    EnvVar{"CUDAENV_NO_PROGRESS", "1: plain lines instead of a progress display", "no_progress",
           SettingKind::flag},
    EnvVar{"CUDAENV_LD_PATH", "0: leave LD_LIBRARY_PATH alone", "ld_path", SettingKind::flag},
    EnvVar{"CUDAENV_CUDACXX", "0: leave CUDACXX alone", "cudacxx", SettingKind::flag},
    EnvVar{"CUDAENV_CEILING", "the last folder, upwards, in which .cudaenv is looked for"},
    EnvVar{"CUDAENV_NO_CONFIG", "1: read no configuration file"},
    EnvVar{"CUDAENV_COMPAT",
           "table, or folder of tables, laid over the built-in compatibility tables"},
    EnvVar{"CUDAENV_SYSROOT", "root of another machine or image that doctor and check judge"},
    EnvVar{"CUDAENV_DRIVER_TIMEOUT", "seconds that the GPU driver may take for an answer (20)"},
    EnvVar{"CUDAENV_QUIET", "1: say nothing but errors"},
    EnvVar{"CUDAENV_NO_PROGRESS", "1: plain lines instead of a progress display"},
    EnvVar{"CUDAENV_SELFTEST_FAULT",
           "a fault for selftest to find: a level and wrong, hang or crash, such as driver:wrong"},
    EnvVar{"CUDAENV_ACTIVE", "set by cudaenv: the folder of the active toolkit"},
    EnvVar{"CUDAENV_CHOSEN_BY", "set by cudaenv: what asked for the active toolkit"},
    EnvVar{"CUDAENV_SAVED", "set by cudaenv: what it takes to restore the environment"},
};

}  // namespace cudaenv::cli
