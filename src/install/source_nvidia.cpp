#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "catalog/index.hpp"
#include "catalog/manifest.hpp"
#include "install/source.hpp"
#include "sys/file.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::install {

// The one place that names it. Source: NVIDIA's redistributable manifests.
const char* const nvidia_host = "https://developer.download.nvidia.com";

namespace {

class NvidiaSource final : public Source {
 public:
  NvidiaSource(const Context& context, const MirrorOptions& options)
      : context_(context), options_(options) {
    if (options_.mirrors.empty()) options_.mirrors.emplace_back(nvidia_host);
  }

  std::string name() const override {
    if (options_.mirrors.front() == nvidia_host) return "nvidia";
    return shown_url(options_.mirrors.front());
  }

  std::vector<Version> releases(std::string_view product) override {
    // A mirror that is trusted speaks for itself; otherwise the index and what `update` brought.
    if (options_.trust && !context_.offline) return remote_releases(product);
    auto versions = catalog::versions(product);
    for (const auto& name : sys::list(cache_folder(product))) {
      if (const auto version = catalog::manifest_version(name)) versions.push_back(*version);
    }
    return sorted(std::move(versions));
  }

  std::vector<Version> remote_releases(std::string_view product) override {
    std::vector<Version> versions;
    std::string why;
    for (const auto& mirror : options_.mirrors) {
      const auto listed = listed_at(mirror, product, why);
      versions.insert(versions.end(), listed.begin(), listed.end());
    }
    if (versions.empty() && !why.empty()) {
      throw Error(ErrorKind::network, "cannot read which releases there are").because(why);
    }
    return sorted(std::move(versions));
  }

  std::optional<Release> release(std::string_view product, const Version& version) override {
    if (!options_.trust) {
      if (auto known = catalog::load(product, version)) return known;
      if (auto cached = from_cache(product, version)) return cached;
    }
    if (context_.offline) return std::nullopt;
    return from_network(product, version);
  }

  Offers offers(const Release& release, const Platform& platform,
                const std::vector<std::string>& components) override {
    Offers result;
    for (const auto& name : components) {
      const Component* component = release.find(name);
      const Archive* archive =
          component ? archive_for(*component, platform, release.version) : nullptr;
      if (archive) {
        result.found.push_back(offer(release, *component, *archive));
      } else {
        result.missing.push_back(name);
      }
    }
    return result;
  }

  std::optional<Offer> add_on(const catalog::AddOn& add_on, const std::optional<Version>& wanted,
                              const Version& cuda, const Platform& platform) override {
    auto candidates = releases(add_on.product);
    // A release outside the index can be named in full.
    if (wanted && wanted->parts().size() >= 3 &&
        std::find(candidates.begin(), candidates.end(), *wanted) == candidates.end()) {
      candidates.push_back(wanted->first(3));
    }
    for (auto version = candidates.rbegin(); version != candidates.rend(); ++version) {
      // "8.9.7.29" is a build of the release 8.9.7.
      if (wanted && !version->starts_with(wanted->first(3))) continue;
      const auto found = release(add_on.product, *version);
      const Component* component = found ? found->find(add_on.component) : nullptr;
      const Archive* archive = component ? archive_for(*component, platform, cuda) : nullptr;
      if (archive && (!wanted || component->version.starts_with(*wanted))) {
        return offer(*found, *component, *archive);
      }
    }
    return std::nullopt;
  }

 private:
  static std::vector<Version> sorted(std::vector<Version> versions) {
    std::sort(versions.begin(), versions.end());
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
    return versions;
  }

  static const Archive* archive_for(const Component& component, const Platform& platform,
                                    const Version& cuda) {
    const auto found = component.platforms.find(platform);
    return found == component.platforms.end() ? nullptr : found->second.for_cuda(cuda);
  }

  Offer offer(const Release& release, const Component& component, const Archive& archive) const {
    Offer offer{component.name,
                release.product,
                component.version.text(),
                archive.sha256,
                archive.size,
                {},
                url_file_name(archive.path)};
    const auto* row = catalog::add_on(release.product);
    if (row && !row->base.empty()) {
      // Not below the host that mirrors stand for.
      offer.urls.push_back(url_join(row->base, archive.path));
      return offer;
    }
    for (const auto& mirror : options_.mirrors) {
      offer.urls.push_back(
          url_join(url_join(mirror, redist_folder(release.product)), archive.path));
    }
    return offer;
  }

  std::filesystem::path cache_folder(std::string_view product) const {
    return context_.cache / "manifests" / product;
  }

  // What one mirror lists: in its index.json, else in the listing of the product's folder.
  std::vector<Version> listed_at(const std::string& mirror, std::string_view product,
                                 std::string& why) const {
    const std::string folder = url_join(mirror, redist_folder(product));
    if (folder.starts_with("file://")) {
      // Nobody lists a folder for us here.
      std::vector<Version> versions;
      const std::string path = url_decoded(folder.substr(7));
      const std::string root = url_decoded(mirror.substr(7));
      if (!sys::is_directory(root)) why = fmt::format("there is no folder `{}`", root);
      for (const auto& name : sys::list(path)) {
        if (const auto version = catalog::manifest_version(name)) versions.push_back(*version);
      }
      return versions;
    }
    for (const std::string& place : {url_join(mirror, "index.json"), url_join(folder, "")}) {
      const auto listing = text({place}, "the list of releases", true);
      if (listing.kind == net::TextOutcome::Kind::unreachable) why = listing.why;
      if (listing.kind != net::TextOutcome::Kind::found) continue;
      auto versions = catalog::parse_listing(listing.body, product, listing.url);
      if (!versions.empty()) return versions;
    }
    return {};
  }

  std::string file_name(const Version& version) const {
    return fmt::format("redistrib_{}.json", version.text());
  }

  std::optional<Release> from_cache(std::string_view product, const Version& version) const {
    const auto file = cache_folder(product) / file_name(version);
    const auto body = sys::read_if_present(file);
    if (!body) return std::nullopt;
    check_known_digest(product, version, *body, file.string());
    return catalog::parse_manifest(*body, product, version, file.string());
  }

  std::optional<Release> from_network(std::string_view product, const Version& version) const {
    std::vector<std::string> urls;
    for (const auto& mirror : options_.mirrors) {
      urls.push_back(url_join(url_join(mirror, redist_folder(product)), file_name(version)));
    }
    const auto outcome =
        text(urls, fmt::format("the manifest of {} {}", product, version.text()), false);
    if (outcome.kind == net::TextOutcome::Kind::absent) return std::nullopt;
    if (outcome.kind == net::TextOutcome::Kind::unreachable) {
      throw Error(ErrorKind::network,
                  fmt::format("cannot fetch the manifest of {} {}", product, version.text()))
          .because(outcome.why)
          .help("name a mirror with --mirror, or take NVIDIA's Python wheels with --source wheels");
    }
    if (!options_.trust) check_known_digest(product, version, outcome.body, outcome.url);
    auto release = catalog::parse_manifest(outcome.body, product, version, outcome.url);
    if (!options_.trust) {
      sys::create_directories(cache_folder(product));
      sys::write_atomically(cache_folder(product) / file_name(version), outcome.body, 0644, false);
    }
    return release;
  }

  static void check_known_digest(std::string_view product, const Version& version,
                                 const std::string& body, const std::string& where) {
    const auto expected = catalog::manifest_digest(product, version);
    if (!expected) return;
    const Digest received = sys::sha256(body);
    if (received == *expected) return;
    throw Error(ErrorKind::corrupt,
                fmt::format("the manifest of {} {} is not NVIDIA's", product, version.text()))
        .because(fmt::format("expected SHA-256 {}", expected->hex()))
        .because(fmt::format("received {} from {}", received.hex(), where))
        .help(
            "leave out --mirror to fetch from NVIDIA, or accept the mirror's own manifests with "
            "--trust-mirror");
  }

  net::TextOutcome text(std::vector<std::string> urls, std::string what, bool html_allowed) const {
    net::TextRequest request;
    request.urls = std::move(urls);
    request.what = std::move(what);
    request.html_allowed = html_allowed;
    return context_.make_downloader(context_.interrupt)->fetch_text(request);
  }

  const Context& context_;
  MirrorOptions options_;
};

}  // namespace

std::unique_ptr<Source> make_nvidia_source(const Context& context, const MirrorOptions& options) {
  return std::make_unique<NvidiaSource>(context, options);
}

bool nvidia_reachable(const Context& context) {
  if (context.offline) return false;
  net::TextRequest request;
  request.urls = {url_join(nvidia_host, redist_folder("cuda")) + "/"};
  request.what = "the list of releases";
  request.html_allowed = true;
  request.connect_limit = std::chrono::seconds(5);
  request.patient = false;
  try {
    const auto outcome = context.make_downloader(context.interrupt)->fetch_text(request);
    return outcome.kind != net::TextOutcome::Kind::unreachable;
  } catch (const Error&) {
    return false;  // a proxy that refuses the host: as good as unreachable
  }
}

std::optional<Version> newest_match(const Spec& spec, const std::vector<Version>& candidates) {
  std::optional<Version> best;
  for (const auto& version : candidates) {
    if (spec.accepts(version) && (!best || *best < version)) best = version;
  }
  return best;
}

}  // namespace cudaenv::install
