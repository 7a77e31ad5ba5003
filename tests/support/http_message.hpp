#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "support/http_stream.hpp"

namespace cudaenv::test {

struct HttpRequest {
  std::string method;
  std::string target;  // as it was sent: "/a%20b?c" or, to a proxy, "http://host/a"
  std::string path;    // decoded, without the query
  std::map<std::string, std::string> headers;  // names in lower case

  std::string header(const std::string& name) const;
};

// The next request on a connection; `buffer` holds what was read beyond the last one. Nothing at
// its end.
std::optional<HttpRequest> read_request(HttpStream& stream, std::string& buffer);

// The first byte that "bytes=N-" asks for; nothing for any other form.
std::optional<std::uint64_t> range_start(const std::string& value);

std::string base64(std::string_view bytes);
std::string http_date(std::int64_t seconds);

}  // namespace cudaenv::test
