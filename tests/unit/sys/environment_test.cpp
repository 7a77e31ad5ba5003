#include "sys/environment.hpp"

#include <cstdlib>
#include <functional>

#include <doctest/doctest.h>

using cudaenv::sys::Environment;
using Variables = std::map<std::string, std::string, std::less<>>;

TEST_CASE("a variable that is unset, empty or set are three things") {
  const Environment environment(Variables{{"EMPTY", ""}, {"SET", "a=b"}});
  CHECK_FALSE(environment.get("MISSING"));
  CHECK(environment.get("EMPTY") == "");
  CHECK(environment.get("SET") == "a=b");
  CHECK_FALSE(environment.non_empty("MISSING"));
  CHECK_FALSE(environment.non_empty("EMPTY"));
  CHECK(environment.non_empty("SET") == "a=b");
}

TEST_CASE("a switch is on unless it is empty or says no") {
  for (const char* off : {"", "0", "no", "NO", "off", "False", " 0 "}) {
    CAPTURE(off);
    CHECK_FALSE(Environment(Variables{{"X", off}}).is_on("X"));
  }
  for (const char* on : {"1", "yes", "true", "on", "anything"}) {
    CAPTURE(on);
    CHECK(Environment(Variables{{"X", on}}).is_on("X"));
  }
  CHECK_FALSE(Environment().is_on("X"));
}

TEST_CASE("home is what HOME says, else what the password file says") {
  CHECK(Environment(Variables{{"HOME", "/home/me"}}).home() == "/home/me");
  CHECK(Environment().home().is_absolute());
  CHECK(Environment(Variables{{"HOME", ""}}).home() == Environment().home());
}

TEST_CASE("an XDG folder is the variable's if that is absolute, else below home") {
  const auto xdg = [](const char* value) {
    return Environment(Variables{{"HOME", "/home/me"}, {"XDG_DATA_HOME", value}})
        .xdg("XDG_DATA_HOME", ".local/share");
  };
  CHECK(xdg("/data") == "/data");
  CHECK(xdg("relative") == "/home/me/.local/share");
  CHECK(xdg("") == "/home/me/.local/share");
  CHECK(Environment(Variables{{"HOME", "/h"}}).xdg("XDG_CACHE_HOME", ".cache") == "/h/.cache");
}

TEST_CASE("the snapshot of the process has what the process has, also odd values") {
  ::setenv("CUDAENV_TEST_ODD", "a=b\nc=\xFF", 1);
  const Environment environment = Environment::of_process();
  ::unsetenv("CUDAENV_TEST_ODD");
  CHECK(environment.get("CUDAENV_TEST_ODD") == "a=b\nc=\xFF");
  CHECK_FALSE(Environment::of_process().get("CUDAENV_TEST_ODD"));
  CHECK(environment.variables().size() == Environment::of_process().variables().size() + 1);
}
