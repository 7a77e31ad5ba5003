#include "cli/progress_screen.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/table.hpp"

namespace cudaenv::cli {
namespace {

using Stage = ShownItem::Stage;
constexpr std::size_t name_width = 26;
constexpr std::array spinner{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
constexpr std::array eighths{" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

// A bar of `width` columns with a smooth end.
std::string bar(double share, std::size_t width) {
  const double columns = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  const auto full = static_cast<std::size_t>(columns);
  std::string text;
  for (std::size_t i = 0; i < full; ++i) text += "█";
  if (full < width) {
    text += eighths[static_cast<std::size_t>((columns - static_cast<double>(full)) * 8)];
    text += std::string(width - full - 1, ' ');
  }
  return text;
}

double share_of(std::uint64_t part, std::uint64_t total) {
  return total > 0 ? static_cast<double>(part) / static_cast<double>(total) : 0;
}

std::string cut(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text + std::string(width - text.size(), ' ');
  return text.substr(0, width - 1) + "…";
}

std::string item_line(const ShownItem& item, const Screen& screen, unsigned width,
                      const Style& style) {
  const bool unpacking = item.stage == Stage::unpacking;
  const std::string mark = spinner[screen.frame % spinner.size()];
  const std::string head = fmt::format(" {} {} ", style.cyan(mark), cut(item.name, name_width));
  if (item.stage == Stage::retrying) {
    const std::size_t room = width > name_width + 6 ? width - name_width - 6 : 1;
    return head + style.yellow(cut(item.detail, room));
  }
  const std::uint64_t part = unpacking ? item.unpacked : item.fetched;
  const std::string tail =
      unpacking
          ? fmt::format(" unpacking {:>3.0f} %", 100 * std::min(1.0, share_of(part, item.total)))
      : item.total > 0 ? fmt::format(" {} of {}", text::bytes(part), text::bytes(item.total))
                       : fmt::format(" {}", text::bytes(part));
  const std::size_t used = name_width + 5 + tail.size();
  if (width < used + 10) return head + tail;
  const std::size_t room = std::min<std::size_t>(width - used - 1, 40);
  const std::string drawn = bar(share_of(part, item.total), room);
  return head + (unpacking ? style.green(drawn) : style.cyan(drawn)) + style.dim(tail);
}

std::string summary_line(const Screen& screen, unsigned width, const Style& style) {
  std::uint64_t fetched = 0;
  std::uint64_t known = 0;
  std::size_t done = 0;
  for (const auto& item : screen.items) {
    fetched += item.fetched;
    known += item.total;
    done += item.stage == Stage::done ? 1 : 0;
  }
  std::string line =
      fmt::format(" {} {}", style.bold(fmt::format("{}/{}", done, screen.items.size())),
                  screen.step.empty() ? "archives" : screen.step);
  if (screen.items.empty()) line = " " + screen.step;
  // The size of a wheel is known once its transfer has begun.
  const std::uint64_t total = std::max(screen.fetch_total, known);
  if (total > 0) {
    line += fmt::format("   {} of {}", text::bytes(std::min(fetched, total)), text::bytes(total));
  }
  const bool fetching = fetched < total;
  if (fetching && screen.rate > 1) {
    line += fmt::format("   {}/s", text::bytes(static_cast<std::uint64_t>(screen.rate)));
    const double left = static_cast<double>(total - fetched) / screen.rate;
    if (left < 100 * 3600) {
      line +=
          fmt::format("   {} left", clock_text(std::chrono::seconds(static_cast<long>(left) + 1)));
    }
  }
  line += style.dim(fmt::format(
      "   {}", clock_text(std::chrono::duration_cast<std::chrono::seconds>(screen.elapsed))));
  return shown_width(line) <= width ? line : fmt::format(" {}/{}", done, screen.items.size());
}

}  // namespace

std::string clock_text(std::chrono::seconds duration) {
  const auto all = duration.count();
  if (all >= 3600) return fmt::format("{}:{:02}:{:02}", all / 3600, all / 60 % 60, all % 60);
  return fmt::format("{}:{:02}", all / 60, all % 60);
}

std::vector<std::string> render(const Screen& screen, unsigned width, unsigned height,
                                const Style& style) {
  std::vector<std::string> lines;
  const std::size_t most = height > 1 ? height - 1 : 0;
  for (const auto& item : screen.items) {
    const bool active = item.stage == Stage::fetching || item.stage == Stage::retrying ||
                        item.stage == Stage::unpacking;
    if (active && lines.size() < most) lines.push_back(item_line(item, screen, width, style));
  }
  lines.push_back(summary_line(screen, width, style));
  return lines;
}

}  // namespace cudaenv::cli
