#include <cstdio>
#include <cstdlib>
#include <string>

#include "gpu/selftest.hpp"

using namespace cudaenv;

namespace {

gpu::Plant plant_of(const std::string& word) {
  if (word == "wrong") return gpu::Plant::wrong;
  if (word == "hang") return gpu::Plant::hang;
  return word == "crash" ? gpu::Plant::crash : gpu::Plant::none;
}

std::vector<Check> checks_of(const std::string& level, const gpu::LevelRequest& request) {
  const NoInterrupt interrupt;
  const std::string one = "GPU-11111111-1111-1111-1111-111111111111";
  const std::string other = "GPU-22222222-2222-2222-2222-222222222222";
  if (level == "peers") return gpu::run_peers({one, other}, request, interrupt);
  if (level == "nccl") return gpu::run_nccl({one}, request, interrupt);
  return gpu::run_level(gpu::parse_level(level).value(), request, sys::Environment::of_process(),
                        interrupt);
}

}  // namespace

// run_level LEVEL PLANT LIMIT_MS [TOOLKIT]: a line for each check, with tabs. The loader reads
// where it finds a libcuda when a process starts, so each fake needs one.
int main(int argc, char** argv) {
  if (argc < 4) return 2;
  gpu::LevelRequest request;
  request.plant = plant_of(argv[2]);
  request.limit = std::chrono::milliseconds(std::atoi(argv[3]));
  request.capability = {9, 0};
  if (argc > 4) request.toolkit = argv[4];
  for (const auto& check : checks_of(argv[1], request)) {
    std::printf("%s\t%s\t%s", check.name.c_str(), std::string(name_of(check.verdict)).c_str(),
                check.detail.c_str());
    if (check.failure) {
      std::printf("%s: %s (%d): %s", std::string(name_of(check.failure->layer)).c_str(),
                  check.failure->name.c_str(), check.failure->code, check.failure->what.c_str());
    }
    std::printf("\n");
  }
  return 0;
}
