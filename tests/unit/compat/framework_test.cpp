#include "compat/framework.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "compat/build.hpp"
#include "compat/libraries.hpp"
#include "expected.hpp"

namespace cudaenv::compat {
namespace {

const Tables& tables() { return builtin_tables(); }

std::string read(const std::string& typed) { return FrameworkWish::parse(tables(), typed).text(); }

std::string line(const std::string& typed, const std::string& cuda) {
  const auto wish = FrameworkWish::parse(tables(), typed);
  const auto version = *Version::parse(cuda);
  for (const auto* row : rows_for(tables(), wish)) {
    if (row->cuda && row->cuda->accepts(version)) {
      return install_line(tables(), *row, wish.version ? &*wish.version : nullptr, version);
    }
  }
  return "no row";
}

TEST_CASE("a major is any of its minors, so also the one that a framework is for") {
  const auto& tables = builtin_tables();
  Surroundings around;
  around.toolkit = Version::parse("11");
  const auto verdict =
      judge_framework(tables, FrameworkWish::parse(tables, "tensorflow==2.10"), around);
  CHECK(verdict.findings.empty());
  around.toolkit = Version::parse("12");
  const auto other =
      judge_framework(tables, FrameworkWish::parse(tables, "tensorflow==2.10"), around);
  REQUIRE(other.findings.size() == 1);
  CHECK(other.findings[0].id == "framework.cuda-mismatch");
}

TEST_CASE("a framework is named as packages and people name it") {
  CHECK(read("pytorch==2.1") == "pytorch==2.1");
  CHECK(read("torch==2.1.2") == "pytorch==2.1.2");
  CHECK(read(" TensorFlow @ 2.13 ") == "tensorflow==2.13");
  CHECK(read("tf") == "tensorflow");
  CHECK(read("onnxruntime-gpu") == "onnxruntime");
  CHECK(read("cupy-cuda12x==13") == "cupy==13");
  CHECK(read("tensorrt-cu12") == "tensorrt");
  CHECK(read("cudf-cu13") == "rapids");
  CHECK(read("numba-cuda") == "numba-cuda");
}

TEST_CASE("a word that is no framework is refused with what was meant") {
  CHECK_THROWS_WITH_AS(read("pytorhc"), doctest::Contains("not a framework"), Error);
  CHECK_THROWS_AS(read("pytorch==abc"), Error);
  CHECK_THROWS_AS(read("pytorch=="), Error);
  CHECK_THROWS_AS(read(""), Error);
  try {
    read("tensorflo");
  } catch (const Error& error) {
    CHECK(error.advice().at(0) == "did you mean `tensorflow`?");
  }
}

TEST_CASE("without a version the newest that is settled is meant") {
  const auto rows = rows_for(tables(), {"pytorch", std::nullopt});
  REQUIRE_FALSE(rows.empty());
  CHECK(rows.front()->label == "2.14");
  for (const auto* row : rows) CHECK(row->label == "2.14");
}

TEST_CASE("stable builds come before experimental ones") {
  const auto rows = rows_for(tables(), FrameworkWish::parse(tables(), "pytorch==2.1"));
  REQUIRE(rows.size() >= 2);
  CHECK(rows[0]->cuda->text() == "11.8");
  CHECK(rows[1]->status == "experimental");
}

TEST_CASE("the line that installs a framework is exact") {
  CHECK(line("pytorch==2.1", "11.8") ==
        "pip install \"torch==2.1.*\" --index-url https://download.pytorch.org/whl/cu118");
  CHECK(line("pytorch==2.7.1", "12.8.1") ==
        "pip install \"torch==2.7.1\" --index-url https://download.pytorch.org/whl/cu128");
  CHECK(line("pytorch==1.12.1", "11.6.2") ==
        "pip install torch==1.12.1+cu116 --extra-index-url https://download.pytorch.org/whl/cu116");
  CHECK(line("pytorch==1.7.1", "11.0.3") ==
        "pip install torch==1.7.1+cu110 -f https://download.pytorch.org/whl/torch_stable.html");
  CHECK(line("tensorflow==2.15", "12.2.2") == "pip install \"tensorflow[and-cuda]==2.15.*\"");
  CHECK(line("tensorflow==2.10", "11.2.2") == "pip install \"tensorflow==2.10.*\"");
  CHECK(line("jax==0.9", "13.0.2") == "pip install \"jax[cuda13]==0.9.*\"");
  CHECK(line("cupy==13", "12.6.3") == "pip install \"cupy-cuda12x==13.*\"");
  CHECK(line("mxnet==1.9.1", "11.2.2") == "pip install \"mxnet-cu112==1.9.1\"");
}

TEST_CASE("a claim about cuDNN is answered with the versions that it holds for") {
  Surroundings around;
  around.toolkit = Version::parse("11.8.0");
  around.cudnn = Version::parse("8.6");
  const auto verdict =
      judge_framework(tables(), FrameworkWish::parse(tables(), "tensorflow==2.14"), around);
  REQUIRE(verdict.findings.size() == 1);
  const auto& why = verdict.findings[0].why;
  CHECK(std::find(why.begin(), why.end(), "tensorflow with cuDNN 8.6: 2.13, 2.12") != why.end());
}

TEST_CASE("of several compilers the newest that fits is taken, gcc before clang") {
  const auto chosen = [](const char* toolkit) {
    const std::vector<CompilerFacts> all{{"gcc", *Version::parse("14.2"), "/usr/bin/g++"},
                                         {"gcc", *Version::parse("11.4"), "/usr/bin/g++-11"},
                                         {"gcc", *Version::parse("12.3"), "/usr/bin/g++-12"},
                                         {"clang", *Version::parse("14.0"), "/usr/bin/clang++"}};
    const auto found = choose_compiler(tables(), *Version::parse(toolkit), all);
    return found ? found->path : "none";
  };
  CHECK(chosen("12.9.1") == "/usr/bin/g++");
  CHECK(chosen("12.1.1") == "/usr/bin/g++-12");
  CHECK(chosen("11.8.0") == "/usr/bin/g++-11");
  CHECK(chosen("11.1.1") == "none");
}

TEST_CASE("an NCCL without a build for the major is a warning, because the lists are partial") {
  const auto verdict = judge_nccl(tables(), *Version::parse("13.0.2"), *Version::parse("2.7.8"));
  CHECK(verdict.support == LibrarySupport::other_major);
  CHECK(worst(verdict.findings) == Severity::warning);
  CHECK(judge_nccl(tables(), *Version::parse("12.4"), *Version::parse("1.0")).support ==
        LibrarySupport::unknown);
}

}  // namespace
}  // namespace cudaenv::compat
