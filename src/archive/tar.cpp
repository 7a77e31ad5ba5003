#include "archive/tar.hpp"

#include <locale.h>
#include <map>
#include <sys/stat.h>
#include <unordered_map>
#include <unordered_set>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "archive/block_stream.hpp"
#include "archive/budget.hpp"
#include "archive/entry_path.hpp"
#include "archive/libarchive_reader.hpp"
#include "archive/tree_writer.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// Made once and kept: the threads share it, and none frees what another converts with.
locale_t utf8_locale() {
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return utf8;
}

// libarchive takes the names in pax headers from UTF-8 to the thread's encoding, and loses those
// that this cannot express.
class Utf8Thread {
 public:
  Utf8Thread() {
    if (utf8_locale()) before_ = ::uselocale(utf8_locale());
  }
  Utf8Thread(const Utf8Thread&) = delete;
  Utf8Thread& operator=(const Utf8Thread&) = delete;
  ~Utf8Thread() {
    if (before_) ::uselocale(before_);
  }

 private:
  locale_t before_ = nullptr;
};

std::string_view text_or_empty(const char* text) { return text ? text : std::string_view(); }

// What may stand before an entry's data: libarchive takes long names and attributes of up to 1 MiB
// each, but keeps a sparse file's map of any length in memory.
constexpr std::uint64_t longest_header = 4u << 20;

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

// Where hard links go whose file was left out: the file's path in the archive -> their places.
using Orphans = std::map<std::string, std::vector<std::string>>;

// One pass over one tar archive.
class TarUnpacker {
 public:
  TarUnpacker(BlockStream& blocks, Budget& budget, const UnpackRequest& request,
              const Interrupt& interrupt, TreeWriter& tree)
      : blocks_(blocks),
        budget_(budget),
        request_(request),
        interrupt_(interrupt),
        reader_([this] { return next_block(); }),
        tree_(tree) {
    ::archive_read_support_format_tar(reader_.handle());
    reader_.open();
  }

  Orphans run() {
    std::string where = "the archive";
    std::uint64_t entry_begin = 0;
    struct ::archive_entry* entry = nullptr;
    while (next_header(entry, where)) {
      budget_.add_entry();
      const std::string raw(text_or_empty(::archive_entry_pathname(entry)));
      budget_.add_name(raw.size() + text_or_empty(::archive_entry_symlink(entry)).size());
      where = fmt::format("the archive after `{}`", text::visible(raw));
      take(raw, entry);
      reader_.check(::archive_read_data_skip(reader_.handle()), where);
      entry_begin = reader_.consumed();
    }
    check_end(entry_begin);
    return std::move(orphans_);
  }

 private:
  bool next_header(struct ::archive_entry*& entry, const std::string& where) {
    header_left_ = longest_header;
    const int result = ::archive_read_next_header(reader_.handle(), &entry);
    header_left_.reset();
    return reader_.check(result, where);
  }

  std::string_view next_block() {
    interrupt_.check();
    const std::string_view block = blocks_.next();
    if (header_left_ && block.size() > *header_left_) {
      throw Error(ErrorKind::corrupt, "an entry's header has more than 4 MiB");
    }
    if (header_left_) *header_left_ -= block.size();
    return block;
  }

  void take(const std::string& raw, struct ::archive_entry* entry) {
    const std::string path = checked_path(raw);
    const char* hard_link = ::archive_entry_hardlink(entry);
    const auto type = ::archive_entry_filetype(entry);
    if (!hard_link) check_type(raw, type);
    if (type != AE_IFDIR && (::archive_entry_mode(entry) & (S_ISUID | S_ISGID)) != 0 &&
        type != AE_IFLNK) {
      refuse(raw, "has a setuid or setgid mode");
    }
    const std::optional<std::string> placed = request_.place ? request_.place(path) : path;
    if (!placed) {
      if (!hard_link && type != AE_IFDIR) left_out_.insert(path);
      return;
    }
    const std::string place = placed->empty() ? std::string() : checked_path(*placed);
    if (hard_link) {
      take_hard_link(raw, place, hard_link);
    } else if (type == AE_IFDIR) {
      tree_.add_folder(place);
    } else if (type == AE_IFLNK) {
      tree_.add_link(place, std::string(text_or_empty(::archive_entry_symlink(entry))));
      files_[path] = place;
    } else {
      take_file(raw, place, entry);
      files_[path] = place;
    }
  }

  static void check_type(const std::string& raw, unsigned type) {
    switch (type) {
      case AE_IFREG:
      case AE_IFLNK:
      case AE_IFDIR:
        return;
      case AE_IFCHR:
      case AE_IFBLK:
        refuse(raw, "is a device");
      case AE_IFIFO:
        refuse(raw, "is a fifo");
      case AE_IFSOCK:
        refuse(raw, "is a socket");
      default:
        refuse(raw, "is neither a file nor a folder nor a link");
    }
  }

  void take_hard_link(const std::string& raw, const std::string& place, const char* target) {
    if (place.empty()) refuse(raw, "is a hard link in the place of the whole tree");
    const std::string file = checked_path(target);
    const auto source = files_.find(file);
    if (source != files_.end() && tree_.add_hard_link(place, source->second)) {
      files_[checked_path(raw)] = place;
    } else if (left_out_.contains(file)) {
      orphans_[file].push_back(place);
    } else {
      refuse(raw, fmt::format("is a hard link to `{}`, which is no earlier file of the archive",
                              text::visible(target)));
    }
  }

  void take_file(const std::string& raw, const std::string& place, struct ::archive_entry* entry) {
    const la_int64_t told = ::archive_entry_size(entry);
    if (told < 0) refuse(raw, "has a negative size");
    const auto size = static_cast<std::uint64_t>(told);
    budget_.add_bytes(size);

    FileWriter file = tree_.add_file(place, hasher_);
    const std::string where = fmt::format("`{}`", text::visible(raw));
    const void* bytes = nullptr;
    std::size_t count = 0;
    la_int64_t offset = 0;
    while (reader_.check(::archive_read_data_block(reader_.handle(), &bytes, &count, &offset),
                         where)) {
      const auto begin = static_cast<std::uint64_t>(offset);
      if (begin < file.size() || begin > size || count > size - begin) {
        refuse(raw, "has sparse pieces that do not fit");
      }
      file.write_hole(begin - file.size(), interrupt_);
      file.write({static_cast<const char*>(bytes), count});
    }
    file.write_hole(size - file.size(), interrupt_);
    file.finish((::archive_entry_mode(entry) & 0111) != 0);
  }

  // libarchive takes the end of the input for the end of the archive, and stops at the first
  // empty block, whatever follows.
  void check_end(std::uint64_t last_entry_end) {
    const std::uint64_t consumed = reader_.consumed();
    if (consumed < last_entry_end + 512) {
      throw Error(ErrorKind::corrupt, "the archive is truncated: its end mark is missing");
    }
    const std::uint64_t left = reader_.given() - consumed;
    const std::string_view block = reader_.last_block();
    bool clean = left <= block.size() && is_zero(block.substr(block.size() - left));
    for (std::string_view rest = next_block(); clean && !rest.empty(); rest = next_block()) {
      clean = is_zero(rest);
    }
    if (!clean) throw Error(ErrorKind::corrupt, "bytes follow the end of the archive");
  }

  BlockStream& blocks_;
  Budget& budget_;
  const UnpackRequest& request_;
  const Interrupt& interrupt_;
  Utf8Thread utf8_;
  LibarchiveReader reader_;
  TreeWriter& tree_;
  std::optional<std::uint64_t> header_left_;  // while libarchive reads a header
  sys::Sha256 hasher_;
  std::unordered_map<std::string, std::string> files_;  // path in the archive -> in the tree
  std::unordered_set<std::string> left_out_;
  Orphans orphans_;
};

// With a digest over the packed bytes, the checks inside an .xz find nothing that it does not,
// and cost a twentieth of the time. And liblzma's threaded decoder could be made to use freed
// memory by damaged input until 5.8.1, mended in some distributions and not in others: it gets only
// what has a digest, and so was verified before.
DecoderOptions decoder_options(const UnpackRequest& request) {
  if (!request.sha256) return {};
  return {request.threads, false};
}

struct Source {
  const PackedFile& file;
  Format format;
};

Orphans run_pass(const Source& source, const UnpackRequest& request, const Interrupt& interrupt,
                 TreeWriter& tree) {
  const PackedFile& file = source.file;
  Budget budget(request.limits, file.size());
  PackedReader input(file, request);
  Orphans orphans;
  {
    const auto decoder = make_decoder(source.format, input, file.size(), decoder_options(request));
    using Where = BlockStream::Where;
    const Where where = request.threads > 1 ? Where::own_thread : Where::same_thread;
    BlockStream blocks(where, [&](std::span<char> out) {
      const std::size_t got = decoder->read(out);
      budget.add_decoded(got);
      return got;
    });
    orphans = TarUnpacker(blocks, budget, request, interrupt, tree).run();
  }
  input.verify();
  return orphans;
}

// tar stores the bytes with the first name of a file. Where `place` leaves that one out and keeps
// another, a second pass puts them in the place of the first that was kept.
void adopt(const Orphans& orphans, const Source& source, UnpackRequest request,
           const Interrupt& interrupt, TreeWriter& tree) {
  request.on_bytes = nullptr;
  request.sha256.reset();
  request.place = [&](const std::string& path) -> std::optional<std::string> {
    const auto found = orphans.find(path);
    if (found == orphans.end()) return std::nullopt;
    return found->second.front();
  };
  run_pass(source, request, interrupt, tree);
  for (const auto& [path, places] : orphans) {
    for (const auto& place : places) tree.add_hard_link(place, places.front());
  }
}

}  // namespace

std::vector<Entry> unpack_tar(const PackedFile& file, Format format, const UnpackRequest& request,
                              const Interrupt& interrupt) {
  TreeWriter tree(request.destination, request.limits);
  const Source source{file, format};
  const Orphans orphans = run_pass(source, request, interrupt, tree);
  if (!orphans.empty()) adopt(orphans, source, request, interrupt, tree);
  return tree.finish(interrupt);
}

}  // namespace cudaenv::archive
