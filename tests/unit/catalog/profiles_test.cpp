// What each profile means for each release that the program knows. Needs nothing but the program.

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "catalog/components.hpp"
#include "catalog/index.hpp"

namespace cudaenv::catalog {
namespace {

using Names = std::set<std::string>;

Version version(std::string_view text) { return Version::parse(text).value(); }
Platform platform(std::string_view name) { return Platform::parse(name).value(); }
Release cuda(std::string_view text) { return load("cuda", version(text)).value(); }

Names names(const Resolution& resolution) {
  Names found;
  for (const auto& wanted : resolution.components) found.insert(wanted.component);
  return found;
}

Names essential(const Resolution& resolution) {
  Names found;
  for (const auto& wanted : resolution.components) {
    if (wanted.essential) found.insert(wanted.component);
  }
  return found;
}

std::vector<Platform> linux_platforms(const Release& release) {
  std::vector<Platform> found;
  for (const auto& [on, archives] : release.find("cuda_cudart")->platforms) {
    if (!on.is_windows()) found.push_back(on);
  }
  return found;
}

constexpr std::array all_profiles{Profile::minimal, Profile::runtime, Profile::dev, Profile::full};

// Calls `check(release, platform)` for all that are known.
template <typename Check>
void for_each_target(Check&& check) {
  for (const auto& each : versions("cuda")) {
    const Release release = load("cuda", each).value();
    for (const auto& on : linux_platforms(release)) {
      INFO("CUDA ", each.text(), " ", on.name());
      check(release, on);
    }
  }
}

TEST_CASE("every component of every known CUDA release has a row in the table") {
  for (const auto& each : versions("cuda")) {
    const Release release = load("cuda", each).value();
    for (const auto& component : release.components) {
      if (!component_info(component.name)) FAIL_CHECK(each.text(), " ", component.name);
    }
  }
}

TEST_CASE("every row of the table belongs to some known CUDA release") {
  Names known;
  for (const auto& each : versions("cuda")) {
    const Release release = load("cuda", each).value();
    for (const auto& component : release.components) known.insert(component.name);
  }
  for (const auto& row : all_components()) {
    CAPTURE(row.name);
    CHECK(known.contains(row.name));
    for (const auto& former : row.former_names) CHECK(known.contains(former));
    CHECK_FALSE(row.summary.empty());
    CHECK(row.wheel.empty() == row.wheel_extra.empty());
  }
}

TEST_CASE("no profile lacks anything in any release of NVIDIA's, whatever the Linux platform") {
  for_each_target([](const Release& release, const Platform& on) {
    for (const Profile profile : all_profiles) {
      const auto resolution = resolve_profile(profile, release, on);
      CHECK(fmt::format("{}", fmt::join(resolution.lacking_essential, " ")) == "");
      CHECK(fmt::format("{}", fmt::join(resolution.lacking, " ")) == "");
    }
  });
}

TEST_CASE("minimal compiles and links in every release") {
  for_each_target([](const Release& release, const Platform& on) {
    const Names parts = essential(resolve_profile(Profile::minimal, release, on));
    CHECK(parts.contains("cuda_nvcc"));
    CHECK(parts.contains("cuda_cudart"));
    CHECK(parts.contains("cuda_nvrtc"));
    CHECK((parts.contains("cccl") != parts.contains("cuda_cccl")));
    const bool split = release.version.major() >= 13;
    CHECK(parts.contains("cuda_crt") == split);
    CHECK(parts.contains("libnvvm") == split);
    CHECK(parts.contains("cuda_profiler_api") == (release.version >= version("11.8")));
  });
}

TEST_CASE("runtime has every library that frameworks load") {
  for_each_target([](const Release& release, const Platform& on) {
    const auto resolution = resolve_profile(Profile::runtime, release, on);
    const Names parts = essential(resolution);
    for (const char* library : {"cuda_cudart", "cuda_nvrtc", "libcublas", "libcufft", "libcurand",
                                "libcusolver", "libcusparse"}) {
      CHECK(parts.contains(library));
    }
    CHECK(parts.contains("libnvjitlink") == (release.version.major() >= 12));
    CHECK(names(resolution).contains("cuda_nvcc"));
    CHECK(names(resolution).contains("libnvvm") == (release.version.major() >= 13));
    CHECK_FALSE(names(resolution).contains("cuda_gdb"));
    CHECK_FALSE(parts.contains("cuda_nvcc"));
  });
}

TEST_CASE("each profile holds the one below it, and no driver or Windows part") {
  for_each_target([](const Release& release, const Platform& on) {
    const auto minimal = resolve_profile(Profile::minimal, release, on);
    const auto runtime = resolve_profile(Profile::runtime, release, on);
    const auto dev = resolve_profile(Profile::dev, release, on);
    const auto full = resolve_profile(Profile::full, release, on);
    const Names in_dev = names(dev);
    const Names in_full = names(full);
    for (const auto& part : names(minimal)) CHECK(in_dev.contains(part));
    for (const auto& part : essential(minimal)) CHECK(essential(dev).contains(part));
    for (const auto& part : names(runtime)) CHECK(in_dev.contains(part));
    for (const auto& part : in_dev) CHECK(in_full.contains(part));
    CHECK(essential(dev) == essential(full));
    for (const auto& part : in_full) {
      CAPTURE(part);
      CHECK_FALSE(component_info(part)->driver_side);
      CHECK_FALSE(component_info(part)->windows_only);
    }
  });
}

TEST_CASE("full takes all that a platform has but the driver's side") {
  for_each_target([](const Release& release, const Platform& on) {
    const Names in_full = names(resolve_profile(Profile::full, release, on));
    for (const auto& component : release.components) {
      const bool offered = component.platforms.contains(on);
      const bool wanted = offered && !component_info(component.name)->driver_side;
      CAPTURE(component.name);
      CHECK(in_full.contains(component.name) == wanted);
    }
  });
}

TEST_CASE("a resolution is sorted and names nothing twice") {
  for_each_target([](const Release& release, const Platform& on) {
    for (const Profile profile : all_profiles) {
      const auto resolution = resolve_profile(profile, release, on);
      const Names distinct = names(resolution);
      CHECK(distinct.size() == resolution.components.size());
      CHECK(std::equal(distinct.begin(), distinct.end(), resolution.components.begin(),
                       [](const auto& name, const auto& part) { return name == part.component; }));
    }
  });
}

TEST_CASE("minimal is this, for three generations") {
  const auto x86 = platform("linux-x86_64");
  CHECK(names(resolve_profile(Profile::minimal, cuda("11.4.2"), x86)) ==
        Names{"cuda_cccl", "cuda_cudart", "cuda_nvcc", "cuda_nvrtc"});
  CHECK(names(resolve_profile(Profile::minimal, cuda("12.1.1"), x86)) ==
        Names{"cuda_cccl", "cuda_cudart", "cuda_nvcc", "cuda_nvrtc", "cuda_profiler_api"});
  CHECK(names(resolve_profile(Profile::minimal, cuda("13.0.2"), x86)) ==
        Names{"cuda_cccl", "cuda_crt", "cuda_cudart", "cuda_culibos", "cuda_nvcc", "cuda_nvrtc",
              "cuda_profiler_api", "libnvptxcompiler", "libnvvm"});
  CHECK(names(resolve_profile(Profile::minimal, cuda("13.4.2"), x86)) ==
        Names{"cccl", "cuda_crt", "cuda_cudart", "cuda_culibos", "cuda_nvcc", "cuda_nvrtc",
              "cuda_profiler_api", "libnvptxcompiler", "libnvvm"});
}

TEST_CASE("the essential parts follow the renames and splits") {
  const auto parts = [](Profile profile, std::string_view text) {
    return fmt::format("{}", fmt::join(essential_components(profile, version(text)), " "));
  };
  CHECK(parts(Profile::minimal, "11.4.2") == "cuda_cccl cuda_cudart cuda_nvcc cuda_nvrtc");
  CHECK(parts(Profile::minimal, "11.8.0") ==
        "cuda_cccl cuda_cudart cuda_nvcc cuda_nvrtc cuda_profiler_api");
  CHECK(parts(Profile::minimal, "13.2.1") ==
        "cuda_cccl cuda_crt cuda_cudart cuda_nvcc cuda_nvrtc cuda_profiler_api libnvvm");
  CHECK(parts(Profile::minimal, "13.3.0") ==
        "cccl cuda_crt cuda_cudart cuda_nvcc cuda_nvrtc cuda_profiler_api libnvvm");
  CHECK(parts(Profile::runtime, "11.8.0") ==
        "cuda_cudart cuda_nvrtc libcublas libcufft libcurand libcusolver libcusparse");
  CHECK(parts(Profile::runtime, "12.0.0") ==
        "cuda_cudart cuda_nvrtc libcublas libcufft libcurand libcusolver libcusparse libnvjitlink");
  CHECK(parts(Profile::full, "12.9.1") == parts(Profile::dev, "12.9.1"));
}

TEST_CASE("what a release should have and lacks is named") {
  const auto x86 = platform("linux-x86_64");
  Release release = cuda("13.0.2");
  std::erase_if(release.components, [](const Component& component) {
    return component.name == "cuda_crt" || component.name == "cuda_gdb" ||
           component.name == "cuda_cccl";
  });
  const auto dev = resolve_profile(Profile::dev, release, x86);
  CHECK(dev.lacking_essential == std::vector<std::string>{"cuda_cccl", "cuda_crt"});
  CHECK(dev.lacking == std::vector<std::string>{"cuda_gdb"});
  CHECK(resolve_profile(Profile::runtime, release, x86).lacking_essential.empty());
}

TEST_CASE("a platform that a release left out lacks the essential parts") {
  // Jetson builds are missing in 12.3; ppc64le ended with 12.4.
  for (const auto& [text, on] :
       {std::pair{"12.3.2", "linux-aarch64"}, std::pair{"12.9.1", "linux-ppc64le"},
        std::pair{"13.0.2", "linux-aarch64"}}) {
    const auto resolution = resolve_profile(Profile::minimal, cuda(text), platform(on));
    CHECK(resolution.components.empty());
    CHECK(resolution.lacking_essential == essential_components(Profile::minimal, version(text)));
  }
}

TEST_CASE("a variant for another minor is not offered") {
  Release release = cuda("12.1.1");
  Component* nvcc = nullptr;
  for (auto& component : release.components) {
    if (component.name == "cuda_nvcc") nvcc = &component;
  }
  REQUIRE(nvcc);
  auto& archives = nvcc->platforms.at(platform("linux-x86_64"));
  archives.variants.emplace("cuda13", *archives.plain);
  archives.plain.reset();
  CHECK(resolve_profile(Profile::minimal, release, platform("linux-x86_64")).lacking_essential ==
        std::vector<std::string>{"cuda_nvcc"});
}

TEST_CASE("a component newer than the program is in full only") {
  const auto x86 = platform("linux-x86_64");
  Release release = cuda("13.4.2");
  Component fresh = *release.find("cuda_nvcc");
  fresh.name = "zz_future";
  release.components.push_back(fresh);
  CHECK(names(resolve_profile(Profile::full, release, x86)).contains("zz_future"));
  CHECK_FALSE(names(resolve_profile(Profile::dev, release, x86)).contains("zz_future"));
  CHECK(resolve_profile(Profile::dev, release, x86).lacking.empty());
}

}  // namespace
}  // namespace cudaenv::catalog
