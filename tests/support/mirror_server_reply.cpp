#include "support/mirror_server_reply.hpp"

#include <algorithm>
#include <ctime>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cudaenv::test {
namespace {

constexpr std::uint64_t block_size = 1u << 16;

// The bytes from `position` on, one block at most; beyond the content's end it is padding.
std::string block_at(const MirrorReply& reply, std::uint64_t position, std::uint64_t size) {
  std::string block(static_cast<std::size_t>(std::min(size, block_size)), 'x');
  const MirrorContent& content = reply.content;
  if (position < content.size && content.memory) {
    content.memory->copy(block.data(), block.size(), static_cast<std::size_t>(position));
  } else if (position < content.size) {
    const ssize_t got =
        ::pread(content.file.get(), block.data(), block.size(), static_cast<off_t>(position));
    if (got <= 0) return {};
  }
  const auto flip = reply.plan.flip;
  if (flip && *flip >= position && *flip < position + block.size()) {
    char& victim = block[static_cast<std::size_t>(*flip - position)];
    victim = static_cast<char>(victim ^ 0x20);
  }
  return block;
}

class BodySender {
 public:
  BodySender(HttpStream& stream, const MirrorReply& reply, const MirrorStop& stop)
      : stream_(stream), reply_(reply), stop_(stop) {}

  // False when the connection can't be used any more.
  bool send() {
    const MirrorPlan& plan = reply_.plan;
    const std::uint64_t end =
        std::min(plan.cut.value_or(reply_.length), plan.stall.value_or(reply_.length));
    while (sent_ < end || plan.endless) {
      if (stop_.requested()) return false;
      if (!send_some(plan.endless ? block_size : end - sent_)) return false;
      if (plan.trickle_ms && stop_.wait(std::chrono::milliseconds(*plan.trickle_ms))) return false;
    }
    if (plan.stall && *plan.stall < reply_.length) stop_.wait();
    if (sent_ < reply_.length) return false;
    return !plan.chunked || stream_.write("0\r\n\r\n");
  }

  std::uint64_t sent() const { return sent_; }

 private:
  bool send_some(std::uint64_t size) {
    const MirrorPlan& plan = reply_.plan;
    const std::uint64_t position = reply_.first + sent_;
    const bool framed = plan.chunked || plan.endless;
    const bool plain = reply_.content.file && !framed && !plan.flip && !plan.trickle_ms &&
                       position + size <= reply_.content.size;
    if (plain) {
      const std::uint64_t part = std::min<std::uint64_t>(size, 1u << 20);
      count(part);
      return stream_.write_file(reply_.content.file.get(), position, part);
    }
    const std::string block = block_at(reply_, position, plan.trickle_ms ? 1 : size);
    count(block.size());
    if (!framed) return !block.empty() && stream_.write(block);
    return stream_.write(fmt::format("{:x}\r\n{}\r\n", block.size(), block));
  }

  // Before they go out: the client may be done with them at once.
  void count(std::uint64_t bytes) {
    sent_ += bytes;
    if (reply_.on_sent) reply_.on_sent(sent_);
  }

  HttpStream& stream_;
  const MirrorReply& reply_;
  const MirrorStop& stop_;
  std::uint64_t sent_ = 0;
};

bool may_resume(const HttpRequest& request, const MirrorContent& content, const MirrorPlan& plan) {
  const std::string condition = request.header("if-range");
  if (condition.empty() || plan.ignore_if_range) return true;
  return condition == content.etag || condition == content.last_modified;
}

void make_page(MirrorReply& reply, const std::string& page, const std::string& type) {
  reply.content = memory_content(std::make_shared<const std::string>(page));
  reply.first = 0;
  reply.length = page.size();
  reply.headers = {{"Content-Type", type}};
}

}  // namespace

void MirrorStop::request() {
  const std::lock_guard lock(mutex_);
  requested_ = true;
  changed_.notify_all();
}

bool MirrorStop::requested() const {
  const std::lock_guard lock(mutex_);
  return requested_;
}

bool MirrorStop::wait(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [&] { return requested_; });
}

void MirrorStop::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return requested_; });
}

MirrorReply content_reply(const HttpRequest& request, MirrorContent content,
                          const MirrorPlan& plan) {
  MirrorReply reply;
  const std::uint64_t size = content.size;
  const auto range = range_start(request.header("range"));
  const bool ranged = range && !plan.ignore_range;
  const std::uint64_t start = range.value_or(0);
  reply.headers = {{"Content-Type", plan.type.empty() ? content.type : plan.type},
                   {"Accept-Ranges", "bytes"}};
  if (plan.validators) {
    reply.headers.emplace_back("ETag", content.etag);
    reply.headers.emplace_back("Last-Modified", content.last_modified);
  }
  if (!plan.encoding.empty()) reply.headers.emplace_back("Content-Encoding", plan.encoding);
  if (ranged && (start >= size || plan.not_satisfiable)) {
    reply.status = 416;
    reply.headers.emplace_back("Content-Range", fmt::format("bytes */{}", size));
  } else if (ranged && may_resume(request, content, plan)) {
    reply.status = 206;
    reply.first = start;
    reply.length = size - start;
    const std::uint64_t said = start + (plan.wrong_range ? 1 : 0);
    reply.headers.emplace_back("Content-Range",
                               fmt::format("bytes {}-{}/{}", said, size - 1, size));
  } else {
    reply.length = size + static_cast<std::uint64_t>(plan.longer);
  }
  reply.content = std::move(content);
  reply.plan = plan;
  return reply;
}

MirrorReply error_reply(int status) {
  MirrorReply reply;
  reply.status = status;
  make_page(reply, fmt::format("<html><body>{}</body></html>\n", status), "text/html");
  return reply;
}

void override_reply(const MirrorPlan& plan, MirrorReply& reply) {
  if (plan.page) {
    reply.status = 200;
    make_page(reply, *plan.page, plan.type.empty() ? "text/html" : plan.type);
  }
  if (!plan.redirect.empty()) {
    reply = error_reply(302);
    reply.headers.emplace_back("Location", plan.redirect);
  }
  if (plan.status != 0) {
    reply = error_reply(plan.status);
    if (!plan.retry_after.empty()) reply.headers.emplace_back("Retry-After", plan.retry_after);
    if (!plan.authenticate.empty()) {
      reply.headers.emplace_back("WWW-Authenticate", plan.authenticate);
    }
  }
  reply.plan.reset = plan.reset;
  reply.plan.stall_head = plan.stall_head;
  reply.plan.delay_ms = plan.delay_ms;
  reply.plan.endless = plan.endless;
}

MirrorOutcome send_reply(HttpStream& stream, const HttpRequest& request, const MirrorReply& reply,
                         const MirrorStop& stop) {
  if (reply.plan.stall_head) {
    stop.wait();
    return {};
  }
  if (stop.wait(std::chrono::milliseconds(reply.plan.delay_ms))) return {};
  if (reply.plan.reset) {
    const linger at_once{1, 0};
    ::setsockopt(stream.socket(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    return {};
  }
  if (reply.plan.endless_head) {
    const auto pause = std::chrono::milliseconds(reply.plan.head_pause_ms);
    const std::string value(pause.count() > 0 ? 1 : 1000, 'x');
    for (bool goes_on = stream.write("HTTP/1.1 200 Test\r\n"); goes_on && !stop.wait(pause);) {
      goes_on = stream.write("X: " + value + "\r\n");
    }
    return {};
  }
  std::string head =
      fmt::format("HTTP/1.1 {} Test\r\nDate: {}\r\n", reply.status, http_date(std::time(nullptr)));
  for (const auto& [name, value] : reply.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (reply.plan.chunked || reply.plan.endless) {
    head += "Transfer-Encoding: chunked\r\n";
  } else {
    head += fmt::format("Content-Length: {}\r\n", reply.length);
  }
  if (!stream.write(head + "\r\n")) return {};
  if (request.method == "HEAD") return {0, true};
  BodySender body(stream, reply, stop);
  const bool keep_alive = body.send();
  return {body.sent(), keep_alive && request.header("connection") != "close"};
}

}  // namespace cudaenv::test
