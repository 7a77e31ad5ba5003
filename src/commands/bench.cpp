#include "commands/bench.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/compat_tables.hpp"
#include "commands/gpu_choice.hpp"
#include "commands/remedies.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {

namespace {

compat::BoardFigures named_board(const compat::Tables& tables, const std::string& name) {
  auto found = compat::boards_like(tables, name);
  if (found.size() == 1) return std::move(found.front());
  const auto typed = text::visible(name);
  if (found.empty()) {
    throw Error(ErrorKind::usage, fmt::format("no figures of a board `{}` are known", typed))
        .help("see those that are with `cudaenv compat --by board`");
  }
  std::vector<std::string> names;
  for (const auto& each : found) names.push_back(each.board.name);
  throw Error(ErrorKind::usage, fmt::format("`{}` may be one of several boards", typed))
      .because(text::join(names, ", "))
      .help("name one of them in full");
}

std::optional<compat::BoardFigures> own_board(const compat::Tables& tables, const GpuFacts& gpu) {
  if (!tables.board(gpu.name)) return std::nullopt;
  return compat::boards_like(tables, gpu.name).front();
}

}  // namespace

bool BenchResult::failed() const {
  return std::any_of(gpus.begin(), gpus.end(), [](const MeasuredGpu& gpu) {
    return std::any_of(gpu.outcome.checks.begin(), gpu.outcome.checks.end(),
                       [](const Check& check) { return check.verdict == Verdict::failed; });
  });
}

BenchResult bench(const BenchRequest& request, const Host& host) {
  BenchResult result;
  result.toolkit = chosen_toolkit(request.spec, host);
  result.measured_at = sys::now_utc();
  const auto tables = known_tables(host).tables;
  std::optional<compat::BoardFigures> named;
  if (!request.against.empty()) named = named_board(tables, request.against);
  result.compared = request.baseline || named;
  const auto seen = visible_gpus(host, std::chrono::seconds(60));
  result.skipped = seen.nothing;
  if (!result.skipped.empty()) return result;
  if (seen.gpus.empty()) {
    throw Error(ErrorKind::missing, "the driver does not work")
        .help("see what fails with `cudaenv selftest --level driver`");
  }
  const auto numbers = chosen_gpus(seen.gpus, request.gpus);
  for (const int number : numbers) {
    const auto& facts = seen.gpus[static_cast<std::size_t>(number)];
    host.progress.step(fmt::format("measuring GPU {} ({})", number, facts.name));
    // No other thread may run while a process is forked.
    host.progress.job_end();
    gpu::BenchRequest one;
    if (result.toolkit) one.toolkit = result.toolkit->path;
    one.uuid = facts.uuid;
    for (const int other : numbers) {
      const auto& peer = seen.gpus[static_cast<std::size_t>(other)];
      // A process that sees a MIG instance sees nothing else.
      if (other == number || peer.mig || facts.mig) continue;
      one.peers.push_back({other, peer.uuid});
    }
    one.quick = request.quick;
    const auto* rate = facts.capability ? tables.rate(*facts.capability, facts.name) : nullptr;
    if (rate) one.operations = rate->operations;
    if (request.limit) one.limit = *request.limit;
    auto board = request.baseline && !named ? own_board(tables, facts) : named;
    result.gpus.push_back({number, facts, gpu::run_bench(one, host.interrupt), std::move(board)});
    add_remedies(result.gpus.back().outcome.checks, host);
  }
  return result;
}

}  // namespace cudaenv::commands
