#include "cli/gpu_screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cli/fitted.hpp"
#include "cli/gpu_print.hpp"
#include "commands/gpu_state.hpp"

namespace cudaenv::cli {
namespace {

constexpr std::size_t most_history = 512;
constexpr std::size_t name_width = 11;
constexpr std::size_t value_width = 20;
constexpr std::size_t most_spark = 80;

std::optional<double> share(const std::optional<std::uint64_t>& part,
                            const std::optional<std::uint64_t>& whole) {
  if (!part || !whole || *whole == 0) return std::nullopt;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

void push(History& history, std::optional<double> value) {
  history.push_back(value);
  if (history.size() > most_history) history.pop_front();
}

std::string or_unknown(const std::optional<unsigned>& value, const char* unit) {
  return value ? fmt::format("{} {}", *value, unit) : "N/A";
}

std::string power_text(const GpuReading& gpu) {
  if (!gpu.power) return "N/A";
  return gpu.power_limit ? fmt::format("{} of {} W", watts(*gpu.power), watts(*gpu.power_limit))
                         : fmt::format("{} W", watts(*gpu.power));
}

std::string memory_text(const std::optional<GpuMemory>& memory) {
  if (!memory) return "N/A";
  return fmt::format("{:.1f} of {}", static_cast<double>(memory->used) / (1u << 30),
                     gib(memory->total));
}

std::string clock_text(const GpuReading& gpu) {
  return gpu.clock && gpu.most_clock ? fmt::format("{} of {} MHz", *gpu.clock, *gpu.most_clock)
                                     : or_unknown(gpu.clock, "MHz");
}

bool is_held_back(const GpuReading& gpu) {
  return (gpu.throttle.value_or(0) & ~throttle::idle) != 0;
}

const std::string& name_of(const GpuReading& gpu) {
  static const std::string unknown = "unknown GPU";
  return gpu.facts.name.empty() ? unknown : gpu.facts.name;
}

std::string graph_line(const char* name, const std::string& value, const History& history,
                       std::size_t room, const Style& style) {
  FittedLine line(room, style);
  line.column(fmt::format("  {}", name), name_width).column(value, value_width).add(" ");
  line.add(sparkline(history, std::min(line.room(), most_spark)), &Style::cyan);
  return line.text();
}

void add_processes(std::vector<std::string>& lines, const GpuReading& gpu, std::size_t room,
                   const Style& style) {
  if (!gpu.processes) return;
  for (const auto& process : *gpu.processes) {
    FittedLine line(room, style);
    line.column("", name_width);
    line.column(process.memory ? gib(*process.memory) : "N/A", value_width).add(" ");
    line.add(process_text(process), &Style::dim);
    lines.push_back(line.text());
  }
}

}  // namespace

std::string sparkline(const History& history, std::size_t width) {
  constexpr std::array<const char*, 8> steps{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (std::size_t i = history.size() - std::min(history.size(), width); i < history.size(); ++i) {
    if (!history[i]) {
      text += "·";
      continue;
    }
    const double level = std::clamp(*history[i], 0.0, 1.0) * (steps.size() - 1);
    text += steps[static_cast<std::size_t>(std::lround(level))];
  }
  return text;
}

void GpuScreen::add(const gpu::Readings& readings, std::string_view time, std::string trouble) {
  time_ = time;
  trouble_ = std::move(trouble);
  if (!trouble_.empty()) return;
  last_ = readings;
  for (const auto& gpu : last_.gpus) remember(gpu);
}

void GpuScreen::remember(const GpuReading& gpu) {
  auto& histories = histories_[gpu.index];
  push(histories.busy, gpu.utilization ? std::optional(*gpu.utilization / 100.0) : std::nullopt);
  push(histories.memory,
       gpu.memory ? share(gpu.memory->used, gpu.memory->total) : std::optional<double>());
  push(histories.power, share(gpu.power, gpu.power_limit));
}

std::vector<std::string> GpuScreen::render(unsigned width, unsigned height,
                                           const Style& style) const {
  // In the last column some terminals have moved on already.
  const std::size_t room = width > 1 ? width - 1 : 0;
  const auto with_head = [&](const auto& add_gpu) {
    auto lines = head(room, style);
    for (const auto& gpu : last_.gpus) add_gpu(lines, gpu);
    return lines;
  };
  auto lines = with_head([&](auto& all, const auto& gpu) {
    add_block(all, gpu, room, style);
    add_processes(all, gpu, room, style);
  });
  if (lines.size() > height) {
    lines = with_head([&](auto& all, const auto& gpu) { add_block(all, gpu, room, style); });
  }
  if (lines.size() > height) {
    lines =
        with_head([&](auto& all, const auto& gpu) { all.push_back(short_line(gpu, room, style)); });
  }
  if (lines.size() > height && height > 0) {
    const std::size_t left = lines.size() - height + 1;
    lines.resize(height);
    FittedLine more(room, style);
    lines.back() = more.add(fmt::format("… and {} more", left), &Style::dim).text();
  }
  lines.resize(std::min<std::size_t>(lines.size(), height));
  return lines;
}

std::vector<std::string> GpuScreen::head(std::size_t room, const Style& style) const {
  FittedLine line(room, style);
  line.add("cudaenv gpu", &Style::bold);
  if (last_.driver) line.add(fmt::format("   driver {}", last_.driver->text()));
  line.add(fmt::format("   {}   q ends it", time_), &Style::dim);
  std::vector<std::string> lines{line.text()};
  if (!trouble_.empty()) {
    FittedLine trouble(room, style);
    lines.push_back(trouble.add(trouble_ + "; asked again", &Style::red).text());
  }
  return lines;
}

void GpuScreen::add_block(std::vector<std::string>& lines, const GpuReading& gpu, std::size_t room,
                          const Style& style) const {
  FittedLine title(room, style);
  title.add(fmt::format("GPU {}  {}", gpu.index, name_of(gpu)), &Style::bold);
  if (gpu.lost) {
    title.add("   " + commands::nvml_words(*gpu.lost), &Style::red);
    lines.push_back(title.text());
    return;
  }
  title.add(fmt::format("   {}   {}", or_unknown(gpu.temperature, "C"), clock_text(gpu)));
  if (gpu.pcie.generation && gpu.pcie.width) {
    title.add(fmt::format("   PCIe {} x{}", *gpu.pcie.generation, *gpu.pcie.width), &Style::dim);
  }
  lines.push_back(title.text());
  const auto& histories = histories_.at(gpu.index);
  lines.push_back(
      graph_line("busy", or_unknown(gpu.utilization, "%"), histories.busy, room, style));
  lines.push_back(graph_line("memory", memory_text(gpu.memory), histories.memory, room, style));
  lines.push_back(graph_line("power", power_text(gpu), histories.power, room, style));
  if (is_held_back(gpu)) {
    FittedLine held(room, style);
    held.column("  held by", name_width).add(throttle_text(gpu), &Style::yellow);
    lines.push_back(held.text());
  }
  if (gpu.ecc && gpu.ecc->uncorrected.value_or(0) > 0) {
    FittedLine errors(room, style);
    errors.column("  ECC", name_width);
    errors.add(fmt::format("{} uncorrected errors", *gpu.ecc->uncorrected), &Style::red);
    lines.push_back(errors.text());
  }
  for (const auto& instance : gpu.instances) {
    FittedLine line(room, style);
    line.column("", name_width).column(memory_text(instance.memory), value_width).add(" ");
    lines.push_back(line.add(instance.facts.name).text());
  }
}

std::string GpuScreen::short_line(const GpuReading& gpu, std::size_t room,
                                  const Style& style) const {
  FittedLine line(room, style);
  line.add(fmt::format("{:>3} ", gpu.index), &Style::bold);
  if (gpu.lost) return line.add(commands::nvml_words(*gpu.lost), &Style::red).text();
  line.column(or_unknown(gpu.utilization, "%"), 6);
  line.add(fitted(sparkline(histories_.at(gpu.index).busy, 12), 13), &Style::cyan);
  line.column(memory_text(gpu.memory), value_width).column(or_unknown(gpu.temperature, "C"), 6);
  line.column(power_text(gpu), 14).add(name_of(gpu), &Style::dim);
  return line.text();
}

}  // namespace cudaenv::cli
