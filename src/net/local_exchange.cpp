#include "net/local_exchange.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/url.hpp"
#include "net/response_check.hpp"

namespace cudaenv::net {
namespace {

constexpr std::size_t block_size = 1u << 20;
constexpr std::string_view scheme = "file://";

int status_of(int code) {
  if (code == ENOENT || code == ENOTDIR) return 404;
  return code == EACCES || code == EPERM ? 403 : 500;
}

Result ended(Ending ending, std::string why) { return {ending, std::move(why), {}}; }

}  // namespace

bool is_local(const std::string& url) {
  return text::lower(std::string_view(url).substr(0, scheme.size())) == scheme;
}

LocalExchange::LocalExchange(const Get& get, Receiver& receiver)
    : get_(get), receiver_(receiver), shown_(shown_url(get.url)) {}

std::optional<Result> LocalExchange::step() {
  if (!begun_) {
    begun_ = true;
    const std::string_view rest = std::string_view(get_.url).substr(scheme.size());
    const auto slash = rest.find('/');
    const std::string host = text::lower(rest.substr(0, slash));
    if (slash == std::string_view::npos || !(host.empty() || host == "localhost")) {
      return ended(Ending::refused, "a file URL needs an absolute path and no host");
    }
    path_ = url_decoded(rest.substr(slash));
    if (!receiver_.on_head(open())) return ended(Ending::stopped, "");
  }
  if (left_ == 0) return ended(Ending::complete, "");

  std::string block(static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_size)), '\0');
  const ssize_t got = ::read(file_.get(), block.data(), block.size());
  if (got < 0 && errno == EINTR) return std::nullopt;
  if (got < 0) {
    return ended(Ending::broken,
                 fmt::format("cannot read {}: {}", path_.string(), std::strerror(errno)));
  }
  if (got == 0) return ended(Ending::broken, "the file became shorter while it was read");
  left_ -= static_cast<std::uint64_t>(got);
  block.resize(static_cast<std::size_t>(got));
  if (!receiver_.on_body(block)) return ended(Ending::stopped, "");
  return std::nullopt;
}

ResponseHead LocalExchange::open() {
  ResponseHead head;
  head.url = shown_;
  // Not blocking, so that a fifo in a mirror can't hold us up before we see that it is one.
  file_ = sys::Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct ::stat info {};
  if (!file_ || ::fstat(file_.get(), &info) != 0) {
    head.status = status_of(errno);
    return head;
  }
  if (!S_ISREG(info.st_mode)) {
    head.status = 404;
    return head;
  }
  const auto size = static_cast<std::uint64_t>(info.st_size);
  head.status = get_.offset == 0 ? 200 : 206;
  if (get_.offset > 0 && get_.offset >= size) {
    head.status = 416;
    head.content_range = fmt::format("bytes */{}", size);
    return head;
  }
  if (get_.offset > 0) {
    head.content_range = fmt::format("bytes {}-{}/{}", get_.offset, size - 1, size);
    ::lseek(file_.get(), static_cast<off_t>(get_.offset), SEEK_SET);
  }
  left_ = size - get_.offset;
  head.content_length = left_;
  return head;
}

}  // namespace cudaenv::net
