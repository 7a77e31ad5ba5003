// Runs a harness on the files of a corpus, each as it is and cut short at several places, without
// libFuzzer: replay_<harness> FOLDER_OR_FILE...
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/fuzz.hpp"

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_cuts = 24;

std::vector<fs::path> files_at(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(place)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

void run(const std::string& bytes) {
  // A buffer of just this size, so that the address sanitizer sees a read past its end.
  const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

bool replay(const fs::path& file) {
  // Told before: an input that ends the process is the last one named.
  std::printf("%s\n", file.c_str());
  std::fflush(stdout);
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in.is_open()) return false;
  run(bytes);
  const std::size_t cuts = std::min(bytes.size(), most_cuts);
  for (std::size_t cut = 0; cut < cuts; ++cut) run(bytes.substr(0, bytes.size() * cut / cuts));
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  std::size_t replayed = 0;
  for (int i = 1; i < count; ++i) {
    for (const auto& file : files_at(arguments[i])) {
      if (!replay(file)) {
        std::fprintf(stderr, "cannot read %s\n", file.c_str());
        return 1;
      }
      ++replayed;
    }
  }
  if (replayed == 0) std::fprintf(stderr, "no input to replay\n");
  return replayed == 0 ? 1 : 0;
}
