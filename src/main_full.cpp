#include <string>
#include <vector>

#include "cli/run.hpp"
#include "net/downloader.hpp"

// The whole program, with network and archives.
int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return cudaenv::cli::run(arguments, cudaenv::cli::all_commands(),
                           cudaenv::net::make_curl_downloader);
}
