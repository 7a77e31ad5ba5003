#pragma once

#include <string>
#include <string_view>

namespace cudaenv {

// The URL as it may be shown, logged or written down: without user, password, query and
// fragment, and with control characters made visible.
std::string shown_url(std::string_view url);

// Everything of "scheme://user:password@host:port/..." up to the path, without the user part:
// "scheme://host:port". Empty where `url` has no scheme.
std::string url_origin(std::string_view url);

// Text that may quote URLs: each as shown_url() has it. For what other programs said, and as the
// last sieve before a person's eyes.
std::string without_secrets(std::string_view text);

// `base` and `path` joined by exactly one slash. The query of an http URL (a token, say) stays at
// the end.
std::string url_join(std::string_view base, std::string_view path);

// The last path segment with %XX decoded; empty where the URL ends in a slash.
std::string url_file_name(std::string_view url);

// The bytes with %XX decoded; a '%' without two hexadecimal digits stays as it is.
std::string url_decoded(std::string_view text);

// "file:///a%20b" for the absolute path "/a b".
std::string file_url(std::string_view path);

}  // namespace cudaenv
