#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sys/environment.hpp"

namespace cudaenv::cli {

// What the configuration files say, in the words of the variables that say the same.
struct Config {
  struct Setting {
    std::string value;
    std::string where;  // "/etc/cudaenv/config.toml:3"
  };
  std::map<std::string, Setting, std::less<>> settings;  // by variable: "CUDAENV_JOBS"
  std::vector<std::string> odd;                          // one line each: what was passed over
};

// Adds what the text of a file says and `config` has not yet. Throws Error(corrupt) with file and
// line for what is not TOML, and for values that the key cannot have. `home` is what "~/" means.
void add_config(Config& config, std::string_view bytes, const std::filesystem::path& file,
                const std::filesystem::path& home);

// Reads those files that are there; an earlier one wins. CUDAENV_NO_CONFIG: none.
Config read_config(const std::vector<std::filesystem::path>& files,
                   const sys::Environment& environment);

// The user's file, then the system's.
std::vector<std::filesystem::path> config_files(const sys::Environment& environment);

// The environment in which an unset variable has the value of the configuration.
sys::Environment with_config(const sys::Environment& environment, const Config& config);

}  // namespace cudaenv::cli
