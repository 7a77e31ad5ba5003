#include "cli/source_options.hpp"

#include <CLI/CLI.hpp>

namespace cudaenv::cli {

void add_source_options(CLI::App& app, commands::InstallRequest& request) {
  app.add_option("--source", request.source,
                 "Where from: nvidia, wheels, wheels:DIR or auto (CUDAENV_SOURCE)");
  app.add_option("--mirror", request.mirrors,
                 "A mirror that stands for NVIDIA's host: http, https or file URL; several are "
                 "tried in order (CUDAENV_MIRROR)")
      ->type_name("URL")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--trust-mirror", request.trust_mirror,
               "Take the mirror's own manifests instead of the index (CUDAENV_TRUST_MIRROR)");
  app.add_flag("--offline", request.offline, "Use no network (CUDAENV_OFFLINE)");
}

}  // namespace cudaenv::cli
