#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sys/environment.hpp"

namespace cudaenv::net {

// A proxy as the environment names it.
struct Proxy {
  std::string url;       // with a scheme, http where none was given; may carry credentials
  std::string variable;  // that named it
};

// The variable for this URL's scheme (http_proxy, https_proxy or HTTPS_PROXY), else all_proxy or
// ALL_PROXY. HTTP_PROXY is not read: a CGI program's caller could set it by a header.
std::optional<Proxy> proxy_for_scheme(std::string_view url, const sys::Environment& environment);

// The value of no_proxy or NO_PROXY, or "".
std::string no_proxy_list(const sys::Environment& environment);

// Whether a no_proxy list covers the host of `url`: "*", names with all that is below them,
// addresses, and networks as ADDRESS/BITS.
bool bypasses_proxy(std::string_view url, std::string_view no_proxy);

// The proxy that a request for `url` goes through, fit to show ("http://proxy:3128
// (http_proxy)"), or "".
std::string shown_proxy(std::string_view url, const sys::Environment& environment);

}  // namespace cudaenv::net
