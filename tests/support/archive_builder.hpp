#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Miniature archives, made on the spot. The builders write headers by hand, so that hostile ones
// can be expressed too; what they know nothing about is left to `raw`.
namespace cudaenv::test {

struct BuiltFile {
  std::string path;
  std::string bytes;
  unsigned mode = 0644;
};

struct BuiltLink {
  std::string path;
  std::string target;
};

// An archive on disk, in the terms of a manifest.
struct BuiltArchive {
  std::filesystem::path path;
  std::uint64_t size = 0;
  std::string sha256;  // 64 hexadecimal digits
};

// An archive as NVIDIA packs them: everything below one top folder ("cuda_nvcc-linux-x86_64-...").
BuiltArchive build_tar_xz(const std::filesystem::path& path, const std::string& top_folder,
                          const std::vector<BuiltFile>& files,
                          const std::vector<BuiltLink>& links = {});

// A wheel with METADATA, WHEEL, a licence and a true RECORD beside `files`.
BuiltArchive build_wheel(const std::filesystem::path& path, const std::string& distribution,
                         const std::string& version, const std::vector<BuiltFile>& files);

// Writes the bytes and says what a manifest would.
BuiltArchive put_archive(const std::filesystem::path& path, std::string_view bytes);

// `count` bytes that do not compress and depend on `seed` alone.
std::string noise(std::size_t count, std::uint64_t seed = 1);

// The bytes of an entry's header in a tar archive, before anything was made safe.
struct TarHeader {
  std::string name;  // cut to the field's 100 bytes
  char type = '0';
  unsigned mode = 0644;
  std::uint64_t size = 0;
  std::string link{};
  std::string prefix{};
  std::string magic{
      "ustar\0"
      "00",
      8};
  bool is_extended = false;                   // GNU: a block of a sparse file's map follows
  std::optional<std::string> raw_size{};      // the 12 bytes of the field
  std::optional<std::string> raw_checksum{};  // the 8 bytes of the field
};

class TarBuilder {
 public:
  // Entries as tar writes them. A name or target over 100 bytes gets a pax header.
  TarBuilder& folder(const std::string& path, unsigned mode = 0755);
  TarBuilder& file(const std::string& path, std::string_view bytes, unsigned mode = 0644);
  TarBuilder& symlink(const std::string& path, const std::string& target);
  TarBuilder& hard_link(const std::string& path, const std::string& target);

  // One header, then `bytes` padded to 512.
  TarBuilder& entry(const TarHeader& header, std::string_view bytes = {});
  // Extended attributes of the next entry.
  TarBuilder& pax(const std::vector<std::pair<std::string, std::string>>& records);
  // GNU's way to give the next entry a long name ('L') or target ('K').
  TarBuilder& gnu_long(char type, const std::string& text);
  TarBuilder& raw(std::string_view bytes);

  // Without and with the two empty blocks that end an archive.
  const std::string& body() const { return body_; }
  std::string bytes() const { return body_ + std::string(1024, '\0'); }

 private:
  std::string body_;
};

// `block_size` 0 makes one block, as `xz` without -T does.
std::string xz_packed(std::string_view bytes, std::size_t block_size = 0);
std::string gzip_packed(std::string_view bytes);
std::string zstd_packed(std::string_view bytes);

// One member of a zip. What is set differs from the truth.
struct ZipEntry {
  std::string name;
  std::string bytes;
  bool deflated = true;
  unsigned mode = 0100644;  // st_mode in the external attributes
  std::uint16_t flags = 0;  // 1: encrypted, 8: sizes in a data descriptor
  std::optional<std::uint16_t> method{};
  std::optional<std::string> packed{};  // the compressed bytes
  std::optional<std::uint32_t> crc{};
  std::optional<std::uint64_t> size{};         // in both headers
  std::optional<std::uint64_t> packed_size{};  // in both headers
  std::optional<std::string> local_name{};
  std::optional<std::uint64_t> local_size{};
  std::optional<std::uint32_t> local_crc{};
  std::optional<std::uint64_t> offset{};  // of the local header, as the directory tells it
  bool zip64 = false;                     // sizes in an extra field
  std::string extra{};                    // more extra fields, in both headers
};

class ZipBuilder {
 public:
  ZipBuilder& add(ZipEntry entry);
  ZipBuilder& file(const std::string& name, std::string_view bytes);
  // Adds bytes that belong to no entry.
  ZipBuilder& gap(std::string_view bytes);
  // Adds RECORD for all files so far; `lines` replaces its text.
  ZipBuilder& record(const std::string& dist_info, std::optional<std::string> lines = {});
  std::string record_text(const std::string& dist_info) const;

  // The knobs of the end.
  bool zip64_end = false;
  std::string comment;
  std::optional<std::uint16_t> told_entries{};

  std::string bytes() const;

 private:
  std::string body_;
  std::string directory_;
  std::uint64_t count_ = 0;
  std::vector<std::pair<std::string, std::string>> contents_;
};

std::string deflated(std::string_view bytes);
std::uint32_t crc32_of(std::string_view bytes);

}  // namespace cudaenv::test
