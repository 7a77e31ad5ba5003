#pragma once

#include <array>
#include <string_view>

namespace cudaenv::cli {

struct EnvVar {
  std::string_view name;
  std::string_view meaning;
};

// Every variable of ours that the program reads, once. `cudaenv env` prints them; README and the
// man page name each (a lint test compares).
inline constexpr std::array env_vars{
    EnvVar{"CUDAENV_ROOT", "root for prefixes and store instead of /usr/local or the user's own"},
    EnvVar{"CUDAENV_CACHE_DIR", "folder for fetched manifests instead of ~/.cache/cudaenv"},
    EnvVar{"CUDAENV_SOURCE", "where toolkits come from: nvidia, wheels, wheels:DIR or auto"},
    EnvVar{"CUDAENV_MIRROR", "mirrors that stand for NVIDIA's host, comma-separated, in order"},
    EnvVar{"CUDAENV_TRUST_MIRROR", "1: take the mirror's own manifests instead of the index"},
    EnvVar{"CUDAENV_OFFLINE", "1: use no network"},
    EnvVar{"CUDAENV_PROFILE", "profile when none is named: minimal, runtime, dev or full"},
    EnvVar{"CUDAENV_ACCEPT_EULA", "1: NVIDIA's licence is accepted"},
    EnvVar{"CUDAENV_JOBS", "unpackers at once; the number of processors without it"},
    EnvVar{"CUDAENV_PIP", "the pip that resolves wheels, a command such as \"python3.12 -m pip\""},
    EnvVar{"CUDAENV_CA_BUNDLE", "file of certificates to trust for downloads"},
    EnvVar{"CUDAENV_CONNECT_TIMEOUT", "seconds to wait for a connection (10)"},
    EnvVar{"CUDAENV_STALL_TIMEOUT", "seconds with hardly a byte until a retry (30)"},
    EnvVar{"CUDAENV_ATTEMPTS",
           "how often a mirror that fails is asked (5, then on for half a minute)"},
    EnvVar{"CUDAENV_LOCK_TIMEOUT", "seconds to wait for another cudaenv (1800)"},
    EnvVar{"CUDAENV_QUIET", "1: say nothing but errors"},
    EnvVar{"CUDAENV_NO_PROGRESS", "1: plain lines instead of a progress display"},
    EnvVar{"CUDAENV_LD_PATH", "0: leave LD_LIBRARY_PATH alone"},
    EnvVar{"CUDAENV_CEILING", "the last folder, upwards, in which .cudaenv is looked for"},
    EnvVar{"CUDAENV_ACTIVE", "set by cudaenv: the folder of the active toolkit"},
    EnvVar{"CUDAENV_CHOSEN_BY", "set by cudaenv: what asked for the active toolkit"},
    EnvVar{"CUDAENV_SAVED", "set by cudaenv: what it takes to restore the environment"},
};

}  // namespace cudaenv::cli
