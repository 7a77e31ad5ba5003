#pragma once

#include <string>

#include "activate/render.hpp"

namespace cudaenv::cli {

// The hook and the completion of shell/, for the program at `program`, to read.
std::string init_script(activate::Shell shell, const std::string& program);

// The same as one line, which means the same after a shell has split and expanded it.
std::string init_line(activate::Shell shell, const std::string& program);

// What a start-up file has to say for the hook.
std::string startup_line(activate::Shell shell, const std::string& program);

// Completion alone. Throws Error(usage) for a shell that we have none for.
std::string completion_script(activate::Shell shell, const std::string& program);

// A word that the shell reads as these bytes.
std::string quoted_for(activate::Shell shell, const std::string& word);

}  // namespace cudaenv::cli
