#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "activate/change.hpp"
#include "base/text.hpp"
#include "support/activation_walk.hpp"

using namespace cudaenv;
using namespace cudaenv::activate;

namespace {

constexpr unsigned walks = 10'000;
constexpr unsigned steps = 8;

std::string shown(const Variables& variables) {
  std::string result;
  for (const auto& [name, value] : variables) {
    result += "\n  " + name + "=" + text::visible(value, 1000);
  }
  return result;
}

long empties(const Variables& variables, const std::string& list) {
  const auto found = variables.find(list);
  if (found == variables.end()) return 0;
  const auto elements = test::elements_of(found->second);
  return std::count(elements.begin(), elements.end(), "");
}

bool starts_with(const Variables& variables, const std::string& list, const std::string& entry) {
  const auto elements = test::elements_of(variables.at(list));
  return !elements.empty() && elements.front() == entry;
}

// What must hold in an environment in which a toolkit was just activated.
std::string fault_of_entry(const Variables& now, const Prefix& prefix, const Options& options) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    if (now.at(name) != prefix.path) return std::string(name) + " names another toolkit";
  }
  if (options.cudacxx && now.at("CUDACXX") != prefix.path + "/bin/nvcc") return "CUDACXX";
  if (!starts_with(now, "PATH", prefix.path + "/bin")) return "PATH has bin/ not first";
  if (options.ld_path && !starts_with(now, "LD_LIBRARY_PATH", prefix.path + "/lib")) return "lib/";
  if (!starts_with(now, "PKG_CONFIG_PATH", prefix.path + "/pkg-config")) return "pkg-config/";
  if (!change(now, prefix, options).empty()) return "a second time changes something";
  if (active(now)->prefix != prefix.path) return "what is active is not known";
  return "";
}

std::string fault_of(const test::ActivationWalk& walk) {
  const Variables own = walk.without_toolkits();
  if (applied(walk.environment(), leave(walk.environment())) != own) {
    return "leaving gives" + shown(applied(walk.environment(), leave(walk.environment())));
  }
  for (const char* list : {"PATH", "LD_LIBRARY_PATH", "MANPATH", "PKG_CONFIG_PATH"}) {
    const auto found = own.find(list);
    if (found == own.end() || found->second.empty()) continue;
    if (empties(walk.environment(), list) != empties(own, list)) {
      return std::string(list) + " has an empty element more or less";
    }
  }
  if (!walk.entered()) return "";
  return fault_of_entry(walk.environment(), walk.entered()->first, walk.entered()->second);
}

// All that happened on a walk until it failed.
std::string story(unsigned seed, unsigned length) {
  test::ActivationWalk walk(seed, {});
  std::string result = "walk " + std::to_string(seed) + " starts with" + shown(walk.environment());
  for (unsigned i = 0; i < length; ++i) {
    walk.step();
    result += "\n" + walk.said();
  }
  return result + "\nand now has" + shown(walk.environment()) + "\nwhich without toolkits were" +
         shown(walk.without_toolkits());
}

}  // namespace

TEST_CASE("whatever the environment and the user's edits, leaving gives back what was") {
  for (unsigned seed = 0; seed < walks; ++seed) {
    test::ActivationWalk walk(seed, {});
    for (unsigned i = 0; i < steps; ++i) {
      walk.step();
      const std::string fault = fault_of(walk);
      if (!fault.empty()) FAIL(fault, "\n", story(seed, i + 1));
    }
  }
}
