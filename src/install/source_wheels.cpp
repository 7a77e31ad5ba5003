#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/url.hpp"
#include "catalog/index.hpp"
#include "install/pip.hpp"
#include "install/source.hpp"
#include "install/wheel_folder.hpp"

namespace cudaenv::install {
namespace {

constexpr unsigned first_cuda_with_wheels = 11;  // 11.8, in fact; source: data of the wheels

Offer offer_of(const std::string& component, const std::string& product, const Version& cuda,
               const catalog::ReportedWheel& wheel) {
  if (!wheel.sha256) {
    throw Error(ErrorKind::corrupt,
                fmt::format("pip names no SHA-256 for the wheel of {}", component))
        .because(fmt::format("wheel {} {}", wheel.distribution, wheel.version))
        .help(
            "use an index that publishes digests, or fetch the wheels and use --source wheels:DIR");
  }
  const auto number = catalog::wheel_component_version(wheel.version);
  Offer offer{component,
              product,
              number ? number->text() : wheel.version,
              *wheel.sha256,
              0,
              {wheel.url},
              url_file_name(wheel.url),
              Form::wheel};
  const auto shortfall = catalog::wheel_shortfall(component, cuda.major(), cuda.minor());
  offer.lacks = shortfall.what;
  offer.unusable = shortfall.unusable;
  return offer;
}

// The requirement of the meta package for some components: "cuda-toolkit[cudart,nvcc]==13.0.2.*"
// (the wildcard takes 13.0.3.0 for 13.0.3 as well).
std::string toolkit_requirement(const Version& release, const std::set<std::string>& extras) {
  return fmt::format("cuda-toolkit[{}]=={}.*", fmt::join(extras, ","), release.text());
}

class PipWheels final : public Source {
 public:
  explicit PipWheels(const Context& context) : context_(context) {}

  std::string name() const override { return "wheels"; }

  std::vector<Version> releases(std::string_view product) override {
    if (product != "cuda") return {};
    if (context_.offline) return catalog::versions(product);
    return remote_releases(product);
  }

  std::vector<Version> remote_releases(std::string_view product) override {
    if (product != "cuda") return {};
    if (!versions_) versions_ = pip().toolkit_versions();
    return *versions_;
  }

  std::optional<Release> release(std::string_view product, const Version& version) override {
    if (auto known = catalog::load(product, version)) return known;
    if (product != "cuda" || version.major() < first_cuda_with_wheels) return std::nullopt;
    return newer_release(version);
  }

  Offers offers(const Release& release, const Platform& platform,
                const std::vector<std::string>& components) override {
    ByComponent wheels = resolved(release, platform, components);
    replace_strays(release, platform, components, wheels);
    Offers result;
    for (const auto& name : components) {
      const auto found = wheels.find(name_in(wheels, name));
      if (found == wheels.end()) {
        result.missing.push_back(name);
      } else {
        result.found.push_back(offer_of(name, "cuda", release.version, found->second));
        add_credentials(result.found.back());
      }
    }
    add_sizes(result.found);
    return result;
  }

  std::optional<Offer> add_on(const catalog::AddOn& add_on, const std::optional<Version>& wanted,
                              const Version& cuda, const Platform& platform) override {
    std::string requirement = fmt::format("{}-cu{}", add_on.wheel, cuda.major());
    if (wanted) requirement += fmt::format("=={}.*", wanted->text());
    context_.progress.step(fmt::format("asking pip for {}", requirement));
    const auto report = pip().resolve({requirement}, platform, false);
    if (!report || report->empty()) return std::nullopt;
    auto offer = offer_of(add_on.component, add_on.product, cuda, report->front());
    add_credentials(offer);
    std::vector<Offer> one{std::move(offer)};
    add_sizes(one);
    return std::move(one.front());
  }

 private:
  // A release that the index does not know yet, as far as the wheels tell what it is made of.
  std::optional<Release> newer_release(const Version& version) {
    const auto platform = Platform::parse("linux-x86_64");
    const auto report = pip().resolve({toolkit_requirement(version, {"all"})}, *platform, true);
    if (!report) return std::nullopt;
    Release release{"cuda", version, "", {}};
    for (const auto& wheel : *report) {
      const auto component = catalog::component_of_wheel(wheel.distribution);
      const auto number = catalog::wheel_component_version(wheel.version);
      if (!component || !number || !wheel.sha256) continue;
      PlatformArchives archives;
      archives.plain = Archive{url_file_name(wheel.url), *wheel.sha256, 0};
      Component entry{*component, *number, "", {}};
      // The wheels exist for both or for neither; offers() asks again for the real platform.
      entry.platforms.emplace(*platform, archives);
      entry.platforms.emplace(*Platform::parse("linux-sbsa"), archives);
      release.components.push_back(std::move(entry));
    }
    std::sort(release.components.begin(), release.components.end(),
              [](const Component& a, const Component& b) { return a.name < b.name; });
    if (release.components.empty()) return std::nullopt;
    return release;
  }

  using ByComponent = std::map<std::string, catalog::ReportedWheel>;

  // What pip answers for the meta package of a release.
  ByComponent resolved(const Release& release, const Platform& platform,
                       const std::vector<std::string>& components) {
    std::set<std::string> extras;
    for (const auto& name : components) {
      const auto* info = catalog::component_info(name);
      if (info && !info->wheel_extra.empty()) extras.insert(info->wheel_extra);
    }
    if (extras.empty()) return {};
    context_.progress.step("asking pip for NVIDIA's wheels");
    return by_component(
        pip().resolve({toolkit_requirement(release.version, extras)}, platform, true));
  }

  static ByComponent by_component(
      const std::optional<std::vector<catalog::ReportedWheel>>& report) {
    ByComponent wheels;
    if (!report) return wheels;
    for (const auto& wheel : *report) {
      const auto component = catalog::component_of_wheel(wheel.distribution);
      if (component) wheels.emplace(*component, wheel);
    }
    return wheels;
  }

  // Some meta packages pin a component loosely (13.0.3.0 takes any nvjitlink of 13), and pip then
  // takes the newest. The release's own version is asked for by number; where the index has none
  // the newer one stays.
  void replace_strays(const Release& release, const Platform& platform,
                      const std::vector<std::string>& components, ByComponent& wheels) {
    for (const auto& name : components) {
      const Component* entry = release.find(name);
      const auto found = wheels.find(name_in(wheels, name));
      if (!entry || found == wheels.end()) continue;
      const auto version = catalog::wheel_component_version(found->second.version);
      if (version && version->starts_with(entry->version)) continue;
      const auto exact = pip().resolve(
          {fmt::format("{}=={}.*", found->second.distribution, entry->version.text())}, platform,
          false);
      if (exact && !exact->empty()) found->second = exact->front();
    }
  }

  // A wheel may go by a component's other name: cccl's is the same before and after the rename.
  static std::string name_in(const ByComponent& wheels, const std::string& name) {
    if (wheels.count(name)) return name;
    const auto* info = catalog::component_info(name);
    if (!info) return name;
    for (const auto& [component, wheel] : wheels) {
      const auto* other = catalog::component_info(component);
      if (other && other->wheel == info->wheel) return component;
    }
    return name;
  }

  // pip's report has no sizes; the plan and the free space want them.
  void add_sizes(std::vector<Offer>& offers) const {
    std::vector<std::string> urls;
    for (const auto& offer : offers) urls.push_back(offer.urls.front());
    const auto sizes = context_.make_downloader(context_.interrupt)->sizes(urls);
    for (std::size_t i = 0; i < offers.size(); ++i) offers[i].size = sizes[i].value_or(0);
  }

  // pip's report has no credentials; a private index wants them again for the file.
  void add_credentials(Offer& offer) {
    std::string& url = offer.urls.front();
    const std::string origin = url_origin(url);
    if (origin.starts_with("file:") || !origin.starts_with("http")) return;
    auto known = credentials_.find(origin);
    if (known == credentials_.end()) {
      known = credentials_.emplace(origin, pip().credentials_for(url).value_or("")).first;
    }
    if (known->second.empty() || url.find('@') < url.find('/', origin.size())) return;
    url.insert(url.find("://") + 3, known->second + "@");
  }

  const Pip& pip() {
    if (!pip_) pip_ = Pip::find(context_);
    return *pip_;
  }

  const Context& context_;
  std::optional<Pip> pip_;
  std::optional<std::vector<Version>> versions_;
  std::map<std::string, std::string> credentials_;  // by origin; empty: none
};

}  // namespace

std::unique_ptr<Source> make_wheel_source(const Context& context,
                                          const std::filesystem::path& folder) {
  if (!folder.empty()) return make_wheel_folder_source(context, folder);
  if (context.offline) {
    throw Error(ErrorKind::usage, "--offline leaves no way to ask pip for wheels")
        .help("name a folder that holds them with --source wheels:DIR");
  }
  return std::make_unique<PipWheels>(context);
}

}  // namespace cudaenv::install
