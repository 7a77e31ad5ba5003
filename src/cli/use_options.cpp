#include "cli/use_options.hpp"

#include <CLI/CLI.hpp>

namespace cudaenv::cli {

void add_use_options(CLI::App& app, commands::UseRequest& request) {
  app.add_option("--with", request.with, "A library that it has to have: cudnn@8.9")
      ->type_name("LIBRARY")
      ->allow_extra_args(false);
  app.add_flag_callback(
      "--no-ld-path", [&request] { request.ld_path = false; },
      "Leave LD_LIBRARY_PATH alone (CUDAENV_LD_PATH=0)");
  app.add_flag_callback(
      "--no-cudacxx", [&request] { request.cudacxx = false; },
      "Leave CUDACXX alone (CUDAENV_CUDACXX=0)");
}

}  // namespace cudaenv::cli
