#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/interrupt.hpp"

namespace cudaenv::archive {

// What was unpacked, one per file or link (folders are implied by them).
struct Entry {
  enum class Kind { file, symlink, directory };  // directory: only where it is empty
  Kind kind = Kind::file;
  std::string path;              // in the tree, relative, '/' between
  unsigned mode = 0644;          // 0644 or 0755 for files
  std::uint64_t size = 0;        // bytes of a file
  std::optional<Digest> sha256;  // of a file's bytes
  std::string target;            // of a link, relative, inside the tree
};

struct Limits {
  std::uint64_t bytes = 64ull << 30;  // unpacked, all files together
  std::uint64_t entries = 400'000;    // and as many folders that only a path names
  std::uint64_t names = 32ull << 20;  // bytes of the paths and link targets, and of those folders
  std::uint64_t ratio = 2'000;        // unpacked bytes per packed byte, beyond the first 64 MiB
};

struct UnpackRequest {
  std::filesystem::path archive;
  std::string name;  // for messages, e.g. "cuda_nvcc-linux-x86_64-12.1.105-archive.tar.xz"
  std::filesystem::path destination;  // an existing, empty folder of ours

  // Where an entry goes, by its path in the archive ('/' between, no leading "./"); nothing: left
  // out, without being written. The result is checked like any other path. Two entries that go to
  // one path are an error unless the later replaces an equal one.
  std::function<std::optional<std::string>(const std::string&)> place;

  // The archive's own digest; checked in passing over the bytes that are read, once more after
  // the download's check, so that a disk that flips a bit is found out. Error(corrupt) at the end.
  std::optional<Digest> sha256;

  Limits limits;
  // For the blocks of one .xz (where `sha256` is given), or for the entries of one zip. 1: all in
  // the calling thread. More: decoding goes on beside hashing and writing.
  unsigned threads = 1;
  std::function<void(std::uint64_t)> on_bytes;  // packed bytes read since the last call; any thread
};

// Unpacks a .tar.xz, .tar.gz, .tar.zst, .tar or .zip (told by its first bytes, not by its name)
// whose content is hostile until proven otherwise: refuses absolute paths, "..", links that leave
// the tree, writing through a link, devices, fifos, sockets, setuid and setgid files, names with
// control characters or over 1024 bytes, anything past the limits, a truncated archive and garbage
// after its end. Modes become 0755 (any execute bit, and folders) or 0644 whatever the umask;
// owners and times are ignored. Hard links inside the tree become equal files. What is wrong with
// an archive is Error(corrupt), which names archive and entry; what was written until then is the
// caller's to remove. The entries are sorted by path. Polls `interrupt` at least once a MiB, also
// from other threads.
std::vector<Entry> unpack(const UnpackRequest& request, const Interrupt& interrupt);

// The same for a Python wheel: a zip whose RECORD tells each file's SHA-256 and size, which are
// checked while inflating; a file that RECORD does not list, or lists and the wheel lacks, is an
// error. Entries are inflated as streams, `threads` at a time. `place` sees wheel paths such as
// "nvidia/cu13/bin/nvcc"; a file's mode is what `executable` says, whatever the zip does.
struct WheelRequest : UnpackRequest {
  std::function<bool(const std::string& placed, std::string_view first_bytes)> executable;
};
std::vector<Entry> unpack_wheel(const WheelRequest& request, const Interrupt& interrupt);

// One small member of a zip (a wheel's METADATA), or nothing where there is none.
std::optional<std::string> read_zip_member(const std::filesystem::path& zip,
                                           const std::string& member, std::uint64_t limit);

// A wheel's member names, in the order of the central directory. Messages call it `name`.
std::vector<std::string> list_zip(const std::filesystem::path& zip, const std::string& name);

}  // namespace cudaenv::archive
