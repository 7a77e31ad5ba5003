// Unpacks archives side by side and prints how long it took, to be compared with `xz -dc`,
// `unzip` or `uv pip install` of the same files:
//   cudaenv-bench-unpack [-j WORKERS] [-t THREADS] FOLDER ARCHIVE...
// FOLDER must not exist; it is left for a look at what was written. One worker takes one archive
// at a time, largest first, and uses THREADS threads for it.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "archive/unpack.hpp"
#include "base/error.hpp"
#include "sys/sha256.hpp"

namespace {

namespace fs = std::filesystem;
using cudaenv::archive::Entry;

struct Options {
  unsigned workers = 2;
  unsigned threads = 1;
  fs::path folder;
  std::vector<fs::path> archives;
};

struct Totals {
  std::atomic<std::uint64_t> packed = 0;
  std::atomic<std::uint64_t> unpacked = 0;
  std::atomic<std::uint64_t> entries = 0;
};

void unpack_one(const fs::path& archive, const cudaenv::Digest& digest, const Options& options,
                Totals& totals) {
  cudaenv::archive::WheelRequest request;
  request.archive = archive;
  request.destination = options.folder / archive.filename();
  request.sha256 = digest;
  request.threads = options.threads;
  request.on_bytes = [&](std::uint64_t bytes) { totals.packed += bytes; };
  request.executable = [](const std::string&, std::string_view head) {
    return head.starts_with(
        "\x7f"
        "ELF");
  };
  fs::create_directories(request.destination);
  const cudaenv::NoInterrupt interrupt;
  const auto entries = archive.extension() == ".whl"
                           ? cudaenv::archive::unpack_wheel(request, interrupt)
                           : cudaenv::archive::unpack(request, interrupt);
  for (const Entry& entry : entries) totals.unpacked += entry.size;
  totals.entries += entries.size();
}

int run(Options options) {
  std::sort(options.archives.begin(), options.archives.end(), [](const auto& one, const auto& two) {
    return fs::file_size(one) > fs::file_size(two);
  });
  std::map<fs::path, cudaenv::Digest> digests;
  for (const auto& archive : options.archives) {
    digests.emplace(archive, cudaenv::sys::sha256_file(archive, cudaenv::NoInterrupt()));
  }
  Totals totals;
  std::atomic<std::size_t> next = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> workers;
    for (unsigned index = 0; index < options.workers; ++index) {
      workers.emplace_back([&] {
        for (std::size_t mine = next++; mine < options.archives.size(); mine = next++) {
          const fs::path& archive = options.archives[mine];
          unpack_one(archive, digests.at(archive), options, totals);
        }
      });
    }
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{:.3f} s, {} archives, {} entries, {:.1f} MB packed, {:.1f} MB unpacked\n",
             took.count(), options.archives.size(), totals.entries.load(),
             static_cast<double>(totals.packed) / 1e6, static_cast<double>(totals.unpacked) / 1e6);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  for (int index = 1; index < count; ++index) {
    const std::string argument = arguments[index];
    if ((argument == "-j" || argument == "-t") && index + 1 < count) {
      const auto value = static_cast<unsigned>(std::stoul(arguments[++index]));
      (argument == "-j" ? options.workers : options.threads) = value;
    } else if (options.folder.empty()) {
      options.folder = argument;
    } else {
      options.archives.emplace_back(argument);
    }
  }
  if (options.archives.empty() || options.workers == 0 || fs::exists(options.folder)) {
    fmt::print(stderr, "usage: {} [-j WORKERS] [-t THREADS] NEW-FOLDER ARCHIVE...\n", arguments[0]);
    return 2;
  }
  return run(std::move(options));
}
