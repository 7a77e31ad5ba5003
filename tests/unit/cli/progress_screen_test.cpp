#include "cli/progress_screen.hpp"

#include <random>

#include <doctest/doctest.h>

#include "cli/table.hpp"

using namespace cudaenv;
using cli::render;
using cli::Screen;
using cli::ShownItem;
using cli::Style;
using Stage = ShownItem::Stage;

namespace {

const Style plain(false);
constexpr std::uint64_t mega = 1'000'000;

ShownItem item(const std::string& name, Stage stage, std::uint64_t fetched, std::uint64_t total) {
  ShownItem result{name, stage, total, fetched, 0, ""};
  if (stage == Stage::unpacking || stage == Stage::done) result.fetched = total;
  return result;
}

Screen busy_screen() {
  Screen screen;
  screen.fetch_total = 400 * mega;
  screen.rate = 20.0 * mega;
  screen.elapsed = std::chrono::seconds(7);
  screen.items = {item("cuda_cudart 12.1.105", Stage::done, 0, mega),
                  item("cuda_nvcc 12.1.105", Stage::fetching, 20 * mega, 43 * mega),
                  item("libcublas 12.1.3.1", Stage::fetching, 79 * mega, 356 * mega),
                  item("cuda_cccl 12.1.109", Stage::waiting, 0, 0)};
  return screen;
}

bool is_utf8(const std::string& text) {
  std::size_t expected = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0u) == 0x80) {
      if (expected == 0) return false;
      --expected;
      continue;
    }
    if (expected != 0) return false;
    expected = byte >= 0xF0 ? 3 : byte >= 0xE0 ? 2 : byte >= 0xC0 ? 1 : 0;
  }
  return expected == 0;
}

// The last column stays free: a terminal that has written it may already be on the next line.
void check_fits(const Screen& screen, unsigned width) {
  for (const bool colour : {false, true}) {
    for (const auto& line : render(screen, width, 10, Style(colour))) {
      CAPTURE(width);
      CAPTURE(line);
      CHECK(cli::shown_width(line) < width);
      CHECK(is_utf8(line));
      CHECK(line.find('\n') == std::string::npos);
    }
  }
}

}  // namespace

TEST_CASE("the display has a line for each archive under way, then the sums") {
  const auto lines = render(busy_screen(), 80, 10, plain);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].find("cuda_nvcc 12.1.105 ") != std::string::npos);
  CHECK(lines[0].ends_with(" 20.0 MB of 43.0 MB"));
  CHECK(lines[0].find("█") != std::string::npos);
  CHECK(lines[1].find("libcublas 12.1.3.1 ") != std::string::npos);
  // 1 + 20 + 79 MB are here, 300 MB are left at 20 MB/s.
  CHECK(lines[2] == " 1/4 archives   100.0 MB of 400.0 MB   20.0 MB/s   0:16 left   0:07");
}

TEST_CASE("an archive of unknown size shows what has come and no bar that means nothing") {
  Screen screen;
  screen.items = {item("nvidia_cuda_nvcc", Stage::fetching, 5 * mega, 0)};
  const auto lines = render(screen, 80, 10, plain);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].ends_with(" 5.0 MB"));
  CHECK(lines[0].find("of") == std::string::npos);
  CHECK(lines[0].find("█") == std::string::npos);
  CHECK(lines[1].find("left") == std::string::npos);
}

TEST_CASE("sizes that are learnt on the way count in the sum") {
  Screen screen;
  screen.rate = 1.0 * mega;
  screen.items = {item("a", Stage::fetching, 5 * mega, 20 * mega),
                  item("b", Stage::fetching, 5 * mega, 30 * mega)};
  CHECK(render(screen, 80, 10, plain).back() ==
        " 0/2 archives   10.0 MB of 50.0 MB   1.0 MB/s   0:41 left   0:00");
}

TEST_CASE("a transfer that is tried again says why, in the room that there is") {
  Screen screen;
  screen.items = {item("cuda_nvcc 12.1.105", Stage::retrying, 5 * mega, 43 * mega)};
  screen.items[0].detail = "the server closed the connection; again in 2 s";
  const auto wide = render(screen, 200, 10, plain);
  CHECK(wide[0].find("the server closed the connection; again in 2 s") != std::string::npos);
  const auto narrow = render(screen, 60, 10, plain);
  CHECK(narrow[0].find("the server closed") != std::string::npos);
  CHECK(narrow[0].find("…") != std::string::npos);
}

TEST_CASE("unpacking shows its share, which never exceeds the whole") {
  Screen screen;
  screen.items = {item("cuda_nvcc 12.1.105", Stage::unpacking, 0, 40 * mega)};
  screen.items[0].unpacked = 10 * mega;
  CHECK(render(screen, 80, 10, plain)[0].ends_with(" unpacking  25 %"));
  screen.items[0].unpacked = 50 * mega;
  CHECK(render(screen, 80, 10, plain)[0].ends_with(" unpacking 100 %"));
}

TEST_CASE("a step takes the place of the word archives, and stands alone without any") {
  auto screen = busy_screen();
  screen.step = "putting 5120 files together";
  CHECK(render(screen, 100, 10, plain).back().starts_with(" 1/4 putting 5120 files together "));
  screen.items.clear();
  screen.fetch_total = 0;
  CHECK(render(screen, 100, 10, plain) ==
        std::vector<std::string>{" putting 5120 files together   0:07"});
}

TEST_CASE("a long step is cut where the terminal ends") {
  Screen screen;
  screen.step = "waiting for another cudaenv that works in this root (process 4711)";
  const auto lines = render(screen, 40, 10, plain);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with(" waiting for another cudaenv"));
}

TEST_CASE("no line reaches the terminal's last column") {
  auto screen = busy_screen();
  screen.items.push_back(item(std::string(120, 'n'), Stage::fetching, 999 * mega, 0));
  screen.items.push_back(item("überlänge überlänge überlänge", Stage::unpacking, 0, 999 * mega));
  screen.items.push_back(item("cudnn 8.9", Stage::retrying, 0, 999 * mega));
  screen.items.back().detail = "größer als erwartet: größer als erwartet: größer als erwartet";
  for (unsigned width = 2; width <= 210; ++width) check_fits(screen, width);
  screen.step = "putting 5120 files together";
  for (const unsigned width : {20u, 40u, 80u, 200u}) check_fits(screen, width);
}

TEST_CASE("whatever the numbers are, the display fits and is drawn") {
  std::mt19937 random(4711);
  const auto number = [&] { return std::uint64_t{random()} << (random() % 33); };
  for (int round = 0; round < 300; ++round) {
    Screen screen;
    screen.fetch_total = random() % 2 == 0 ? 0 : number();
    screen.rate = static_cast<double>(number());
    screen.elapsed = std::chrono::milliseconds(number() % 1'000'000'000);
    screen.frame = static_cast<unsigned>(random());
    const std::size_t count = random() % 14;
    for (std::size_t i = 0; i < count; ++i) {
      ShownItem shown{std::string(random() % 40, 'x'),
                      static_cast<Stage>(random() % 6),
                      number(),
                      number(),
                      number(),
                      std::string(random() % 90, 'y')};
      screen.items.push_back(std::move(shown));
    }
    check_fits(screen, 2 + static_cast<unsigned>(random() % 200));
  }
}

TEST_CASE("the display is never higher than it may be, and keeps the sums") {
  Screen screen;
  for (int i = 0; i < 30; ++i) {
    screen.items.push_back(item("item " + std::to_string(i), Stage::fetching, mega, 2 * mega));
  }
  for (const unsigned height : {1u, 2u, 5u, 10u}) {
    const auto lines = render(screen, 80, height, plain);
    CHECK(lines.size() == height);
    CHECK(lines.back().find("0/30") != std::string::npos);
  }
}

TEST_CASE("the time left is told only while something is to come at a known rate") {
  auto screen = busy_screen();
  screen.rate = 0;
  CHECK(render(screen, 80, 10, plain).back() == " 1/4 archives   100.0 MB of 400.0 MB   0:07");
  screen = busy_screen();
  screen.items[1].fetched = 43 * mega;
  screen.items[2].fetched = 356 * mega;
  CHECK(render(screen, 80, 10, plain).back() == " 1/4 archives   400.0 MB of 400.0 MB   0:07");
}

TEST_CASE("without colour no code is drawn, with colour the words are the same") {
  const auto screen = busy_screen();
  for (const auto& line : render(screen, 80, 10, plain)) {
    CHECK(line.find('\x1b') == std::string::npos);
  }
  const auto coloured = render(screen, 80, 10, Style(true));
  const auto lines = render(screen, 80, 10, plain);
  REQUIRE(coloured.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CHECK(cli::shown_width(coloured[i]) == cli::shown_width(lines[i]));
    CHECK(coloured[i].find('\x1b') != std::string::npos);
  }
}

TEST_CASE("a clock counts seconds, minutes, hours") {
  CHECK(cli::clock_text(std::chrono::seconds(0)) == "0:00");
  CHECK(cli::clock_text(std::chrono::seconds(7)) == "0:07");
  CHECK(cli::clock_text(std::chrono::seconds(754)) == "12:34");
  CHECK(cli::clock_text(std::chrono::seconds(3723)) == "1:02:03");
}
