#include "support/test_host.hpp"

namespace cudaenv::test {
namespace {

sys::Environment environment_in(const TempDir& folder,
                                const std::vector<std::pair<std::string, std::string>>& more) {
  std::map<std::string, std::string, std::less<>> variables{
      {"HOME", (folder / "home").string()},
      {"PATH", "/usr/bin:/bin"},
      {"CUDAENV_ROOT", (folder / "root").string()},
      {"CUDAENV_CACHE_DIR", (folder / "cache").string()},
      {"CUDAENV_CONNECT_TIMEOUT", "5"},
      {"CUDAENV_JOBS", "2"}};
  for (const auto& [name, value] : more) variables[name] = value;
  return sys::Environment(std::move(variables));
}

std::filesystem::path host_directory(const std::vector<std::pair<std::string, std::string>>& more) {
  for (const auto& [name, value] : more) {
    if (name == "PWD") return value;
  }
  return {};
}

}  // namespace

std::vector<std::string> NotingProgress::lines() const {
  const std::lock_guard guard(mutex_);
  return lines_;
}

void NotingProgress::add(std::string line) {
  const std::lock_guard guard(mutex_);
  lines_.push_back(std::move(line));
}

TestHost::TestHost(const std::vector<std::pair<std::string, std::string>>& more)
    : host_{environment_in(folder_, more),
            interrupt_,
            progress,
            "0.0.test",
            [](const net::Options& options, Progress& shown, const Interrupt& interrupt) {
              return net::make_curl_downloader(options, shown, interrupt);
            },
            host_directory(more)} {}

}  // namespace cudaenv::test
