// Installs whose plan is out of date by the time they run, because another command was faster.
#include <doctest/doctest.h>

#include "commands/gc.hpp"
#include "commands/install.hpp"
#include "commands/uninstall.hpp"
#include "commands/verify.hpp"
#include "support/mini_mirror.hpp"
#include "support/test_host.hpp"
#include "sys/file.hpp"

using namespace cudaenv;
using test::MiniMirror;
using test::TestHost;

namespace {

struct Fixture {
  Fixture() {
    mirror.add_minimal("12.1.1");
    mirror.publish();
  }

  commands::InstallRequest request(const std::string& component) const {
    commands::InstallRequest request;
    request.spec = "12.1.1";
    request.mirrors = {mirror.url()};
    request.trust_mirror = true;
    request.components = {component};
    request.platform = "linux-x86_64";
    return request;
  }
  commands::PreparedInstall plan(const std::string& component) const {
    return commands::prepare_install(request(component), host.host());
  }
  install::Published run(const commands::PreparedInstall& prepared) const {
    return commands::run_install(prepared, install::Eula::flag, host.host());
  }
  // The components of the prefix, in one line; it must be whole.
  std::string installed() const {
    CHECK(commands::verify({"12.1", false, 1}, host.host()).ok());
    const auto receipt = store::receipt_in(host.root() / "cuda-12.1.1");
    std::string names;
    for (const auto& component : receipt->components) {
      names += (names.empty() ? "" : " ") + component.name;
    }
    return names;
  }

  MiniMirror mirror;
  TestHost host;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "what another command put into the prefix meanwhile stays in it") {
  const auto cudart = plan("cuda_cudart");
  const auto nvrtc = plan("cuda_nvrtc");
  run(cudart);
  const auto published = run(nvrtc);
  CHECK(published.replaced);
  CHECK(installed() == "cuda_cudart cuda_nvrtc");
  CHECK(mirror.archive_requests() == 2);
}

TEST_CASE_FIXTURE(Fixture,
                  "what another command has installed meanwhile is not made a second time") {
  auto late = request("cuda_cudart");
  late.set_default = true;
  const auto second = commands::prepare_install(late, host.host());
  run(plan("cuda_cudart"));
  sys::remove_file(host.root() / "cuda");
  const auto before = sys::stat_link(host.root() / "cuda-12.1.1");

  const auto published = run(second);
  CHECK_FALSE(published.replaced);
  CHECK(published.default_set);
  CHECK(published.receipt.name == "cuda-12.1.1");
  CHECK(sys::stat_link(host.root() / "cuda-12.1.1")->inode == before->inode);
  CHECK(mirror.archive_requests() == 1);
}

TEST_CASE_FIXTURE(Fixture, "a prefix that is removed while it is to be widened comes back whole") {
  run(plan("cuda_cudart"));
  const auto nvrtc = plan("cuda_nvrtc");
  commands::uninstall({"12.1", "", true}, host.host());
  run(nvrtc);
  CHECK(installed() == "cuda_nvrtc");
  CHECK(std::filesystem::read_symlink(host.root() / "cuda") == "cuda-12.1.1");
}

TEST_CASE_FIXTURE(Fixture, "what gc took out of the store after the plan is fetched again") {
  run(plan("cuda_cudart"));
  std::filesystem::remove_all(host.root() / "cuda-12.1.1");
  const auto again = plan("cuda_cudart");
  CHECK(again.plan.fetch_count() == 0);
  CHECK(commands::gc({}, host.host()).entries.size() == 1);
  run(again);
  CHECK(installed() == "cuda_cudart");
  CHECK(mirror.archive_requests() == 2);
}
