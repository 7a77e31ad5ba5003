#pragma once

#include <functional>
#include <memory>

namespace CLI {
class FormatterBase;
}

namespace cudaenv::cli {

// Makes what `--help` prints: usage, arguments, options with the names of their values, commands by
// group. Lines are broken before as many columns as `width` says, which is asked only then.
std::shared_ptr<CLI::FormatterBase> help_formatter(std::function<unsigned()> width);

}  // namespace cudaenv::cli
