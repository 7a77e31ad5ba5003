#include "archive/zip_file.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "archive/entry_path.hpp"
#include "base/error.hpp"

namespace cudaenv::archive {
namespace {

constexpr std::size_t end_size = 22;
constexpr std::size_t locator_size = 20;
constexpr std::size_t zip64_end_size = 56;
constexpr std::size_t local_size = 30;
constexpr std::size_t central_size = 46;
constexpr std::uint32_t told_elsewhere = 0xffffffffu;
constexpr std::uint64_t largest_directory = 64u << 20;

[[noreturn]] void damaged(const std::string& what) { throw Error(ErrorKind::corrupt, what); }

// Little-endian numbers, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) damaged("the zip's directory is truncated");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint64_t number(std::size_t width) {
    const std::string_view bytes = take(width);
    std::uint64_t value = 0;
    for (std::size_t at = width; at-- > 0;) {
      value = (value << 8) | static_cast<unsigned char>(bytes[at]);
    }
    return value;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::string bytes_at(const PackedFile& file, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  if (offset > file.size() || count > file.size() - offset ||
      file.read_at(offset, bytes.data(), count) != count) {
    damaged("the zip is truncated");
  }
  return bytes;
}

struct Directory {
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

Directory zip64_directory(const PackedFile& file, std::uint64_t end) {
  if (end < locator_size + zip64_end_size) damaged("the zip's end is damaged");
  const std::string locator_bytes = bytes_at(file, end - locator_size, locator_size);
  Fields locator(locator_bytes);
  const std::uint64_t record = end - locator_size - zip64_end_size;
  if (locator.u32() != 0x07064b50 || locator.u32() != 0 || locator.u64() != record ||
      locator.u32() != 1) {
    damaged("the zip's zip64 locator is damaged");
  }
  const std::string record_bytes = bytes_at(file, record, zip64_end_size);
  Fields fields(record_bytes);
  if (fields.u32() != 0x06064b50 || fields.u64() != zip64_end_size - 12) {
    damaged("the zip's zip64 end is damaged");
  }
  fields.take(4);
  if (fields.u32() != 0 || fields.u32() != 0) damaged("the zip has several parts");
  Directory directory;
  const std::uint64_t here = fields.u64();
  directory.entries = fields.u64();
  directory.size = fields.u64();
  directory.offset = fields.u64();
  if (here != directory.entries) damaged("the zip has several parts");
  if (directory.offset > record || directory.size != record - directory.offset) {
    damaged("the zip's directory does not reach to its end, or there are two");
  }
  return directory;
}

Directory find_directory(const PackedFile& file) {
  if (file.size() < end_size) damaged("the zip is truncated");
  const std::uint64_t end = file.size() - end_size;
  const std::string bytes = bytes_at(file, end, end_size);
  Fields fields(bytes);
  if (fields.u32() != 0x06054b50) {
    damaged("the zip is truncated, or a comment or other bytes follow its end");
  }
  if (fields.u16() != 0 || fields.u16() != 0) damaged("the zip has several parts");
  const std::uint16_t here = fields.u16();
  Directory directory;
  directory.entries = fields.u16();
  directory.size = fields.u32();
  directory.offset = fields.u32();
  if (here != directory.entries) damaged("the zip has several parts");
  if (fields.u16() != 0) damaged("the zip's end is damaged");
  if (directory.entries == 0xffff || directory.size == told_elsewhere ||
      directory.offset == told_elsewhere) {
    return zip64_directory(file, end);
  }
  if (directory.offset > end || directory.size != end - directory.offset) {
    damaged("the zip's directory does not reach to its end, or there are two");
  }
  return directory;
}

// The body of the zip64 extra field, or nothing where there is none.
std::string_view zip64_extra(const std::string& name, std::string_view extra) {
  std::string_view found;
  for (Fields fields(extra); !fields.empty();) {
    const std::uint16_t id = fields.u16();
    const std::string_view body = fields.take(fields.u16());
    if (id != 1) continue;
    if (found.data()) refuse(name, "has two zip64 fields");
    found = body;
  }
  return found;
}

void check_flags(const std::string& name, unsigned flags) {
  constexpr unsigned encrypted = 0x0001 | 0x0040 | 0x2000;
  constexpr unsigned known = 0x0002 | 0x0004 | 0x0008 | 0x0800;
  if (flags & encrypted) refuse(name, "is encrypted");
  if (flags & ~known) refuse(name, "has zip flags that are not known");
}

bool is_deflated(const std::string& name, unsigned method) {
  if (method != 0 && method != 8) {
    refuse(name, fmt::format("is packed by method {}; only stored and deflated are read", method));
  }
  return method == 8;
}

// Replaces what the plain fields leave to the extra field, in its order.
void take_zip64(ZipMember& member, std::string_view extra, bool with_offset) {
  Fields fields(extra);
  if (member.size == told_elsewhere) member.size = fields.u64();
  if (member.packed_size == told_elsewhere) member.packed_size = fields.u64();
  if (with_offset && member.header == told_elsewhere) member.header = fields.u64();
}

struct ListedMember : ZipMember {
  bool descriptor = false;  // sizes behind the data
};

ListedMember read_entry(Fields& fields) {
  if (fields.u32() != 0x02014b50) damaged("the zip's directory is damaged");
  ListedMember member;
  const bool unix_made = (fields.u16() >> 8) == 3;
  fields.take(2);
  const unsigned flags = fields.u16();
  const unsigned method = fields.u16();
  fields.take(4);
  member.crc = fields.u32();
  member.packed_size = fields.u32();
  member.size = fields.u32();
  const std::size_t name_size = fields.u16();
  const std::size_t extra_size = fields.u16();
  const std::size_t comment_size = fields.u16();
  const unsigned disk = fields.u16();
  fields.take(2);
  const std::uint32_t attributes = fields.u32();
  member.header = fields.u32();
  member.name = std::string(fields.take(name_size));
  const std::string_view extra = fields.take(extra_size);
  fields.take(comment_size);

  check_flags(member.name, flags);
  member.deflated = is_deflated(member.name, method);
  member.descriptor = (flags & 8u) != 0;
  if (disk != 0) refuse(member.name, "lies in another part of the zip");
  if (unix_made) member.mode = attributes >> 16;
  take_zip64(member, zip64_extra(member.name, extra), true);
  if (!member.deflated && member.size != member.packed_size) {
    refuse(member.name, "is stored, but its two sizes differ");
  }
  if (member.is_folder() && member.size != 0) refuse(member.name, "is a folder with content");
  return member;
}

// What follows the data of a member whose local header leaves the sizes open. Returns its length.
std::uint64_t descriptor_size(const PackedFile& file, const ListedMember& member,
                              std::uint64_t offset, std::uint64_t next) {
  const std::uint64_t length = next > offset ? next - offset : 0;
  if (length != 12 && length != 16 && length != 20 && length != 24) {
    refuse(member.name, "is not followed by its sizes");
  }
  const std::string bytes = bytes_at(file, offset, length);
  Fields fields(bytes);
  if (length % 8 == 0 && fields.u32() != 0x08074b50) {
    refuse(member.name, "is not followed by its sizes");
  }
  const std::size_t width = length >= 20 ? 8 : 4;
  if (fields.u32() != member.crc || fields.number(width) != member.packed_size ||
      fields.number(width) != member.size) {
    refuse(member.name, "is followed by other sizes than the zip's directory tells");
  }
  return length;
}

// Compares the local header with the directory. Returns where the member ends.
std::uint64_t check_local(const PackedFile& file, ListedMember& member, std::uint64_t next) {
  const std::string head = bytes_at(file, member.header, local_size);
  Fields fields(head);
  if (fields.u32() != 0x04034b50) refuse(member.name, "is not where the zip's directory says");
  fields.take(2);
  const unsigned flags = fields.u16();
  const unsigned method = fields.u16();
  fields.take(4);
  const std::uint32_t crc = fields.u32();
  ZipMember local;
  local.packed_size = fields.u32();
  local.size = fields.u32();
  const std::size_t name_size = fields.u16();
  const std::size_t extra_size = fields.u16();
  const std::string tail = bytes_at(file, member.header + local_size, name_size + extra_size);
  check_flags(member.name, flags);
  if (tail.substr(0, name_size) != member.name) {
    refuse(member.name, "has another name in its own header");
  }
  take_zip64(local, zip64_extra(member.name, std::string_view(tail).substr(name_size)), false);

  const bool descriptor = (flags & 8u) != 0;
  const bool open = descriptor && crc == 0;
  const bool same =
      crc == member.crc && local.packed_size == member.packed_size && local.size == member.size;
  if (descriptor != member.descriptor || is_deflated(member.name, method) != member.deflated ||
      !(same || open)) {
    refuse(member.name, "has another method, size or CRC in its own header");
  }
  member.data = member.header + local_size + tail.size();
  if (member.data > next || member.packed_size > next - member.data) {
    refuse(member.name, "overlaps what follows it in the zip");
  }
  const std::uint64_t end = member.data + member.packed_size;
  return descriptor ? end + descriptor_size(file, member, end, next) : end;
}

void check_layout(const PackedFile& file, std::vector<ListedMember>& members,
                  std::uint64_t directory) {
  std::vector<ListedMember*> by_place;
  by_place.reserve(members.size());
  for (auto& member : members) by_place.push_back(&member);
  std::sort(by_place.begin(), by_place.end(),
            [](const auto* one, const auto* other) { return one->header < other->header; });
  std::uint64_t end = 0;
  for (std::size_t index = 0; index < by_place.size(); ++index) {
    ListedMember& member = *by_place[index];
    const std::uint64_t next =
        index + 1 < by_place.size() ? by_place[index + 1]->header : directory;
    if (member.header != end)
      refuse(member.name, "does not follow the member before it in the zip");
    end = check_local(file, member, next);
  }
  if (end != directory) damaged("there are bytes between the zip's members and its directory");
}

}  // namespace

std::vector<ZipMember> read_members(const PackedFile& file, std::uint64_t most_entries) {
  const Directory directory = find_directory(file);
  if (directory.entries > most_entries) {
    damaged(fmt::format("the archive has more than {} entries", most_entries));
  }
  if (directory.size > largest_directory || directory.entries > directory.size / central_size) {
    damaged("the zip's directory has an impossible size");
  }
  const std::string bytes = bytes_at(file, directory.offset, directory.size);
  Fields fields(bytes);
  std::vector<ListedMember> listed;
  std::set<std::string_view> names;
  listed.reserve(directory.entries);
  for (std::uint64_t count = 0; count < directory.entries; ++count) {
    listed.push_back(read_entry(fields));
    if (!names.insert(listed.back().name).second) refuse(listed.back().name, "is there twice");
  }
  if (!fields.empty()) damaged("the zip's directory has more entries than its end tells");
  check_layout(file, listed, directory.offset);
  return {listed.begin(), listed.end()};
}

}  // namespace cudaenv::archive
