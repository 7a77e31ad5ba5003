#include "compat/suits.hpp"

#include <doctest/doctest.h>

#include "catalog/index.hpp"
#include "compat/solve.hpp"

using namespace cudaenv;
using namespace cudaenv::compat;

namespace {

Suitability suits(const std::string& framework, const std::string& cuda,
                  const std::string& cudnn = "", bool judges_cudnn = true) {
  const auto& tables = builtin_tables();
  return suitability(tables, FrameworkWish::parse(tables, framework),
                     {*Version::parse(cuda), Version::parse(cudnn), judges_cudnn});
}

}  // namespace

TEST_CASE("a framework that takes the machine's toolkit is made for one pair") {
  CHECK(suits("tensorflow==2.13", "11.8.0", "8.6.0.163") == Suitability::made_for);
  CHECK(suits("tensorflow==2.13", "11.8.0", "8.9.7.29") == Suitability::works);
  CHECK(suits("tensorflow==2.13", "11.8.0") == Suitability::works);
  CHECK(suits("tensorflow==2.13", "11.8.0", "8.9.7.29", false) == Suitability::made_for);
  CHECK(suits("tensorflow==2.13", "11.7.1", "8.6.0.163") == Suitability::works);
  // A site builds 2.15 with 12.1; the packages are of 12.2.
  CHECK(suits("tensorflow==2.15", "12.1.1", "8.9.2.26") == Suitability::works);
  CHECK(suits("tensorflow==2.15", "12.2.2", "8.9.2.26") == Suitability::made_for);
  CHECK(suits("tensorflow==2.13", "12.1.1", "8.6.0.163") == Suitability::none);
}

TEST_CASE("a framework that brings its libraries is made for the toolkits that build for it") {
  CHECK(suits("pytorch==2.1", "11.8.0") == Suitability::made_for);
  CHECK(suits("pytorch==2.1", "12.1.1", "9.1.0") == Suitability::made_for);
  CHECK(suits("pytorch==2.1", "12.2.2") == Suitability::none);
  CHECK(suits("pytorch==9.9", "12.1.1") == Suitability::none);
}

TEST_CASE("whatever the solver takes for a framework suits it") {
  const auto& tables = builtin_tables();
  Question question{{}, std::nullopt, catalog::versions("cuda"), catalog::versions("cudnn")};
  unsigned solved = 0;
  for (const auto& row : tables.frameworks) {
    const auto& version = row.version.alternatives().front().front().version;
    question.framework = FrameworkWish{row.name, version};
    const auto answer = solve(tables, question);
    if (!answer.toolkit) continue;
    ++solved;
    CAPTURE(question.framework->text());
    CAPTURE(answer.toolkit->text());
    const InstalledToolkit installed{*answer.toolkit, answer.cudnn};
    const auto suits = suitability(tables, *question.framework, installed);
    CHECK(suits != Suitability::none);
    // The frameworks' own table says as much as all of them.
    CHECK(suitability(builtin_frameworks(), *question.framework, installed) == suits);
  }
  CHECK(solved > 50);
}
