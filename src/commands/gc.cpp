#include "commands/gc.hpp"

#include "base/error.hpp"

namespace cudaenv::commands {

Collected gc(const GcRequest& request, const Host& host) {
  auto collected = collect(writing_root(host, request.system), request.dry_run);
  if (collected.busy) {
    throw Error(ErrorKind::busy, "an install is under way in this root")
        .help("run `cudaenv gc` again when it is done");
  }
  return collected;
}

}  // namespace cudaenv::commands
