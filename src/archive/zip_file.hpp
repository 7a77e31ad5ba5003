#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/inflater.hpp"
#include "archive/packed_file.hpp"

namespace cudaenv::archive {

struct ZipMember {
  std::string name;
  bool deflated = false;  // else stored
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t header = 0;  // where its local header begins
  std::uint64_t data = 0;    // where its bytes begin
  unsigned mode = 0;         // st_mode where it was made on Unix, else 0

  bool is_folder() const { return name.ends_with('/'); }
};

// The members of a zip, in the order of its central directory. There is one way to read the file
// or it is Error(corrupt): members, directory and end follow each other without gaps, overlaps
// or anything behind them; local headers say what the directory says; no name comes twice.
std::vector<ZipMember> read_members(const PackedFile& file, std::uint64_t most_entries);

// The bytes of one member after another.
class MemberReader {
 public:
  explicit MemberReader(const PackedFile& file,
                        std::function<void(std::uint64_t)> on_packed_bytes = {});

  void open(const ZipMember& member);

  // Fills `out`; returns less than its size only at the end, where size, CRC and packed size
  // have been found to be what the directory says.
  std::size_t read(std::span<char> out);

 private:
  std::size_t read_stored(std::span<char> out);
  std::size_t read_deflated(std::span<char> out);
  void refill();
  void check_end();

  const PackedFile& file_;
  std::function<void(std::uint64_t)> on_packed_bytes_;
  Inflater inflater_;
  std::unique_ptr<char[]> block_;
  const ZipMember* member_ = nullptr;
  std::string_view input_;
  std::uint64_t taken_ = 0;  // packed bytes read from the file
  std::uint64_t given_ = 0;
  std::uint32_t crc_ = 0;
  bool ended_ = false;
};

}  // namespace cudaenv::archive
