#include "store/links.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/inventory.hpp"
#include "store/receipt.hpp"
#include "sys/file.hpp"
#include "sys/scope.hpp"

namespace cudaenv::store {

namespace fs = std::filesystem;

namespace {

// Asks the filesystem; what we may not look into is neither a link to follow nor ours.
template <typename Question>
bool ask(Question&& question) {
  try {
    return question();
  } catch (const Error&) {
    return false;
  }
}

bool is_link(const fs::path& path) {
  return ask([&] {
    const auto stat = sys::stat_link(path);
    return stat && stat->kind == sys::Kind::symlink;
  });
}

bool has_receipt(const fs::path& folder) {
  return ask([&] { return sys::exists(receipt_file(folder)); });
}

bool leads_somewhere(const fs::path& path) {
  return ask([&] { return sys::stat_target(path).has_value(); });
}

// What one link says, absolute.
fs::path hop_from(const fs::path& link) {
  std::string text = sys::read_symlink(link).string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  const fs::path hop = link.parent_path() / text;
  const bool climbs =
      std::any_of(hop.begin(), hop.end(), [](const fs::path& part) { return part == ".."; });
  // ".." means the parent of what a link on the way leads to, which only the filesystem knows.
  if (climbs && sys::is_directory(hop.parent_path())) {
    return (sys::canonical(hop.parent_path()) / hop.filename()).lexically_normal();
  }
  return hop.lexically_normal();
}

// /etc/alternatives, also that of a mounted root.
bool is_alternative(const fs::path& path) {
  const fs::path folder = path.parent_path();
  return folder.filename() == "alternatives" && folder.parent_path().filename() == "etc";
}

std::string shown(const fs::path& path) { return text::visible(path.string(), 1000); }

std::string shown_chain(const fs::path& link, const std::vector<fs::path>& hops) {
  std::string chain = fmt::format("`{}`", shown(link));
  for (const auto& hop : hops) chain += fmt::format(" -> `{}`", shown(hop));
  return leads_somewhere(link) ? chain : chain + ", which is not there";
}

// Throws where what is at `path` is not for us to touch.
void refuse_unless_ours(const PrefixLink& link, const fs::path& path, bool force) {
  switch (link.state()) {
    case PrefixLink::State::absent:
    case PrefixLink::State::ours:
      return;
    case PrefixLink::State::directory:
      throw Error(ErrorKind::system,
                  fmt::format("`{}` is not a link, and cudaenv replaces only links", shown(path)))
          .because("it is a real folder or file, perhaps a toolkit from NVIDIA's installer")
          .help(fmt::format("move it away first: `mv {} {}`", text::shell_quoted(path.string()),
                            text::shell_quoted(path.string() + ".old")));
    case PrefixLink::State::alternatives:
      if (force) return;
      throw Error(ErrorKind::system,
                  fmt::format("`{}` belongs to update-alternatives", shown(path)))
          .because(shown_chain(path, link.hops()))
          .help(fmt::format("choose there with `update-alternatives --config {}`, or replace the "
                            "link with `--force`",
                            text::shell_quoted(path.filename().string())));
    case PrefixLink::State::foreign:
      if (force) return;
      throw Error(ErrorKind::system,
                  fmt::format("`{}` is a link that cudaenv did not make", shown(path)))
          .because(shown_chain(path, link.hops()))
          .help("replace it with `--force`");
  }
}

// The same failure in words that name the link, not the sibling that is to take its place.
[[noreturn]] void rethrow_about(const Error& error, const fs::path& sibling, const fs::path& link,
                                const fs::path& prefix) {
  std::string message = error.message();
  const std::string name = shown(sibling);
  if (const auto at = message.find(name); at != std::string::npos) {
    message.replace(at, name.size(), shown(link));
  }
  Error renamed(error.kind(), message);
  for (const auto& cause : error.causes()) renamed = std::move(renamed).because(cause);
  for (const auto& advice : error.advice()) renamed = std::move(renamed).help(advice);
  throw std::move(renamed).help(fmt::format("a shell needs no link: `eval \"$(cudaenv use {})\"`",
                                            text::shell_quoted(prefix.filename().string())));
}

// The text of the link: a name where the prefix lies beside it, so that a root can be moved.
fs::path link_text(const fs::path& prefix, const fs::path& link) {
  const fs::path target = fs::absolute(prefix).lexically_normal();
  const fs::path inside = target.lexically_relative(link.parent_path());
  const bool below = !inside.empty() && *inside.begin() != ".." && inside != ".";
  return below ? inside : target;
}

// A minor link is ours to move if it names a plain release of its minor beside it, there or not.
bool is_minor_link_of_ours(const fs::path& link, const Version& minor) {
  if (!is_link(link)) return false;
  const fs::path hop = hop_from(link);
  const auto release = version_in_plain_name(hop.filename().string());
  const bool named_so = hop.parent_path() == link.parent_path() && release &&
                        release->parts().size() > 2 && release->starts_with(minor);
  return named_so && (!sys::exists(hop) || (!is_link(hop) && has_receipt(hop)));
}

// ".cuda.4711.0": a link that a killed command had not yet moved into place.
bool is_unfinished_link(const fs::path& path) {
  const std::string name = path.filename().string();
  const auto parts = text::split(name, '.');
  return name.starts_with(".cuda") && parts.size() >= 4 && text::parse_unsigned(parts.back()) &&
         text::parse_unsigned(parts[parts.size() - 2]) && is_link(path);
}

}  // namespace

PrefixLink::PrefixLink(const fs::path& path) : path_(fs::absolute(path).lexically_normal()) {}

PrefixLink::State PrefixLink::state() const {
  const auto stat = sys::stat_link(path_);
  if (!stat) return State::absent;
  if (stat->kind != sys::Kind::symlink) return State::directory;
  const auto chain = hops();
  if (std::any_of(chain.begin(), chain.end(), is_alternative)) return State::alternatives;
  if (chain.empty()) return State::absent;  // gone since the first look
  const fs::path& end = chain.back();
  if (has_receipt(end)) return State::ours;
  // What is left of a link of ours whose prefix was removed by hand.
  const bool beside = end.parent_path() == path_.parent_path();
  const bool dangling = beside && !sys::exists(end);
  return dangling && end.filename().string().starts_with("cuda-") ? State::ours : State::foreign;
}

std::optional<fs::path> PrefixLink::target() const {
  if (!is_link(path_)) return std::nullopt;
  return hop_from(path_);
}

std::vector<fs::path> PrefixLink::hops() const {
  std::vector<fs::path> hops;
  bool seen = false;
  for (fs::path at = path_; !seen && is_link(at);) {
    at = hop_from(at);
    seen = at == path_ || std::find(hops.begin(), hops.end(), at) != hops.end();
    hops.push_back(at);
  }
  return hops;
}

void PrefixLink::point_to(const fs::path& prefix, bool force) const {
  refuse_unless_ours(*this, path_, force);
  const fs::path text = link_text(prefix, path_);
  if (is_link(path_) && sys::read_symlink(path_) == text) return;
  // rename(2) swaps a link in one step. To unlink and create it again would leave a moment in
  // which a running build cannot find nvcc.
  const fs::path fresh = sys::unused_sibling(path_);
  const sys::OnFailure discard([&] { sys::remove_if_present(fresh); });
  try {
    sys::create_symlink(text, fresh);
  } catch (const Error& error) {
    rethrow_about(error, fresh, path_, prefix);
  }
  sys::rename(fresh, path_);
  sys::sync_directory(path_.parent_path());
}

void PrefixLink::remove(bool force) const {
  refuse_unless_ours(*this, path_, force);
  // Synced, so that a prefix that is removed next does not go before its link in a power cut.
  if (sys::remove_if_present(path_)) sys::sync_directory(path_.parent_path());
}

void refresh_minor_links(const Layout& layout, const std::string& leaving) {
  std::map<Version, Version> newest;  // by minor
  for (const auto& prefix : Inventory::read({layout}, Inventory::Detail::summary).prefixes) {
    const auto release = version_in_plain_name(prefix.receipt.name);
    if (prefix.receipt.name == leaving) continue;
    if (!release || release->parts().size() < 3 || *release != prefix.receipt.cuda) continue;
    // Newest first: what is there already is newer.
    newest.emplace(release->first(2), *release);
  }
  for (const auto& [minor, release] : newest) {
    const fs::path link = layout.minor_link(minor);
    if (sys::exists(link) && !is_minor_link_of_ours(link, minor)) continue;
    PrefixLink(link).point_to(layout.prefix(plain_name(release)), false);
  }
  for (const auto& name : sys::list(layout.root())) {
    const fs::path link = layout.root() / name;
    if (is_unfinished_link(link)) sys::remove_if_present(link);
    const auto minor = version_in_plain_name(name);
    if (!minor || minor->parts().size() != 2 || newest.contains(*minor)) continue;
    // Nothing plain of this minor stays: ours can only lead nowhere, or to what is leaving.
    if (is_minor_link_of_ours(link, *minor) &&
        (!leads_somewhere(link) || hop_from(link).filename() == leaving)) {
      PrefixLink(link).remove(false);
    }
  }
}

}  // namespace cudaenv::store
