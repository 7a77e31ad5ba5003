#include "support/archive_builder.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>
#include <zlib.h>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <lzma.h>

#include "sys/sha256.hpp"

namespace cudaenv::test {

namespace fs = std::filesystem;

namespace {

void put(std::string& field, std::size_t offset, std::string_view bytes, std::size_t width) {
  bytes = bytes.substr(0, width);
  std::copy(bytes.begin(), bytes.end(), field.begin() + static_cast<std::ptrdiff_t>(offset));
}

std::string padded(std::string_view bytes) {
  std::string result(bytes);
  result.resize((bytes.size() + 511) / 512 * 512, '\0');
  return result;
}

std::string header_block(const TarHeader& header) {
  std::string block(512, '\0');
  put(block, 0, header.name, 100);
  put(block, 100, fmt::format("{:07o}", header.mode), 8);
  put(block, 108, "0000000", 8);
  put(block, 116, "0000000", 8);
  put(block, 124, header.raw_size.value_or(fmt::format("{:011o}", header.size)), 12);
  put(block, 136, "14000000000", 12);
  put(block, 148, "        ", 8);
  block[156] = header.type;
  put(block, 157, header.link, 100);
  put(block, 257, header.magic, 8);
  put(block, 345, header.prefix, 155);
  if (header.is_extended) block[482] = 1;
  unsigned sum = 0;
  for (const char byte : block) sum += static_cast<unsigned char>(byte);
  put(block, 148, header.raw_checksum.value_or(fmt::format("{:06o}", sum) + '\0' + ' '), 8);
  return block;
}

std::string pax_record(const std::string& key, const std::string& value) {
  // The length counts its own digits.
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) {
    length = rest + std::to_string(length).size();
  }
  return fmt::format("{} {}={}\n", length, key, value);
}

// `bytes` through one of libarchive's compressors.
std::string filtered(std::string_view bytes, int (*add_filter)(struct ::archive*)) {
  struct ::archive* writer = ::archive_write_new();
  std::string packed(bytes.size() + bytes.size() / 8 + (1 << 16), '\0');
  std::size_t used = 0;
  ::archive_write_set_format_raw(writer);
  add_filter(writer);
  ::archive_write_set_bytes_in_last_block(writer, 1);
  ::archive_write_open_memory(writer, packed.data(), packed.size(), &used);
  struct ::archive_entry* entry = ::archive_entry_new();
  ::archive_entry_set_filetype(entry, AE_IFREG);
  ::archive_write_header(writer, entry);
  ::archive_write_data(writer, bytes.data(), bytes.size());
  ::archive_entry_free(entry);
  const int closed = ::archive_write_close(writer);
  ::archive_write_free(writer);
  if (closed != ARCHIVE_OK) throw std::runtime_error("cannot pack");
  packed.resize(used);
  return packed;
}

void need(lzma_ret result) {
  if (result != LZMA_OK && result != LZMA_STREAM_END) throw std::runtime_error("cannot pack xz");
}

std::string base64url(const Digest& digest) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : digest.bytes()) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 6; count -= 6) text += letters[(bits >> (count - 6)) & 63u];
  }
  if (count > 0) text += letters[(bits << (6 - count)) & 63u];
  return text;
}

void add_number(std::string& to, std::uint64_t value, unsigned width) {
  for (unsigned byte = 0; byte < width; ++byte) {
    to += static_cast<char>((value >> (8 * byte)) & 0xffu);
  }
}

constexpr std::uint64_t told_elsewhere = 0xffffffffu;

// The zip64 extra field of a local header (no offset) or of the directory.
std::string zip64_extra(std::uint64_t size, std::uint64_t packed,
                        std::optional<std::uint64_t> offset) {
  std::string extra;
  add_number(extra, 1, 2);
  add_number(extra, offset ? 24 : 16, 2);
  add_number(extra, size, 8);
  add_number(extra, packed, 8);
  if (offset) add_number(extra, *offset, 8);
  return extra;
}

}  // namespace

BuiltArchive put_archive(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
  return {path, bytes.size(), sys::sha256(bytes).hex()};
}

std::string noise(std::size_t count, std::uint64_t seed) {
  std::string bytes(count, '\0');
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return bytes;
}

BuiltArchive build_tar_xz(const fs::path& path, const std::string& top_folder,
                          const std::vector<BuiltFile>& files,
                          const std::vector<BuiltLink>& links) {
  TarBuilder tar;
  std::set<std::string> folders;
  const auto add_parents = [&](const std::string& name) {
    for (auto slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      if (folders.insert(name.substr(0, slash)).second) tar.folder(name.substr(0, slash));
    }
  };
  for (const auto& file : files) {
    add_parents(top_folder + "/" + file.path);
    tar.file(top_folder + "/" + file.path, file.bytes, file.mode);
  }
  for (const auto& link : links) {
    add_parents(top_folder + "/" + link.path);
    tar.symlink(top_folder + "/" + link.path, link.target);
  }
  return put_archive(path, xz_packed(tar.bytes()));
}

BuiltArchive build_wheel(const fs::path& path, const std::string& distribution,
                         const std::string& version, const std::vector<BuiltFile>& files) {
  const std::string dist_info = distribution + "-" + version + ".dist-info";
  ZipBuilder zip;
  for (const auto& file : files) {
    ZipEntry entry{file.path, file.bytes};
    entry.mode = 0100000u | file.mode;
    zip.add(std::move(entry));
  }
  zip.file(dist_info + "/METADATA",
           fmt::format("Metadata-Version: 2.1\nName: {}\nVersion: {}\n", distribution, version));
  zip.file(dist_info + "/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n");
  zip.file(dist_info + "/License.txt", "do as you like\n");
  zip.record(dist_info);
  return put_archive(path, zip.bytes());
}

TarBuilder& TarBuilder::entry(const TarHeader& header, std::string_view bytes) {
  body_ += header_block(header);
  body_ += padded(bytes);
  return *this;
}

TarBuilder& TarBuilder::folder(const std::string& path, unsigned mode) {
  if (path.size() >= 100) pax({{"path", path + "/"}});
  return entry({path + "/", '5', mode});
}

TarBuilder& TarBuilder::file(const std::string& path, std::string_view bytes, unsigned mode) {
  if (path.size() > 100) pax({{"path", path}});
  return entry({path, '0', mode, bytes.size()}, bytes);
}

TarBuilder& TarBuilder::symlink(const std::string& path, const std::string& target) {
  if (path.size() > 100) pax({{"path", path}});
  if (target.size() > 100) pax({{"linkpath", target}});
  return entry({path, '2', 0777, 0, target});
}

TarBuilder& TarBuilder::hard_link(const std::string& path, const std::string& target) {
  return entry({path, '1', 0644, 0, target});
}

TarBuilder& TarBuilder::pax(const std::vector<std::pair<std::string, std::string>>& records) {
  std::string text;
  for (const auto& [key, value] : records) text += pax_record(key, value);
  return entry({"PaxHeaders/x", 'x', 0644, text.size()}, text);
}

TarBuilder& TarBuilder::gnu_long(char type, const std::string& text) {
  TarHeader header{"././@LongLink", type, 0644, text.size() + 1};
  header.magic = std::string("ustar  \0", 8);
  return entry(header, text + '\0');
}

TarBuilder& TarBuilder::raw(std::string_view bytes) {
  body_ += bytes;
  return *this;
}

std::string xz_packed(std::string_view bytes, std::size_t block_size) {
  lzma_stream stream = LZMA_STREAM_INIT;
  lzma_mt options{};
  options.threads = 1;
  options.block_size = block_size;
  options.preset = 0;
  options.check = LZMA_CHECK_CRC64;
  need(block_size > 0 ? ::lzma_stream_encoder_mt(&stream, &options)
                      : ::lzma_easy_encoder(&stream, 0, LZMA_CHECK_CRC64));
  std::string packed(::lzma_stream_buffer_bound(bytes.size()) + 1024 * 1024, '\0');
  stream.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  stream.avail_in = bytes.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
  stream.avail_out = packed.size();
  lzma_ret result = LZMA_OK;
  while (result == LZMA_OK) need(result = ::lzma_code(&stream, LZMA_FINISH));
  packed.resize(stream.total_out);
  ::lzma_end(&stream);
  return packed;
}

std::string gzip_packed(std::string_view bytes) {
  return filtered(bytes, ::archive_write_add_filter_gzip);
}

std::string zstd_packed(std::string_view bytes) {
  return filtered(bytes, ::archive_write_add_filter_zstd);
}

std::string deflated(std::string_view bytes) {
  z_stream stream{};
  if (::deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("cannot deflate");
  }
  std::string packed(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("cannot deflate");
  return packed;
}

std::uint32_t crc32_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

ZipBuilder& ZipBuilder::add(ZipEntry entry) {
  const std::string packed =
      entry.packed.value_or(entry.deflated ? deflated(entry.bytes) : entry.bytes);
  const std::uint16_t method = entry.method.value_or(entry.deflated ? 8 : 0);
  const std::uint32_t crc = entry.crc.value_or(crc32_of(entry.bytes));
  const std::uint64_t size = entry.size.value_or(entry.bytes.size());
  const std::uint64_t packed_size = entry.packed_size.value_or(packed.size());
  const std::uint64_t offset = entry.offset.value_or(body_.size());
  const bool descriptor = (entry.flags & 8u) != 0;
  const std::uint64_t local_size = entry.local_size.value_or(size);
  const std::uint32_t local_crc = entry.local_crc.value_or(crc);

  const auto common = [&](std::string& to, std::uint64_t sum, std::uint64_t unpacked, bool told) {
    add_number(to, entry.zip64 ? 45 : 20, 2);
    add_number(to, entry.flags, 2);
    add_number(to, method, 2);
    add_number(to, 0, 2);
    add_number(to, 0x21, 2);
    add_number(to, told ? sum : 0, 4);
    add_number(to, entry.zip64 ? told_elsewhere : told ? packed_size : 0, 4);
    add_number(to, entry.zip64 ? told_elsewhere : told ? unpacked : 0, 4);
  };
  const std::string local_name = entry.local_name.value_or(entry.name);
  const std::string local_extra =
      (entry.zip64 ? zip64_extra(local_size, packed_size, std::nullopt) : "") + entry.extra;
  add_number(body_, 0x04034b50, 4);
  common(body_, local_crc, local_size, !descriptor);
  add_number(body_, local_name.size(), 2);
  add_number(body_, local_extra.size(), 2);
  body_ += local_name + local_extra + packed;
  if (descriptor) {
    add_number(body_, 0x08074b50, 4);
    add_number(body_, local_crc, 4);
    add_number(body_, packed_size, entry.zip64 ? 8 : 4);
    add_number(body_, local_size, entry.zip64 ? 8 : 4);
  }

  const std::string extra =
      (entry.zip64 ? zip64_extra(size, packed_size, offset) : "") + entry.extra;
  add_number(directory_, 0x02014b50, 4);
  add_number(directory_, 0x0300u + 45, 2);
  common(directory_, crc, size, true);
  add_number(directory_, entry.name.size(), 2);
  add_number(directory_, extra.size(), 2);
  add_number(directory_, 0, 2);
  add_number(directory_, 0, 2);
  add_number(directory_, 0, 2);
  add_number(directory_, std::uint64_t{entry.mode} << 16, 4);
  add_number(directory_, entry.zip64 ? told_elsewhere : offset, 4);
  directory_ += entry.name + extra;
  ++count_;
  contents_.emplace_back(entry.name, std::move(entry.bytes));
  return *this;
}

ZipBuilder& ZipBuilder::file(const std::string& name, std::string_view bytes) {
  return add({name, std::string(bytes)});
}

ZipBuilder& ZipBuilder::gap(std::string_view bytes) {
  body_ += bytes;
  return *this;
}

std::string ZipBuilder::record_text(const std::string& dist_info) const {
  std::string text;
  for (const auto& [name, bytes] : contents_) {
    if (name.ends_with('/')) continue;
    const bool quoted = name.find(',') != std::string::npos;
    text += fmt::format("{0}{1}{0},sha256={2},{3}\n", quoted ? "\"" : "", name,
                        base64url(sys::sha256(bytes)), bytes.size());
  }
  return text + dist_info + "/RECORD,,\n";
}

ZipBuilder& ZipBuilder::record(const std::string& dist_info, std::optional<std::string> lines) {
  return file(dist_info + "/RECORD", lines.value_or(record_text(dist_info)));
}

std::string ZipBuilder::bytes() const {
  std::string result = body_ + directory_;
  if (zip64_end) {
    const std::uint64_t end = result.size();
    add_number(result, 0x06064b50, 4);
    add_number(result, 44, 8);
    add_number(result, 45, 2);
    add_number(result, 45, 2);
    add_number(result, 0, 8);
    add_number(result, count_, 8);
    add_number(result, count_, 8);
    add_number(result, directory_.size(), 8);
    add_number(result, body_.size(), 8);
    add_number(result, 0x07064b50, 4);
    add_number(result, 0, 4);
    add_number(result, end, 8);
    add_number(result, 1, 4);
  }
  const std::uint64_t entries =
      zip64_end ? 0xffffu : told_entries.value_or(static_cast<std::uint16_t>(count_));
  add_number(result, 0x06054b50, 4);
  add_number(result, 0, 4);
  add_number(result, entries, 2);
  add_number(result, entries, 2);
  add_number(result, zip64_end ? told_elsewhere : directory_.size(), 4);
  add_number(result, zip64_end ? told_elsewhere : body_.size(), 4);
  add_number(result, comment.size(), 2);
  return result + comment;
}

}  // namespace cudaenv::test
