#include "store/receipt.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "unit/store/sample.hpp"

using namespace cudaenv;
using cudaenv::store::read_receipt;
using cudaenv::store::Receipt;
using cudaenv::store::write_receipt;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

std::string sample() { return write_receipt(test::sample_receipt("cuda-12.1.1", "12.1.1")); }

// The first cause of the refusal: the place.
std::string refusal(const std::string& json) {
  const Error error = test::error_of([&] { read_receipt(json, "/r/receipt.json"); });
  CHECK(error.kind() == ErrorKind::corrupt);
  CHECK(error.message() == "the receipt `/r/receipt.json` is damaged");
  REQUIRE(error.causes().size() == 1);
  return error.causes()[0];
}

}  // namespace

TEST_CASE("a receipt is written with stable keys, two blanks and a final newline") {
  Receipt receipt = test::sample_receipt("cuda-12.1.1", "12.1.1");
  receipt.components = {receipt.components[0]};
  receipt.components[0].sha256 = *Digest::from_hex(std::string(64, 'a'));
  receipt.components[0].lacks = "static libraries";
  receipt.requested = {"cuda_nvcc", "cuda_cudart"};
  CHECK(write_receipt(receipt) == R"({
  "schema": 1,
  "name": "cuda-12.1.1",
  "cuda": "12.1.1",
  "platform": "linux-x86_64",
  "profile": "dev",
  "source": "nvidia",
  "installed_at": "2026-11-30T07:15:00Z",
  "installed_by": "cudaenv 0.1.0",
  "eula": "flag",
  "components": [
    {
      "name": "cuda_cudart",
      "product": "cuda",
      "version": "12.1.1.105",
      "sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "size": 12345678,
      "url": "https://developer.example/compute/cuda/redist/cuda_cudart",
      "filter": "all",
      "lacks": "static libraries",
      "installed_bytes": 98765432
    }
  ],
  "lacking": [
    "cuda_gdb"
  ],
  "requested": [
    "cuda_nvcc",
    "cuda_cudart"
  ]
}
)");
}

TEST_CASE("a receipt that is read back is the same, with its components sorted") {
  Receipt receipt = test::sample_receipt("cuda-11.8-cudnn89", "11.8.0");
  std::swap(receipt.components[0], receipt.components[2]);
  receipt.components[1].lacks = "\"quoted\", with \\ and \n";
  const std::string json = write_receipt(receipt);
  const Receipt read = read_receipt(json, "x");
  CHECK(write_receipt(read) == json);
  CHECK(read.name == "cuda-11.8-cudnn89");
  CHECK(read.cuda.text() == "11.8.0");
  CHECK(read.components[0].name == "cuda_cudart");
  CHECK(read.components[1].lacks == receipt.components[1].lacks);
  CHECK(read.components[2].sha256 == receipt.components[0].sha256);
  CHECK(read.components[2].size == 12345678);
  REQUIRE(read.find("libcublas"));
  CHECK(read.find("libcublas")->product == "cuda");
  CHECK_FALSE(read.find("libcufft"));
}

TEST_CASE("what the self-test found is kept in the receipt, and is no receipt's duty") {
  auto receipt = test::sample_receipt("cuda-12.1.1", "12.1.1");
  CHECK_FALSE(store::read_receipt(store::write_receipt(receipt), "r").proof);
  receipt.proof = store::ReceiptProof{
      "failed", "2026-11-30T08:00:00Z", {"NVIDIA H200"}, {"GPU 0 runtime ptx/load: too new"}};
  const auto text = store::write_receipt(receipt);
  const auto proof = store::read_receipt(text, "r").proof;
  REQUIRE(proof);
  CHECK(proof->verdict == "failed");
  CHECK(proof->at == "2026-11-30T08:00:00Z");
  CHECK(proof->gpus == std::vector<std::string>{"NVIDIA H200"});
  CHECK(proof->failed.size() == 1);
  auto damaged = text;
  damaged.replace(damaged.find("\"verdict\": \"failed\""), 19, "\"verdict\": 1       ");
  CHECK_THROWS_WITH_AS(store::read_receipt(damaged, "r"),
                       doctest::Contains("`selftest.verdict` is not a string"), Error);
}

TEST_CASE("bytes that are not UTF-8 do not keep a receipt from being written") {
  Receipt receipt = test::sample_receipt("cuda-12.1.1", "12.1.1");
  receipt.source = "mirror \xFF\xFE";
  CHECK(read_receipt(write_receipt(receipt), "x").source.starts_with("mirror "));
}

TEST_CASE("unknown keys are ignored, in the receipt and in a component") {
  std::string json = replaced(sample(), "\"name\": \"cuda-12.1.1\",",
                              "\"future\": {\"a\": [1, null, 1.5]}, \"name\": \"cuda-12.1.1\",");
  json = replaced(json, "\"product\": \"cuda\",", "\"product\": \"cuda\", \"future\": true,");
  CHECK(write_receipt(read_receipt(json, "x")) == sample());
}

TEST_CASE("a receipt with other blanks and line ends is read") {
  std::string json;
  for (const char c : sample()) {
    if (c == '\n') json += '\r';
    json += c;
  }
  CHECK(write_receipt(read_receipt(json, "x")) == sample());
}

TEST_CASE("a receipt from a newer cudaenv says so, and what to do") {
  const std::string json = replaced(sample(), "\"schema\": 1", "\"schema\": 2");
  CHECK(test::report(test::error_of([&] { read_receipt(json, "/r/receipt.json"); })) ==
        "the receipt `/r/receipt.json` was written by a newer cudaenv\n"
        "  its schema is 2, this cudaenv knows 1\n"
        "help: upgrade cudaenv, or install the toolkit again under another name with `--name`\n");
  // Also if nothing else in it is as it was.
  CHECK(test::error_of([] { read_receipt("{\"schema\": 99}", "x"); })
            .message()
            .ends_with("newer cudaenv"));
}

TEST_CASE("each field that is missing or of another type is named") {
  const std::string json = sample();
  CHECK(refusal(replaced(json, "\"schema\": 1,", "")) == "`schema` is missing");
  CHECK(refusal(replaced(json, "\"schema\": 1", "\"schema\": \"1\"")) ==
        "`schema` is not a whole number");
  CHECK(refusal(replaced(json, "\"schema\": 1", "\"schema\": 0")) ==
        "`schema` is not a number from 1 on");
  CHECK(refusal(replaced(json, "\"schema\": 1", "\"schema\": -1")) ==
        "`schema` is not a whole number");
  CHECK(refusal(replaced(json, "\"cuda\": \"12.1.1\"", "\"cuda\": 12.1")) ==
        "`cuda` is not a string");
  CHECK(refusal(replaced(json, "\"cuda\": \"12.1.1\"", "\"cuda\": \"12.x\"")) ==
        "`cuda` is not a version");
  CHECK(refusal(replaced(json, "\"components\"", "\"else\"")) == "`components` is missing");
  CHECK(refusal(replaced(json, "\"components\": [", "\"components\": [ 1,")) ==
        "`components[0]` is not an object");
  CHECK(refusal(replaced(json, "\"size\": 12345678", "\"size\": -1")) ==
        "`components[0].size` is not a whole number");
  CHECK(refusal(replaced(json, "\"size\": 12345678", "\"size\": 1e30")) ==
        "`components[0].size` is not a whole number");
  CHECK(refusal(replaced(json, "\"sha256\": \"", "\"sha256\": \"z")) ==
        "`components[0].sha256` is not 64 hexadecimal digits");
  CHECK(refusal(replaced(json, "\"url\"", "\"uri\"")) == "`components[0].url` is missing");
  CHECK(refusal(replaced(json, "\"lacking\": [", "\"lacking\": [ null,")) ==
        "`lacking` is not a list of strings");
  CHECK(refusal(replaced(json, "\"requested\": []", "\"requested\": {}")) ==
        "`requested` is not a list");
  for (const char* key : {"name", "cuda", "platform", "profile", "source", "installed_at",
                          "installed_by", "eula", "lacking", "requested"}) {
    CAPTURE(key);
    const std::string quoted = "\"" + std::string(key) + "\"";
    CHECK(refusal(replaced(json, "  " + quoted, "  \"x\"")) ==
          "`" + std::string(key) + "` is missing");
  }
}

TEST_CASE("names that are no names are refused: they become parts of paths") {
  const std::string json = sample();
  for (const char* name : {"../cuda", "a/b", "", ".", "..", "cuda", "latest", "-x", "a b"}) {
    CAPTURE(name);
    CHECK(refusal(replaced(json, "\"name\": \"cuda-12.1.1\"",
                           "\"name\": \"" + std::string(name) + "\"")) ==
          "`name` is `" + std::string(name) + "`, which is not a name");
  }
  CHECK(refusal(replaced(json, "\"name\": \"cuda_cudart\"", "\"name\": \"../../etc\"")) ==
        "`components[0].name` is `../../etc`, which is not a name");
  CHECK(refusal(replaced(json, "\"filter\": \"all\"", "\"filter\": \"/\"")) ==
        "`components[0].filter` is `/`, which is not a name");
  CHECK(refusal(replaced(json, "\"platform\": \"linux-x86_64\"", "\"platform\": \"\\u0000\"")) ==
        "`platform` is `\\x00`, which is not a name");
  CHECK(refusal(replaced(json, "\"name\": \"cuda-12.1.1\"", "\"name\": \"\\u001b[2J\"")) ==
        "`name` is `\\x1B[2J`, which is not a name");
}

TEST_CASE("what is no JSON is refused, whatever it is") {
  CHECK(refusal("") == "it is empty");
  CHECK(refusal(" \n\t ") == "it is empty");
  CHECK(refusal("[]") == "it is not an object");
  CHECK(refusal("1") == "it is not an object");
  CHECK(refusal("null") == "it is not an object");
  CHECK(refusal(std::string(4096, '\0')).starts_with("it is not JSON"));
  CHECK(refusal("<html>").starts_with("it is not JSON"));
  CHECK(refusal(sample() + "}").starts_with("it is not JSON"));
  CHECK(refusal(replaced(sample(), "nvidia", "nv\xFFidia")).starts_with("it is not JSON"));
  CHECK(refusal("\xFF\xFE{\0}\0").starts_with("it is not JSON"));
}

TEST_CASE("a receipt that is cut off anywhere is refused") {
  const std::string json = sample();
  for (std::size_t length = 0; length + 2 < json.size(); ++length) {
    CAPTURE(length);
    CHECK_THROWS_AS(read_receipt(json.substr(0, length), "x"), Error);
  }
}

TEST_CASE("deep nesting is refused before it takes memory, also where it would be ignored") {
  CHECK(refusal(std::string(4'000'000, '[')) == "it is nested too deeply");
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  CHECK(refusal(replaced(sample(), "{", "{\"future\": " + deep + ",")) ==
        "it is nested too deeply");
  // Brackets in a string are none.
  CHECK_NOTHROW(read_receipt(
      replaced(sample(), "\"nvidia\"", "\"" + std::string(100, '[') + "\\\"{{\\\\\""), "x"));
}

TEST_CASE("a receipt changed at random is refused or read, and never anything else") {
  const std::string json = sample();
  std::mt19937 random(20261130);
  const auto below = [&](std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    std::string changed = json;
    for (std::size_t changes = 1 + below(4); changes > 0 && !changed.empty(); --changes) {
      const std::size_t at = below(changed.size());
      switch (below(5)) {
        case 0:
          changed[at] = static_cast<char>(below(256));
          break;
        case 1:
          changed.erase(at, 1 + below(40));
          break;
        case 2:
          changed.insert(at, changed.substr(below(changed.size()), 1 + below(40)));
          break;
        case 3:
          changed[at] = "{}[]\",:0-e\\"[below(11)];
          break;
        default:
          changed.resize(at + 1);
          break;
      }
    }
    try {
      const Receipt receipt = read_receipt(changed, "x");
      // What was accepted can be written and read again.
      CHECK(write_receipt(read_receipt(write_receipt(receipt), "x")) == write_receipt(receipt));
    } catch (const Error& error) {
      ++refused;
      CHECK(error.kind() == ErrorKind::corrupt);
    }
  }
  CHECK(refused > 1000);
  CHECK(refused < 5000);
}

TEST_CASE("a summary is the receipt without its lists, however the receipt is laid out") {
  Receipt expected = test::sample_receipt("cuda-12.1.1", "12.1.1");
  expected.components.clear();
  expected.lacking.clear();
  expected.requested.clear();
  const auto summary = [](const std::string& json) {
    return write_receipt(store::read_receipt_summary(json, "x"));
  };
  CHECK(summary(sample()) == write_receipt(expected));
  // Ends early where a whole reading would find damage.
  const std::string cut = sample().substr(0, sample().size() / 2);
  CHECK(summary(cut) == write_receipt(expected));
  CHECK_THROWS_AS(summary(sample().substr(0, 100)), Error);
  CHECK_THROWS_AS(summary(replaced(sample(), "\"schema\": 1", "\"schema\": 2")), Error);
  CHECK_THROWS_AS(summary(replaced(sample(), "\"cuda\": \"12.1.1\"", "\"cuda\": 12")), Error);
  std::string compact;
  for (const char c : sample()) {
    if (c != '\n') compact += c;
  }
  CHECK(summary(compact) == write_receipt(expected));
  const std::string name = "\n  \"name\": \"cuda-12.1.1\",";
  const std::string reordered =
      replaced(replaced(sample(), name, ""), "\n  \"lacking\"", name + "\n  \"lacking\"");
  CHECK(summary(reordered) == write_receipt(expected));
}

TEST_CASE("receipt and file list lie in the prefix's hidden folder") {
  CHECK(store::receipt_file("/r/cuda-12.1.1") == "/r/cuda-12.1.1/.cudaenv/receipt.json");
  CHECK(store::file_list_file("/r/cuda-12.1.1") == "/r/cuda-12.1.1/.cudaenv/files.tsv");
}
