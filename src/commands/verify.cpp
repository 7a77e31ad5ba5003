#include "commands/verify.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/file_check.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

using store::ListedFile;

Damage::Kind damage_of(store::Difference difference) {
  switch (difference) {
    case store::Difference::missing:
      return Damage::Kind::missing;
    case store::Difference::mode:
      return Damage::Kind::mode;
    case store::Difference::changed:
      break;
  }
  return Damage::Kind::changed;
}

// Compares all files on several threads, the largest first so that none is left with a big one.
void compare_all(std::vector<ListedFile> files, unsigned jobs, const Interrupt& interrupt,
                 Verified& verified) {
  std::sort(files.begin(), files.end(),
            [](const ListedFile& a, const ListedFile& b) { return a.size > b.size; });
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < files.size(); i = next++) {
        interrupt.check();
        const auto difference = store::difference(verified.prefix.path, files[i], interrupt);
        if (!difference) continue;
        const std::lock_guard guard(mutex);
        verified.damages.push_back({damage_of(*difference), files[i].path});
      }
    } catch (...) {
      const std::lock_guard guard(mutex);
      if (!failure) failure = std::current_exception();
      next = files.size();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

Verified verify_one(store::InstalledPrefix prefix, unsigned jobs, const Host& host) {
  Verified verified{std::move(prefix), 0, 0, {}, ""};
  std::vector<ListedFile> files;
  try {
    files = store::files_of(verified.prefix.path);
  } catch (const Error& error) {
    verified.problem = error.what();
    return verified;
  }
  verified.files = files.size();
  for (const auto& file : files) verified.bytes += file.size;
  host.progress.step(fmt::format("verifying {} ({}, {})", verified.prefix.receipt.name,
                                 text::counted(verified.files, "file"),
                                 text::bytes(verified.bytes)));
  compare_all(files, jobs, host.interrupt, verified);
  for (auto& path : store::unlisted_files(verified.prefix.path, files)) {
    verified.damages.push_back({Damage::Kind::extra, std::move(path)});
  }
  std::sort(verified.damages.begin(), verified.damages.end(),
            [](const Damage& a, const Damage& b) { return a.path < b.path; });
  return verified;
}

}  // namespace

bool Verified::ok() const {
  return problem.empty() && std::all_of(damages.begin(), damages.end(), [](const Damage& damage) {
           return damage.kind == Damage::Kind::extra;
         });
}

bool VerifyResult::ok() const {
  return unreadable.empty() && std::all_of(prefixes.begin(), prefixes.end(),
                                           [](const Verified& verified) { return verified.ok(); });
}

VerifyResult verify(const VerifyRequest& request, const Host& host) {
  const unsigned jobs = request.jobs > 0 ? request.jobs : sys::this_machine().processors;
  VerifyResult result;
  if (!request.all) {
    result.prefixes.push_back(verify_one(installed_prefix(host, request.spec), jobs, host));
    return result;
  }
  auto inventory = store::Inventory::read(reading_roots(host));
  result.unreadable = inventory.unreadable();
  for (auto& prefix : inventory.prefixes) {
    result.prefixes.push_back(verify_one(std::move(prefix), jobs, host));
  }
  return result;
}

}  // namespace cudaenv::commands
