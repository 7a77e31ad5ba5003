#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "base/progress.hpp"
#include "net/downloader.hpp"
#include "store/inventory.hpp"
#include "store/layout.hpp"
#include "sys/environment.hpp"

namespace cudaenv::commands {

// The process's surroundings, made once by main and handed to every command.
struct Host {
  sys::Environment environment;
  const Interrupt& interrupt;
  Progress& progress;
  std::string version;  // of cudaenv
  // Makes the downloader for a command; empty in a program that has no network.
  std::function<std::unique_ptr<net::Downloader>(const net::Options&, Progress&, const Interrupt&)>
      make_downloader;
  std::filesystem::path directory{};  // the one we are in, as the user came to it; may be empty
};

// The root that a command writes to: CUDAENV_ROOT, else the system's when `system` or the user is
// root, else the user's.
store::Layout writing_root(const Host& host, bool system);

// Where reading commands look, in order: the user's root (or CUDAENV_ROOT), then the system's.
std::vector<store::Layout> reading_roots(const Host& host);

// The prefix that a spec means, wherever it is installed, or without one what Toolkits::chosen()
// says; with its whole receipt. Throws Error(missing) with what is installed and how to install
// what is not.
store::InstalledPrefix installed_prefix(const Host& host, const std::string& spec);

// Where a root's default link leads in the end, whoever made it; nothing without one or where it
// dangles.
std::optional<std::filesystem::path> default_prefix(const store::Layout& layout);

// The newest that suits this machine: its driver, GPUs and C library; nothing where none will do.
std::optional<Version> newest_for_driver(const std::vector<Version>& candidates, const Host& host);

// The one-line advice for what is not installed: `words` are what follows `cudaenv install`.
std::string install_advice(const std::string& words);

}  // namespace cudaenv::commands
