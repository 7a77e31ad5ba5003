// Paths and links of archives. An input is a list of entries, one a line, that are put into a tar
// and into a zip, which must come to the same tree:
//
//   f PATH            a file        x PATH  an executable one     d PATH  a folder
//   l PATH -> TARGET  a link        h PATH -> TARGET              a hard link (tar only)
//   m OCTAL PATH      a file of that mode                         o PATH  is left out
//   p                 the first name of each path is cut off, as of NVIDIA's archives
#include <algorithm>
#include <charconv>
#include <set>

#include "archive/entry_path.hpp"
#include "base/text.hpp"
#include "catalog/rules.hpp"
#include "catalog/wheels.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/unpacking.hpp"
#include "support/archive_builder.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;
using fuzz::result_of;

struct Plan {
  test::TarBuilder tar;
  test::ZipBuilder zip;
  bool zip_can = true;  // no hard link in it
  bool cut_top = false;
  std::set<std::string> left_out;
};

std::pair<std::string, std::string> split_arrow(std::string_view text) {
  const auto arrow = text.find(" -> ");
  if (arrow == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, arrow)), std::string(text.substr(arrow + 4))};
}

void add_file(Plan& plan, std::string_view path, unsigned mode) {
  const std::string content = "of " + std::string(path);
  plan.tar.file(std::string(path), content, mode);
  plan.zip.add({.name = std::string(path), .bytes = content, .mode = 0100000 | mode});
}

void add_with_mode(Plan& plan, std::string_view rest) {
  unsigned mode = 0;
  const auto blank = std::min(rest.find(' '), rest.size());
  std::from_chars(rest.data(), rest.data() + blank, mode, 8);
  add_file(plan, rest.substr(std::min(blank + 1, rest.size())), mode & 07777);
}

void add_line(Plan& plan, std::string_view line) {
  if (line == "p") plan.cut_top = true;
  if (line.size() < 3 || line[1] != ' ') return;
  const std::string_view rest = line.substr(2);
  const auto [path, target] = split_arrow(rest);
  switch (line[0]) {
    case 'f':
      return add_file(plan, rest, 0644);
    case 'x':
      return add_file(plan, rest, 0755);
    case 'm':
      return add_with_mode(plan, rest);
    case 'd':
      plan.tar.folder(std::string(rest));
      plan.zip.add(
          {.name = std::string(rest) + "/", .bytes = "", .deflated = false, .mode = 040755});
      return;
    case 'l':
      plan.tar.symlink(path, target);
      plan.zip.add({.name = path, .bytes = target, .mode = 0120777});
      return;
    case 'h':
      plan.tar.hard_link(path, target);
      plan.zip_can = false;
      return;
    case 'o':
      plan.left_out.emplace(rest);
      return;
    default:
      return;
  }
}

using Entries = std::vector<archive::Entry>;

std::optional<Entries> unpacked(const Plan& plan, std::string_view bytes) {
  const fuzz::Unpacking unpacking(bytes);
  auto request = unpacking.request();
  request.place = [&](const std::string& path) -> std::optional<std::string> {
    if (plan.left_out.contains(path)) return std::nullopt;
    if (!plan.cut_top) return path;
    const auto slash = path.find('/');
    if (slash == std::string::npos) return std::nullopt;
    return path.substr(slash + 1);
  };
  const auto entries = result_of([&] { return archive::unpack(request, NoInterrupt()); });
  if (entries) {
    unpacking.expect_as_told(*entries);
  } else {
    unpacking.expect_harmless();
  }
  return entries;
}

void expect_same(const Entries& one, const Entries& other) {
  expect(one.size() == other.size(), "tar and zip come to the same tree");
  for (std::size_t i = 0; i < one.size(); ++i) {
    expect(one[i].kind == other[i].kind && one[i].path == other[i].path &&
               one[i].mode == other[i].mode && one[i].sha256 == other[i].sha256 &&
               one[i].target == other[i].target,
           "tar and zip come to the same entries");
  }
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

void try_plan(std::string_view input) {
  Plan plan;
  for (const auto line : text::lines(input)) add_line(plan, line);
  const auto from_tar = unpacked(plan, plan.tar.bytes());
  // libarchive composes what a tar's header spells with combining marks; a zip's bytes stay.
  if (!plan.zip_can || !is_ascii(input)) return;
  const auto from_zip = unpacked(plan, plan.zip.bytes());
  if (from_tar && from_zip) expect_same(*from_tar, *from_zip);
}

void expect_inside(std::string_view path) {
  expect(!path.starts_with('/'), "a path is relative");
  for (const auto part : text::split(path, '/')) {
    expect(!part.empty() && part != "." && part != "..", "a path has plain parts");
  }
}

void try_places(std::string_view input) {
  std::vector<std::string> paths;
  for (const auto line : text::lines(input)) {
    if (line.size() > 2) paths.emplace_back(line.substr(2));
  }
  for (const char* component : {"cuda_nvcc", "cuda_sanitizer_api", "cudnn"}) {
    const auto places = result_of([&] { return catalog::wheel_places(component, paths); });
    if (!places) continue;
    std::vector<std::string> placed;
    for (const auto& place : *places) {
      if (!place) continue;
      expect_inside(*place);
      placed.push_back(*place);
    }
    expect(std::set<std::string>(placed.begin(), placed.end()).size() == placed.size(),
           "no two members have one place");
    for (const auto& [link, target] : catalog::missing_links(component, placed)) {
      expect_inside(link);
      expect(archive::components(target).size() > 0, "a link leads somewhere");
    }
  }
}

void try_path(std::string_view line) {
  if (catalog::is_safe_path(line)) expect_inside(line);
  const auto path = result_of([&] { return archive::checked_path(line); });
  if (!path || path->empty()) return;
  expect_inside(*path);
  expect(archive::checked_path(*path) == *path, "a checked path stays as it is");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  if (input.size() > 4096) return 0;
  for (const auto line : text::lines(input)) try_path(line);
  try_places(input);
  try_plan(input);
  return 0;
}
