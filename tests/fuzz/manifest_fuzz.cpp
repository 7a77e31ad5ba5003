// What a mirror tells of its releases: NVIDIA's manifests, listings, and our own compact texts.
#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "catalog/component_table.hpp"
#include "catalog/index.hpp"
#include "catalog/manifest.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;
using fuzz::result_of;

void expect_safe(const Archive& archive) {
  for (const auto part : text::split(archive.path, '/')) {
    expect(!part.empty() && part != "." && part != "..", "an archive lies below its folder");
  }
  expect(archive.size > 0, "an archive has a size");
  expect(!archive_top_folder(archive.path).empty(), "an archive's top folder has a name");
}

void expect_whole(const Release& release) {
  const auto by_name = [](const Component& one, const Component& other) {
    return one.name < other.name;
  };
  expect(std::is_sorted(release.components.begin(), release.components.end(), by_name),
         "components are sorted");
  for (const auto& component : release.components) {
    expect(release.find(component.name) == &component, "a component is found by its name");
    for (const auto& [platform, archives] : component.platforms) {
      if (archives.plain) expect_safe(*archives.plain);
      for (const auto& [variant, archive] : archives.variants) expect_safe(archive);
    }
  }
  const Release again = catalog::read_index_text(catalog::write_index_text(release), "the copy");
  expect(again == release, "a release comes back from our own text as it was");
}

void expect_table(const catalog::ComponentTable& table) {
  expect(table.rules.size() == table.components.size(), "each component has its rules");
  for (std::size_t i = 0; i < table.components.size(); ++i) {
    expect(table.find(table.components[i].name) == i, "a component is found by its name");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const Version asked = *Version::parse("12.1.1");
  if (const auto release = result_of(
          [&] { return catalog::parse_manifest(input, "cuda", asked, "the manifest"); })) {
    expect_whole(*release);
  }
  if (const auto release =
          result_of([&] { return catalog::read_index_text(input, "the index"); })) {
    expect_whole(*release);
  }
  if (const auto versions =
          result_of([&] { return catalog::parse_listing(input, "cuda", "the listing"); })) {
    expect(std::adjacent_find(versions->begin(), versions->end(), std::greater_equal<>()) ==
               versions->end(),
           "versions ascend and are distinct");
  }
  if (const auto table =
          result_of([&] { return catalog::read_component_table(input, "the table"); })) {
    expect_table(*table);
  }
  return 0;
}
