#include "cli/declare.hpp"
#include "cli/run.hpp"

namespace cudaenv::cli {

const std::vector<Command>& light_commands() {
  static const std::vector<Command> commands{
      {"list", "Look", "Show the installed toolkits, or what can be installed", declare_list},
      {"current", "Look", "Show the toolkit that holds here, and why", declare_current},
      {"which", "Look", "Print the path of a toolkit's tool", declare_which},
      {"prefix", "Look", "Print where a toolkit is installed", declare_prefix},
      {"use", "Use", "Print code that activates a toolkit in a shell", declare_use,
       Command::Kind::evaluated},
      {"deactivate", "Use", "Print code that leaves the active toolkit", declare_deactivate,
       Command::Kind::evaluated},
      {"local", "Use", "Show or write what the project's .cudaenv asks for", declare_local},
      {"init", "Use", "Print the hook that switches with the folder, for a shell", declare_init,
       Command::Kind::unasked},
      {"hook", "", "What the hook runs", declare_hook, Command::Kind::unasked},
      {"completions", "Use", "Print completions for a shell", declare_completions,
       Command::Kind::unasked},
      {"default", "Use", "Show or move the default link (/usr/local/cuda)", declare_default},
      {"exec", "Use", "Run a command with a toolkit's environment", declare_exec},
      {"env", "Look", "List the variables that cudaenv reads", declare_env},
  };
  return commands;
}

}  // namespace cudaenv::cli
