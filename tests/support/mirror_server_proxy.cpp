#include "support/mirror_server_proxy.hpp"

#include <array>
#include <poll.h>

#include <fmt/format.h>

namespace cudaenv::test {
namespace {

bool relay_once(HttpStream& from, HttpStream& to) {
  std::array<char, 1 << 16> block;
  const std::size_t got = from.read(block.data(), block.size());
  return got > 0 && to.write({block.data(), got});
}

void relay(HttpStream& client, HttpStream& server, const MirrorStop& stop) {
  while (!stop.requested()) {
    std::array<pollfd, 2> sides{{{client.socket(), POLLIN, 0}, {server.socket(), POLLIN, 0}}};
    if (::poll(sides.data(), sides.size(), 100) <= 0) continue;
    if (sides[1].revents != 0 && !relay_once(server, client)) return;
    if (sides[0].revents != 0 && !relay_once(client, server)) return;
  }
}

std::string passed_on(const HttpRequest& request, const std::string& path) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nConnection: close\r\n", request.method, path);
  for (const auto& [name, value] : request.headers) {
    if (name.starts_with("proxy-") || name == "connection") continue;
    head += fmt::format("{}: {}\r\n", name, value);
  }
  return head + "\r\n";
}

}  // namespace

void forward(HttpStream& client, const HttpRequest& request, const MirrorStop& stop) {
  const bool tunnel = request.method == "CONNECT";
  const std::string rest = tunnel ? request.target : request.target.substr(7);
  const auto slash = rest.find('/');
  const std::string authority = rest.substr(0, slash);
  const std::string path = slash == std::string::npos ? "/" : rest.substr(slash);
  const auto colon = authority.rfind(':');
  const std::string host = authority.substr(0, colon);
  const std::string port = colon == std::string::npos ? "80" : authority.substr(colon + 1);

  sys::Fd socket = connect_to(host, port);
  if (!socket) {
    client.write("HTTP/1.1 502 Test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return;
  }
  HttpStream server(std::move(socket));
  const bool begun = tunnel ? client.write("HTTP/1.1 200 Connected\r\n\r\n")
                            : server.write(passed_on(request, path));
  if (begun) relay(client, server, stop);
}

}  // namespace cudaenv::test
