#include "commands/host.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "gpu/driver_version.hpp"
#include "store/links.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

store::Layout user_root(const Host& host) {
  return store::Layout::user(host.environment.xdg("XDG_DATA_HOME", ".local/share") / "cudaenv");
}

std::optional<store::Layout> named_root(const Host& host) {
  const auto named = host.environment.non_empty("CUDAENV_ROOT");
  if (!named) return std::nullopt;
  if (!named->starts_with('/')) {
    throw Error(ErrorKind::usage, fmt::format("CUDAENV_ROOT is `{}`, which is not an absolute path",
                                              text::visible(*named)));
  }
  return store::Layout::user(*named);
}

// Says that a toolkit is there whose receipt cannot be read, and what to do about it.
Error telling_of(Error error, const store::Oddity& oddity) {
  error = std::move(error).because(fmt::format(
      "`{}` cannot be used: {}", text::visible(oddity.path.string(), 1000), oddity.why));
  for (const auto& advice : oddity.advice) error = std::move(error).help(advice);
  return error;
}

// Whether the spec would mean this folder if its receipt could be read.
bool may_mean(const Spec& spec, const std::string& folder) {
  constexpr std::string_view start = "cuda-";
  if (folder == spec.text() || folder == start.data() + spec.text()) return true;
  if (std::holds_alternative<Spec::Name>(spec.value()) || !folder.starts_with(start)) return false;
  const auto release = Version::parse(std::string_view(folder).substr(start.size()));
  return release && spec.accepts(*release);
}

[[noreturn]] void not_installed(const Spec& spec, const store::Inventory& inventory) {
  Error error(ErrorKind::missing,
              fmt::format("no installed toolkit matches `{}`", text::visible(spec.text())));
  std::vector<std::string> names;
  for (const auto& prefix : inventory.prefixes) names.push_back(store::short_name(prefix.receipt));
  if (!names.empty()) {
    error = std::move(error).because(fmt::format("installed: {}", fmt::join(names, ", ")));
  }
  const auto unreadable = inventory.unreadable();
  const auto meant = std::find_if(unreadable.begin(), unreadable.end(), [&](const auto& oddity) {
    return may_mean(spec, oddity.path.filename().string());
  });
  if (meant != unreadable.end()) throw telling_of(std::move(error), *meant);
  if (std::holds_alternative<Spec::Name>(spec.value())) {
    throw with_suggestion(std::move(error), spec.text(), names,
                          "see what is installed with `cudaenv list`");
  }
  throw std::move(error).help(install_advice(spec.text()));
}

const store::InstalledPrefix* at_path(const store::Inventory& inventory,
                                      const std::filesystem::path& path) {
  if (!sys::is_directory(path)) return nullptr;
  const auto real = sys::canonical(path);
  for (const auto& prefix : inventory.prefixes) {
    if (sys::is_directory(prefix.path) && sys::canonical(prefix.path) == real) return &prefix;
  }
  return nullptr;
}

const store::InstalledPrefix* newest_for_driver(const store::Inventory& inventory,
                                                const Host& host) {
  std::vector<Version> installed;
  for (const auto& prefix : inventory.prefixes) installed.push_back(prefix.receipt.cuda);
  const auto newest = commands::newest_for_driver(installed, host);
  return newest ? inventory.find(Spec::parse(newest->text())) : nullptr;
}

// With all that its receipt says: of the many that were looked through, only this one is read so.
store::InstalledPrefix whole(store::InstalledPrefix found) {
  if (auto receipt = store::receipt_in(found.path)) found.receipt = std::move(*receipt);
  return found;
}

}  // namespace

store::Layout writing_root(const Host& host, bool system) {
  if (const auto named = named_root(host)) return *named;
  return system || sys::is_root() ? store::Layout::system() : user_root(host);
}

std::vector<store::Layout> reading_roots(const Host& host) {
  std::vector<store::Layout> roots;
  if (const auto named = named_root(host)) {
    roots.push_back(*named);
  } else {
    roots.push_back(user_root(host));
  }
  roots.push_back(store::Layout::system());
  return roots;
}

store::InstalledPrefix installed_prefix(const Host& host, const std::string& typed) {
  const auto roots = reading_roots(host);
  const auto inventory = store::Inventory::read(roots, store::Inventory::Detail::summary);
  if (!typed.empty()) {
    const Spec spec = Spec::parse(typed);
    const auto* found = std::holds_alternative<Spec::Auto>(spec.value())
                            ? newest_for_driver(inventory, host)
                            : inventory.find(spec);
    if (found) return whole(*found);
    not_installed(spec, inventory);
  }
  if (const auto active = host.environment.non_empty("CUDA_HOME")) {
    if (const auto* found = at_path(inventory, *active)) return whole(*found);
  }
  for (const auto& root : roots) {
    if (const auto* found = at_path(inventory, root.default_link())) return whole(*found);
  }
  Error error(ErrorKind::missing, "no toolkit is active and there is no default");
  for (const auto& oddity : inventory.unreadable()) {
    for (const auto& root : roots) {
      const auto chosen = default_prefix(root);
      if (chosen && *chosen == sys::canonical(oddity.path)) {
        throw telling_of(std::move(error), oddity);
      }
    }
  }
  if (inventory.prefixes.empty()) {
    throw std::move(error).help("install one with `cudaenv install latest`");
  }
  throw std::move(error).help("name one, or make one the default with `cudaenv default VERSION`");
}

std::optional<std::filesystem::path> default_prefix(const store::Layout& layout) {
  const auto link = layout.default_link();
  if (!sys::is_directory(link)) return std::nullopt;
  return sys::canonical(link);
}

std::optional<Version> newest_for_driver(const std::vector<Version>& candidates, const Host& host) {
  const auto ceiling = gpu::driver_cuda_version(host.interrupt);
  std::optional<Version> best;
  for (const auto& version : candidates) {
    if (ceiling && *ceiling < version.first(2)) continue;
    if (!best || *best < version) best = version;
  }
  return best;
}

std::string install_advice(const std::string& spec) {
  return fmt::format("install it with `cudaenv install {}`", text::shell_quoted(spec));
}

}  // namespace cudaenv::commands
