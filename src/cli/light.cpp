#include "cli/declare.hpp"
#include "cli/run.hpp"

namespace cudaenv::cli {

const std::vector<Command>& light_commands() {
  static const std::vector<Command> commands{
      {"list", "Look", "Show the installed toolkits, or what can be installed", declare_list},
      {"which", "Look", "Print the path of a toolkit's tool", declare_which},
      {"prefix", "Look", "Print where a toolkit is installed", declare_prefix},
      {"default", "Use", "Show or move the default link (/usr/local/cuda)", declare_default},
      {"exec", "Use", "Run a command with a toolkit's environment", declare_exec},
      {"env", "Look", "List the variables that cudaenv reads", declare_env},
  };
  return commands;
}

}  // namespace cudaenv::cli
