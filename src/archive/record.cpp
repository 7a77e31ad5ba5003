#include "archive/record.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "archive/entry_path.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

[[noreturn]] void damaged(std::size_t line, std::string_view what) {
  throw Error(ErrorKind::corrupt, fmt::format("RECORD, line {}: {}", line, what));
}

// The fields of one line of CSV. A field in double quotes may hold commas, and quotes doubled.
std::vector<std::string> fields_of(std::string_view line, std::size_t number) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char byte = line[at];
    if (quoted && byte == '"' && at + 1 < line.size() && line[at + 1] == '"') {
      fields.back() += '"';
      ++at;
    } else if (byte == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (byte == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += byte;
    }
  }
  if (quoted) damaged(number, "a quote is not closed");
  return fields;
}

// A RECORD cannot hold its own digest, nor a signature made from it.
bool goes_unlisted(std::string_view name, const ZipMember& record) {
  return name == record.name || name == record.name + ".jws" || name == record.name + ".p7s";
}

Recorded recorded(const std::vector<std::string>& fields, std::size_t line) {
  constexpr std::string_view algorithm = "sha256=";
  const std::string_view hash = fields[1];
  const auto digest = hash.starts_with(algorithm)
                          ? Digest::from_base64url(hash.substr(algorithm.size()))
                          : std::nullopt;
  if (!digest) {
    damaged(line, fmt::format("`{}` is listed without a SHA-256", text::visible(fields[0])));
  }
  const auto size = text::parse_unsigned(fields[2]);
  if (!size) damaged(line, fmt::format("`{}` is listed without a size", text::visible(fields[0])));
  return {*digest, *size};
}

}  // namespace

const ZipMember& find_record(const std::vector<ZipMember>& members) {
  const ZipMember* record = nullptr;
  for (const auto& member : members) {
    if (!member.name.ends_with(".dist-info/RECORD")) continue;
    if (std::count(member.name.begin(), member.name.end(), '/') != 1) continue;
    if (record) throw Error(ErrorKind::corrupt, "the wheel has two RECORD files");
    record = &member;
  }
  if (!record) throw Error(ErrorKind::corrupt, "the wheel has no RECORD file");
  return *record;
}

Record read_record(std::string_view text, const ZipMember& record,
                   const std::vector<ZipMember>& members) {
  std::unordered_set<std::string_view> names;
  for (const auto& member : members) names.insert(member.name);

  Record rows;
  std::size_t number = 0;
  // Line by line: a list of them all would take many times the text.
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = text::take_line(rest);
    ++number;
    if (line.empty()) continue;
    const auto fields = fields_of(line, number);
    if (fields.size() != 3) damaged(number, "a row has not three fields");
    if (goes_unlisted(fields[0], record)) continue;
    if (!names.contains(fields[0])) {
      refuse(fields[0], "is listed in RECORD, but not in the wheel");
    }
    if (!rows.emplace(fields[0], recorded(fields, number)).second) {
      damaged(number, fmt::format("`{}` is listed twice", text::visible(fields[0])));
    }
  }
  for (const auto& member : members) {
    if (member.is_folder() || goes_unlisted(member.name, record)) continue;
    const auto row = rows.find(member.name);
    if (row == rows.end()) refuse(member.name, "is not listed in RECORD");
    if (row->second.size != member.size) refuse(member.name, "has another size than RECORD says");
  }
  return rows;
}

}  // namespace cudaenv::archive
