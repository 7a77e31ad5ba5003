#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/retry.hpp"
#include "net/transport.hpp"

namespace cudaenv::net {

// "bytes 100-199/200"; `total` is nothing for "*", `first` and `last` for "bytes */200".
struct ContentRange {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;
  std::optional<std::uint64_t> total;
};
std::optional<ContentRange> parse_content_range(std::string_view value);

// What a response head means to somebody who has the first `offset` bytes of a file.
struct Verdict {
  enum class Take {
    from_zero,          // the body is the whole file
    rest,               // the body goes on at `offset`
    nothing,            // no body: what is there is the whole file
    ask_without_range,  // this server can't resume: ask once more for all of it
    none,               // a failure
  };
  Take take = Take::none;
  Failure failure = Failure::refused;
  std::string why;
};
Verdict judge(const ResponseHead& head, std::uint64_t offset, std::optional<std::uint64_t> size);

// The failure that a status without a usable body stands for; "404 Not Found" and the like.
Failure status_failure(int status);
std::string status_text(int status);

// What the user can type against a status; "" where nothing is known.
std::string status_advice(int status);

// The wait that the server asks for. A date is compared with the server's own clock.
std::optional<std::chrono::milliseconds> retry_after_of(const ResponseHead& head);

// "; it came with ..." where the body was encoded unasked, which explains what is wrong with it.
std::string encoding_complaint(const ResponseHead& head);

// "; it asks to wait 7200 s" where that is longer than we are going to.
std::string wait_complaint(const ResponseHead& head, std::chrono::milliseconds longest);

// Whether a body that begins like this is a web page. `content_type` decides where the beginning
// could be either.
bool looks_like_html(std::string_view beginning, std::string_view content_type);

// "an HTML page of 50 bytes came from URL (final URL) - proxy?"
std::string html_complaint(std::string_view size, const std::string& asked,
                           const std::string& answered);

// Counts the bytes of a web page that came instead of a file, up to a limit.
class HtmlCount {
 public:
  // False when there is no point in reading on.
  bool add(std::size_t bytes);
  std::string text() const;  // "50 bytes"

 private:
  std::uint64_t bytes_ = 0;
};

// What goes into If-Range: a strong ETag, else Last-Modified, else "".
std::string validator_of(const ResponseHead& head);

// Whether the rest of a file is told to be of another version than `validator` stands for.
bool changed_since(const std::string& validator, const ResponseHead& head);

}  // namespace cudaenv::net
