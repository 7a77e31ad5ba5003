#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "net/downloader.hpp"
#include "support/mirror_server.hpp"
#include "support/temp_dir.hpp"

namespace cudaenv::test {

// Keeps what it is told, one line a call: "begin a 0/100", "data a 100", "restart a", "retry a:
// why", "end a". Bytes in a row are added up.
class RecordingProgress final : public Progress {
 public:
  void fetch_begin(std::string_view item, std::uint64_t already, std::uint64_t total,
                   std::string_view from) override;
  void fetch_data(std::string_view item, std::uint64_t bytes) override;
  void fetch_restart(std::string_view item) override;
  void fetch_retry(std::string_view item, std::string_view why, std::uint64_t delay_ms) override;
  void fetch_end(std::string_view item) override;

  std::string text() const;   // all lines
  std::string waits() const;  // the delays of retries in milliseconds, "250 500"
  std::uint64_t counted(const std::string& item) const;  // bytes that stand at the end

  std::function<void()> on_data;

 private:
  std::vector<std::string> lines_;
  std::vector<std::uint64_t> delays_;
  std::map<std::string, std::uint64_t> counted_;
};

class FlagInterrupt final : public Interrupt {
 public:
  int requested() const noexcept override {
    ++asked;
    return signal;
  }
  std::atomic<int> signal{0};
  mutable std::atomic<int> asked{0};
};

// A downloader in a folder of its own, impatient and with an empty environment.
struct Fetcher {
  Fetcher();

  net::Request request(const std::string& url, const std::string& content,
                       const std::string& name = "file") const;
  // Returns the indices in the order of completion.
  std::vector<std::size_t> fetch(const std::vector<net::Request>& requests);
  net::TextOutcome text(const net::TextRequest& request);
  // What leaves fetch(): kind, message, causes and advice.
  std::string failure(const std::vector<net::Request>& requests,
                      std::optional<ErrorKind> kind = {});

  std::string got(const std::string& name = "file") const { return dir.read(name); }
  bool has(const std::string& name) const { return dir.entries().contains(name); }

  TempDir dir;
  RecordingProgress progress;
  FlagInterrupt interrupt;
  net::Options options;
  std::map<std::string, std::string, std::less<>> variables;
};

// Bytes that look like an archive's: no two halves alike.
std::string random_bytes(std::size_t size, unsigned seed = 1);

// The URL of a port where nobody listens.
std::string dead_url();

std::string all_of(const Error& error);

}  // namespace cudaenv::test
