#include "base/url.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace cudaenv {
namespace {

struct Parts {
  std::string_view scheme;     // with "://"
  std::string_view authority;  // without the user part
  std::string_view path;       // with the leading slash, without query and fragment
};

// A scheme may have '-' and '.' as well, which in a sentence end it or join words.
bool is_scheme_letter(char c) { return text::is_alphanumeric(c) || c == '+'; }

// Length of "https://" at the start, or 0. A "://" further on belongs to a path.
std::size_t scheme_length(std::string_view url) {
  const auto end = url.find("://");
  if (end == std::string_view::npos || end == 0 || !text::is_letter(url[0])) return 0;
  for (const char c : url.substr(0, end)) {
    if (!is_scheme_letter(c) && c != '-' && c != '.') return 0;
  }
  return end + 3;
}

// Whether what stands behind the last colon can be no port: then it is of a password.
bool ends_in_password(std::string_view authority) {
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos || authority.ends_with(']')) return false;
  return authority.find_first_not_of("0123456789", colon + 1) != std::string_view::npos;
}

// Length of "user:password@" at the start of what follows a scheme. A password may hold an '@' of
// its own, so the last one ends it; and people forget to encode '/', '?' and '#' in it, which
// shows as a port that is no number.
std::size_t user_part_length(std::string_view rest) {
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const auto at = authority.rfind('@');
  if (at != std::string_view::npos) return at + 1;
  if (!ends_in_password(authority)) return 0;
  return rest.rfind('@') + 1;  // 0 where there is none
}

Parts split_url(std::string_view url) {
  Parts parts;
  parts.scheme = url.substr(0, scheme_length(url));
  if (parts.scheme.empty()) {
    parts.path = url.substr(0, url.find_first_of("?#"));
    return parts;
  }
  std::string_view rest = url.substr(parts.scheme.size());
  rest.remove_prefix(user_part_length(rest));
  rest = rest.substr(0, rest.find_first_of("?#"));
  const auto slash = rest.find('/');
  parts.authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) parts.path = rest.substr(slash);
  return parts;
}

// Where a URL ends that stands in a sentence or a list. A comma is part of it unless another URL
// follows: it may be part of a password.
std::size_t end_of_url(std::string_view text, std::size_t mark) {
  std::size_t end = std::min(text.find_first_of(" \t\r\n'\"`()<>", mark), text.size());
  for (auto comma = text.find(',', mark); comma < end; comma = text.find(',', comma + 1)) {
    std::size_t next = comma + 1;
    while (next < end && is_scheme_letter(text[next])) ++next;
    if (text.substr(next).starts_with("://")) return comma;
  }
  return end;
}

// "?..." of an http or https URL.
std::string_view query_of(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) return {};
  const auto host = scheme_length(url);
  const auto mark = url.find('?', host + user_part_length(url.substr(host)));
  return mark == std::string_view::npos ? std::string_view() : url.substr(mark);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Without what follows a colon and is no port: a password whose '@' was cut off.
std::string_view without_password(std::string_view authority) {
  return ends_in_password(authority) ? authority.substr(0, authority.find(':')) : authority;
}

}  // namespace

std::string shown_url(std::string_view url) {
  // A proxy is often written without a scheme: "me:secret@host:3128".
  if (scheme_length(url) == 0 && !url.starts_with('/') && !url.starts_with('.')) {
    url.remove_prefix(user_part_length(url));
  }
  const Parts parts = split_url(url);
  std::string shown(parts.scheme);
  shown += without_password(parts.authority);
  shown += parts.path;
  return text::visible(shown, 500);
}

std::string url_origin(std::string_view url) {
  const Parts parts = split_url(url);
  if (parts.scheme.empty()) return {};
  return std::string(parts.scheme) + std::string(parts.authority);
}

std::string without_secrets(std::string_view text) {
  std::string result;
  while (true) {
    const auto mark = text.find("://");
    if (mark == std::string_view::npos) return result + std::string(text);
    std::size_t begin = mark;
    while (begin > 0 && is_scheme_letter(text[begin - 1])) --begin;
    const std::size_t end = end_of_url(text, mark);
    result += text.substr(0, begin);
    result += shown_url(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

std::string url_join(std::string_view base, std::string_view path) {
  const std::string_view query = query_of(base);
  base.remove_suffix(query.size());
  while (base.ends_with('/')) base.remove_suffix(1);
  while (path.starts_with('/')) path.remove_prefix(1);
  return std::string(base) + "/" + std::string(path) + std::string(query);
}

std::string url_file_name(std::string_view url) {
  const std::string_view path = split_url(url).path;
  return url_decoded(path.substr(path.rfind('/') + 1));
}

std::string url_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string file_url(std::string_view path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/+,=:";
  std::string url = "file://";
  for (const char c : path) {
    if (plain.find(c) != std::string_view::npos) {
      url += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      url += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return url;
}

}  // namespace cudaenv
