#include "store/layout.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/spec.hpp"

namespace cudaenv::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view before = "cuda-";

}  // namespace

std::string prefix_folder(std::string_view name) {
  std::string folder(name);
  if (!name.starts_with("cuda")) folder.insert(0, before);
  if (is_prefix_name(name) && is_prefix_name(folder)) return folder;
  throw Error(ErrorKind::usage,
              fmt::format("`{}` cannot be the name of a prefix", text::visible(name, 60)))
      .help("use letters, digits and `.`, `_`, `+`, `-`, beginning with a letter or digit");
}

std::string plain_name(const Version& cuda) { return std::string(before) + cuda.text(); }

std::optional<Version> version_in_plain_name(std::string_view name) {
  if (!name.starts_with(before)) return std::nullopt;
  return Version::parse(name.substr(before.size()));
}

Layout Layout::user(fs::path root) {
  fs::path state = root / ".state";
  return {std::move(root), std::move(state), false};
}

Layout Layout::system(fs::path base) {
  fs::path state = base / "lib" / "cudaenv";
  return {std::move(base), std::move(state), true};
}

fs::path Layout::prefix(const std::string& name) const { return root_ / prefix_folder(name); }
fs::path Layout::default_link() const { return root_ / "cuda"; }

fs::path Layout::minor_link(const Version& cuda) const {
  return root_ / fmt::format("{}{}.{}", before, cuda.major(), cuda.minor());
}

fs::path Layout::state() const { return state_; }
fs::path Layout::store() const { return state_ / "store"; }
fs::path Layout::staging() const { return state_ / "staging"; }
fs::path Layout::trash() const { return state_ / "trash"; }
fs::path Layout::downloads() const { return state_ / "downloads"; }
fs::path Layout::root_lock() const { return state_ / "lock"; }

fs::path Layout::archive_lock(const Digest& sha256) const {
  // Beside the downloads, not among them: lock files stay when downloads are cleared.
  return state_ / "locks" / sha256.hex();
}

sys::FileLock lock_root(const Layout& layout, const sys::LockWait& wait) {
  return sys::FileLock::exclusive(layout.root_lock(),
                                  fmt::format("the root `{}`", layout.root().string()), wait);
}

}  // namespace cudaenv::store
