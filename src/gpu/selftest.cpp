#include "gpu/selftest.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "gpu/levels.hpp"
#include "sys/child.hpp"

namespace cudaenv::gpu {
namespace {

using Milliseconds = std::chrono::milliseconds;

constexpr std::array<std::pair<Level, std::string_view>, 5> level_names{{
    {Level::driver, "driver"},
    {Level::runtime, "runtime"},
    {Level::compiler, "compiler"},
    {Level::libraries, "libraries"},
    {Level::memory, "memory"},
}};

// A driver without persistence takes many seconds to wake eight GPUs; a healthy one takes one.
constexpr Milliseconds usual_limit = std::chrono::seconds(120);
// 180 GB, twelve patterns, at a tenth of today's memory speed.
constexpr Milliseconds memory_limit = std::chrono::minutes(15);

// In the child, before the driver is loaded: what it shall see, and that it compiles PTX now
// instead of taking what an earlier run left in the cache.
void settle_environment(const std::string& visible) {
  if (!visible.empty()) sys::set_own_variable("CUDA_VISIBLE_DEVICES", visible);
  sys::set_own_variable("CUDA_CACHE_DISABLE", "1");
  sys::set_own_variable("CUDA_MODULE_LOADING", "LAZY");
}

template <typename Work>
std::vector<Check> in_child(const std::string& visible, const LevelRequest& request,
                            Milliseconds limit, const Interrupt& interrupt, const Work& work) {
  const sys::ChildLimit child_limit{request.limit.value_or(limit)};
  const auto outcome = sys::run_in_child(
      [&](const sys::ChildReport& report) {
        settle_environment(visible);
        Checks checks(report, request.plant);
        work(checks);
      },
      child_limit, interrupt);
  return read_checks(outcome, child_limit.time);
}

using Part = void (*)(Checks&, const LevelRequest&);

struct ChildLevel {
  Level level;
  std::vector<Part> parts;  // each in a process of its own
  Milliseconds limit;
};

const std::vector<ChildLevel>& child_levels() {
  static const std::vector<ChildLevel> levels{
      {Level::driver, {driver_level}, usual_limit},
      {Level::runtime, {runtime_level}, usual_limit},
      {Level::libraries, {loading_checks, cublas_checks, cufft_checks, cudnn_checks}, usual_limit},
      {Level::memory, {memory_level}, memory_limit},
  };
  return levels;
}

std::string joined(const std::vector<std::string>& uuids) { return text::join(uuids, ","); }

void append(std::vector<Check>& all, std::vector<Check> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::string_view name_of(Level level) {
  return std::find_if(level_names.begin(), level_names.end(),
                      [&](const auto& row) { return row.first == level; })
      ->second;
}

std::optional<Level> parse_level(std::string_view name) {
  const auto found = std::find_if(level_names.begin(), level_names.end(),
                                  [&](const auto& row) { return row.second == name; });
  if (found == level_names.end()) return std::nullopt;
  return found->first;
}

bool needs_toolkit(Level level) { return level != Level::driver && level != Level::memory; }

std::vector<Check> run_level(Level level, const LevelRequest& request,
                             const sys::Environment& environment, const Interrupt& interrupt) {
  if (level == Level::compiler) return compiler_level(request, environment, interrupt);
  std::vector<Check> checks;
  for (const auto& known : child_levels()) {
    if (known.level != level) continue;
    for (const Part part : known.parts) {
      append(checks, in_child(request.uuid, request, known.limit, interrupt,
                              [&](Checks& to) { part(to, request); }));
    }
  }
  return checks;
}

std::vector<Check> run_peers(const std::vector<std::string>& uuids, const LevelRequest& request,
                             const Interrupt& interrupt) {
  return in_child(joined(uuids), request, usual_limit, interrupt,
                  [&](Checks& to) { peer_checks(to, uuids); });
}

std::vector<Check> run_nccl(const std::vector<std::string>& uuids, const LevelRequest& request,
                            const Interrupt& interrupt) {
  return in_child(joined(uuids), request, usual_limit, interrupt,
                  [&](Checks& to) { nccl_checks(to, request, uuids); });
}

}  // namespace cudaenv::gpu
