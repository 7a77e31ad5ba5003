#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/http_stream.hpp"

namespace cudaenv::test {

struct MirrorOptions {
  std::filesystem::path root{};  // served where no file was put in memory
  std::filesystem::path log{};   // a line for each request
  bool ipv6 = false;
  bool tls = false;
  bool proxy = false;         // forwards absolute-form GETs and CONNECT
  std::string proxy_login{};  // "user:password" that it asks for
};

// What was asked of the server and what it did.
struct MirrorRequest {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;  // names in lower case
  int status = 0;
  std::uint64_t bytes_sent = 0;  // of the body, handed to the system

  std::string header(const std::string& name) const;
};

// An HTTP/1.1 server on the loopback address at a free port, with its own threads: GET, HEAD,
// Range with If-Range, keep-alive, listings like Apache's. Rules make it misbehave.
class MirrorServer {
 public:
  explicit MirrorServer(const MirrorOptions& options = {});
  ~MirrorServer();

  // A file in memory; replaces one.
  void put(const std::string& path, std::string content);

  // "[N*]NAME[:ARGUMENT]": how to answer for `path` (or "prefix*"), the next N times or always.
  // Rules of one path add up.
  //   ignore_range           200 and all of it
  //   wrong_range            206 with a Content-Range one byte further
  //   not_satisfiable        416
  //   no_validators          neither ETag nor Last-Modified
  //   ignore_if_range        the rest, though the file has changed
  //   cut:N, stall:N         after N bytes of a body closes the connection, or sends no more
  //   stall_head             never answers
  //   endless_head           headers without an end
  //   delay:MS               answers later
  //   trickle:MS             a byte, a pause, a byte
  //   trickle_head:MS        a header line, a pause, a header line, without an end
  //   endless                a chunked body without an end
  //   longer:N, shorter:N    as many bytes more or fewer, with a Content-Length that says so
  //   chunked                no Content-Length
  //   flip:N                 the byte at N is wrong
  //   then:PATH              after this request `path` is what PATH is now
  //   type:TYPE              Content-Type
  //   encoding:NAME          Content-Encoding, and bytes that are not the file's
  //   html[:N]               a web page (of N bytes) with status 200
  //   redirect:URL           302
  //   status:N[:RETRY-AFTER] an error
  //   reset                  no answer, the connection is reset
  //   flaky:P[:SEED]         500 with probability P
  //   shaky:P[:SEED]         503, a reset or a cut after some bytes with probability P
  //   auth:USER:PASSWORD     401 without them
  // Throws std::invalid_argument for what is none of these.
  void rule(const std::string& path, const std::string& text);

  std::string url(std::string_view path = "") const;  // "http://127.0.0.1:PORT" + path
  std::string host() const;                           // "127.0.0.1:PORT"
  const std::string& certificate() const;             // PEM, with tls

  // All requests so far, or those for one target.
  std::vector<MirrorRequest> requests() const;
  std::vector<MirrorRequest> requests(std::string_view target) const;
  // How many answers were under way at once, at most.
  unsigned busiest() const;
  unsigned connections() const;  // accepted so far

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cudaenv::test
