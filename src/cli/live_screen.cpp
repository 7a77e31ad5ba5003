#include "cli/live_screen.hpp"

#include <algorithm>
#include <unistd.h>

namespace cudaenv::cli {
namespace {

constexpr const char* enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr const char* leave_screen = "\x1b[?25h\x1b[?1049l";
constexpr std::chrono::milliseconds slice(100);  // how soon a change of size is seen

}  // namespace

LiveScreen::LiveScreen() {
  take_size();
  sys::write_to(STDOUT_FILENO, enter_screen);
}

LiveScreen::~LiveScreen() { sys::write_to(STDOUT_FILENO, leave_screen); }

void LiveScreen::draw(const std::vector<std::string>& lines) const {
  std::string frame = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    frame += (i == 0 ? "" : "\r\n") + lines[i] + "\x1b[K";
  }
  sys::write_to(STDOUT_FILENO, frame + "\x1b[J");
}

LiveScreen::Event LiveScreen::wait(std::chrono::steady_clock::time_point then,
                                   const Interrupt& interrupt) {
  while (true) {
    interrupt.check();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        then - std::chrono::steady_clock::now());
    const auto key = keys_.wait(std::clamp(left, std::chrono::milliseconds(0), slice));
    if (key == 'q' || key == 'Q') return Event::quit;
    if (take_size()) return Event::resized;
    if (!key && left.count() <= 0) return Event::time_over;
  }
}

bool LiveScreen::take_size() {
  const unsigned width = sys::terminal_width(STDOUT_FILENO);
  const unsigned height = sys::terminal_height(STDOUT_FILENO);
  const bool changed = width != width_ || height != height_;
  width_ = width;
  height_ = height;
  return changed;
}

}  // namespace cudaenv::cli
