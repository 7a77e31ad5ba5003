#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "sys/fd.hpp"

struct ssl_ctx_st;

namespace cudaenv::test {

// One side of a TCP connection, plain or TLS. Blocking; SIGPIPE is never raised.
class HttpStream {
 public:
  explicit HttpStream(sys::Fd socket) : socket_(std::move(socket)) {}
  HttpStream(const HttpStream&) = delete;
  HttpStream& operator=(const HttpStream&) = delete;
  virtual ~HttpStream() = default;

  int socket() const { return socket_.get(); }

  // 0 at the end and on failure.
  virtual std::size_t read(char* into, std::size_t size);
  // False when the other side is gone.
  virtual bool write(std::string_view bytes);
  virtual bool write_file(int file, std::uint64_t offset, std::uint64_t size);

 private:
  sys::Fd socket_;
};

// A certificate for 127.0.0.1, ::1 and localhost that signs itself, made on the spot.
struct HttpCertificate {
  std::string certificate;  // PEM; also what a client has to trust
  std::string key;          // PEM
};
HttpCertificate make_certificate();

// A TLS server's end of the connection; nothing when the handshake fails.
class HttpTls {
 public:
  explicit HttpTls(const HttpCertificate& certificate);
  ~HttpTls();
  std::unique_ptr<HttpStream> accept(sys::Fd socket) const;

 private:
  ssl_ctx_st* context_;
};

// Listens on the loopback address, at a free port.
sys::Fd listen_on_loopback(bool ipv6, std::uint16_t& port);
// Connects to HOST:PORT; an empty Fd when that fails.
sys::Fd connect_to(const std::string& host, const std::string& port);

}  // namespace cudaenv::test
