#include "base/suggest.hpp"

#include <string>

#include <doctest/doctest.h>

using cudaenv::suggest;

TEST_CASE("a mistyped word leads to the candidate that is nearest") {
  const std::vector<std::string> commands{"install", "uninstall", "list", "use", "default"};
  CHECK(suggest("instal", commands) == "install");
  CHECK(suggest("isntall", commands) == "install");
  CHECK(suggest("uninstal", commands) == "uninstall");
  CHECK(suggest("lst", commands) == "list");
  CHECK(suggest("defualt", commands) == "default");
}

TEST_CASE("the first of two equally near candidates is taken") {
  CHECK(suggest("12.2", {"12.1", "12.3"}) == "12.1");
}

TEST_CASE("nothing is suggested where nothing is near, or nothing can be") {
  CHECK_FALSE(suggest("benchmark", {"install", "use"}));
  CHECK_FALSE(suggest("", {"a"}));
  CHECK_FALSE(suggest("install", {}));
  CHECK_FALSE(suggest(std::string(100000, 'a'), {std::string(100000, 'a')}));
}

TEST_CASE("a word that is a candidate is its own suggestion") {
  CHECK(suggest("use", {"list", "use"}) == "use");
}

TEST_CASE("a mistyped word is answered by its neighbour, or by what there is") {
  const auto advice = [](std::string_view word) {
    return cudaenv::with_suggestion(cudaenv::Error(cudaenv::ErrorKind::usage, "no"), word,
                                    {"minimal", "runtime"}, "there are two")
        .advice();
  };
  CHECK(advice("minmal") == std::vector<std::string>{"did you mean `minimal`?"});
  CHECK(advice("zzz") == std::vector<std::string>{"there are two"});
}
