#include "commands/selftest.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "commands/gpu_choice.hpp"
#include "commands/remedies.hpp"
#include "commands/wait.hpp"
#include "compat/xid.hpp"
#include "gpu/library_probe.hpp"
#include "gpu/xid.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds probe_limit = std::chrono::seconds(60);
// An Xid is reported when the GPU has stopped, which may be a little after the call returned.
constexpr std::chrono::milliseconds xid_wait{200};
// NVML wakes GPUs that nobody uses.
constexpr std::chrono::milliseconds xid_limit = std::chrono::seconds(20);
constexpr std::chrono::milliseconds no_wait{0};
constexpr const char* fault_variable = "CUDAENV_SELFTEST_FAULT";

Verdict worst(Verdict one, Verdict other) {
  if (one == Verdict::failed || other == Verdict::failed) return Verdict::failed;
  return one == Verdict::passed ? one : other;
}

// "driver:wrong": a fault that is put in, to see that it is found.
struct Fault {
  std::string level;
  gpu::Plant plant = gpu::Plant::none;
};

Fault planted_fault(const Host& host) {
  const auto value = host.environment.non_empty(fault_variable);
  if (!value) return {};
  const auto fields = text::split(*value, ':');
  if (fields.size() == 2) {
    const std::string level(fields[0]);
    if (fields[1] == "wrong") return {level, gpu::Plant::wrong};
    if (fields[1] == "hang") return {level, gpu::Plant::hang};
    if (fields[1] == "crash") return {level, gpu::Plant::crash};
  }
  throw Error(ErrorKind::usage,
              fmt::format("{} is `{}`", fault_variable, text::visible(*value, 60)))
      .help("it is a level and `wrong`, `hang` or `crash`, such as `driver:wrong`");
}

std::vector<ChosenToolkit> toolkits_for(const SelftestRequest& request, const Host& host) {
  std::vector<ChosenToolkit> toolkits;
  if (request.all) {
    for (const auto& prefix : store::Inventory::read(reading_roots(host)).prefixes) {
      toolkits.push_back({prefix.receipt.name, prefix.path});
    }
  } else if (auto found = chosen_toolkit(request.spec, host)) {
    toolkits.push_back(std::move(*found));
  }
  return toolkits;
}

// The levels of one GPU, in order: where the driver fails, nothing above it is asked.
class Testing {
 public:
  Testing(const SelftestRequest& request, const Host& host, SelftestResult& result)
      : request_(request), host_(host), result_(result), fault_(planted_fault(host)) {}

  void run() {
    xids_.emplace(std::min(request_.limit.value_or(xid_limit), xid_limit));
    xids_->heard(no_wait, host_.interrupt);
    for (std::size_t i = 0; i < result_.gpus.size(); ++i) one_gpu(i);
    if (wanted(gpu::Level::driver)) peers();
    if (wanted(gpu::Level::libraries)) nccl();
  }

  // Where no GPU can be listed: the driver level says why.
  void run_broken() { add("", std::nullopt, gpu::Level::driver, GpuFacts{}); }

 private:
  bool wanted(gpu::Level level) const {
    return std::find(request_.levels.begin(), request_.levels.end(), level) !=
           request_.levels.end();
  }

  gpu::LevelRequest level_request(const std::string& level, const GpuFacts& facts) const {
    gpu::LevelRequest request;
    request.uuid = facts.uuid;
    request.capability = facts.capability.value_or(ComputeCapability{});
    request.limit = request_.limit;
    if (fault_.level == level) request.plant = fault_.plant;
    return request;
  }

  void say(const std::string& what) const {
    host_.progress.step(what);
    // No other thread may run while a process is forked.
    host_.progress.job_end();
  }

  // The level, with what the driver reported of the GPUs meanwhile.
  void keep(LevelResult level) {
    const bool failed = level.verdict() == Verdict::failed;
    if (xids_) {
      for (const auto& xid : xids_->heard(failed ? xid_wait : no_wait, host_.interrupt)) {
        take(xid, failed, level);
      }
    }
    add_remedies(level.checks, host_);
    result_.levels.push_back(std::move(level));
  }

  // A fault of a program is one of the self-test where that failed, else of who uses the GPU too.
  void take(const gpu::Xid& xid, bool failed, LevelResult& level) {
    const auto meaning = compat::meaning_of_xid(tables_for_remedies(host_), xid.number);
    const auto words = fmt::format("the driver reported {} of {}", meaning.text,
                                   xid.uuid.empty() ? "a GPU" : xid.uuid);
    if (meaning.of_program && !failed) {
      result_.notes.push_back(fmt::format("{} while {} was tested: another program's, as it seems",
                                          words, level.level));
      return;
    }
    const auto layer = meaning.of_program ? Layer::kernel : Layer::hardware;
    Failure failure{layer, 0, "", words};
    if (!meaning.cause.empty()) failure.causes = {meaning.cause};
    failure.help = meaning.help;
    level.checks.push_back({"xid", Verdict::failed, 0, "", std::move(failure)});
  }

  const LevelResult& add(const std::string& toolkit, std::optional<int> number, gpu::Level level,
                         const GpuFacts& facts, const fs::path& path = {}) {
    const std::string name(gpu::name_of(level));
    auto request = level_request(name, facts);
    request.toolkit = path;
    say(fmt::format("testing {}{}{}", name, toolkit.empty() ? "" : " of " + toolkit,
                    number ? fmt::format(" on GPU {}", *number) : ""));
    keep({toolkit, number, name,
          gpu::run_level(level, request, host_.environment, host_.interrupt)});
    return result_.levels.back();
  }

  void one_gpu(std::size_t index) {
    const int number = result_.numbers[index];
    const auto& facts = result_.gpus[index];
    if (wanted(gpu::Level::driver) &&
        add("", number, gpu::Level::driver, facts).verdict() == Verdict::failed) {
      if (request_.levels.size() == 1) return;
      result_.notes.push_back(
          fmt::format("GPU {}: nothing above the driver was tested, because that fails", number));
      return;
    }
    for (const auto& toolkit : result_.toolkits) {
      for (const auto level : {gpu::Level::runtime, gpu::Level::compiler, gpu::Level::libraries}) {
        if (wanted(level)) add(toolkit.name, number, level, facts, toolkit.path);
      }
    }
    if (wanted(gpu::Level::memory)) add("", number, gpu::Level::memory, facts);
  }

  // Those that one process can see together: all, but of MIG instances one alone.
  std::vector<std::string> together() const {
    std::vector<std::string> uuids;
    for (const auto& facts : result_.gpus) {
      if (!facts.mig) uuids.push_back(facts.uuid);
    }
    if (uuids.empty() && !result_.gpus.empty()) uuids.push_back(result_.gpus.front().uuid);
    return uuids;
  }

  void peers() {
    const auto group = together();
    if (group.size() < 2) return;
    say("testing the GPUs together");
    keep({"", std::nullopt, "peers",
          gpu::run_peers(group, level_request("peers", GpuFacts{}), host_.interrupt)});
  }

  void nccl() {
    const auto group = together();
    if (group.empty()) return;
    for (const auto& toolkit : result_.toolkits) {
      say(fmt::format("testing NCCL of {}", toolkit.name));
      auto request = level_request("nccl", GpuFacts{});
      request.toolkit = toolkit.path;
      keep({toolkit.name, std::nullopt, "nccl", gpu::run_nccl(group, request, host_.interrupt)});
    }
  }

  const SelftestRequest& request_;
  const Host& host_;
  SelftestResult& result_;
  Fault fault_;
  std::optional<gpu::XidWatch> xids_;  // where there are GPUs
};

void check_toolkits(const SelftestRequest& request, SelftestResult& result) {
  if (!result.toolkits.empty()) return;
  const auto& levels = request.levels;
  if (std::none_of(levels.begin(), levels.end(), gpu::needs_toolkit)) return;
  if (std::all_of(levels.begin(), levels.end(), gpu::needs_toolkit)) {
    throw Error(ErrorKind::missing, "there is no toolkit to test")
        .because("no toolkit is active and there is no default")
        .help("name one, or install one with `cudaenv install auto`");
  }
  result.notes.emplace_back("no toolkit is active and there is no default: none was tested");
}

store::ReceiptProof proof_of(const SelftestResult& result) {
  store::ReceiptProof proof{std::string(name_of(result.verdict())), sys::now_utc(), {}, {}};
  for (const auto& facts : result.gpus) proof.gpus.push_back(facts.name);
  for (const auto& level : result.levels) {
    for (const auto& check : level.checks) {
      if (!check.failure) continue;
      const std::string gpu = level.gpu ? fmt::format("GPU {} ", *level.gpu) : "";
      proof.failed.push_back(
          fmt::format("{}{} {}: {}", gpu, level.level, check.name, check.failure->what));
    }
  }
  return proof;
}

}  // namespace

Verdict LevelResult::verdict() const {
  Verdict verdict = Verdict::skipped;
  for (const auto& check : checks) verdict = worst(verdict, check.verdict);
  return verdict;
}

double LevelResult::milliseconds() const {
  double sum = 0;
  for (const auto& check : checks) sum += check.milliseconds;
  return sum;
}

Verdict SelftestResult::verdict() const {
  Verdict verdict = Verdict::skipped;
  for (const auto& level : levels) verdict = worst(verdict, level.verdict());
  return verdict;
}

SelftestResult selftest(const SelftestRequest& request, const Host& host) {
  SelftestResult result;
  const auto& levels = request.levels;
  if (std::any_of(levels.begin(), levels.end(), gpu::needs_toolkit)) {
    result.toolkits = toolkits_for(request, host);
    check_toolkits(request, result);
  }
  Testing testing(request, host, result);
  auto seen = visible_gpus(host, request.limit.value_or(probe_limit));
  result.skipped = seen.nothing;
  if (!result.skipped.empty()) return result;
  if (seen.gpus.empty()) {
    testing.run_broken();
    return result;
  }
  result.numbers = chosen_gpus(seen.gpus, request.gpus);
  for (const int number : result.numbers) {
    result.gpus.push_back(seen.gpus[static_cast<std::size_t>(number)]);
  }
  testing.run();
  return result;
}

std::optional<SelftestResult> prove_installed(const store::Layout& layout, const fs::path& prefix,
                                              const Host& host) {
  if (gpu::probe_cuda(host.interrupt, probe_limit).gpus.empty()) return std::nullopt;
  SelftestRequest request;
  request.spec = prefix.string();
  request.levels = {gpu::Level::driver, gpu::Level::runtime};
  auto result = selftest(request, host);
  const auto proof = proof_of(result);

  const auto lock = lock_root(layout, host);
  // Somebody may have replaced or removed it meanwhile.
  auto receipt = store::receipt_in(prefix);
  if (!receipt || !result.skipped.empty()) return result;
  receipt->proof = proof;
  sys::write_atomically(store::receipt_file(prefix), store::write_receipt(*receipt));
  return result;
}

std::vector<gpu::Level> usual_levels() {
  return {gpu::Level::driver, gpu::Level::runtime, gpu::Level::compiler, gpu::Level::libraries};
}

std::vector<gpu::Level> parse_levels(const std::string& text) {
  std::vector<gpu::Level> levels;
  for (const auto piece : text::split(text, ',')) {
    const std::string name(text::trimmed(piece));
    if (name == "full") {
      levels = usual_levels();
      levels.push_back(gpu::Level::memory);
      continue;
    }
    const auto level = gpu::parse_level(name);
    if (!level) {
      throw with_suggestion(
          Error(ErrorKind::usage, fmt::format("`{}` is not a level", text::visible(name, 60))),
          name, {"driver", "runtime", "compiler", "libraries", "memory", "full"},
          "levels are `driver`, `runtime`, `compiler`, `libraries`, `memory` and `full`");
    }
    levels.push_back(*level);
  }
  return levels;
}

}  // namespace cudaenv::commands
