#include "catalog/project.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "support/error_text.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;
using cudaenv::test::error_text;

namespace {

Project parsed(std::string_view text) { return parse_project(text, "/p/.cudaenv"); }

std::string refusal(std::string_view text) {
  return error_text([&] { parsed(text); });
}

std::string edited(std::string_view text, const char* spec = "12.1") {
  return with_cuda(text, "/p/.cudaenv", Spec::parse(spec));
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("F58: a bare version is read however the editor left the file") {
  for (const std::string_view text :
       {"12.1", "12.1\n", "12.1\r\n",
        "\xEF\xBB\xBF"
        "12.1\n",
        "  12.1\t \n", "# x\n\n12.1 \n", "12.1 # for torch\r\n\r\n", "\n\n12.1\n# end"}) {
    CAPTURE(text::visible(text));
    CHECK(parsed(text).cuda.text() == "12.1");
    CHECK(parsed(text).odd.empty());
  }
  CHECK(parsed("# x\n\n12.1 \n").line == 3);
  CHECK(parsed(">=12.1,<13\n").cuda.text() == ">=12.1,<13");
  CHECK(parsed("==12.1").cuda.text() == "==12.1");
  CHECK(parsed("11.8-cudnn89").cuda.text() == "11.8-cudnn89");
}

TEST_CASE("TOML says more than a version") {
  const auto project = parsed(
      "\xEF\xBB\xBF# ours\r\n"
      "cuda = \"12.1\"\r\n"
      "cudnn = '8.9'\r\n"
      "profile = \"runtime\"  # small\r\n"
      "for = \"pytorch==2.1\"\r\n"
      "ld_path = false");
  CHECK(project.cuda.text() == "12.1");
  CHECK(project.line == 2);
  REQUIRE(project.libraries.size() == 1);
  CHECK(project.libraries[0].name == "cudnn");
  CHECK(project.libraries[0].version->text() == "8.9");
  CHECK_FALSE(parsed("cuda = \"12\"\ncudnn = \"latest\"").libraries.at(0).version);
  CHECK(project.profile == Profile::runtime);
  CHECK(project.framework == "pytorch==2.1");
  CHECK(project.ld_path == false);
  CHECK(project.odd.empty());
}

TEST_CASE("an unknown key is passed over and named, with what was probably meant") {
  const auto project = parsed("cuda = \"12.1\"\ncudn = \"8.9\"\n\n[tool.x]\ny = 1\n");
  CHECK(project.cuda.text() == "12.1");
  REQUIRE(project.odd.size() == 2);
  CHECK(project.odd[0] == "line 2: there is no key `cudn`; did you mean `cudnn`?");
  CHECK(project.odd[1] == "line 4: there is no key `tool`");
}

TEST_CASE("F58: what cannot be meant is refused with file and line") {
  const struct {
    std::string_view text;
    std::string_view place;
    std::string_view why;
  } cases[] = {
      {"", "", "it names no toolkit"},
      {"# only this\n\n", "", "it names no toolkit"},
      {"cudnn = \"8.9\"\n", "", "it names no toolkit"},
      {"12.1\n11.8\n", "line 2", "`11.8` is one version too many"},
      {"12.1\ncudnn = \"8.9\"\n", "line 2", "one version too many"},
      {std::string_view("\xFF\xFE\x31\x00", 4), "line 1", "UTF-16"},
      {"\xFE\xFF", "line 1", "UTF-16"},
      {std::string_view("1\0002\000", 4), "line 1", "UTF-16"},
      {"# \n\x1B[2J12.1", "line 2", "\\x1B[2J12.1"},
      {"12.1\rrm", "line 1", "12.1\\rrm"},
      {"12.1\n\xC3\x28\n", "line 2", "\\xC3"},
      {"\n/usr/local/cuda\n", "line 2", "a path cannot be used here"},
      {"../cuda", "line 1", "a path cannot be used here"},
      {"$(touch x)", "line 1", "only letters, digits"},
      {"`id`", "line 1", "only letters, digits"},
      {"auto", "line 1", "another toolkit on each machine"},
      {"cuda = \"system\"", "line 1", "another toolkit on each machine"},
      {"12.08", "line 1", "leading zero"},
      {"# c\ncuda = \"/opt/cuda\"\n", "line 2", "a path cannot be used here"},
      {"cuda = \"12.1\\n\\u0007\"\n", "line 1", "control character"},
      {"cuda = 12.10\n", "line 1", "write `cuda = \"12.10\"`"},
      {"cuda = [\"12.1\"]\n", "line 1", "`cuda` is not a text"},
      {"cuda = \"12.1\"\ncuda = \"11.8\"\n", "line 2", "not TOML"},
      {"cuda = \"12.1\n", "line 1", "not TOML"},
      {"[é]\ncuda = \"12.1\"\n", "", "not TOML"},
      {"cuda = 12.1.1\n", "line 1", "not TOML"},
      {"cuda = \"12.1\"\ncudnn = \"new\"\n", "line 2", "`new` is not a version"},
      {"cuda = \"12.1\"\nprofile = \"deb\"\n", "line 2", "did you mean `dev`?"},
      {"cuda = \"12.1\"\nld_path = \"no\"\n", "line 2", "neither true nor false"},
  };
  for (const auto& [text, place, why] : cases) {
    const std::string shown = text::visible(text);
    CAPTURE(shown);
    const auto said = refusal(text);
    CHECK_MESSAGE(has(said, "cannot read `/p/.cudaenv`"), said);
    CHECK_MESSAGE(has(said, place), said);
    CHECK_MESSAGE(has(said, why), said);
    CHECK(said.find_first_of("\x1B\r\x07") == std::string::npos);
  }
}

TEST_CASE("another version is put in, and all else stays") {
  CHECK(edited("") == "12.1\n");
  CHECK(edited("# why\r\n") == "# why\r\n12.1\r\n");
  CHECK(edited("# why") == "# why\n12.1\n");
  CHECK(edited("11.8") == "12.1");
  CHECK(edited("\xEF\xBB\xBF# a\r\n  11.8 # b\r\n") == "\xEF\xBB\xBF# a\r\n  12.1 # b\r\n");
  CHECK(edited("# é\ncuda='11.8' # b\ncudnn = \"8.9\"\n[x]\n") ==
        "# é\ncuda=\"12.1\" # b\ncudnn = \"8.9\"\n[x]\n");
  CHECK(edited("x = \"é€😀\"\r\n\"cuda\" = \"11.8\"\r\n", ">=12.1,<13") ==
        "x = \"é€😀\"\r\n\"cuda\" = \">=12.1,<13\"\r\n");
  CHECK(edited("# a\n[x]\n") == "# a\ncuda = \"12.1\"\n[x]\n");
}

TEST_CASE("bytes of any kind are read or refused, and an edit does what it says") {
  std::mt19937 random(7);
  const std::string alphabet("cuda=\"'12.1\n\r#[]{},\\ \t\xC3\xA9\xFFx\0u0063", 32);
  const std::string sample = "# é\ncuda = \"11.8\" # b\ncudnn = \"8.9\"\nld_path = true\n";
  unsigned read = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    std::string text = round % 2 == 0 ? sample : "";
    for (unsigned i = 0; i < 1 + round % 12; ++i) {
      const char c = alphabet[random() % alphabet.size()];
      const std::size_t at = random() % (text.size() + 1);
      if (at < text.size() && random() % 2 == 0) {
        text[at] = c;
      } else {
        text.insert(at, 1, c);
      }
    }
    CAPTURE(text::visible(text, 400));
    try {
      const auto before = parsed(text);
      const auto after = parsed(edited(text, "13.0"));
      CHECK(after.cuda.text() == "13.0");
      CHECK(after.odd == before.odd);
      CHECK(after.libraries.size() == before.libraries.size());
      ++read;
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::corrupt);
    }
  }
  CHECK(read > 100);
}
