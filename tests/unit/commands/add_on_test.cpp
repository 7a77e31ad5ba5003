#include <doctest/doctest.h>

#include "commands/install.hpp"
#include "commands/uninstall.hpp"
#include "support/mini_mirror.hpp"
#include "support/test_host.hpp"

using namespace cudaenv;
using test::BuiltFile;
using test::MiniMirror;
using test::TestHost;

namespace {

MiniMirror::Part cudnn(const std::string& version, const std::string& variant) {
  return {"cudnn",
          version,
          {{"include/cudnn_version.h", "#define CUDNN " + version + "\n", 0640},
           {"lib/libcudnn.so." + version, "library " + version + variant, 0700},
           {"lib/libcudnn_only_in_" + version + ".so", "x", 0644},
           {"LICENSE", "cudnn licence", 0644}},
          {{"lib/libcudnn.so", "libcudnn.so." + version}},
          variant};
}

struct Fixture {
  Fixture() {
    mirror.add_minimal("12.1.1");
    mirror.add_minimal("11.8.0");
    mirror.add("cudnn", "8.9.7", cudnn("8.9.7.29", "cuda12"));
    mirror.add("cudnn", "9.1.0", cudnn("9.1.0.70", "cuda12"));
    mirror.publish();
  }

  void install(const std::string& spec, std::vector<std::string> with,
               const std::string& name = "") {
    commands::InstallRequest request;
    request.spec = spec;
    request.mirrors = {mirror.url()};
    request.trust_mirror = true;
    request.profile = "minimal";
    request.platform = "linux-x86_64";
    request.with = std::move(with);
    request.name = name;
    const auto prepared = commands::prepare_install(request, host.host());
    if (!prepared.already) commands::run_install(prepared, install::Eula::flag, host.host());
  }

  std::vector<std::string> libraries(const std::string& prefix) const {
    std::vector<std::string> names;
    for (const auto& name : host.folder().entries("root/" + prefix + "/lib")) {
      if (name.find("cudnn") != std::string::npos) names.push_back(name);
    }
    return names;
  }

  MiniMirror mirror;
  TestHost host;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a library goes into the prefix, readable by all") {
  install("12.1.1", {"cudnn@8.9"});
  CHECK(libraries("cuda-12.1.1") == std::vector<std::string>{"libcudnn.so", "libcudnn.so.8.9.7.29",
                                                             "libcudnn_only_in_8.9.7.29.so"});
  const auto header = host.root() / "cuda-12.1.1/include/cudnn_version.h";
  CHECK((std::filesystem::status(header).permissions() & std::filesystem::perms::mask) ==
        static_cast<std::filesystem::perms>(0644));
  const auto receipt =
      store::read_receipt(host.folder().read("root/cuda-12.1.1/.cudaenv/receipt.json"), "x");
  REQUIRE(receipt.find("cudnn"));
  CHECK(receipt.find("cudnn")->version == "8.9.7.29");
  CHECK(receipt.find("cudnn")->product == "cudnn");
}

TEST_CASE_FIXTURE(Fixture, "another version replaces the set as a whole") {
  install("12.1.1", {"cudnn@8.9"});
  install("12.1.1", {"cudnn@9.1"});
  CHECK(libraries("cuda-12.1.1") == std::vector<std::string>{"libcudnn.so", "libcudnn.so.9.1.0.70",
                                                             "libcudnn_only_in_9.1.0.70.so"});
  // Without a version the newest that fits is meant, and it is there.
  install("12.1.1", {"cudnn"});
  CHECK(libraries("cuda-12.1.1").size() == 3);
}

TEST_CASE_FIXTURE(Fixture, "a second combination under its own name shares the toolkit's files") {
  install("12.1.1", {"cudnn@8.9"});
  const auto before = mirror.archive_requests();
  install("12.1.1", {"cudnn@9.1"}, "12.1-cudnn91");
  CHECK(mirror.archive_requests() == before + 1);
  CHECK(libraries("cuda-12.1.1")[1] == "libcudnn.so.8.9.7.29");
  CHECK(libraries("cuda-12.1-cudnn91")[1] == "libcudnn.so.9.1.0.70");
}

TEST_CASE_FIXTURE(Fixture, "a build for another CUDA major is not taken") {
  try {
    install("11.8.0", {"cudnn@8.9"});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.message() == "there is no cudnn 8.9 for CUDA 11.8.0 on linux-x86_64");
  }
}

TEST_CASE_FIXTURE(Fixture, "uninstalling a library leaves the toolkit") {
  install("12.1.1", {"cudnn@8.9"});
  const auto result = commands::uninstall({"cudnn", "12.1.1", false}, host.host());
  CHECK(result.add_on == "cudnn");
  CHECK(libraries("cuda-12.1.1").empty());
  CHECK(std::filesystem::exists(host.root() / "cuda-12.1.1/bin/cuda_nvcc"));
  CHECK_THROWS_AS(commands::uninstall({"cudnn", "12.1.1", false}, host.host()), Error);
}

TEST_CASE("an unknown library or version is refused by name") {
  CHECK_THROWS_WITH_AS(install::AddOnRequest::parse("cudn@8"),
                       "`cudn` is not a library that cudaenv knows", Error);
  CHECK_THROWS_AS(install::AddOnRequest::parse("cudnn@eight"), Error);
  CHECK(install::AddOnRequest::parse("cudnn").version == std::nullopt);
  CHECK(install::AddOnRequest::parse("cuDNN@8.9").version->text() == "8.9");
}
