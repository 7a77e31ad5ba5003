#include "net/proxy.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"

namespace cudaenv::net {
namespace {

// Lower case, without port and brackets, and without the dot that may end a full name.
std::string host_of(std::string_view url) {
  std::string host = text::lower(url_origin(url));
  host.erase(0, host.find("://") + 3);
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.pop_back();
  return host;
}

std::optional<std::vector<std::uint8_t>> parse_address(const std::string& host) {
  std::vector<std::uint8_t> bytes(16);
  if (::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) return bytes;
  bytes.resize(4);
  if (::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) return bytes;
  return std::nullopt;
}

bool same_network(const std::vector<std::uint8_t>& one, const std::vector<std::uint8_t>& other,
                  std::uint64_t bits) {
  if (one.size() != other.size() || bits > 8 * one.size()) return false;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80u >> (bit % 8));
    if ((one[bit / 8] & mask) != (other[bit / 8] & mask)) return false;
  }
  return true;
}

bool address_matches(const std::vector<std::uint8_t>& address, const std::string& pattern) {
  const auto slash = pattern.find('/');
  std::string network = pattern.substr(0, slash);
  if (network.starts_with('[') && network.ends_with(']')) {
    network = network.substr(1, network.size() - 2);
  }
  const auto other = parse_address(network);
  if (!other) return false;
  if (slash == std::string::npos) return address == *other;
  const auto bits = text::parse_unsigned(std::string_view(pattern).substr(slash + 1));
  return bits && same_network(address, *other, *bits);
}

bool name_matches(std::string_view host, std::string_view pattern) {
  if (pattern.starts_with('.')) pattern.remove_prefix(1);
  if (pattern.ends_with('.')) pattern.remove_suffix(1);
  if (pattern.empty() || !host.ends_with(pattern)) return false;
  return host.size() == pattern.size() || host[host.size() - pattern.size() - 1] == '.';
}

}  // namespace

std::optional<Proxy> proxy_for_scheme(std::string_view url, const sys::Environment& environment) {
  const std::string scheme = text::lower(url.substr(0, url.find("://")));
  std::vector<std::string> variables;
  if (scheme == "http") variables = {"http_proxy"};
  if (scheme == "https") variables = {"https_proxy", "HTTPS_PROXY"};
  if (variables.empty()) return std::nullopt;
  variables.insert(variables.end(), {"all_proxy", "ALL_PROXY"});
  for (auto& variable : variables) {
    const auto value = environment.non_empty(variable);
    if (!value) continue;
    return Proxy{value->find("://") == std::string::npos ? "http://" + *value : *value, variable};
  }
  return std::nullopt;
}

std::string no_proxy_list(const sys::Environment& environment) {
  const auto lower = environment.non_empty("no_proxy");
  return lower ? *lower : environment.get("NO_PROXY").value_or("");
}

bool bypasses_proxy(std::string_view url, std::string_view no_proxy) {
  const std::string host = host_of(url);
  const auto address = parse_address(host);
  std::string list = text::lower(no_proxy);
  std::replace_if(
      list.begin(), list.end(), [](char c) { return c == ' ' || c == '\t'; }, ',');
  for (const auto pattern : text::split(list, ',')) {
    if (pattern == "*") return true;
    if (pattern.empty()) continue;
    if (address ? address_matches(*address, std::string(pattern)) : name_matches(host, pattern)) {
      return true;
    }
  }
  return false;
}

std::string shown_proxy(std::string_view url, const sys::Environment& environment) {
  const auto proxy = proxy_for_scheme(url, environment);
  if (!proxy || bypasses_proxy(url, no_proxy_list(environment))) return {};
  return fmt::format("{} ({})", shown_url(proxy->url), proxy->variable);
}

}  // namespace cudaenv::net
