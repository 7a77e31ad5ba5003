#include "archive/zip.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <sys/stat.h>
#include <thread>

#include <fmt/format.h>

#include "archive/block_stream.hpp"
#include "archive/budget.hpp"
#include "archive/entry_path.hpp"
#include "archive/record.hpp"
#include "archive/tree_writer.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// A member is inflated by a thread of its own, beside the one that hashes and writes it, where
// it is large enough to be what everybody waits for at the end.
constexpr std::uint64_t large_member = 16u << 20;

constexpr std::uint64_t longest_record = 16u << 20;

// One thing to do: a member to write, or (null) the whole zip to be hashed.
struct Job {
  const ZipMember* member = nullptr;
  std::string place;
  std::uint64_t weight = 0;  // about what it costs, in bytes inflated
};

// Tells the bytes of a zip, which are not read in one pass: those of the members as they are
// read, the rest at the end.
class PackedCount {
 public:
  explicit PackedCount(const UnpackRequest& request) : request_(request) {}

  void add(std::uint64_t bytes) {
    told_ += bytes;
    if (request_.on_bytes) request_.on_bytes(bytes);
  }
  void complete(std::uint64_t total) {
    if (total > told_) add(total - told_);
  }

 private:
  const UnpackRequest& request_;
  std::atomic<std::uint64_t> told_ = 0;
};

// Unpacks the members of one zip, several at a time.
class ZipUnpacker {
 public:
  // What decides on a file's mode, given its member, its place and its first bytes.
  using Executable =
      std::function<bool(const ZipMember&, const std::string& place, std::string_view head)>;

  ZipUnpacker(const PackedFile& file, const UnpackRequest& request, const Interrupt& interrupt)
      : file_(file),
        request_(request),
        interrupt_(interrupt),
        count_(request),
        tree_(request.destination, request.limits) {}

  std::vector<Entry> run(const std::vector<ZipMember>& members, const Record* record,
                         Executable executable) {
    record_ = record;
    executable_ = std::move(executable);
    plan(members);
    work_together();
    count_.complete(file_.size());
    return tree_.finish(interrupt_);
  }

 private:
  // Links and folders are made at once, files become jobs.
  void plan(const std::vector<ZipMember>& members) {
    Budget budget(request_.limits, file_.size());
    for (const auto& member : members) {
      budget.add_entry();
      budget.add_name(member.name.size());
      const std::string path = checked_path(member.name);
      check_mode(member);
      const std::optional<std::string> placed = request_.place ? request_.place(path) : path;
      if (!placed) continue;
      const std::string place = placed->empty() ? std::string() : checked_path(*placed);
      if (member.is_folder()) {
        tree_.add_folder(place);
      } else if (S_ISLNK(member.mode)) {
        const std::string target = member_bytes(file_, member, 4096);
        budget.add_name(target.size());
        tree_.add_link(place, target);
      } else {
        budget.add_bytes(member.size);
        jobs_.push_back({&member, place, member.size});
      }
    }
    if (request_.sha256) jobs_.push_back({nullptr, "", file_.size() / 3});
    std::stable_sort(jobs_.begin(), jobs_.end(),
                     [](const Job& one, const Job& other) { return one.weight > other.weight; });
  }

  void check_mode(const ZipMember& member) const {
    if ((member.mode & (S_ISUID | S_ISGID)) != 0 && !member.is_folder()) {
      refuse(member.name, "has a setuid or setgid mode");
    }
    const unsigned type = member.mode & S_IFMT;
    if (type == 0 || type == S_IFREG || (type == S_IFDIR && member.is_folder())) return;
    if (type == S_IFLNK && !record_ && !member.is_folder()) return;
    refuse(member.name,
           record_ ? "is not a plain file" : "is neither a file nor a folder nor a link");
  }

  void work_together() {
    const std::size_t wanted = std::clamp<std::size_t>(request_.threads, 1, 64);
    const std::size_t count = std::min(wanted, jobs_.size());
    std::vector<std::jthread> helpers;
    try {
      while (helpers.size() + 1 < count) helpers.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // No more threads may be had: those that there are do the work.
    }
    work();
    helpers.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  void work() {
    try {
      sys::Sha256 hasher;
      MemberReader reader(file_, [this](std::uint64_t bytes) { count_.add(bytes); });
      const auto block = raw_memory(BlockStream::block_size);
      while (!stop_) {
        const std::size_t next = next_job_++;
        if (next >= jobs_.size()) return;
        const Job& job = jobs_[next];
        if (job.member) {
          write_member(job, reader, hasher, {block.get(), BlockStream::block_size});
        } else {
          hash_zip();
        }
      }
    } catch (...) {
      // It is thrown again when all threads have stopped.
      const std::scoped_lock lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  void write_member(const Job& job, MemberReader& reader, sys::Sha256& hasher,
                    std::span<char> block) {
    const ZipMember& member = *job.member;
    FileWriter file = tree_.add_file(job.place, hasher);
    reader.open(member);
    std::optional<bool> executable;
    const auto take = [&](std::string_view bytes) {
      check_stop();
      if (!executable) executable = executable_(member, job.place, bytes);
      file.write(bytes);
    };
    if (request_.threads > 1 && member.size >= large_member) {
      BlockStream blocks(BlockStream::Where::own_thread,
                         [&](std::span<char> out) { return reader.read(out); });
      for (auto bytes = blocks.next(); !bytes.empty(); bytes = blocks.next()) take(bytes);
    } else {
      std::size_t got = block.size();
      while (got == block.size()) {
        got = reader.read(block);
        take({block.data(), got});
      }
    }
    const Digest digest = file.finish(executable.value_or(false));
    check_digest(member, digest);
  }

  void check_digest(const ZipMember& member, const Digest& digest) const {
    if (!record_) return;
    const auto row = record_->find(member.name);
    if (row == record_->end() || row->second.sha256 == digest) return;
    refuse(member.name, "does not match its checksum in RECORD");
  }

  void hash_zip() {
    UnpackRequest silent;
    silent.sha256 = request_.sha256;
    PackedReader reader(file_, silent);
    while (!reader.next().empty()) check_stop();
    reader.verify();
  }

  void check_stop() const {
    interrupt_.check();
    if (stop_) throw Error(ErrorKind::corrupt, "another entry has failed");
  }

  const PackedFile& file_;
  const UnpackRequest& request_;
  const Interrupt& interrupt_;
  PackedCount count_;
  TreeWriter tree_;
  const Record* record_ = nullptr;
  Executable executable_;
  std::vector<Job> jobs_;
  std::atomic<std::size_t> next_job_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace

std::string member_bytes(const PackedFile& file, const ZipMember& member, std::uint64_t limit) {
  if (member.size > limit) {
    refuse(member.name, fmt::format("is larger than {}", text::bytes(limit)));
  }
  // One byte more than it should have, so that read() gets to see the end.
  std::string bytes(static_cast<std::size_t>(member.size) + 1, '\0');
  MemberReader reader(file);
  reader.open(member);
  bytes.resize(reader.read(bytes));
  return bytes;
}

std::vector<Entry> unpack_zip(const PackedFile& file, const UnpackRequest& request,
                              const Interrupt& interrupt) {
  const auto members = read_members(file, request.limits.entries);
  ZipUnpacker unpacker(file, request, interrupt);
  return unpacker.run(members, nullptr, [](const ZipMember& member, const auto&, auto) {
    return (member.mode & 0111) != 0;
  });
}

std::vector<Entry> unpack_wheel_file(const PackedFile& file, const WheelRequest& request,
                                     const Interrupt& interrupt) {
  const auto members = read_members(file, request.limits.entries);
  const ZipMember& record_member = find_record(members);
  const Record record =
      read_record(member_bytes(file, record_member, longest_record), record_member, members);
  ZipUnpacker unpacker(file, request, interrupt);
  return unpacker.run(members, &record,
                      [&](const ZipMember&, const std::string& place, std::string_view head) {
                        return request.executable && request.executable(place, head);
                      });
}

}  // namespace cudaenv::archive
