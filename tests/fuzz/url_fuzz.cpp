// What users and servers write into URLs and headers: nothing secret is shown, nothing is
// believed that does not fit.
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "fuzz/fuzz.hpp"
#include "net/proxy.hpp"
#include "net/response_check.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

constexpr std::string_view secret = "s3cr3t-";

void expect_hidden(const std::string& url) {
  expect(shown_url(url).find(secret) == std::string::npos, "a secret of a URL is not shown");
  expect(url_origin(url).find(secret) == std::string::npos, "an origin holds no secret");
}

std::string without(std::string_view text, std::string_view bytes) {
  std::string result(text);
  std::erase_if(result, [&](char c) { return bytes.find(c) != std::string_view::npos; });
  return result;
}

// A secret in each place of a URL that may hold one.
void try_secrets(std::string_view user, std::string_view rest) {
  if (rest.find(secret) != std::string_view::npos) return;
  const std::string name = without(user, "/?#");
  const std::string with_login = fmt::format("{}:{}@{}", name, secret, rest);
  for (const char* scheme : {"http://", "HTTPS://", "file://", "socks5h://"}) {
    expect_hidden(scheme + with_login);
  }
  // Without a scheme it is a proxy's, unless it looks like a path.
  if (!with_login.starts_with('.')) expect_hidden(with_login);
  const std::string host = without(rest, "@?#");
  if (host.find(secret) != std::string::npos) return;
  expect_hidden(fmt::format("https://{}/?{}", host, secret));
  expect_hidden(fmt::format("https://{}/#{}", host, secret));
}

void try_url(std::string_view url) {
  const std::string shown = shown_url(url);
  expect(text::visible(shown, 1000) == shown, "a shown URL is made of visible characters");
  expect(shown.size() < 1000, "a shown URL has an end");
  expect(url_decoded(file_url(url)) == "file://" + std::string(url), "a path comes back");
  const std::string joined = url_join(url, "x");
  expect(joined.ends_with("/x") || joined.find("/x?") != std::string::npos,
         "a joined URL ends in its path, or in a query after it");
  const sys::Environment environment({{"http_proxy", std::string(url)}, {"no_proxy", "a.b"}});
  expect(text::visible(net::shown_proxy("http://h/", environment), 2000).size() < 2000,
         "a shown proxy has an end");
}

void try_visible(std::string_view bytes) {
  const std::string shown = text::visible(bytes, 1 << 20);
  expect(text::visible(shown, 1 << 20) == shown, "visible text stays as it is");
  for (const char c : shown) {
    expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f, "no control character is shown");
  }
}

void try_head(const std::array<std::string_view, 8>& lines) {
  net::ResponseHead head;
  head.status = static_cast<int>(text::parse_unsigned(lines[0]).value_or(206) % 1000);
  head.content_range = lines[1];
  head.etag = lines[2];
  head.last_modified = lines[3];
  head.date = lines[4];
  head.retry_after = lines[5];
  const std::uint64_t offset = text::parse_unsigned(lines[6]).value_or(0);
  const auto size = text::parse_unsigned(lines[7]);

  const auto verdict = net::judge(head, offset, size);
  if (verdict.take == net::Verdict::Take::rest) {
    const auto range = net::parse_content_range(head.content_range);
    expect(head.status == 206 && offset > 0, "the rest comes only where it was asked for");
    expect(range && range->first == offset, "the rest begins where the file ends");
    expect(!range->total || !size || *range->total == *size, "the whole has the size it should");
  }
  expect((verdict.take == net::Verdict::Take::none) == !verdict.why.empty(), "a failure says why");
  if (const auto wait = net::retry_after_of(head)) {
    expect(wait->count() >= 0, "a wait is not negative");
  }
  const std::string validator = net::validator_of(head);
  expect(validator.find_first_of("\r\n") == std::string::npos, "a validator is one header's line");
  expect(!net::changed_since(validator, head), "a head is not newer than itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  std::array<std::string_view, 8> lines;
  std::size_t count = 0;
  for (const auto line : text::split(input, '\n')) {
    if (count < lines.size()) lines[count++] = line;
    try_url(line);
    try_visible(line);
    net::looks_like_html(line, lines[0]);
    net::bypasses_proxy(lines[0], line);
  }
  try_secrets(lines[0], lines[1]);
  try_visible(input);
  try_head(lines);
  return 0;
}
