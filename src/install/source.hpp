#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/components.hpp"
#include "install/context.hpp"
#include "model/release.hpp"
#include "model/spec.hpp"

namespace cudaenv::install {

enum class Form { archive, wheel };

// One archive that a source has for a component.
struct Offer {
  std::string component;
  std::string product;  // "cuda", "cudnn"
  std::string version;  // the component's own
  Digest sha256;
  std::uint64_t size = 0;         // bytes; 0: not known before the transfer
  std::vector<std::string> urls;  // in order; credentials may stand in them
  std::string file_name;          // for messages
  Form form = Form::archive;
  std::string lacks{};    // beside NVIDIA's archive, one line; empty: nothing
  bool unusable = false;  // it lacks what makes the component essential
};

// What a source answers to a list of components.
struct Offers {
  std::vector<Offer> found;
  std::vector<std::string> missing;  // asked for, and not to be had here
};

// Where toolkits come from. A prefix is the same whatever its source.
class Source {
 public:
  virtual ~Source() = default;

  // For messages and the receipt: "nvidia", "wheels", or a mirror as it may be shown.
  virtual std::string name() const = 0;

  // The releases of a product that can be had here, as far as that is known without a long
  // search; ascending.
  virtual std::vector<Version> releases(std::string_view product) = 0;

  // The same, after asking the source itself over the network.
  virtual std::vector<Version> remote_releases(std::string_view product) = 0;

  // What a release is made of; nothing where the source does not have it.
  virtual std::optional<Release> release(std::string_view product, const Version& version) = 0;

  // The archives of some components of a release.
  virtual Offers offers(const Release& release, const Platform& platform,
                        const std::vector<std::string>& components) = 0;

  // The newest build of an add-on that matches `wanted` (any version where it is empty) for a CUDA
  // release on a platform; nothing where there is none.
  virtual std::optional<Offer> add_on(const catalog::AddOn& add_on,
                                      const std::optional<Version>& wanted, const Version& cuda,
                                      const Platform& platform) = 0;
};

struct MirrorOptions {
  std::vector<std::string> mirrors;  // each stands for NVIDIA's host; empty: that host itself
  bool trust = false;                // take the mirror's manifests instead of the index
};

// NVIDIA's redist tree or mirrors of it.
std::unique_ptr<Source> make_nvidia_source(const Context& context, const MirrorOptions& options);

// NVIDIA's Python wheels, by pip's index, or in a folder ("wheels:DIR").
std::unique_ptr<Source> make_wheel_source(const Context& context,
                                          const std::filesystem::path& folder);

// The host that the mirrors stand for.
extern const char* const nvidia_host;

// Whether NVIDIA's host answers within the connect limit. Not asked when offline.
bool nvidia_reachable(const Context& context);

// The newest of `candidates` that a spec accepts, or nothing.
std::optional<Version> newest_match(const Spec& spec, const std::vector<Version>& candidates);

}  // namespace cudaenv::install
