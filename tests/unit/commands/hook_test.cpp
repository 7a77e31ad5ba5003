// What a prompt changes, says and watches.
#include "commands/hook.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.hpp"
#include "support/activation_walk.hpp"
#include "support/test_host.hpp"
#include "unit/store/sample.hpp"

using namespace cudaenv;
using activate::HookState;
using activate::Variables;
using commands::HookResult;

namespace fs = std::filesystem;

namespace {

constexpr unsigned walks = 500;
constexpr unsigned steps = 10;

bool contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// A root with some toolkits, and folders for projects.
struct Fixture {
  Fixture() {
    for (const char* version : {"11.8.0", "12.1.0", "12.1.1"}) {
      test::make_prefix(layout, std::string("cuda-") + version, version);
    }
    for (const char* place : {"none", "one/in", "two", "missing", "broken"}) folder.make_dir(place);
    folder.make_file("one/.cudaenv", "12.1\n");
    folder.make_file("two/.cudaenv", "cuda = \"11.8\"\nld_path = false\n");
    folder.make_file("missing/.cudaenv", "9.9\n");
    folder.make_file("broken/.cudaenv", "what is this\n");
  }

  HookResult run(const std::string& place, const Variables& variables = {},
                 const HookState& state = {}) {
    Variables all = variables;
    all["CUDAENV_ROOT"] = layout.root().string();
    all["CUDAENV_CEILING"] = folder.path().string();
    const sys::Environment environment(std::move(all));
    const commands::Host host{environment, interrupt, progress, "0.0.test", {}, folder / place};
    return commands::hook(state, host);
  }

  std::string prefix(const std::string& version) const {
    return (layout.root() / ("cuda-" + version)).string();
  }

  test::TempDir folder;
  store::Layout layout = store::Layout::user(folder / "root");
  NoInterrupt interrupt;
  test::NotingProgress progress;
};

// A walk in which prompts come between what the user does. Empty where all holds.
std::string fault_of_prompt(Fixture& fixture, test::ActivationWalk& walk, const std::string& place,
                            HookState& state) {
  const auto before = activate::active(walk.environment());
  const bool by_hand = before && !before->chosen_by.starts_with('/');
  const auto result = fixture.run(place, walk.environment(), state);
  walk.take(result.change);
  state = result.state;
  const auto again = fixture.run(place, walk.environment(), state);
  if (!again.change.empty() || !(again.state == state)) return "a second prompt changes something";
  const auto now = activate::active(walk.environment());
  if (by_hand) return result.change.empty() ? "" : "what was chosen by hand does not stay";
  std::string wanted;
  if (place.starts_with("one")) wanted = fixture.prefix("12.1.1");
  if (place == "two") wanted = fixture.prefix("11.8.0");
  if (!state.off.empty()) wanted.clear();
  return (now ? now->prefix : "") == wanted ? "" : "another toolkit is active in " + place;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "whatever comes between prompts, leaving gives back what was") {
  const std::vector<std::string> places{"none", "one", "one/in", "two", "missing", "broken"};
  for (unsigned seed = 0; seed < walks; ++seed) {
    test::ActivationWalk walk(seed, {});
    HookState state;
    std::string story;
    for (unsigned i = 0; i < steps; ++i) {
      const std::string& place = places[(seed + i * 7) % places.size()];
      std::string fault;
      if ((seed >> (i % 8)) % 2 == 0) {
        story += "; a prompt in " + place;
        fault = fault_of_prompt(*this, walk, place, state);
      } else {
        walk.step();
        story += "; " + walk.said();
      }
      const bool restored = applied(walk.environment(), activate::leave(walk.environment())) ==
                            walk.without_toolkits();
      if (fault.empty() && !restored) fault = "leaving does not give back what was";
      if (!fault.empty()) FAIL(fault, " in walk ", seed, story);
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "what is missing is awaited wherever an installation can put it") {
  const auto awaits = [&](const std::string& text, const std::string& path) {
    folder.make_file("missing/.cudaenv", text);
    const auto result = run("missing");
    REQUIRE(result.problems.size() == 1);
    CHECK(result.watch.absent.size() <= 40);
    for (const auto& each : result.watch.absent) CHECK_FALSE(fs::exists(each));
    return contains(result.watch.absent, (layout.root() / path).string());
  };
  CHECK(awaits("9.9\n", "cuda-9.9"));
  CHECK(awaits("12.4.1\n", "cuda-12.4.1"));
  CHECK(awaits("13\n", "cuda-13.0"));
  CHECK(awaits(">=12.2,<12.5\n", "cuda-12.3"));
  CHECK(awaits("mine-12\n", "cuda-mine-12"));
  // Of a minor that is there with another patch it is the patch.
  fs::create_directory_symlink("cuda-12.1.1", layout.root() / "cuda-12.1");
  fs::remove_all(prefix("12.1.0"));
  CHECK(awaits("12.1.0\n", "cuda-12.1.0"));
  // A library joins a toolkit.
  CHECK(awaits("cuda = \"12.1\"\ncudnn = \"8.9\"\n", "cuda-12.1.1/share/licenses/cudnn"));
}

TEST_CASE_FIXTURE(Fixture, "of what is there nothing is awaited, and a broken file awaits itself") {
  CHECK(run("one").watch.absent.empty());
  CHECK(run("one").watch.present == std::vector<std::string>{prefix("12.1.1")});
  const auto broken = run("broken");
  CHECK(broken.watch.absent.empty());
  REQUIRE(broken.watch.file);
  CHECK(broken.watch.file->text == "what is this\n");
  CHECK(run("none").watch.no_file.size() == 2);
}

TEST_CASE_FIXTURE(Fixture, "each problem is said once, whatever happens in between") {
  auto first = run("missing");
  REQUIRE(first.problems.size() == 1);
  CHECK(first.problems.front().find("`cudaenv install 9.9`") != std::string::npos);
  auto second = run("broken", {}, first.state);
  CHECK(second.problems.size() == 1);
  auto third = run("missing", {}, second.state);
  CHECK(third.problems.empty());
  const Error why(ErrorKind::corrupt, "cannot read `x`");
  const auto halted = commands::hook_without_configuration(third.state, why);
  CHECK(halted.problems == std::vector<std::string>{"cannot read `x`"});
  CHECK(halted.change.empty());
  CHECK(commands::hook_without_configuration(halted.state, why).problems.empty());
}

TEST_CASE_FIXTURE(Fixture, "CUDACXX and LD_LIBRARY_PATH are left alone where that is asked for") {
  const auto sets = [](const HookResult& result, const char* name) {
    return result.change.variables.contains(name);
  };
  CHECK(sets(run("one"), "CUDACXX"));
  CHECK(sets(run("one"), "LD_LIBRARY_PATH"));
  CHECK_FALSE(sets(run("two"), "LD_LIBRARY_PATH"));
  CHECK(sets(run("two", {{"CUDAENV_LD_PATH", "1"}}), "LD_LIBRARY_PATH"));
  CHECK_FALSE(sets(run("one", {{"CUDAENV_LD_PATH", "0"}}), "LD_LIBRARY_PATH"));
  CHECK_FALSE(sets(run("one", {{"CUDAENV_CUDACXX", "0"}}), "CUDACXX"));
}
