#include "support/mirror_server.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <set>
#include <sys/socket.h>
#include <thread>

#include <fmt/format.h>

#include "support/mirror_server_content.hpp"
#include "support/mirror_server_proxy.hpp"
#include "support/mirror_server_reply.hpp"
#include "support/mirror_server_rules.hpp"

namespace cudaenv::test {

std::string MirrorRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

struct MirrorServer::Impl {
  explicit Impl(const MirrorOptions& wanted);
  ~Impl();

  void accept_all();
  void serve(sys::Fd socket);
  bool answer(HttpStream& stream, const HttpRequest& request);
  bool answer_as_proxy(HttpStream& stream, const HttpRequest& request);
  MirrorReply prepare(const HttpRequest& request);
  std::size_t record(const HttpRequest& request, int status);
  void finish(std::size_t number, std::uint64_t bytes);

  MirrorOptions options;
  std::uint16_t port = 0;
  sys::Fd listener;
  HttpCertificate certificate;
  std::unique_ptr<HttpTls> tls;

  mutable std::mutex mutex;
  MirrorFiles files;
  MirrorRules rules;
  std::vector<MirrorRequest> requests;
  unsigned busy = 0;
  unsigned busiest = 0;
  unsigned accepted = 0;

  struct Connection {
    std::thread thread;
    std::atomic<bool> over{false};
  };
  MirrorStop stop;
  std::set<int> sockets;
  std::list<Connection> connections;
  std::thread acceptor;
};

MirrorServer::Impl::Impl(const MirrorOptions& wanted)
    : options(wanted), listener(listen_on_loopback(wanted.ipv6, port)) {
  if (options.tls) {
    certificate = make_certificate();
    tls = std::make_unique<HttpTls>(certificate);
  }
  acceptor = std::thread([this] { accept_all(); });
}

MirrorServer::Impl::~Impl() {
  stop.request();
  ::shutdown(listener.get(), SHUT_RDWR);
  acceptor.join();
  {
    const std::lock_guard lock(mutex);
    for (const int socket : sockets) ::shutdown(socket, SHUT_RDWR);
  }
  for (auto& connection : connections) connection.thread.join();
}

void MirrorServer::Impl::accept_all() {
  while (true) {
    sys::Fd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (stop.requested()) return;
    if (!socket) continue;
    // Head and body are separate writes: else the body would wait for the client's acknowledgement.
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections.remove_if([](Connection& connection) {
      if (!connection.over) return false;
      connection.thread.join();
      return true;
    });
    {
      const std::lock_guard lock(mutex);
      sockets.insert(socket.get());
      ++accepted;
    }
    Connection& connection = connections.emplace_back();
    connection.thread = std::thread([this, &connection, raw = socket.release()] {
      serve(sys::Fd(raw));
      connection.over = true;
    });
  }
}

void MirrorServer::Impl::serve(sys::Fd socket) {
  // sendfile() can't be told to leave it out; here it hits this thread alone, and stays pending.
  sigset_t pipe;
  ::sigemptyset(&pipe);
  ::sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  const int raw = socket.get();
  auto stream =
      tls ? tls->accept(std::move(socket)) : std::make_unique<HttpStream>(std::move(socket));
  std::string buffer;
  while (stream && !stop.requested()) {
    const auto request = read_request(*stream, buffer);
    if (!request) break;
    const bool for_others = request->method == "CONNECT" || request->target.starts_with("http://");
    const bool goes_on = options.proxy && for_others ? answer_as_proxy(*stream, *request)
                                                     : answer(*stream, *request);
    if (!goes_on) break;
  }
  // Under the lock, so that the destructor never shuts down a number that is somebody else's by
  // now.
  const std::lock_guard lock(mutex);
  sockets.erase(raw);
  stream.reset();
}

bool MirrorServer::Impl::answer(HttpStream& stream, const HttpRequest& request) {
  MirrorReply reply = prepare(request);
  const std::size_t number = record(request, reply.status);
  reply.on_sent = [&](std::uint64_t bytes) {
    const std::lock_guard lock(mutex);
    requests[number].bytes_sent = bytes;
  };
  const auto outcome = send_reply(stream, request, reply, stop);
  finish(number, outcome.bytes);
  return outcome.keep_alive;
}

MirrorReply MirrorServer::Impl::prepare(const HttpRequest& request) {
  const std::lock_guard lock(mutex);
  const MirrorPlan plan = rules.plan(request);
  MirrorReply reply;
  auto content = find_content(request.path, files, options.root);
  if (content) {
    reply = content_reply(request, std::move(*content), plan);
  } else if (is_folder(request.path, files, options.root)) {
    reply = error_reply(301);
    reply.headers.emplace_back("Location", request.path + "/");
  } else {
    reply = error_reply(404);
  }
  override_reply(plan, reply);
  if (!plan.then.empty()) files[request.path] = files.at(plan.then);
  return reply;
}

bool MirrorServer::Impl::answer_as_proxy(HttpStream& stream, const HttpRequest& request) {
  const bool welcome = options.proxy_login.empty() || request.header("proxy-authorization") ==
                                                          "Basic " + base64(options.proxy_login);
  if (!welcome) {
    MirrorReply reply = error_reply(407);
    reply.headers.emplace_back("Proxy-Authenticate", "Basic realm=\"test\"");
    record(request, reply.status);
    return send_reply(stream, request, reply, stop).keep_alive;
  }
  {
    const std::lock_guard lock(mutex);
    const MirrorPlan plan = rules.plan(request);
    if (plan.page || plan.status != 0) {
      MirrorReply reply;
      override_reply(plan, reply);
      requests.push_back({request.method, request.target, request.headers, reply.status, 0});
      return send_reply(stream, request, reply, stop).keep_alive;
    }
  }
  record(request, 200);
  forward(stream, request, stop);
  return false;
}

std::size_t MirrorServer::Impl::record(const HttpRequest& request, int status) {
  const std::lock_guard lock(mutex);
  busiest = std::max(busiest, ++busy);
  requests.push_back({request.method, request.target, request.headers, status, 0});
  return requests.size() - 1;
}

void MirrorServer::Impl::finish(std::size_t number, std::uint64_t bytes) {
  const std::lock_guard lock(mutex);
  --busy;
  MirrorRequest& request = requests[number];
  request.bytes_sent = bytes;
  if (options.log.empty()) return;
  std::ofstream log(options.log, std::ios::app);
  log << fmt::format("{} {} {} {} {}\n", request.method, request.target, request.status, bytes,
                     request.header("range").empty() ? "-" : request.header("range"));
}

MirrorServer::MirrorServer(const MirrorOptions& options) : impl_(std::make_unique<Impl>(options)) {}
MirrorServer::~MirrorServer() = default;

void MirrorServer::put(const std::string& path, std::string content) {
  const std::lock_guard lock(impl_->mutex);
  impl_->files[path] = std::make_shared<const std::string>(std::move(content));
}

void MirrorServer::rule(const std::string& path, const std::string& text) {
  const std::lock_guard lock(impl_->mutex);
  impl_->rules.add(path, text);
}

std::string MirrorServer::host() const {
  return fmt::format("{}:{}", impl_->options.ipv6 ? "[::1]" : "127.0.0.1", impl_->port);
}

std::string MirrorServer::url(std::string_view path) const {
  return fmt::format("{}://{}{}", impl_->options.tls ? "https" : "http", host(), path);
}

const std::string& MirrorServer::certificate() const { return impl_->certificate.certificate; }

std::vector<MirrorRequest> MirrorServer::requests() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->requests;
}

std::vector<MirrorRequest> MirrorServer::requests(std::string_view target) const {
  auto all = requests();
  std::erase_if(all, [&](const MirrorRequest& request) { return request.target != target; });
  return all;
}

unsigned MirrorServer::connections() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->accepted;
}

unsigned MirrorServer::busiest() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->busiest;
}

}  // namespace cudaenv::test
