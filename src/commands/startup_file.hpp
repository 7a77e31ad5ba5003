#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "activate/render.hpp"
#include "commands/host.hpp"

// `init --install` and `--uninstall`: a marked block in the file that a shell reads when it starts.
namespace cudaenv::commands {

struct StartupResult {
  std::filesystem::path file;
  bool changed = false;  // false: it was so already
};

// The file of the user's own that the interactive shell reads. Throws Error(usage) for a shell
// whose start-up file cannot hold a hook.
std::filesystem::path startup_file(activate::Shell shell, const Host& host);

// Appends the block with `line`, or puts it in the place of an older one. The file keeps its
// permissions; a link stays one; a file that is not there is created.
StartupResult add_to_startup(activate::Shell shell, std::string_view line, const Host& host);

// Takes the block out, and what came with it. Throws Error(corrupt) where its end is missing.
StartupResult remove_from_startup(activate::Shell shell, const Host& host);

// The text with the block at its end, or in the place of the one it has; and without any. `created`
// says that the file was not there, so that it need not stay when the block goes.
std::string with_block(std::string_view text, std::string_view line, bool created);
struct WithoutBlock {
  std::string text;
  bool created = false;
};
WithoutBlock without_block(std::string_view text, std::string_view file);

}  // namespace cudaenv::commands
