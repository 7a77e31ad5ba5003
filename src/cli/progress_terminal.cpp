#include "cli/progress_terminal.hpp"

#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Stage = ShownItem::Stage;
constexpr auto frame_time = std::chrono::milliseconds(100);
constexpr unsigned most_lines = 10;
constexpr const char* hide_cursor = "\x1b[?25l";
constexpr const char* show_cursor = "\x1b[?25h";

}  // namespace

TerminalProgress::TerminalProgress(const Style& style) : style_(style) {}

TerminalProgress::~TerminalProgress() { job_end(); }

void TerminalProgress::job_begin(std::uint64_t fetch_bytes, std::uint64_t) {
  const std::lock_guard guard(mutex_);
  screen_.fetch_total = fetch_bytes;
  start();
}

void TerminalProgress::fetch_begin(std::string_view name, std::uint64_t already,
                                   std::uint64_t total, std::string_view) {
  const std::lock_guard guard(mutex_);
  start();
  ShownItem& shown = item(name);
  shown.stage = Stage::fetching;
  shown.fetched = already;
  shown.total = std::max(shown.total, total);
}

void TerminalProgress::fetch_data(std::string_view name, std::uint64_t bytes) {
  const std::lock_guard guard(mutex_);
  ShownItem& shown = item(name);
  shown.stage = Stage::fetching;
  shown.fetched += bytes;
  arrived_ += bytes;
}

void TerminalProgress::fetch_restart(std::string_view name) {
  const std::lock_guard guard(mutex_);
  item(name).fetched = 0;
}

void TerminalProgress::fetch_retry(std::string_view name, std::string_view why,
                                   std::uint64_t delay_ms) {
  const std::lock_guard guard(mutex_);
  ShownItem& shown = item(name);
  shown.stage = Stage::retrying;
  shown.detail = fmt::format("{}; again in {} s", why, (delay_ms + 999) / 1000);
}

void TerminalProgress::fetch_end(std::string_view name) {
  const std::lock_guard guard(mutex_);
  ShownItem& shown = item(name);
  shown.stage = Stage::fetched;
  if (shown.total > 0) shown.fetched = shown.total;
}

void TerminalProgress::unpack_begin(std::string_view name, std::uint64_t total) {
  const std::lock_guard guard(mutex_);
  ShownItem& shown = item(name);
  shown.stage = Stage::unpacking;
  shown.total = std::max(shown.total, total);
}

void TerminalProgress::unpack_data(std::string_view name, std::uint64_t bytes) {
  const std::lock_guard guard(mutex_);
  item(name).unpacked += bytes;
}

void TerminalProgress::unpack_end(std::string_view name) {
  const std::lock_guard guard(mutex_);
  item(name).stage = Stage::done;
}

void TerminalProgress::step(std::string_view what) {
  const std::lock_guard guard(mutex_);
  screen_.step = what;
  start();
}

void TerminalProgress::note(std::string_view line) {
  const std::lock_guard guard(mutex_);
  erase();
  sys::write_stderr(fmt::format("{} {}\n", style_.yellow("note:"), line));
  if (running_) draw();
}

void TerminalProgress::job_end() {
  std::unique_lock guard(mutex_);
  if (!running_) return;
  running_ = false;
  wake_.notify_all();
  guard.unlock();
  thread_.join();
  guard.lock();
  erase();
  sys::write_stderr(show_cursor);
  screen_ = Screen{};
}

ShownItem& TerminalProgress::item(std::string_view name) {
  const auto found = std::find_if(screen_.items.begin(), screen_.items.end(),
                                  [&](const ShownItem& shown) { return shown.name == name; });
  if (found != screen_.items.end()) return *found;
  screen_.items.push_back({std::string(name), Stage::waiting, 0, 0, 0, ""});
  return screen_.items.back();
}

void TerminalProgress::start() {
  if (running_) return;
  running_ = true;
  began_ = rated_ = Clock::now();
  sys::write_stderr(hide_cursor);
  thread_ = std::thread([this] { redraw_until_stopped(); });
}

void TerminalProgress::redraw_until_stopped() {
  std::unique_lock guard(mutex_);
  while (running_) {
    ++screen_.frame;
    update_rate();
    draw();
    wake_.wait_for(guard, frame_time, [this] { return !running_; });
  }
}

// A moving average over about three seconds: quick enough to follow, slow enough to read.
void TerminalProgress::update_rate() {
  const auto now = Clock::now();
  const std::chrono::duration<double> passed = now - rated_;
  if (passed.count() < 0.25) return;
  const double current = static_cast<double>(arrived_) / passed.count();
  const double weight = std::min(1.0, passed.count() / 3.0);
  screen_.rate = screen_.rate > 0 ? screen_.rate + (current - screen_.rate) * weight : current;
  arrived_ = 0;
  rated_ = now;
}

void TerminalProgress::erase() {
  if (drawn_ == 0) return;
  sys::write_stderr(fmt::format("\x1b[{}F\x1b[J", drawn_));
  drawn_ = 0;
}

void TerminalProgress::draw() {
  screen_.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_);
  const unsigned width = sys::terminal_width(STDERR_FILENO);
  // One row stays free for the cursor: a display as high as the terminal would scroll.
  const unsigned height = std::clamp(sys::terminal_height(STDERR_FILENO) - 1, 1u, most_lines);
  const auto lines = render(screen_, width, height, style_);
  std::string frame = drawn_ > 0 ? fmt::format("\x1b[{}F", drawn_) : "";
  for (const auto& line : lines) frame += line + "\x1b[K\n";
  frame += "\x1b[J";
  sys::write_stderr(frame);
  drawn_ = lines.size();
}

}  // namespace cudaenv::cli
