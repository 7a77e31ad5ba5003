#include "fetcher.hpp"

#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "sys/sha256.hpp"

namespace cudaenv::test {

void RecordingProgress::fetch_begin(std::string_view item, std::uint64_t already,
                                    std::uint64_t total, std::string_view from) {
  lines_.push_back(fmt::format("begin {} {}/{} {}", item, already, total, from));
  counted_[std::string(item)] = already;
}

void RecordingProgress::fetch_data(std::string_view item, std::uint64_t bytes) {
  counted_[std::string(item)] += bytes;
  const std::string start = fmt::format("data {} ", item);
  if (!lines_.empty() && lines_.back().starts_with(start)) {
    bytes += std::stoull(lines_.back().substr(start.size()));
    lines_.pop_back();
  }
  lines_.push_back(start + std::to_string(bytes));
  if (on_data) on_data();
}

void RecordingProgress::fetch_restart(std::string_view item) {
  lines_.push_back(fmt::format("restart {}", item));
  counted_[std::string(item)] = 0;
}

void RecordingProgress::fetch_retry(std::string_view item, std::string_view why,
                                    std::uint64_t delay_ms) {
  lines_.push_back(fmt::format("retry {}: {}", item, why));
  delays_.push_back(delay_ms);
}

void RecordingProgress::fetch_end(std::string_view item) {
  lines_.push_back(fmt::format("end {}", item));
}

std::string RecordingProgress::text() const { return fmt::format("{}\n", fmt::join(lines_, "\n")); }

std::string RecordingProgress::waits() const { return fmt::format("{}", fmt::join(delays_, " ")); }

std::uint64_t RecordingProgress::counted(const std::string& item) const {
  return counted_.at(item);
}

Fetcher::Fetcher() {
  options.connect_limit = std::chrono::milliseconds(2000);
  options.stall_limit = std::chrono::milliseconds(150);
  options.first_delay = std::chrono::milliseconds(2);
  options.longest_delay = std::chrono::milliseconds(2000);
  options.patience = std::chrono::milliseconds(0);
  options.user_agent = "cudaenv/test";
  variables["HOME"] = dir.make_dir("home").string();
}

net::Request Fetcher::request(const std::string& url, const std::string& content,
                              const std::string& name) const {
  return {{url}, dir / name, sys::sha256(content), content.size(), name};
}

std::vector<std::size_t> Fetcher::fetch(const std::vector<net::Request>& requests) {
  options.environment = sys::Environment(variables);
  std::vector<std::size_t> done;
  net::make_curl_downloader(options, progress, interrupt)->fetch(requests, [&](std::size_t index) {
    done.push_back(index);
  });
  return done;
}

net::TextOutcome Fetcher::text(const net::TextRequest& request) {
  options.environment = sys::Environment(variables);
  return net::make_curl_downloader(options, progress, interrupt)->fetch_text(request);
}

std::string Fetcher::failure(const std::vector<net::Request>& requests,
                             std::optional<ErrorKind> kind) {
  try {
    fetch(requests);
  } catch (const Error& error) {
    if (kind) CHECK(error.kind() == *kind);
    return all_of(error);
  }
  return "nothing was thrown";
}

std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (auto& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string dead_url() {
  std::uint16_t port = 0;
  listen_on_loopback(false, port).close();
  return fmt::format("http://127.0.0.1:{}", port);
}

std::string all_of(const Error& error) {
  std::string text = error.what();
  for (const auto& advice : error.advice()) text += "; help: " + advice;
  return text;
}

}  // namespace cudaenv::test
