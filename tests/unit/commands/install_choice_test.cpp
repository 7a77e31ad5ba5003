#include "commands/install_choice.hpp"

#include <doctest/doctest.h>

#include "support/error_text.hpp"
#include "support/test_host.hpp"

using namespace cudaenv;
using test::error_text;
using test::TestHost;

namespace {

// What a spec means to the built-in index, without any network.
std::string chosen(const std::string& spec) {
  const TestHost host;
  commands::InstallRequest request;
  request.offline = true;
  const auto context = commands::make_context(request, host.host());
  const auto source = install::make_nvidia_source(context, {});
  commands::ToolkitChooser chooser(host.host());
  return commands::choose_release(Spec::parse(spec), *source, chooser).version.text();
}

}  // namespace

TEST_CASE("specs mean the newest release of the index that matches") {
  CHECK(chosen("11.8") == "11.8.0");
  CHECK(chosen("12.1") == "12.1.1");
  CHECK(chosen("12") == "12.9.2");
  CHECK(chosen("cuda-12.1") == "12.1.1");
  CHECK(chosen(" v12.1\r") == "12.1.1");
  CHECK(chosen(">=12.1,<13") == "12.9.2");
  CHECK(chosen(">=12.1,<12.2") == "12.1.1");
  CHECK(chosen("latest") == "13.4.2");
}

TEST_CASE("11.0 to 11.3 are told from releases that never were") {
  const auto old = error_text([] { chosen("11.2"); });
  CHECK(old.find("without the manifests") != std::string::npos);
  CHECK(old.find("11.4.2") != std::string::npos);
  CHECK(error_text([] { chosen("10.2"); }).find("the oldest release with manifests is 11.4.2") !=
        std::string::npos);
  CHECK(error_text([] { chosen("12.7"); }).find("there are: 12.") != std::string::npos);
}

TEST_CASE("a source, a mirror and a platform that are none are refused with what there is") {
  const TestHost host;
  commands::InstallRequest request;
  request.offline = true;
  const auto context = commands::make_context(request, host.host());
  request.source = "conda";
  CHECK(error_text([&] {
          commands::choose_source(request, context, host.host());
        }).find("`conda` is not a source") == 0);
  request.source = "nvidia";
  request.mirrors = {"ftp://x"};
  CHECK(error_text([&] {
          commands::choose_source(request, context, host.host());
        }).find("not the URL of a mirror") != std::string::npos);
  request.mirrors = {};
  request.trust_mirror = true;
  CHECK(error_text([&] {
          commands::choose_source(request, context, host.host());
        }).find("--trust-mirror needs a mirror") == 0);
  CHECK(error_text([] {
          commands::choose_platform("linux-x86", *Version::parse("12.1.1"));
        }).find("did you mean `linux-x86_64`?") != std::string::npos);
}

TEST_CASE("numbers in variables are checked, and the variable is named") {
  const TestHost host({std::pair<std::string, std::string>{"CUDAENV_JOBS", "many"}});
  CHECK(error_text([&] {
          commands::make_context({}, host.host());
        }).find("CUDAENV_JOBS is `many`") == 0);
  const TestHost zero({std::pair<std::string, std::string>{"CUDAENV_LOCK_TIMEOUT", "0"}});
  CHECK(error_text([&] {
          commands::make_context({}, zero.host());
        }).find("CUDAENV_LOCK_TIMEOUT is `0`") == 0);
}
