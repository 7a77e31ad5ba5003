#pragma once

#include <memory>

namespace CLI {
class FormatterBase;
}

namespace cudaenv::cli {

// Makes what `--help` prints: usage, arguments, options with the names of their values, commands by
// group. Lines are broken before `width` columns.
std::shared_ptr<CLI::FormatterBase> help_formatter(unsigned width);

}  // namespace cudaenv::cli
