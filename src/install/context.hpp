#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "base/progress.hpp"
#include "net/downloader.hpp"
#include "store/layout.hpp"
#include "sys/environment.hpp"
#include "sys/lock.hpp"

namespace cudaenv::install {

// What every step of an install works with. The references outlive the steps.
struct Context {
  const sys::Environment& environment;
  const Interrupt& interrupt;
  Progress& progress;
  // A downloader that stops when the given interrupt asks.
  std::function<std::unique_ptr<net::Downloader>(const Interrupt&)> make_downloader;
  std::filesystem::path cache;  // of this user: fetched manifests
  unsigned jobs = 1;            // unpackers at once
  std::chrono::milliseconds lock_timeout{std::chrono::minutes(30)};
  bool offline = false;
  std::string version{};  // of cudaenv

  sys::LockWait lock_wait() const;
};

}  // namespace cudaenv::install
