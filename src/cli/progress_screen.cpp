#include "cli/progress_screen.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/fitted.hpp"
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

// How far its transfer or, later, its unpacking is.
double share_of(const ShownItem& item) {
  if (item.total == 0) return 0;
  const auto part = item.stage == Stage::unpacking ? item.unpacked : item.fetched;
  return static_cast<double>(part) / static_cast<double>(item.total);
}

std::string amount_text(const ShownItem& item) {
  if (item.stage == Stage::unpacking) {
    return fmt::format(" unpacking {:>3.0f} %", 100 * std::min(1.0, share_of(item)));
  }
  if (item.total == 0) return fmt::format(" {}", text::bytes(item.fetched));
  return fmt::format(" {} of {}", text::bytes(item.fetched), text::bytes(item.total));
}

// In a wide terminal name, bar and amount; in a narrow one name and amount, or the name alone.
std::string item_line(const ShownItem& item, const Screen& screen, std::size_t room,
                      const Style& style) {
  constexpr std::size_t mark_width = 3;
  if (room <= mark_width) return "";
  const std::string mark = fmt::format(" {} ", style.cyan(spinner[screen.frame % spinner.size()]));
  room -= mark_width;
  if (item.stage == Stage::retrying) {
    if (room < name_width + 8) return mark + fitted(item.name, room);
    const auto why = fitted(item.detail, room - name_width - 1);
    return mark + fitted(item.name, name_width) + " " + style.yellow(why);
  }
  const std::string amount = amount_text(item);
  if (room < amount.size() + 8) return mark + fitted(item.name, room);
  room -= amount.size();
  if (room < name_width + 10) {
    return mark + fitted(item.name, std::min(room, name_width)) + style.dim(amount);
  }
  const std::string drawn = bar(share_of(item), std::min<std::size_t>(room - name_width - 1, 40));
  return mark + fitted(item.name, name_width) + " " +
         (item.stage == Stage::unpacking ? style.green(drawn) : style.cyan(drawn)) +
         style.dim(amount);
}

// What the last line tells after its head, the most important first.
std::vector<std::string> sums(const Screen& screen, const Style& style) {
  std::uint64_t fetched = 0;
  std::uint64_t known = 0;
  for (const auto& item : screen.items) {
    fetched += item.fetched;
    known += item.total;
  }
  std::vector<std::string> parts;
  // The size of a wheel is known once its transfer has begun.
  const std::uint64_t total = std::max(screen.fetch_total, known);
  if (total > 0) {
    parts.push_back(
        fmt::format("{} of {}", text::bytes(std::min(fetched, total)), text::bytes(total)));
  }
  if (fetched < total && screen.rate > 1) {
    parts.push_back(fmt::format("{}/s", text::bytes(static_cast<std::uint64_t>(screen.rate))));
    const double left = static_cast<double>(total - fetched) / screen.rate;
    if (left < 100 * 3600) {
      const std::chrono::seconds rounded(static_cast<long>(left) + 1);
      parts.push_back(fmt::format("{} left", clock_text(rounded)));
    }
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::seconds>(screen.elapsed);
  parts.push_back(style.dim(clock_text(elapsed)));
  return parts;
}

std::string summary_line(const Screen& screen, std::size_t room, const Style& style) {
  const auto done = std::count_if(screen.items.begin(), screen.items.end(),
                                  [](const auto& item) { return item.stage == Stage::done; });
  const std::string count =
      screen.items.empty() ? "" : fmt::format("{}/{}", done, screen.items.size());
  std::string what = screen.step;
  if (what.empty() && !count.empty()) what = "archives";
  if (!count.empty()) what.insert(0, 1, ' ');
  const std::string head = " " + count + what;
  if (shown_width(head) > room) return fitted(head, room);
  std::string line = " " + (count.empty() ? "" : style.bold(count)) + what;
  for (const auto& part : sums(screen, style)) {
    if (shown_width(line) + 3 + shown_width(part) > room) break;
    line += "   " + part;
  }
  return line;
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
  // In the last column some terminals have moved on already, and erase it with the rest.
  const std::size_t room = width > 1 ? width - 1 : 0;
  for (const auto& item : screen.items) {
    const bool active = item.stage == Stage::fetching || item.stage == Stage::retrying ||
                        item.stage == Stage::unpacking;
    if (active && lines.size() < most) lines.push_back(item_line(item, screen, room, style));
  }
  lines.push_back(summary_line(screen, room, style));
  return lines;
}

}  // namespace cudaenv::cli
