// Transfers and unpackers side by side, a great many times: with failures, refusals and Ctrl-C at
// random moments. A wake-up that is lost shows as a test that does not end.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <random>
#include <unistd.h>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "base/error.hpp"
#include "install/supply.hpp"
#include "store/store.hpp"
#include "support/archive_builder.hpp"
#include "support/temp_dir.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"

using namespace cudaenv;
using test::TempDir;

namespace {

// Scratch folders in memory where there is such a place: each archive is synced to the disk, and
// with thousands of them that would be all that the test does.
class InMemory {
 public:
  InMemory() {
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 1);
  }
  InMemory(const InMemory&) = delete;
  InMemory& operator=(const InMemory&) = delete;
  ~InMemory() { before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> before_;
};

using Random = std::mt19937;

bool chance(Random& random, unsigned percent) { return random() % 100 < percent; }

// Asks to stop once it has been polled so many times, from whatever thread.
class LateInterrupt final : public Interrupt {
 public:
  explicit LateInterrupt(int patience) : patience_(patience) {}
  int requested() const noexcept override { return --patience_ < 0 ? 2 : 0; }

 private:
  mutable std::atomic<int> patience_;
};

// Has every archive at once, and hands them over in any order. Fails before one where told to.
class InstantDownloader final : public net::Downloader {
 public:
  InstantDownloader(const std::filesystem::path& archives, std::size_t fails_at, unsigned seed,
                    const Interrupt& interrupt)
      : archives_(archives), fails_at_(fails_at), random_(seed), interrupt_(interrupt) {}

  void fetch(const std::vector<net::Request>& requests,
             const std::function<void(std::size_t)>& on_done) override {
    std::vector<std::size_t> order(requests.size());
    for (std::size_t n = 0; n < order.size(); ++n) order[n] = n;
    std::shuffle(order.begin(), order.end(), random_);
    for (std::size_t n = 0; n < order.size(); ++n) {
      if (n == fails_at_) throw Error(ErrorKind::network, "the server is gone");
      interrupt_.check();
      const net::Request& request = requests[order[n]];
      std::filesystem::copy_file(archives_ / request.sha256->hex(), request.destination);
      on_done(order[n]);
    }
    if (fails_at_ == order.size()) throw Error(ErrorKind::network, "the server is gone");
  }
  net::TextOutcome fetch_text(const net::TextRequest&) override { return {}; }
  std::vector<std::optional<std::uint64_t>> sizes(const std::vector<std::string>&) override {
    return {};
  }

 private:
  std::filesystem::path archives_;
  std::size_t fails_at_;
  Random random_;
  const Interrupt& interrupt_;
};

constexpr std::size_t never = 1000;

// Archives to choose from: good ones of many sizes, and one that must be refused.
class Archives {
 public:
  Archives() {
    for (std::size_t n = 0; n < 8; ++n) {
      const std::string name = fmt::format("part{}-linux-x86_64-1-archive", n);
      put(test::build_tar_xz(folder_ / "x", name,
                             {{"lib/x", test::noise(1 + n * n * n * 500, n)}, {"LICENSE", name}}),
          fmt::format("part{}", n), name);
    }
    test::TarBuilder evil;
    evil.file("evil-archive/../../x", "x");
    put(test::put_archive(folder_ / "x", test::xz_packed(evil.bytes())), "evil", "evil-archive");
  }

  const std::filesystem::path& folder() const { return folder_.path(); }
  const install::Part& good(std::size_t n) const { return parts_[n % 8]; }
  const install::Part& evil() const { return parts_.back(); }

 private:
  void put(const test::BuiltArchive& built, const std::string& component, const std::string& name) {
    std::filesystem::rename(built.path, folder_ / built.sha256);
    parts_.push_back({{component,
                       "cuda",
                       "1",
                       *Digest::from_hex(built.sha256),
                       built.size,
                       {},
                       name + ".tar.xz"}});
  }

  TempDir folder_;
  std::vector<install::Part> parts_;
};

struct Round {
  std::vector<install::Part> parts;
  bool evil = false;
  std::size_t fails_at = never;
  int patience = 1 << 30;
};

Round round_of(const Archives& archives, Random& random) {
  Round round;
  const std::size_t first = random() % 8;
  const std::size_t count = 1 + random() % 6;
  for (std::size_t n = 0; n < count; ++n) round.parts.push_back(archives.good(first + n));
  round.evil = chance(random, 20);
  if (round.evil) round.parts.push_back(archives.evil());
  if (chance(random, 30)) round.fails_at = random() % (round.parts.size() + 1);
  if (chance(random, 30)) round.patience = static_cast<int>(random() % 120);
  return round;
}

install::Plan plan_of(const std::vector<install::Part>& parts) {
  const install::Wish wish{*Version::parse("12.1.1"),
                           "cuda-12.1.1",
                           *Platform::parse("linux-x86_64"),
                           std::nullopt,
                           {},
                           {},
                           false,
                           {},
                           {},
                           false};
  return {wish, "nvidia", parts, {}, {}, std::nullopt, true};
}

// What it ended with, in a word.
std::string ended_with(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.message() == "the server is gone") return "failed";
    const std::string text = error.what();
    return text.find("`..`") != std::string::npos ? "refused" : text;
  } catch (const Interrupted& interrupted) {
    return fmt::format("signal {}", interrupted.signal());
  }
  return "done";
}

void check_round(const Archives& archives, const Round& round, unsigned jobs, unsigned seed) {
  const TempDir folder;
  const auto layout = store::Layout::user(folder / "root");
  const LateInterrupt interrupt(round.patience);
  Progress progress;
  const sys::Environment environment;
  install::Context context{environment,
                           interrupt,
                           progress,
                           [&](const Interrupt& asked) -> std::unique_ptr<net::Downloader> {
                             return std::make_unique<InstantDownloader>(
                                 archives.folder(), round.fails_at, seed, asked);
                           },
                           folder / "cache",
                           jobs};
  const std::string end =
      ended_with([&] { install::supply(context, layout, plan_of(round.parts)); });

  CAPTURE(end);
  const bool may_stop = round.patience < 1 << 30;
  const bool expected = (end == "done" && !round.evil && round.fails_at == never) ||
                        (end == "refused" && round.evil) ||
                        (end == "failed" && round.fails_at != never) ||
                        (end == "signal 2" && may_stop);
  CHECK(expected);
  const store::ComponentStore store(layout);
  for (const auto& part : round.parts) {
    const bool stored = store.contains(part.offer.sha256, "all");
    if (end == "done") CHECK(stored);
    if (part.offer.component == "evil") CHECK_FALSE(stored);
    CHECK(sys::FileLock::try_exclusive(layout.archive_lock(part.offer.sha256), ""));
  }
  for (const auto& name : sys::list(layout.staging())) CHECK(name.ends_with(".lock"));
}

}  // namespace

TEST_CASE("a job ends with its own result, whatever fails beside it and whenever") {
  const InMemory in_memory;
  const Archives archives;
  for (const unsigned jobs : {1u, 2u, 64u}) {
    for (unsigned seed = 0; seed < 150; ++seed) {
      CAPTURE(jobs);
      CAPTURE(seed);
      Random random(seed);
      check_round(archives, round_of(archives, random), jobs, seed);
    }
  }
}
