#include "commands/bench.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "commands/gpu_choice.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {

bool BenchResult::failed() const {
  return std::any_of(gpus.begin(), gpus.end(), [](const MeasuredGpu& gpu) {
    return std::any_of(gpu.outcome.checks.begin(), gpu.outcome.checks.end(),
                       [](const Check& check) { return check.verdict == Verdict::failed; });
  });
}

BenchResult bench(const BenchRequest& request, const Host& host) {
  BenchResult result;
  result.toolkit = request.spec.empty() ? active_or_default(host)
                                        : std::optional(named_toolkit(request.spec, host));
  result.measured_at = sys::now_utc();
  const auto seen = visible_gpus(host, std::chrono::seconds(60));
  result.skipped = seen.nothing;
  if (!result.skipped.empty()) return result;
  if (seen.gpus.empty()) {
    throw Error(ErrorKind::missing, "the driver does not work")
        .help("see what fails with `cudaenv selftest --level driver`");
  }
  for (const int number : chosen_gpus(seen.gpus, request.gpus)) {
    const auto& facts = seen.gpus[static_cast<std::size_t>(number)];
    host.progress.step(fmt::format("measuring GPU {} ({})", number, facts.name));
    // No other thread may run while a process is forked.
    host.progress.job_end();
    gpu::BenchRequest one;
    if (result.toolkit) one.toolkit = result.toolkit->path;
    one.uuid = facts.uuid;
    one.quick = request.quick;
    if (request.limit) one.limit = *request.limit;
    result.gpus.push_back({number, facts, gpu::run_bench(one, host.interrupt)});
  }
  return result;
}

}  // namespace cudaenv::commands
