#include "support/http_message.hpp"

#include <array>
#include <ctime>

#include "base/text.hpp"
#include "base/url.hpp"

namespace cudaenv::test {

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

std::optional<HttpRequest> read_request(HttpStream& stream, std::string& buffer) {
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos) {
    std::array<char, 4096> block;
    const std::size_t got = stream.read(block.data(), block.size());
    if (got == 0 || buffer.size() > 100'000) return std::nullopt;
    buffer.append(block.data(), got);
  }
  const std::string head = buffer.substr(0, end);
  buffer.erase(0, end + 4);

  HttpRequest request;
  const auto lines = text::lines(head);
  const auto words = text::split(lines.front(), ' ');
  if (words.size() != 3) return std::nullopt;
  request.method = words[0];
  request.target = words[1];
  request.path = url_decoded(std::string_view(request.target).substr(0, request.target.find('?')));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto colon = lines[i].find(':');
    if (colon == std::string_view::npos) continue;
    request.headers[text::lower(lines[i].substr(0, colon))] =
        text::trimmed(lines[i].substr(colon + 1));
  }
  return request;
}

std::optional<std::uint64_t> range_start(const std::string& value) {
  if (!value.starts_with("bytes=") || !value.ends_with('-')) return std::nullopt;
  return text::parse_unsigned(std::string_view(value).substr(6, value.size() - 7));
}

std::string base64(std::string_view bytes) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      result += i + j > bytes.size() ? '=' : digits[group >> (18 - 6 * j) & 63];
    }
  }
  return result;
}

std::string http_date(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 64> text{};
  return {text.data(),
          std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace cudaenv::test
