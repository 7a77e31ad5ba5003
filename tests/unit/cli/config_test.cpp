#include "cli/config.hpp"

#include <set>
#include <utility>

#include <doctest/doctest.h>

#include "cli/env_vars.hpp"
#include "support/error_text.hpp"
#include "support/temp_dir.hpp"

using namespace cudaenv;
using namespace cudaenv::cli;
using cudaenv::test::error_text;
using cudaenv::test::TempDir;
using Variables = std::map<std::string, std::string, std::less<>>;

namespace {

Config read(std::string_view text) {
  Config config;
  add_config(config, text, "/c.toml", "/home/me");
  return config;
}

std::string value(std::string_view text, const char* variable) {
  return read(text).settings.at(variable).value;
}

}  // namespace

TEST_CASE("a key says what its variable says") {
  CHECK(value("root = \"/opt/cuda\"", "CUDAENV_ROOT") == "/opt/cuda");
  CHECK(value("root = \"~/cuda\"", "CUDAENV_ROOT") == "/home/me/cuda");
  CHECK(value("mirrors = [\"https://a.example\", \"file:///b\"]", "CUDAENV_MIRROR") ==
        "https://a.example,file:///b");
  CHECK(value("mirrors = \"https://a.example\"", "CUDAENV_MIRROR") == "https://a.example");
  CHECK(value("profile = \"runtime\"", "CUDAENV_PROFILE") == "runtime");
  CHECK(value("jobs = 4", "CUDAENV_JOBS") == "4");
  CHECK(value("ld_path = false", "CUDAENV_LD_PATH") == "0");
  CHECK(value("accept_eula = true", "CUDAENV_ACCEPT_EULA") == "1");
  CHECK(value("\xEF\xBB\xBF# c\r\nca_bundle = '/etc/ca.pem'\r\n", "CUDAENV_CA_BUNDLE") ==
        "/etc/ca.pem");
}

TEST_CASE("every key has a variable of its own") {
  std::set<std::string_view> keys;
  for (const auto& variable : env_vars) {
    if (!variable.key.empty()) CHECK(keys.insert(variable.key).second);
  }
  for (const char* key : {"root", "mirrors", "profile", "ld_path", "jobs", "ca_bundle"}) {
    CHECK(keys.contains(key));
  }
}

TEST_CASE("a fault is told with file and line") {
  const std::pair<const char*, const char*> cases[] = {
      {"\njobs = 0\n", "line 2: `jobs` is not a number from 1 on"},
      {"jobs = \"4\"", "line 1: `jobs` is not a number from 1 on"},
      {"ld_path = 0", "line 1: `ld_path` is neither true nor false"},
      {"root = \"cuda\"", "line 1: `root` is `cuda`, which is not an absolute path"},
      {"mirrors = [1]", "line 1: `mirrors` is not a text"},
      {"mirrors = [\"a,b\"]", "line 1: `mirrors` has an element that is empty or has a comma"},
      {"pip = \"\"", "line 1: `pip` is not a text"},
      {"pip = \"\\u0000\"", "line 1: `pip` is not a text"},
      {"# c\nprofile = \"deb\"", "line 2: `profile` is `deb`, which is not a profile"},
      {"a = 1\njobs", "line 2: not TOML"},
      {"jobs = 1\njobs = 2", "line 2: not TOML"},
  };
  for (const auto& [text, why] : cases) {
    const auto said = error_text([&, toml = text] { read(toml); });
    CHECK_MESSAGE(said.find(std::string("cannot read `/c.toml`: ") + why) == 0, said);
  }
}

TEST_CASE("an unknown key is named, with what was probably meant") {
  const auto config = read("mirror = \"https://a.example\"\njobs = 2\n[x]\n");
  CHECK(config.settings.size() == 1);
  REQUIRE(config.odd.size() == 2);
  CHECK(config.odd[0] == "`/c.toml` line 1: there is no key `mirror`; did you mean `mirrors`?");
  CHECK(config.odd[1] == "`/c.toml` line 3: there is no key `x`");
}

TEST_CASE("the variable comes before the user's file, that before the system's") {
  const TempDir folder;
  const auto user =
      folder.make_file("home/.config/cudaenv/config.toml", "jobs = 2\nquiet = true\n");
  const auto system = folder.make_file("etc/config.toml", "jobs = 3\nsource = \"nvidia\"\n");
  const sys::Environment own(
      Variables{{"HOME", (folder / "home").string()}, {"CUDAENV_QUIET", ""}});
  CHECK(config_files(own).front() == user);
  const auto config = read_config({user, folder / "none.toml", system}, own);
  CHECK(config.settings.at("CUDAENV_JOBS").where == user.string() + ":1");
  CHECK(config.settings.at("CUDAENV_SOURCE").where == system.string() + ":2");
  const auto environment = with_config(own, config);
  CHECK(environment.get("CUDAENV_JOBS") == "2");
  CHECK(environment.get("CUDAENV_SOURCE") == "nvidia");
  // Set and empty is the user's word too.
  CHECK(environment.get("CUDAENV_QUIET") == "");
  // What a child gets is not the configuration.
  CHECK(environment.variables() == own.variables());
  CHECK(read_config({user}, sys::Environment(Variables{{"CUDAENV_NO_CONFIG", "1"}}))
            .settings.empty());
}

TEST_CASE("a configuration that is no file is an error that names it") {
  const TempDir folder;
  const auto path = folder.make_dir("config.toml");
  CHECK(error_text([&] { read_config({path}, {}); }).find(path.string()) != std::string::npos);
}
