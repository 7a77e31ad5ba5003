#include "install/wheel_folder.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "archive/unpack.hpp"
#include "base/error.hpp"
#include "base/url.hpp"
#include "catalog/index.hpp"
#include "catalog/wheels.hpp"
#include "sys/file.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::install {
namespace {

struct FoundWheel {
  std::string file;
  catalog::WheelName name;
};

class WheelFolder final : public Source {
 public:
  WheelFolder(const Context& context, const std::filesystem::path& folder)
      : context_(context), folder_(sys::canonical(folder)) {
    for (const auto& file : sys::list(folder_)) {
      if (auto name = catalog::parse_wheel_name(file)) wheels_.push_back({file, std::move(*name)});
    }
    if (wheels_.empty()) {
      throw Error(ErrorKind::missing, fmt::format("`{}` holds no wheel", folder.string()))
          .help("fill it with `pip download --no-deps -d DIR nvidia-cuda-runtime ...`");
    }
  }

  std::string name() const override { return "wheels"; }

  std::vector<Version> releases(std::string_view product) override {
    std::vector<Version> versions;
    if (product != "cuda") return versions;
    for (const auto& wheel : wheels_) {
      if (wheel.name.distribution != "cuda-toolkit") continue;
      if (const auto release = catalog::toolkit_release(wheel.name.version)) {
        versions.push_back(*release);
      }
    }
    // Without the meta wheel: every known release whose runtime lies here.
    for (const auto& version : catalog::versions(product)) {
      const auto release = catalog::load(product, version);
      if (release && find(*release, "cuda_cudart", nullptr)) versions.push_back(version);
    }
    std::sort(versions.begin(), versions.end());
    versions.erase(std::unique(versions.begin(), versions.end()), versions.end());
    return versions;
  }

  std::vector<Version> remote_releases(std::string_view product) override {
    return releases(product);
  }

  std::optional<Release> release(std::string_view product, const Version& version) override {
    if (auto known = catalog::load(product, version)) return known;
    const auto pins = product == "cuda" ? pins_of(version) : Pins{};
    if (pins.empty()) return std::nullopt;
    Release release{"cuda", version, "", {}};
    for (const auto& [distribution, number] : pins) {
      const auto component = catalog::component_of_wheel(distribution);
      const auto parsed = Version::parse(number);
      if (!component || !parsed) continue;
      Component entry{*component, *parsed, "", {}};
      const Digest nothing = sys::sha256("");  // the files' own digests are taken in offers()
      for (const char* platform : {"linux-x86_64", "linux-sbsa"}) {
        PlatformArchives archives;
        archives.plain = Archive{distribution, nothing, 0};
        entry.platforms.emplace(*Platform::parse(platform), archives);
      }
      release.components.push_back(std::move(entry));
    }
    std::sort(release.components.begin(), release.components.end(),
              [](const Component& a, const Component& b) { return a.name < b.name; });
    return release;
  }

  Offers offers(const Release& release, const Platform& platform,
                const std::vector<std::string>& components) override {
    Offers result;
    for (const auto& component : components) {
      if (const auto* wheel = find(release, component, &platform)) {
        result.found.push_back(offer(*wheel, component, "cuda", release.version));
      } else {
        result.missing.push_back(component);
      }
    }
    return result;
  }

  std::optional<Offer> add_on(const catalog::AddOn& add_on, const std::optional<Version>& wanted,
                              const Version& cuda, const Platform& platform) override {
    const std::string distribution = fmt::format("{}-cu{}", add_on.wheel, cuda.major());
    const FoundWheel* best = nullptr;
    std::optional<Version> best_version;
    for (const auto& wheel : wheels_) {
      const auto version = catalog::wheel_component_version(wheel.name.version);
      if (wheel.name.distribution != distribution || !version || !wheel.name.fits(platform))
        continue;
      if (wanted && !version->starts_with(*wanted)) continue;
      if (!best || *best_version < *version) {
        best = &wheel;
        best_version = version;
      }
    }
    if (!best) return std::nullopt;
    return offer(*best, add_on.component, add_on.product, cuda);
  }

 private:
  using Pins = std::map<std::string, std::string>;  // distribution -> version prefix

  // What the meta wheel of a release asks for; empty without one.
  Pins pins_of(const Version& version) {
    for (const auto& wheel : wheels_) {
      if (wheel.name.distribution != "cuda-toolkit") continue;
      const auto release = catalog::toolkit_release(wheel.name.version);
      if (!release || !(*release == version)) continue;
      const auto metadata = archive::read_zip_member(
          folder_ / wheel.file,
          fmt::format("cuda_toolkit-{}.dist-info/METADATA", wheel.name.version), 1 << 20);
      if (!metadata) continue;
      auto requirements = catalog::parse_requirements(*metadata);
      return requirements["all"];
    }
    return {};
  }

  const FoundWheel* find(const Release& release, const std::string& component,
                         const Platform* platform) const {
    const Component* entry = release.find(component);
    const auto distribution = catalog::wheel_of(component, release.version.major());
    if (!entry || !distribution) return nullptr;
    for (const auto& wheel : wheels_) {
      const auto version = catalog::wheel_component_version(wheel.name.version);
      if (wheel.name.distribution == *distribution && version &&
          version->starts_with(entry->version) && (!platform || wheel.name.fits(*platform))) {
        return &wheel;
      }
    }
    return nullptr;
  }

  Offer offer(const FoundWheel& wheel, const std::string& component, const std::string& product,
              const Version& cuda) const {
    const auto path = folder_ / wheel.file;
    const auto version = catalog::wheel_component_version(wheel.name.version);
    // Nobody vouches for a folder's files but RECORD inside them; the digest names the archive.
    Offer offer{component,
                product,
                version ? version->text() : wheel.name.version,
                sys::sha256_file(path, context_.interrupt),
                sys::stat_target(path)->size,
                {file_url(path.string())},
                wheel.file,
                Form::wheel};
    const auto shortfall = catalog::wheel_shortfall(component, cuda.major(), cuda.minor());
    offer.lacks = shortfall.what;
    offer.unusable = shortfall.unusable;
    return offer;
  }

  const Context& context_;
  std::filesystem::path folder_;
  std::vector<FoundWheel> wheels_;
};

}  // namespace

std::unique_ptr<Source> make_wheel_folder_source(const Context& context,
                                                 const std::filesystem::path& folder) {
  if (!sys::is_directory(folder)) {
    throw Error(ErrorKind::missing, fmt::format("`{}` is not a folder", folder.string()));
  }
  return std::make_unique<WheelFolder>(context, folder);
}

}  // namespace cudaenv::install
