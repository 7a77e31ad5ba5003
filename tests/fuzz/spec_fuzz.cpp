// What people type to name a toolkit, and the words that become file names.
#include <array>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "fuzz/fuzz.hpp"
#include "model/platform.hpp"
#include "model/spec.hpp"
#include "model/version.hpp"
#include "store/layout.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

void try_version(std::string_view text) {
  const auto version = Version::parse(text);
  if (!version) return;
  expect(version->text() == text, "a version keeps its text");
  expect(!version->parts().empty() && version->parts().size() <= 8, "one to eight numbers");
  for (std::size_t count = 1; count <= version->parts().size(); ++count) {
    const Version first = version->first(count);
    expect(first.parts().size() == count, "first() gives as many numbers as asked for");
    expect(version->starts_with(first), "a version starts with its first numbers");
    expect(first <= *version, "the shorter one is less");
    expect(Version::parse(first.text()) == first, "first() has a text of its own");
  }
}

void try_pair(std::string_view one_text, std::string_view other_text) {
  const auto one = Version::parse(one_text);
  const auto other = Version::parse(other_text);
  if (!one || !other) return;
  expect((*one < *other) == (*other > *one), "the order has two sides");
  expect((*one == *other) == ((*one <=> *other) == 0), "equal is neither less nor greater");
}

void try_spec(std::string_view text) {
  const auto spec = fuzz::result_of([&] { return Spec::parse(text); });
  if (!spec) return;
  expect(spec->text() == text::trimmed(text), "a spec keeps what was typed");
  const Spec again = Spec::parse(spec->text());
  expect(again.value().index() == spec->value().index(), "a spec's text means the same again");
  for (const char* known : {"11.8.0", "12.1", "12.1.1", "13.0.0", "13.10.2"}) {
    const Version version = *Version::parse(known);
    expect(again.accepts(version) == spec->accepts(version), "a spec's text accepts the same");
  }
  if (const auto* partial = std::get_if<Spec::Partial>(&spec->value())) {
    expect(spec->accepts(partial->version), "a version accepts itself");
  }
  if (const auto* name = std::get_if<Spec::Name>(&spec->value())) {
    expect(is_prefix_name(name->name), "a name is one that a prefix may have");
  }
}

void try_prefix_name(std::string_view name) {
  const auto folder = fuzz::result_of([&] { return store::prefix_folder(name); });
  if (!folder) return;
  expect(folder->starts_with("cuda"), "a system root holds nothing of ours by another name");
  expect(folder->find_first_of("/\\ \t\n") == std::string::npos, "a prefix is one folder");
  expect(*folder != "cuda", "a prefix does not take the default link's place");
  const auto root = store::Layout::user("/root-of-all");
  expect(root.prefix(*folder) == root.prefix(std::string(name)), "a folder's name names it again");
}

void try_digest(std::string_view text) {
  if (const auto digest = Digest::from_hex(text)) {
    expect(digest->hex() == text::lower(text), "a digest is written as it was read");
  }
  if (const auto digest = Digest::from_base64url(text)) {
    expect(Digest::from_hex(digest->hex()) == digest, "both spellings mean one digest");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  try_spec(input);
  std::string_view before;
  for (const auto line : text::split(input, '\n')) {
    try_version(line);
    try_pair(before, line);
    try_spec(line);
    try_prefix_name(line);
    try_digest(line);
    if (const auto platform = Platform::parse(line)) {
      expect(platform->name() == line, "a platform keeps its name");
    }
    before = line;
  }
  return 0;
}
