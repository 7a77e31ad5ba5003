#include "commands/verify.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/file_list.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::commands {
namespace {

using store::ListedFile;

std::vector<ListedFile> listed_files(const store::InstalledPrefix& prefix) {
  const auto file = store::file_list_file(prefix.path);
  const auto text = sys::read_if_present(file);
  if (!text) {
    throw Error(ErrorKind::corrupt,
                fmt::format("{} has lost its list of files", prefix.receipt.name))
        .because(fmt::format("`{}` is missing", file.string()))
        .help(fmt::format("make it anew with `cudaenv install {} --force`",
                          prefix.receipt.cuda.text()));
  }
  return store::read_file_list(*text, file.string());
}

// How a file differs from its listing, or nothing.
std::optional<Damage::Kind> compare(const std::filesystem::path& prefix, const ListedFile& file,
                                    const Interrupt& interrupt) {
  const auto path = prefix / file.path;
  const auto stat = sys::stat_link(path);
  if (!stat) return Damage::Kind::missing;
  if (file.kind == ListedFile::Kind::symlink) {
    const bool same = stat->kind == sys::Kind::symlink && sys::read_symlink(path) == file.target;
    return same ? std::nullopt : std::make_optional(Damage::Kind::changed);
  }
  if (stat->kind != sys::Kind::regular || stat->size != file.size) return Damage::Kind::changed;
  if (file.sha256 && !(sys::sha256_file(path, interrupt) == *file.sha256)) {
    return Damage::Kind::changed;
  }
  if (stat->mode != file.mode) return Damage::Kind::mode;
  return std::nullopt;
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
        const auto kind = compare(verified.prefix.path, files[i], interrupt);
        if (!kind) continue;
        const std::lock_guard guard(mutex);
        verified.damages.push_back({*kind, files[i].path});
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

void add_extra_files(const std::vector<ListedFile>& files, Verified& verified) {
  std::set<std::string_view> listed;
  for (const auto& file : files) listed.insert(file.path);
  for (const auto& entry : sys::walk(verified.prefix.path)) {
    if (entry.stat.kind == sys::Kind::directory || entry.path.starts_with(".cudaenv/")) continue;
    if (!listed.count(entry.path)) verified.damages.push_back({Damage::Kind::extra, entry.path});
  }
}

Verified verify_one(store::InstalledPrefix prefix, unsigned jobs, const Host& host) {
  Verified verified{std::move(prefix), 0, 0, {}};
  const auto files = listed_files(verified.prefix);
  verified.files = files.size();
  for (const auto& file : files) verified.bytes += file.size;
  host.progress.step(fmt::format("verifying {} ({}, {})", verified.prefix.receipt.name,
                                 text::counted(verified.files, "file"),
                                 text::bytes(verified.bytes)));
  compare_all(files, jobs, host.interrupt, verified);
  add_extra_files(files, verified);
  std::sort(verified.damages.begin(), verified.damages.end(),
            [](const Damage& a, const Damage& b) { return a.path < b.path; });
  return verified;
}

}  // namespace

bool Verified::ok() const {
  return std::all_of(damages.begin(), damages.end(),
                     [](const Damage& damage) { return damage.kind == Damage::Kind::extra; });
}

std::vector<Verified> verify(const VerifyRequest& request, const Host& host) {
  const unsigned jobs = request.jobs > 0 ? request.jobs : sys::this_machine().processors;
  std::vector<Verified> result;
  if (!request.all) {
    result.push_back(verify_one(installed_prefix(host, request.spec), jobs, host));
    return result;
  }
  for (auto& prefix : store::Inventory::read(reading_roots(host)).prefixes) {
    result.push_back(verify_one(std::move(prefix), jobs, host));
  }
  return result;
}

}  // namespace cudaenv::commands
