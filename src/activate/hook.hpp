#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "activate/render.hpp"

// What a shell's hook keeps from prompt to prompt: a word of ours that it hands back, and a check
// of its own that starts no process.
namespace cudaenv::activate {

// What the last look saw and said. As a word it means nothing to any shell.
struct HookState {
  enum class Seen { nothing, project, manual };
  Seen seen = Seen::nothing;        // by what a toolkit was active
  std::string applied{};            // the project it was of, as fingerprint() says; or empty
  std::string off{};                // the project that the user switched off; or empty
  std::vector<std::string> said{};  // fingerprints of what was said
  bool operator==(const HookState&) const = default;
};
std::string encoded(const HookState& state);
// A text that is none of ours is the state of a new shell.
HookState decoded_state(std::string_view text);

// Whether a line is new to this shell. It no longer is afterwards.
bool is_news(HookState& state, std::string_view line);

// Short, of letters and digits; the same for the same text.
std::string fingerprint(std::string_view text);

// The `.cudaenv` that decides, as it was when it was read.
struct WatchedFile {
  std::string path;
  std::optional<std::string> text{};  // nothing: it cannot be read
  std::int64_t modified = 0;          // seconds since the epoch, as the next
  std::int64_t changed = 0;           // of the file's data, name or place
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  bool settled = true;  // whether no later change can have the same seconds
};

// What stays as it is while there is nothing to do. Paths may be relative to the current folder.
struct Watch {
  std::optional<WatchedFile> file{};
  std::vector<std::string> no_file{};  // where none is, or something else of that name
  std::vector<std::string> present{};
  std::vector<std::string> absent{};
};

// What the hook's shell code evaluates: the change, then its next check and the state. For elvish,
// nushell and PowerShell, whose code of shell/ keeps the watch itself, it is JSON.
// Throws Error(usage) for a value that the shell cannot hold.
std::string hook_code(const Change& change, const Watch& watch, const HookState& state,
                      Shell shell);

// Whether a shell of this kind can run something before each prompt.
bool has_hook(Shell shell);

}  // namespace cudaenv::activate
