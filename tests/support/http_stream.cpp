#include "support/http_stream.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <openssl/ssl.h>

namespace cudaenv::test {
namespace {

class TlsStream final : public HttpStream {
 public:
  TlsStream(sys::Fd socket, SSL* ssl) : HttpStream(std::move(socket)), ssl_(ssl) {}
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;
  ~TlsStream() override { SSL_free(ssl_); }

  std::size_t read(char* into, std::size_t size) override {
    const int got = SSL_read(ssl_, into, static_cast<int>(size));
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  bool write(std::string_view bytes) override {
    return bytes.empty() || SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
  }

  bool write_file(int file, std::uint64_t offset, std::uint64_t size) override {
    std::string block(1 << 16, '\0');
    while (size > 0) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size, block.size()));
      const ssize_t got = ::pread(file, block.data(), wanted, static_cast<off_t>(offset));
      if (got <= 0 || !write({block.data(), static_cast<std::size_t>(got)})) return false;
      offset += static_cast<std::uint64_t>(got);
      size -= static_cast<std::uint64_t>(got);
    }
    return true;
  }

 private:
  SSL* ssl_;
};

}  // namespace

std::size_t HttpStream::read(char* into, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::recv(socket(), into, size, 0);
  } while (got < 0 && errno == EINTR);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

bool HttpStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpStream::write_file(int file, std::uint64_t offset, std::uint64_t size) {
  auto position = static_cast<off_t>(offset);
  while (size > 0) {
    const ssize_t sent =
        ::sendfile(socket(), file, &position, std::min<std::uint64_t>(size, 1u << 20));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    size -= static_cast<std::uint64_t>(sent);
  }
  return true;
}

HttpTls::HttpTls(const HttpCertificate& certificate) : context_(SSL_CTX_new(TLS_server_method())) {
  BIO* certificate_text = BIO_new_mem_buf(certificate.certificate.data(),
                                          static_cast<int>(certificate.certificate.size()));
  X509* x509 = PEM_read_bio_X509(certificate_text, nullptr, nullptr, nullptr);
  BIO* key_text = BIO_new_mem_buf(certificate.key.data(), static_cast<int>(certificate.key.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(key_text, nullptr, nullptr, nullptr);
  const bool good = x509 && key && SSL_CTX_use_certificate(context_, x509) == 1 &&
                    SSL_CTX_use_PrivateKey(context_, key) == 1;
  EVP_PKEY_free(key);
  X509_free(x509);
  BIO_free(key_text);
  BIO_free(certificate_text);
  if (!good) throw std::runtime_error("the test certificate is not accepted");
}

HttpTls::~HttpTls() { SSL_CTX_free(context_); }

std::unique_ptr<HttpStream> HttpTls::accept(sys::Fd socket) const {
  SSL* ssl = SSL_new(context_);
  SSL_set_fd(ssl, socket.get());
  if (SSL_accept(ssl) == 1) return std::make_unique<TlsStream>(std::move(socket), ssl);
  SSL_free(ssl);
  return nullptr;
}

sys::Fd listen_on_loopback(bool ipv6, std::uint16_t& port) {
  sys::Fd socket(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage address{};
  socklen_t size = 0;
  if (ipv6) {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_addr = in6addr_loopback;
    size = sizeof six;
    std::copy_n(reinterpret_cast<const char*>(&six), size, reinterpret_cast<char*>(&address));
  } else {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size = sizeof four;
    std::copy_n(reinterpret_cast<const char*>(&four), size, reinterpret_cast<char*>(&address));
  }
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (!socket || ::bind(socket.get(), generic, size) != 0 || ::listen(socket.get(), 64) != 0 ||
      ::getsockname(socket.get(), generic, &size) != 0) {
    throw std::runtime_error("cannot listen on the loopback address");
  }
  // The port is at the same place in both kinds of address.
  port = ntohs(reinterpret_cast<const sockaddr_in*>(generic)->sin_port);
  return socket;
}

sys::Fd connect_to(const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return {};
  sys::Fd connected;
  for (const addrinfo* it = found; it && !connected; it = it->ai_next) {
    sys::Fd socket(::socket(it->ai_family, it->ai_socktype | SOCK_CLOEXEC, it->ai_protocol));
    if (socket && ::connect(socket.get(), it->ai_addr, it->ai_addrlen) == 0) {
      connected = std::move(socket);
    }
  }
  ::freeaddrinfo(found);
  return connected;
}

}  // namespace cudaenv::test
