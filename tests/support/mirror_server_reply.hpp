#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/http_message.hpp"
#include "support/mirror_server_content.hpp"
#include "support/mirror_server_rules.hpp"

namespace cudaenv::test {

// Set once, when the server ends; what waits on purpose waits on this.
class MirrorStop {
 public:
  void request();
  bool requested() const;
  // True when it was requested meanwhile.
  bool wait(std::chrono::milliseconds time) const;
  void wait() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool requested_ = false;
};

struct MirrorReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  MirrorContent content;
  std::uint64_t first = 0;   // of the content, where the body begins
  std::uint64_t length = 0;  // of the body
  MirrorPlan plan;
  std::function<void(std::uint64_t)> on_sent;  // bytes of the body so far
};

MirrorReply content_reply(const HttpRequest& request, MirrorContent content,
                          const MirrorPlan& plan);
MirrorReply error_reply(int status);
// The redirect, page or error that the rules put in the place of the content.
void override_reply(const MirrorPlan& plan, MirrorReply& reply);

struct MirrorOutcome {
  std::uint64_t bytes = 0;  // of the body
  bool keep_alive = false;
};
MirrorOutcome send_reply(HttpStream& stream, const HttpRequest& request, const MirrorReply& reply,
                         const MirrorStop& stop);

}  // namespace cudaenv::test
