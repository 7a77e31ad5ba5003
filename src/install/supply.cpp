#include "install/supply.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "archive/unpack.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/wheels.hpp"
#include "store/staging.hpp"
#include "store/store.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

namespace cudaenv::install {
namespace {

// Asks to stop when the user does, and when another thread of this job has failed.
class JobInterrupt final : public Interrupt {
 public:
  explicit JobInterrupt(const Interrupt& outer) : outer_(outer) {}
  int requested() const noexcept override {
    if (const int signal = outer_.requested()) return signal;
    return failed_ ? -1 : 0;
  }
  void fail() noexcept { failed_ = true; }

 private:
  const Interrupt& outer_;
  std::atomic<bool> failed_{false};
};

std::string item_name(const Offer& offer) { return offer.component + " " + offer.version; }

// Links that NVIDIA's archives have and the wheels lack.
void add_missing_links(const Part& part, const std::filesystem::path& tree,
                       std::vector<store::ListedFile>& files) {
  std::vector<std::string> placed;
  for (const auto& file : files) placed.push_back(file.path);
  for (const auto& [path, target] : catalog::missing_links(part.offer.component, placed)) {
    if (!catalog::takes(part.filter, part.offer.component, path)) continue;
    sys::create_directories((tree / path).parent_path());
    sys::create_symlink(target, tree / path);
    files.push_back({store::ListedFile::Kind::symlink, path, 0777, 0, std::nullopt, target, ""});
  }
}

// Where each member of a wheel goes. One path alone does not tell: from 13.4 on the sanitizer's
// wheel has the archives' layout already.
std::map<std::string, std::optional<std::string>> wheel_placements(
    const Offer& offer, const std::filesystem::path& wheel) {
  const auto& component = offer.component;
  const auto members = archive::list_zip(wheel, offer.file_name);
  const auto places = catalog::wheel_places(component, members);
  std::map<std::string, std::optional<std::string>> result;
  for (std::size_t i = 0; i < members.size(); ++i) result.emplace(members[i], places[i]);
  return result;
}

std::vector<store::ListedFile> listed(const std::vector<archive::Entry>& entries) {
  std::vector<store::ListedFile> files;
  for (const auto& entry : entries) {
    if (entry.kind == archive::Entry::Kind::directory) continue;
    const bool link = entry.kind == archive::Entry::Kind::symlink;
    files.push_back({link ? store::ListedFile::Kind::symlink : store::ListedFile::Kind::file,
                     entry.path, entry.mode, entry.size, entry.sha256, entry.target, ""});
  }
  return files;
}

// One job: the archives that one process found missing and holds the locks of.
class Supply {
 public:
  Supply(const Context& context, const store::Layout& layout)
      : context_(context), layout_(layout), store_(layout), interrupt_(context.interrupt) {}

  void run(const Plan& plan) {
    drop_used_archives(plan);
    claim(plan);
    if (claims_.empty()) return;
    announce();
    std::vector<std::thread> unpackers = start_unpackers();
    // The threads must be joined whatever happens, before anything they use goes away.
    std::exception_ptr failure;
    try {
      fetch_all();
    } catch (...) {
      failure = std::current_exception();
      interrupt_.fail();
    }
    finish_queue();
    if (unpackers.empty()) unpack_all();
    for (auto& thread : unpackers) thread.join();
    // An unpacker's failure is the cause of a fetch that was called off.
    if (failure_) std::rethrow_exception(failure_);
    if (failure) std::rethrow_exception(failure);
    // Who asks to stop after the last transfer has left archives in the queue.
    context_.interrupt.check();
  }

 private:
  struct Claim {
    const Part* part;
    std::optional<sys::FileLock> lock;  // one download of each archive, whoever asks
  };

  // A command that was killed right after it had unpacked an archive has left it behind.
  void drop_used_archives(const Plan& plan) const {
    for (const auto& part : plan.parts) {
      const auto archive = download(part);
      if (!part.stored || !sys::exists(archive)) continue;
      const auto lock = sys::FileLock::try_exclusive(layout_.archive_lock(part.offer.sha256),
                                                     "the archive of " + item_name(part.offer));
      if (lock) sys::remove_if_present(archive);
    }
  }

  // Takes the locks of the missing archives in the order of their digests, so that two processes
  // that want the same ones cannot wait for each other in a circle.
  void claim(const Plan& plan) {
    std::vector<const Part*> missing;
    for (const auto& part : plan.parts) {
      if (!part.stored) missing.push_back(&part);
    }
    std::sort(missing.begin(), missing.end(),
              [](const Part* a, const Part* b) { return a->offer.sha256 < b->offer.sha256; });
    for (const Part* part : missing) {
      auto lock = sys::FileLock::exclusive(layout_.archive_lock(part->offer.sha256),
                                           "the archive of " + item_name(part->offer),
                                           context_.lock_wait());
      // Whoever held it may have finished it.
      if (store_.contains(part->offer.sha256, std::string(name_of(part->filter)))) continue;
      claims_.push_back({part, std::move(lock)});
    }
  }

  // As many as may be had; with none, run() unpacks when all is there.
  std::vector<std::thread> start_unpackers() {
    const std::size_t count = std::min<std::size_t>(std::max(1u, context_.jobs), claims_.size());
    std::vector<std::thread> unpackers;
    unpackers.reserve(count);
    try {
      while (unpackers.size() < count) unpackers.emplace_back([this] { unpack_all(); });
    } catch (const std::system_error&) {
      // The user's limit of threads: those that there are do the work.
    }
    return unpackers;
  }

  void announce() {
    std::uint64_t bytes = 0;
    for (const auto& claim : claims_) bytes += claim.part->offer.size;
    context_.progress.job_begin(bytes, bytes);
  }

  std::filesystem::path download(const Part& part) const {
    return layout_.downloads() / part.offer.sha256.hex();
  }

  void fetch_all() {
    sys::create_directories(layout_.downloads());
    std::vector<net::Request> requests;
    for (const auto& claim : claims_) {
      const Offer& offer = claim.part->offer;
      net::Request request{offer.urls, download(*claim.part), offer.sha256, std::nullopt,
                           item_name(offer)};
      if (offer.size > 0) request.size = offer.size;
      requests.push_back(std::move(request));
    }
    if (context_.offline) keep_local(requests);
    context_.make_downloader(interrupt_)->fetch(requests, [this](std::size_t i) { enqueue(i); });
  }

  // Leaves only files on this machine: what was downloaded before, and file:// sources.
  static void keep_local(std::vector<net::Request>& requests) {
    for (auto& request : requests) {
      auto& urls = request.urls;
      urls.erase(std::remove_if(urls.begin(), urls.end(),
                                [](const auto& url) { return !url.starts_with("file:"); }),
                 urls.end());
      if (urls.empty() && !sys::exists(request.destination)) {
        throw Error(ErrorKind::missing, fmt::format("{} is not on this machine", request.item))
            .because("--offline allows no download")
            .help("run the command once without --offline, or name a --mirror file:///...");
      }
    }
  }

  void enqueue(std::size_t claim) {
    const std::lock_guard guard(mutex_);
    if (failure_) throw Interrupted(-1);  // replaced by the failure itself in run()
    ready_.push_back(claim);
    wake_.notify_one();
  }

  void finish_queue() {
    const std::lock_guard guard(mutex_);
    closed_ = true;
    wake_.notify_all();
  }

  // The largest archive that is ready; nothing when all are done or the job has failed.
  std::optional<std::size_t> next() {
    std::unique_lock guard(mutex_);
    wake_.wait(guard, [this] { return closed_ || !ready_.empty(); });
    if (ready_.empty() || interrupt_.requested()) return std::nullopt;
    const auto largest = std::max_element(ready_.begin(), ready_.end(), [this](auto a, auto b) {
      return claims_[a].part->offer.size < claims_[b].part->offer.size;
    });
    const std::size_t claim = *largest;
    ready_.erase(largest);
    ++busy_;
    return claim;
  }

  void unpack_all() {
    while (const auto claim = next()) {
      try {
        unpack(claims_[*claim]);
      } catch (const Interrupted& interrupted) {
        // Without a signal it was called off by a failure elsewhere, which is the one to tell.
        if (interrupted.signal() > 0) fail_with(std::current_exception());
      } catch (...) {
        fail_with(std::current_exception());
      }
      const std::lock_guard guard(mutex_);
      --busy_;
    }
  }

  void fail_with(const std::exception_ptr& failure) {
    const std::lock_guard guard(mutex_);
    if (!failure_) failure_ = failure;
    interrupt_.fail();
  }

  // A lone archive gets the processors that no other unpacker uses.
  unsigned threads_for_one() {
    const std::lock_guard guard(mutex_);
    const std::size_t waiting = ready_.size() + busy_;
    return static_cast<unsigned>(
        std::max<std::size_t>(1, context_.jobs / std::max<std::size_t>(1, waiting)));
  }

  void unpack(Claim& claim) {
    const Part& part = *claim.part;
    const std::string item = item_name(part.offer);
    const auto archive = download(part);
    store::Staging staging(layout_, "unpack-" + part.offer.component);
    const auto tree = staging.path() / "tree";
    sys::create_directory(tree);
    context_.progress.unpack_begin(
        item, part.offer.size ? part.offer.size : sys::stat_target(archive)->size);
    auto files = unpack_into(part, archive, tree, item);
    if (part.offer.form == Form::wheel) add_missing_links(part, tree, files);
    store_.publish(part.offer.sha256, std::string(name_of(part.filter)), staging.path(), files);
    sys::remove_if_present(archive);
    context_.progress.unpack_end(item);
    claim.lock.reset();
  }

  std::vector<store::ListedFile> unpack_into(const Part& part, const std::filesystem::path& archive,
                                             const std::filesystem::path& tree,
                                             const std::string& item) {
    archive::WheelRequest request;
    request.archive = archive;
    request.name = part.offer.file_name;
    request.destination = tree;
    request.sha256 = part.offer.sha256;
    request.threads = threads_for_one();
    request.on_bytes = [&](std::uint64_t bytes) { context_.progress.unpack_data(item, bytes); };
    const auto filtered = [&part](std::optional<std::string> place) -> std::optional<std::string> {
      if (place && (*place == ".cudaenv" || place->starts_with(".cudaenv/"))) {
        throw Error(ErrorKind::corrupt,
                    fmt::format("`{}` is where the prefix's receipt lies", text::visible(*place)));
      }
      if (place && !catalog::takes(part.filter, part.offer.component, *place)) return std::nullopt;
      return place;
    };
    try {
      if (part.offer.form == Form::wheel) {
        const auto places = wheel_placements(part.offer, archive);
        request.place = [&](const std::string& path) {
          const auto found = places.find(path);
          return found == places.end() ? std::nullopt : filtered(found->second);
        };
        request.executable = catalog::is_program;
        return listed(archive::unpack_wheel(request, interrupt_));
      }
      const std::string top = archive_top_folder(part.offer.file_name);
      request.place = [&, top](const std::string& path) {
        return filtered(archive_place(top, path));
      };
      return listed(archive::unpack(request, interrupt_));
    } catch (const Error& error) {
      // A bad archive is worth nothing to the next run.
      if (error.kind() == ErrorKind::corrupt) sys::remove_if_present(archive);
      throw;
    }
  }

  const Context& context_;
  const store::Layout& layout_;
  store::ComponentStore store_;
  JobInterrupt interrupt_;
  std::vector<Claim> claims_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::size_t> ready_;  // indices of claims whose archive is complete
  std::size_t busy_ = 0;
  bool closed_ = false;
  std::exception_ptr failure_;  // of an unpacker
};

}  // namespace

void supply(const Context& context, const store::Layout& layout, const Plan& plan) {
  Supply(context, layout).run(plan);
}

std::optional<std::string> archive_place(const std::string& top_folder, const std::string& path) {
  std::string_view rest = path;
  if (rest == top_folder || rest == top_folder + "/") return std::nullopt;
  if (rest.starts_with(top_folder + "/")) rest.remove_prefix(top_folder.size() + 1);
  // cuda_sandbox_dev 12.8 brings a real lib64/, where the prefix has a link; nvvm/lib64 is right.
  if (rest == "lib64") return std::nullopt;
  if (rest.starts_with("lib64/")) return "lib/" + std::string(rest.substr(6));
  return std::string(rest);
}

}  // namespace cudaenv::install
