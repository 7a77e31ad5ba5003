#include "base/error.hpp"

namespace cudaenv {

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {
  rebuild_what();
}

Error Error::because(std::string cause) && {
  causes_.push_back(std::move(cause));
  rebuild_what();
  return std::move(*this);
}

Error Error::help(std::string advice) && {
  advice_.push_back(std::move(advice));
  return std::move(*this);
}

Error Error::under(std::string headline) const {
  Error outer(*this);
  outer.causes_.insert(outer.causes_.begin(), message_);
  outer.message_ = std::move(headline);
  outer.rebuild_what();
  return outer;
}

void Error::rebuild_what() {
  what_ = message_;
  for (const auto& cause : causes_) what_ += ": " + cause;
}

}  // namespace cudaenv
