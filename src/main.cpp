#include <string>
#include <vector>

#include "cli/run.hpp"

// The front: answers light commands itself and becomes cudaenv-full for the others.
int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (cudaenv::cli::needs_full(arguments)) return cudaenv::cli::become_full(arguments);
  return cudaenv::cli::run(arguments, cudaenv::cli::light_commands(), nullptr);
}
