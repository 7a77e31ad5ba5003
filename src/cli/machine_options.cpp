#include "cli/machine_options.hpp"

#include <CLI/CLI.hpp>

namespace cudaenv::cli {

void add_driver_options(CLI::App& app, std::string& driver, std::vector<std::string>& gpus) {
  app.add_option("--driver", driver, "Assume this driver, such as 535.104.05")
      ->type_name("VERSION");
  app.add_option("--gpu", gpus,
                 "Assume this GPU: \"RTX 4090\", H100, or a capability, 8.9 (repeatable)")
      ->type_name("GPU")
      ->allow_extra_args(false);
}

void add_machine_options(CLI::App& app, commands::MachineRequest& request) {
  app.add_option("--sysroot", request.sysroot,
                 "Judge the tree in this folder instead of /; nothing of it is run")
      ->type_name("DIR");
  app.add_option("--env", request.variables, "A variable that programs will have (repeatable)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_driver_options(app, request.driver, request.gpus);
  app.add_option("--glibc", request.glibc, "Assume this C library")->type_name("VERSION");
  app.add_option("--gcc", request.gcc, "Assume this host compiler")->type_name("VERSION");
}

}  // namespace cudaenv::cli
