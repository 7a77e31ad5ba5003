#include "archive/unpack.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "archive/tar.hpp"
#include "archive/zip.hpp"
#include "archive/zip_file.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

// Members of a zip that is only looked at.
constexpr std::uint64_t most_members = 1'000'000;

std::string headline(const UnpackRequest& request) {
  const std::string name =
      request.name.empty() ? request.archive.filename().string() : request.name;
  return "cannot unpack " + text::visible(name);
}

std::string headline(const std::filesystem::path& zip) {
  return "cannot read " + text::visible(zip.filename().string());
}

}  // namespace

std::vector<Entry> unpack(const UnpackRequest& request, const Interrupt& interrupt) {
  return while_doing(headline(request), [&] {
    const PackedFile file(request.archive, interrupt);
    const Format format = format_of(file);
    if (format == Format::zip) return unpack_zip(file, request, interrupt);
    if (format == Format::unknown) {
      throw Error(ErrorKind::corrupt, "the file is no archive, or a truncated one");
    }
    return unpack_tar(file, format, request, interrupt);
  });
}

std::vector<Entry> unpack_wheel(const WheelRequest& request, const Interrupt& interrupt) {
  return while_doing(headline(request), [&] {
    const PackedFile file(request.archive, interrupt);
    return unpack_wheel_file(file, request, interrupt);
  });
}

std::optional<std::string> read_zip_member(const std::filesystem::path& zip,
                                           const std::string& member, std::uint64_t limit) {
  return while_doing(headline(zip), [&]() -> std::optional<std::string> {
    const NoInterrupt uninterrupted;
    const PackedFile file(zip, uninterrupted);
    const auto members = read_members(file, most_members);
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const ZipMember& one) { return one.name == member; });
    if (found == members.end()) return std::nullopt;
    return member_bytes(file, *found, limit);
  });
}

std::vector<std::string> list_zip(const std::filesystem::path& zip, const std::string& name) {
  return while_doing(headline(name), [&] {
    const NoInterrupt uninterrupted;
    const PackedFile file(zip, uninterrupted);
    std::vector<std::string> names;
    for (const auto& member : read_members(file, most_members)) names.push_back(member.name);
    return names;
  });
}

}  // namespace cudaenv::archive
