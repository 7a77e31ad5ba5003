#include "net/curl_url.hpp"

#include <memory>

#include <curl/curl.h>

namespace cudaenv::net {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;

std::optional<std::string> part(CURLU* url, CURLUPart which, unsigned flags) {
  char* value = nullptr;
  if (curl_url_get(url, which, &value, flags) != CURLUE_OK || !value) return std::nullopt;
  const std::unique_ptr<char, decltype(&curl_free)> owner(value, &curl_free);
  return std::string(value);
}

}  // namespace

std::optional<SplitUrl> split_credentials(const std::string& url) {
  const UrlHandle parts(curl_url());
  if (!parts || curl_url_set(parts.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) !=
                    CURLUE_OK) {
    return std::nullopt;
  }
  SplitUrl split;
  split.user = part(parts.get(), CURLUPART_USER, CURLU_URLDECODE);
  split.password = part(parts.get(), CURLUPART_PASSWORD, CURLU_URLDECODE);
  curl_url_set(parts.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(parts.get(), CURLUPART_PASSWORD, nullptr, 0);
  split.url = part(parts.get(), CURLUPART_URL, 0).value_or("");
  return split;
}

std::string resolved(const std::string& base, const std::string& location) {
  const UrlHandle url(curl_url());
  constexpr unsigned flags = CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE;
  if (!url || curl_url_set(url.get(), CURLUPART_URL, base.c_str(), flags) != CURLUE_OK) return {};
  if (curl_url_set(url.get(), CURLUPART_URL, location.c_str(), flags) != CURLUE_OK) return {};
  return part(url.get(), CURLUPART_URL, 0).value_or("");
}

}  // namespace cudaenv::net
