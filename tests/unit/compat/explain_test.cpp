#include "compat/explain.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "compat/tables.hpp"

using namespace cudaenv;
using namespace cudaenv::compat;

namespace {

const ErrorTexts& texts() {
  static const ErrorTexts known(builtin_tables());
  return known;
}

std::vector<Explanation> explained(std::string_view log) {
  LogReader reader(texts());
  reader.feed(log);
  return reader.finish();
}

std::vector<std::string> ids(const std::vector<Explanation>& found) {
  std::vector<std::string> result;
  for (const auto& each : found) result.push_back(each.error->id);
  return result;
}

struct Case {
  std::vector<std::string> ids;  // in order
  std::set<std::string> also;    // may come, too
  std::string log;
};

std::vector<Case> cases() {
  std::ifstream file(CUDAENV_EXPLAINED);
  std::vector<Case> result;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      result.emplace_back();
      std::istringstream words(line.substr(4));
      for (std::string id; words >> id;) {
        if (id != "none") result.back().ids.push_back(id);
      }
    } else if (!result.empty() && line.starts_with("also ")) {
      result.back().also.insert(line.substr(5));
    } else if (!result.empty()) {
      result.back().log += line + "\n";
    }
  }
  return result;
}

// The ids as one text, which a failed check shows.
std::string expected_of(const Case& one, const std::vector<Explanation>& found) {
  std::vector<std::string> seen = ids(found);
  std::erase_if(seen, [&](const std::string& id) { return one.also.contains(id); });
  return text::join(seen, " ");
}

// What terminals, loggers and editors do to a log, line by line or to all of it.
using Change = std::function<std::string(const std::string&)>;

Change each_line(const std::function<std::string(std::string_view)>& change) {
  return [change](const std::string& log) {
    std::string result;
    for (const auto line : text::lines(log)) result += change(line) + "\n";
    return result;
  };
}

std::string prefixed(std::string_view prefix, std::string_view line) {
  return std::string(prefix) + std::string(line);
}

// Broken after every `width` bytes, in the middle of words, as a terminal does it.
std::string broken(std::string_view line, std::size_t width, std::string_view next) {
  std::string result;
  for (std::size_t i = 0; i < line.size(); i += width) {
    if (i > 0) result += "\n" + std::string(next);
    result += line.substr(i, width);
  }
  return result;
}

std::string coloured(std::string_view line) {
  std::string result = "\x1b[1m\x1b[31m";
  for (const char c : line) {
    result += c;
    if (c == ' ') result += "\x1b[0m\x1b[38;5;203m\x1b]8;;\x1b\\";
  }
  return result + "\x1b[0m";
}

// Blanks at other places, as boxes and word wrap set them.
std::string spread(std::string_view line) {
  std::string result;
  for (const char c : line) result += c == ' ' ? std::string("\n      ") : std::string(1, c);
  return result;
}

std::vector<std::pair<std::string, Change>> changes() {
  return {
      {"as it is", [](const std::string& log) { return log; }},
      {"coloured", each_line(coloured)},
      {"CRLF", each_line([](auto line) { return std::string(line) + "\r"; })},
      {"times",
       each_line([](auto line) { return prefixed("2024-05-06T07:08:09.123456Z ", line); })},
      {"a container's times", each_line([](auto line) {
         return prefixed("2024-05-06T07:08:09.123456789+02:00 stderr F ", line);
       })},
      {"a rank", each_line([](auto line) { return prefixed("[rank3]: ", line); })},
      {"compose", each_line([](auto line) { return prefixed("worker-1  | ", line); })},
      {"pytest", each_line([](auto line) { return prefixed("E       ", line); })},
      {"ray", each_line([](auto line) { return prefixed("(Trainer pid=4242) ", line); })},
      {"words on lines of their own", each_line(spread)},
      {"80 columns", each_line([](auto line) { return broken(line, 80, ""); })},
      {"words broken by times",
       each_line([](auto line) { return broken(line, 80, "[2024-05-06 07:08:09,123] "); })},
      {"upper case", each_line([](auto line) {
         std::string result(line);
         for (char& c : result) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
         return result;
       })},
      {"not UTF-8 around", [](const std::string& log) { return "\xff\xfe\x80\n" + log + "\xc3"; }},
      {"no newline at the end",
       [](const std::string& log) { return log.substr(0, log.size() - 1); }},
  };
}

// A text that fits a phrase.
std::string sample_of(std::string text) {
  for (const auto& [place, sample] :
       {std::pair<std::string_view, std::string_view>{"{number}", "12"},
        {"{version}", "12.4"},
        {"{letters}", "Complete"},
        {"{word}", "compute_90"},
        {"{any}", "(8, 3, 2)"}}) {
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place)) {
      text.replace(at, place.size(), sample);
    }
  }
  for (auto at = text.find("{="); at != std::string::npos; at = text.find("{=")) {
    text.erase(text.find('}', at), 1);
    text.erase(at, 2);
  }
  return text;
}

}  // namespace

TEST_CASE("logs of frameworks, compilers and containers are recognised however they are wrapped") {
  const auto all = cases();
  REQUIRE(all.size() >= 100);
  REQUIRE(texts().of_code("35").size() >= 1);
  for (const auto& [name, change] : changes()) {
    for (const auto& one : all) {
      // A break at column 80 can cut a number, which nothing can mend; ids are compared, not those.
      const auto& changed = name;
      CAPTURE(changed);
      CAPTURE(one.log);
      CHECK(expected_of(one, explained(change(one.log))) == text::join(one.ids, " "));
    }
  }
}

TEST_CASE("every phrase of the tables leads to its error") {
  for (const auto& row : builtin_tables().phrases) {
    CAPTURE(row.text);
    const auto seen = ids(explained("RuntimeError: " + sample_of(row.text) + " (at x.cpp:1)\n"));
    CHECK(std::find(seen.begin(), seen.end(), row.error) != seen.end());
  }
}

TEST_CASE("every name of an error is known by itself and in a log") {
  for (const auto& row : builtin_tables().codes) {
    CAPTURE(row.name);
    const auto known = texts().of_code(row.name);
    REQUIRE_FALSE(known.empty());
    CHECK(std::any_of(known.begin(), known.end(),
                      [&](const auto& each) { return each.code->name == row.name; }));
    const auto numbered = texts().of_code(std::to_string(row.number));
    CHECK(std::any_of(numbered.begin(), numbered.end(),
                      [&](const auto& each) { return each.code == &row; }));
    if (row.family == "xid") continue;
    CHECK(explained("failed: " + row.name + "\n").size() == 1);
    CHECK(explained("my" + row.name + "Counter = 3\n").empty());
  }
}

TEST_CASE("at least forty errors have texts, causes and remedies") {
  std::set<std::string> with_text;
  for (const auto& row : builtin_tables().phrases) with_text.insert(row.error);
  CHECK(with_text.size() >= 40);
  for (const auto& row : builtin_tables().errors) {
    CAPTURE(row.id);
    CHECK_FALSE(row.causes.empty());
    CHECK_FALSE(row.help.empty());
    CHECK_FALSE(row.source.empty());
  }
}

TEST_CASE("a number is the runtime's first, and what else it may be comes after") {
  const auto found = texts().of_code(" 35 ");
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].error->id == "insufficient-driver");
  CHECK(found[0].code->name == "cudaErrorInsufficientDriver");
  CHECK(texts().of_code("0x324")[0].error->id == "compat-unsupported");
  CHECK(ids(texts().of_code("38")) == std::vector<std::string>{"no-device"});
  CHECK(texts().of_code("12345").empty());
  CHECK(texts().of_code("-1").empty());
  CHECK(texts().of_code("").empty());
  CHECK(texts().of_code("CUDAERRORNODEVICE")[0].error->id == "no-device");
  CHECK(texts().of_code("xid 79")[0].error->id == "gpu-lost");
  CHECK(texts().close_name("cudaErorNoDevice") == "cudaErrorNoDevice");
}

TEST_CASE("a piece of a message or name is known where it can mean little else") {
  const auto first = [](std::string_view piece) {
    const auto found = texts().of_piece(piece);
    return found.empty() ? "" : found[0].error->id;
  };
  CHECK(first("forward compatibility was attempted") == "compat-unsupported");
  CHECK(first("Initialization Error") == "not-initialised");
  CHECK(first("unknown error") == "unknown-error");
  CHECK(first("out of memory") == "out-of-memory");
  CHECK(first("SystemNotReady") == "not-ready");
  CHECK(first("stub library") == "stub-library");
  CHECK(first("unsupported toolchain") == "ptx-toolchain");
  CHECK(first("all is well") == "");
  CHECK(first("error") == "");
  CHECK(first("cannot open shared object file") == "");
  CHECK(first("") == "");
}

TEST_CASE("a number counts only where a program prints an error's number") {
  CHECK(ids(explained("CUDA failure 804 in line 3")) ==
        std::vector<std::string>{"compat-unsupported"});
  CHECK(ids(explained("cuInit returned 100")) == std::vector<std::string>{"no-device"});
  CHECK(explained("CUDA failure 80412").empty());
  CHECK(explained("804 files, 35 errors, 100 %").empty());
  // Numbers of before CUDA 10.1.
  CHECK(ids(explained("cuda runtime error (77)")) == std::vector<std::string>{"illegal-address"});
}

TEST_CASE("what was caught stands in the causes") {
  const auto found = explained(
      "The detected CUDA version (12.6) mismatches the version that was used to compile\n"
      "PyTorch (11.8).");
  REQUIRE(found.size() == 1);
  CHECK(found[0].causes[0].find("CUDA 12.6, PyTorch with CUDA 11.8") != std::string::npos);
  CHECK(found[0].help[0].find("`cudaenv install 11.8`") != std::string::npos);
}

TEST_CASE("of two phrases at one place the one that says more counts, and once") {
  const auto found = explained(
      "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 3, 2) but "
      "found runtime version (8, 0, 3). PyTorch already comes bundled with cuDNN.");
  REQUIRE(found.size() == 1);
  CHECK(found[0].times == 1);
  CHECK(found[0].causes[0].find("against cuDNN (8,3,2), loaded was (8,0,3)") != std::string::npos);
}

TEST_CASE("of several names that fit the longest is told") {
  CHECK(explained("/usr/bin/ld: cannot find -lcudart_static")[0].causes[0].find(
            "libcudart_static:") != std::string::npos);
  CHECK(explained("/usr/bin/ld: cannot find -lcuda: No such file")[0].causes[0].find("libcuda:") !=
        std::string::npos);
}

TEST_CASE("a part of cuDNN is not taken for its version") {
  const auto found = explained("OSError: libcudnn_ops_infer.so.8: cannot open shared object file");
  CHECK(ids(found) == std::vector<std::string>{"cudnn8-split"});
  for (const auto& cause : found[0].causes) CHECK(cause.find("infer") == std::string::npos);
}

TEST_CASE("a number, a name and words of one message are one error, once") {
  for (const std::string_view log :
       {"CUDA error at a.cu:52 code=35(cudaErrorInsufficientDriver) \"cudaGetDeviceCount(&n)\"",
        "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
        "CUDA error: out of memory (cudaErrorMemoryAllocation, CUDA error 2)"}) {
    CAPTURE(log);
    const auto found = explained(log);
    REQUIRE(found.size() == 1);
    CHECK(found[0].times == 1);
    CHECK(found[0].code != nullptr);
  }
}

TEST_CASE("what a library says of an error counts after words that announce it") {
  CHECK(ids(explained("CUDA error: unspecified launch failure")) ==
        std::vector<std::string>{"launch-failure"});
  for (const auto& row : builtin_tables().codes) {
    if (row.family != "runtime" || row.words.empty()) continue;
    CAPTURE(row.words);
    const auto found = explained("RuntimeError: CUDA error: " + row.words + "\n");
    REQUIRE(found.size() == 1);
    CHECK(found[0].error->id == row.error);
  }
  CHECK(explained("unknown error, invalid argument, out of memory").empty());
}

TEST_CASE("a log in UTF-16 is read") {
  for (const auto& one : cases()) {
    std::string wide = "\xFF\xFE";
    for (const char c : one.log) wide += std::string{c, '\0'};
    CAPTURE(one.log);
    CHECK(expected_of(one, explained(wide)) == text::join(one.ids, " "));
  }
}

TEST_CASE("line and count of an error are told") {
  std::string log = "\n\nstart\n";
  for (int i = 0; i < 5; ++i) log += "CUDA error: \x1b[31mout of memory\x1b[0m\n";
  const auto found = explained(log);
  REQUIRE(found.size() == 1);
  CHECK(found[0].line == 4);
  CHECK(found[0].times == 5);
  CHECK(found[0].shown == "CUDA error: out of memory");
}

TEST_CASE("a log may come in any pieces") {
  for (const auto& one : cases()) {
    LogReader reader(texts());
    for (const char c : one.log) reader.feed({&c, 1});
    CHECK(expected_of(one, reader.finish()) == text::join(one.ids, " "));
  }
}

TEST_CASE("an error is found wherever it stands in a long log, also in one endless line") {
  const std::string error = "RuntimeError: Cannot re-initialize CUDA in forked subprocess";
  for (const std::string_view filler : {"loss=0.3512 step 17\n", "x", "CUDA error ", "\n", "\r"}) {
    std::string noise;
    while (noise.size() < 200'000) noise += filler;
    for (const std::size_t at : {std::size_t{0}, std::size_t{65'000}, noise.size()}) {
      CAPTURE(filler);
      CAPTURE(at);
      const auto found = explained(noise.substr(0, at) + "\n" + error + "\n" + noise.substr(at));
      CHECK(ids(found) == std::vector<std::string>{"forked"});
    }
  }
}
