#include "net/size_probe.hpp"

#include <algorithm>
#include <chrono>

namespace cudaenv::net {
namespace {

using std::chrono::milliseconds;

// Not HEAD: some servers answer it without a length, and a file's URL may be signed for GET alone.
class LengthReceiver final : public Receiver {
 public:
  bool on_head(const ResponseHead& head) override {
    if (head.status == 200) length = head.content_length;
    return false;
  }
  bool on_body(std::string_view) override { return false; }

  std::optional<std::uint64_t> length;
};

}  // namespace

std::vector<std::optional<std::uint64_t>> probe_sizes(const std::vector<std::string>& urls,
                                                      const Options& options,
                                                      const Interrupt& interrupt,
                                                      Transport& transport) {
  std::vector<LengthReceiver> receivers(urls.size());
  const std::size_t most = std::max(1u, options.parallel);
  std::size_t next = 0;
  std::size_t running = 0;
  try {
    while (next < urls.size() || running > 0) {
      for (; next < urls.size() && running < most; ++next, ++running) {
        Get get;
        get.url = urls[next];
        get.connect_limit = options.connect_limit;
        get.stall_limit = options.stall_limit;
        transport.start(next, get, receivers[next]);
      }
      interrupt.check();
      running -= transport.poll(milliseconds(100)).size();
    }
  } catch (...) {
    transport.cancel_all();
    throw;
  }
  std::vector<std::optional<std::uint64_t>> sizes;
  for (const auto& receiver : receivers) sizes.push_back(receiver.length);
  return sizes;
}

}  // namespace cudaenv::net
