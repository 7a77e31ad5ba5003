#include "compat/bottleneck.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace cudaenv::compat {
namespace {

// NVML's own figures cover up to a second each: fewer or shorter samples say nothing.
constexpr std::size_t fewest_samples = 5;
constexpr double shortest = 3;
// Shares of time or of what is possible.
constexpr double always_busy = 0.85;  // the GPU has no gaps to fill
constexpr double often_busy = 0.4;
constexpr double filled = 0.6;           // multiprocessors at work
constexpr double filled_by_power = 0.5;  // the same for chips without that counter
constexpr double saturated = 0.85;       // a thread, or all processors
constexpr double memory_at_limit = 0.6;  // of the bandwidth: copies reach 0.9, products 0.3
constexpr double link_at_limit = 0.4;    // of PCIe: pinned copies reach 0.8
constexpr double link_by_pageable = 0.08;
constexpr double sparse =
    0.05;  // of the multiprocessors, while a kernel runs: kernels of a few blocks
constexpr double often_waiting = 0.3;
constexpr double memory_full = 0.95;

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

std::string percent(const std::optional<double>& share) { return share ? percent(*share) : "N/A"; }

// Whether kernels use the chip, as far as it tells.
std::optional<bool> is_filled(const RunFigures& f) {
  if (f.busy_multiprocessors) return *f.busy_multiprocessors >= filled;
  if (f.power) return *f.power >= filled_by_power;
  return std::nullopt;
}

bool is_busy(const RunFigures& f, double share) { return f.busy.value_or(0) >= share; }

// Whether the kernels that ran were too small for the chip, however rarely they ran.
bool is_sparse(const RunFigures& f) {
  return f.busy_multiprocessors && is_busy(f, 0.1) && *f.busy_multiprocessors < sparse * *f.busy;
}

bool processors_saturated(const RunFigures& f, const RunTrace& trace) {
  return f.busiest_thread >= saturated || f.processors >= saturated * trace.machine_processors;
}

std::string busy_line(const RunFigures& f) {
  std::string line = fmt::format("a kernel ran {} of the time", percent(f.busy));
  if (f.busy_multiprocessors) {
    line += fmt::format(", on {} of the multiprocessors", percent(f.busy_multiprocessors));
  }
  if (f.power) line += fmt::format(", at {} of the power limit", percent(f.power));
  return line;
}

std::string processor_line(const RunFigures& f, const RunTrace& trace) {
  return fmt::format("the run used {:.1f} of {} processors; its busiest thread ran {} of the time",
                     f.processors, trace.machine_processors, percent(f.busiest_thread));
}

std::string link_line(const RunFigures& f) {
  return fmt::format("PCIe carried {} of what the link can", percent(f.link));
}

std::string disk_line(const RunFigures& f) {
  std::string line =
      fmt::format("a thread of the run waited for a disk in {} of the looks", percent(f.waiting));
  if (f.io_pressure) {
    line += fmt::format("; somebody on the machine waited {} of the time", percent(f.io_pressure));
  }
  if (f.read_rate) line += fmt::format("; the run read {:.1f} MB/s", *f.read_rate / 1e6);
  return line;
}

using Verdict = std::optional<Finding>;

Verdict heat(const RunFigures& f, const RunTrace&) {
  if (f.hot < 0.2 || !is_busy(f, 0.5)) return {};
  return Finding{
      "run.heat",
      Severity::warning,
      "the GPU was too hot to keep its clocks",
      {fmt::format("heat held the clocks back {} of the time; they were at {} of the highest",
                   percent(f.hot), percent(f.clock)),
       busy_line(f)},
      {"look at the cooling: airflow, dust, the room, neighbours in the chassis",
       "watch it with `cudaenv gpu --watch`"}};
}

Verdict power(const RunFigures& f, const RunTrace&) {
  if (f.capped < 0.5 || !is_busy(f, 0.8) || f.clock.value_or(1) >= 0.85) return {};
  return Finding{
      "run.power",
      Severity::note,
      "the power limit held the GPU's clocks down",
      {fmt::format("power held the clocks back {} of the time; they were at {} of the highest",
                   percent(f.capped), percent(f.clock)),
       busy_line(f)},
      {"see whether the limit is below what the board allows: `nvidia-smi -q -d POWER`",
       "less work per result: lower precision (bf16, fp8), tensor cores, fused kernels"}};
}

Verdict gpu_memory(const RunFigures& f, const RunTrace&) {
  if (!is_busy(f, always_busy) || f.memory_bandwidth.value_or(0) < memory_at_limit) return {};
  return Finding{"run.gpu-memory",
                 Severity::note,
                 "the bandwidth of the GPU's memory was the limit",
                 {fmt::format("kernels used {} of it", percent(f.memory_bandwidth)), busy_line(f)},
                 {"move less: fuse elementwise operations (`torch.compile`), lower precision",
                  "reuse what was loaded: larger tiles, larger batches for matrix products"}};
}

Verdict gpu(const RunFigures& f, const RunTrace&) {
  if (!is_busy(f, always_busy) || !is_filled(f).value_or(true)) return {};
  std::vector<std::string> why{busy_line(f)};
  if (f.tensor_activity) {
    why.push_back(fmt::format("tensor cores worked {} of the time", percent(f.tensor_activity)));
  }
  std::vector<std::string> help{
      "to be faster still: lower precision, better kernels, or more GPUs"};
  if (f.tensor_activity && *f.tensor_activity < 0.1) {
    help.insert(help.begin(), "use tensor cores: bf16 or TF32 products, sizes in multiples of 8");
  }
  return Finding{"run.gpu", Severity::note, "the GPU was the limit, as it should be",
                 std::move(why), std::move(help)};
}

Verdict transfers(const RunFigures& f, const RunTrace&) {
  const double link = f.link.value_or(0);
  // Copies count as busy, on chips that tell it without a multiprocessor at work.
  const bool computes = is_busy(f, always_busy) && f.busy_multiprocessors.value_or(1) >= sparse;
  const bool much = link >= link_at_limit && !computes;
  if (!much && (link < link_by_pageable || is_busy(f, filled))) return {};
  return Finding{"run.transfers",
                 Severity::warning,
                 "copies between the host and the GPU held the run back",
                 {link_line(f), busy_line(f)},
                 {"copy from pinned memory and beside the computation: `pin_memory=True`, "
                  "`non_blocking=True`, a stream of its own",
                  "keep on the GPU what is used again; send less (uint8, lower precision)",
                  "see whether the link is as wide as it can be: `cudaenv gpu`"}};
}

Verdict launches(const RunFigures& f, const RunTrace& trace) {
  if (is_filled(f).value_or(true)) return {};
  const bool launching = (is_busy(f, often_busy) || is_sparse(f)) && f.busiest_thread >= 0.8;
  if (!launching && !is_busy(f, always_busy)) return {};
  return Finding{
      "run.launches",
      Severity::warning,
      "kernels were too small to fill the GPU: small batches, many launches",
      {busy_line(f), processor_line(f, trace)},
      {"make batches larger, as far as memory goes",
       "launch less: CUDA graphs, `torch.compile(mode=\"reduce-overhead\")`, fused optimisers",
       "share the GPU: several runs at once (MPS, MIG)"}};
}

Verdict processor(const RunFigures& f, const RunTrace& trace) {
  if (is_busy(f, always_busy) || !processors_saturated(f, trace)) return {};
  const bool all = f.processors >= saturated * trace.machine_processors;
  std::vector<std::string> help{
      "do it on the GPU (decoding, augmentation, tokenising) or once, ahead of the run"};
  help.insert(help.begin(), all ? "take a machine with more processors, or less work per sample"
                                : "prepare input in more processes: `DataLoader(num_workers=...)`, "
                                  "`prefetch_factor`");
  return Finding{"run.processor",
                 Severity::warning,
                 all ? "the GPU waited for the processors, all of which were busy"
                     : "the GPU waited for a thread that prepares its work",
                 {busy_line(f), processor_line(f, trace)},
                 std::move(help)};
}

Verdict disk(const RunFigures& f, const RunTrace&) {
  const bool waits = f.waiting >= often_waiting || f.io_pressure.value_or(0) >= often_waiting;
  if (is_busy(f, always_busy) || !waits) return {};
  return Finding{"run.disk",
                 Severity::warning,
                 "the GPU waited for input from a disk",
                 {busy_line(f), disk_line(f)},
                 {"put the data on a local SSD, or into memory (`/dev/shm`)",
                  "read fewer, larger files (shards, WebDataset, Parquet), and ahead of time",
                  "read in more processes: `DataLoader(num_workers=...)`"}};
}

Verdict full(const RunFigures& f, const RunTrace&) {
  if (f.memory_peak.value_or(0) < memory_full) return {};
  return Finding{
      "run.memory-full",
      Severity::warning,
      "the GPU's memory was nearly full",
      {fmt::format("{} of it was taken at the most; frameworks that reserve it ahead, as "
                   "JAX and TensorFlow do, look the same",
                   percent(f.memory_peak))},
      {"smaller batches with gradient accumulation, activation checkpointing, lower "
       "precision",
       "against fragments: `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`"}};
}

Finding unclear(const RunFigures& f, const RunTrace& trace) {
  Finding finding{"run.unclear",
                  Severity::note,
                  "the GPU had gaps, and nothing that was watched was at its limit",
                  {busy_line(f), processor_line(f, trace), disk_line(f)},
                  {"it may wait for a network, a lock, another process or a sleep",
                   "a timeline shows the gaps: `nsys profile CMD`"}};
  if (f.link) finding.why.push_back(link_line(f));
  return finding;
}

double length(const RunTrace& trace) {
  return trace.samples.empty() ? 0 : trace.samples.back().end - trace.samples.front().begin;
}

Finding too_short(const RunFigures& f, const RunTrace& trace) {
  return {
      "run.too-short",
      Severity::note,
      "the run was too short to tell",
      {fmt::format("the GPU was watched at work for {:.1f} s in {} samples, of {:.1f} s in all; "
                   "it takes {:.0f} s and {} samples",
                   f.judged, f.samples, length(trace), shortest, fewest_samples)},
      {"let it run longer, or look more often: `--interval 0.1`"}};
}

bool any_gpu(const RunTrace& trace, bool (*holds)(const GpuReading&)) {
  return std::any_of(trace.samples.begin(), trace.samples.end(), [&](const auto& sample) {
    return std::any_of(sample.gpus.begin(), sample.gpus.end(), holds);
  });
}

Finding no_figures(std::string seen, std::string why, const RunFigures& f, const RunTrace& trace) {
  return {"run.no-figures",
          Severity::warning,
          std::move(seen),
          {std::move(why), processor_line(f, trace), disk_line(f)},
          {"see what is wrong with `cudaenv doctor`"}};
}

// What can be said without load on a GPU.
std::optional<Finding> without_load(const RunFigures& f, const RunTrace& trace) {
  if (!any_gpu(trace, [](const auto&) { return true; })) {
    if (trace.trouble.empty()) return too_short(f, trace);
    return no_figures("no GPU could be read", trace.trouble, f, trace);
  }
  if (trace.samples.size() < fewest_samples || length(trace) < shortest) return too_short(f, trace);
  // Silence is not idleness.
  const bool tells =
      f.gpus.empty() ? any_gpu(trace, [](const auto& gpu) { return gpu.utilization.has_value(); })
                     : f.busy.has_value();
  if (!tells) {
    return no_figures("the GPU does not tell its load", "a partitioned one (MIG) does not", f,
                      trace);
  }
  if (f.busy.value_or(0) > 0) return std::nullopt;
  return Finding{"run.gpu-unused",
                 Severity::warning,
                 "no kernel ran on a GPU",
                 {processor_line(f, trace), disk_line(f)},
                 {"see whether the program finds the GPU: `cudaenv selftest`, "
                  "`python3 -c 'import torch; print(torch.cuda.is_available())'`"}};
}

std::optional<Finding> start_up(const RunFigures& f, const RunTrace& trace) {
  if (f.start_up < 0.5 * length(trace)) return std::nullopt;
  return Finding{"run.start-up",
                 Severity::warning,
                 "most of the time went by before the GPU worked",
                 {fmt::format("{:.1f} s of {:.1f} s", f.start_up, length(trace))},
                 {"look at imports, downloads, the loading of data and weights, compilation"}};
}

}  // namespace

std::vector<Finding> judge_run(const RunTrace& trace) {
  const RunFigures figures = figures_of(trace);
  if (auto finding = without_load(figures, trace)) return {*std::move(finding)};
  const auto slow_start = start_up(figures, trace);
  if (figures.samples < fewest_samples || figures.judged < shortest) {
    return {slow_start.value_or(too_short(figures, trace))};
  }
  std::vector<Finding> findings;
  // The order decides which one is the verdict: what explains the others comes first.
  for (const auto rule : {heat, power, gpu_memory, gpu, transfers, launches, processor, disk}) {
    if (auto finding = rule(figures, trace)) findings.push_back(*std::move(finding));
  }
  if (findings.empty()) findings.push_back(unclear(figures, trace));
  if (auto finding = full(figures, trace)) findings.push_back(*std::move(finding));
  if (slow_start) findings.push_back(*slow_start);
  return findings;
}

}  // namespace cudaenv::compat
