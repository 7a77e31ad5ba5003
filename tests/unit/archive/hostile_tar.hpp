#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sandbox.hpp"

namespace cudaenv::test {

// An archive that must end in an error.
struct Hostile {
  std::string what;
  std::string bytes;
  std::vector<std::string> told;  // parts of the message
};

inline std::string xz(const TarBuilder& tar) { return xz_packed(tar.bytes()); }

// Good entries before and after, so that a refusal is not for another reason.
inline std::string amid_good(const std::function<void(TarBuilder&)>& add) {
  TarBuilder tar;
  tar.folder("top").file("top/before", "before");
  add(tar);
  tar.file("top/after", "after");
  return xz(tar);
}

inline void check_refused_by(const Hostile& hostile, unsigned threads) {
  CAPTURE(hostile.what);
  CAPTURE(threads);
  const Sandbox box;
  box.put(hostile.bytes);
  auto request = box.request();
  request.threads = threads;
  const auto error = error_of([&] { archive::unpack(request, NoInterrupt()); });
  REQUIRE(error);
  CHECK(error->kind() == ErrorKind::corrupt);
  CHECK(error->message() == "cannot unpack sample-archive");
  const std::string text = error->what();
  for (const auto& part : hostile.told) {
    CAPTURE(text);
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(box.is_untouched());
  CHECK(box.holds_only_tame_entries());
}

// It ends in an error that names the archive and what is wrong, writes nothing outside the
// destination, and leaves nothing odd inside.
inline void check_refused(const Hostile& hostile) {
  check_refused_by(hostile, 1);
  check_refused_by(hostile, 2);
}

}  // namespace cudaenv::test
