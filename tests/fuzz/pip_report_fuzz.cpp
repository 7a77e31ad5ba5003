// What pip and wheels tell: the installation report, a version list, METADATA, file names.
#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "base/url.hpp"
#include "catalog/wheels.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;
using fuzz::result_of;

void try_report(std::string_view input) {
  const auto wheels = result_of([&] { return catalog::parse_pip_report(input); });
  if (!wheels) return;
  for (const auto& wheel : *wheels) {
    expect(!url_origin(wheel.url).empty(), "a wheel has a URL with a scheme");
    expect(std::none_of(wheel.url.begin(), wheel.url.end(),
                        [](char c) { return static_cast<unsigned char>(c) <= ' '; }),
           "a URL is one word");
    expect(catalog::normalised_distribution(wheel.distribution) == wheel.distribution,
           "a distribution is normalised");
    const auto name = catalog::parse_wheel_name(url_file_name(wheel.url));
    expect(name && name->distribution == wheel.distribution, "a URL names the wheel");
  }
}

void try_requirements(std::string_view input) {
  const auto anywhere = catalog::parse_requirements(input);
  for (const auto& [extra, wanted] : catalog::parse_requirements(input, "x86_64")) {
    const auto same = anywhere.find(extra);
    expect(same != anywhere.end(), "an extra is one on any machine");
    for (const auto& [distribution, version] : wanted) {
      expect(same->second.contains(distribution), "what one machine wants is wanted on any");
    }
  }
}

void try_name(std::string_view line) {
  const auto name = catalog::parse_wheel_name(line);
  if (!name) return;
  expect(line.find('/') == std::string_view::npos, "a wheel's name is no path");
  expect(catalog::normalised_distribution(name->distribution) == name->distribution,
         "a distribution is normalised");
  for (const auto& platform : Platform::all()) name->fits(*Platform::parse(platform));
  catalog::component_of_wheel(name->distribution);
  if (const auto number = catalog::wheel_component_version(name->version)) {
    expect(name->version.starts_with(number->text()), "a component's number begins the version");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  try_report(input);
  try_requirements(input);
  const auto releases = catalog::parse_pip_versions(input);
  expect(std::adjacent_find(releases.begin(), releases.end(), std::greater_equal<>()) ==
             releases.end(),
         "releases ascend and are distinct");
  for (const auto line : text::lines(input)) try_name(line);
  return 0;
}
