#include "cli/declare.hpp"
#include "cli/run.hpp"

namespace cudaenv::cli {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all{
        {"install", "Install", "Download, verify and unpack a toolkit", declare_install},
        {"uninstall", "Install", "Remove a toolkit, or a library from one", declare_uninstall},
        {"sync", "Install", "Install what the project's .cudaenv asks for", declare_sync},
        {"lock", "Install", "Pin what sync installs in .cudaenv.lock", declare_lock},
        {"verify", "Install", "Compare every file with what was installed", declare_verify},
        {"gc", "Install", "Remove what no toolkit uses any more", declare_gc},
        {"doctor", "Check", "Say what is wrong with this machine's CUDA", declare_doctor},
        {"check", "Check", "Say whether a toolkit works here, and with a framework", declare_check},
        {"compat", "Check", "Show what works with what, by NVIDIA's and the projects' figures",
         declare_compat},
        {"selftest", "Check", "Run kernels, compilers and libraries on every GPU",
         declare_selftest},
        {"bench", "Check", "Measure copies, launches and matrix products", declare_bench},
        {"explain", "Check", "Say what an error means, and what causes it here", declare_explain},
        {"update", "Install", "Learn of releases newer than this cudaenv", declare_update},
    };
    all.push_back(
        {"complete", "", "What the completions ask", declare_complete, Command::Kind::unasked});
    all.push_back({"gpu", "Measure", "Show the GPUs: memory, load, power, processes", declare_gpu});
    all.push_back({"diagnose", "Measure", "Run a command and tell what held it back on the GPU",
                   declare_diagnose});
    for (const auto& command : light_commands()) {
      all.push_back(command);
      if (command.name == "list") all.back().declare = declare_list_remote;
    }
    return all;
  }();
  return commands;
}

}  // namespace cudaenv::cli
