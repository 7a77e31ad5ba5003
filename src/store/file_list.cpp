#include "store/file_list.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::store {
namespace {

// The count tells a list that was cut at the end of a line from a whole one.
constexpr std::string_view format_name = "cudaenv-files";
constexpr std::string_view format_version = "1";
constexpr std::string_view escaped_bytes = "\t\n\r\\";

void append_escaped(std::string& line, std::string_view field) {
  if (field.find_first_of(escaped_bytes) == std::string_view::npos) {
    line += field;
    return;
  }
  for (const char c : field) {
    switch (c) {
      case '\t':
        line += "\\t";
        break;
      case '\n':
        line += "\\n";
        break;
      case '\r':
        line += "\\r";
        break;
      case '\\':
        line += "\\\\";
        break;
      default:
        line += c;
    }
  }
}

bool comes_before(const ListedFile& one, const ListedFile& other) { return one.path < other.path; }

void sort_by_path(std::vector<ListedFile>& files) {
  // A list that was read is sorted already, and these are large to move about.
  if (std::is_sorted(files.begin(), files.end(), comes_before)) return;
  std::sort(files.begin(), files.end(), comes_before);
}

class Reader {
 public:
  Reader(std::string_view text, std::string_view where) : rest_(text), where_(where) {}

  std::vector<ListedFile> read() {
    const std::uint64_t count = read_header();
    std::vector<ListedFile> files;
    // The count is a stranger's: no more room than the text could fill.
    files.reserve(std::min<std::uint64_t>(count, rest_.size() / 4));
    while (!rest_.empty()) files.push_back(read_file(next_line()));
    if (files.size() != count) {
      refuse(fmt::format("it should list {}, but lists {}", text::counted(count, "file"),
                         files.size()));
    }
    sort_by_path(files);
    check_paths(files);
    return files;
  }

 private:
  [[noreturn]] void refuse(std::string why) const {
    throw Error(ErrorKind::corrupt,
                fmt::format("the file list `{}` is damaged", text::visible(where_)))
        .because(std::move(why));
  }

  [[noreturn]] void refuse_line(std::string_view why) const {
    refuse(fmt::format("line {}: {}", line_number_, why));
  }

  std::string_view next_line() {
    ++line_number_;
    const auto end = rest_.find('\n');
    if (end == std::string_view::npos) refuse_line("it is cut off");
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  std::uint64_t read_header() {
    if (rest_.empty()) refuse("it is empty");
    const auto fields = text::split(next_line(), '\t');
    if (fields.size() != 3 || fields[0] != format_name) refuse_line("it is not a file list");
    if (fields[1] != format_version) refuse_line("it was written by a newer cudaenv");
    const auto count = text::parse_unsigned(fields[2]);
    if (!count) refuse_line("its count is not a number");
    return *count;
  }

  ListedFile read_file(std::string_view line) const {
    std::array<std::string_view, 7> fields;
    const std::size_t count = split_line(line, fields);
    ListedFile file;
    file.component = unescaped(fields[4]);
    file.path = unescaped(fields[5]);
    check_path(file.path);
    if (fields[0] == "l" && count == 7) {
      if (!fields[1].empty() || !fields[2].empty() || !fields[3].empty()) {
        refuse_line("a link has neither mode nor size nor checksum");
      }
      file.kind = ListedFile::Kind::symlink;
      file.target = unescaped(fields[6]);
      if (file.target.empty() || file.target.find('\0') != std::string::npos) {
        refuse_line("a link leads nowhere");
      }
      return file;
    }
    if (fields[0] != "f" || count != 6) refuse_line("it is neither a file nor a link");
    file.mode = parse_mode(fields[1]);
    const auto size = text::parse_unsigned(fields[2]);
    if (!size) refuse_line("its size is not a number");
    file.size = *size;
    if (!fields[3].empty()) {
      file.sha256 = Digest::from_hex(fields[3]);
      if (!file.sha256) refuse_line("its checksum is not 64 hexadecimal digits");
    }
    return file;
  }

  std::size_t split_line(std::string_view line, std::array<std::string_view, 7>& fields) const {
    std::size_t count = 0;
    while (true) {
      if (count == fields.size()) refuse_line("it has too many fields");
      const auto tab = line.find('\t');
      fields[count++] = line.substr(0, tab);
      if (tab == std::string_view::npos) return count;
      line.remove_prefix(tab + 1);
    }
  }

  std::string unescaped(std::string_view field) const {
    std::string result;
    result.reserve(field.size());
    for (std::size_t i = 0; i < field.size(); ++i) {
      if (field[i] != '\\') {
        result += field[i];
        continue;
      }
      switch (++i < field.size() ? field[i] : '\0') {
        case 't':
          result += '\t';
          break;
        case 'n':
          result += '\n';
          break;
        case 'r':
          result += '\r';
          break;
        case '\\':
          result += '\\';
          break;
        default:
          refuse_line("a backslash stands before something else than t, n, r, \\");
      }
    }
    return result;
  }

  unsigned parse_mode(std::string_view field) const {
    unsigned mode = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, mode, 8);
    // No setuid, setgid or sticky bit comes into a prefix.
    if (error != std::errc{} || stop != end || mode > 0777) refuse_line("its mode is not valid");
    return mode;
  }

  void check_path(std::string_view path) const {
    if (path.find('\0') != std::string_view::npos) refuse_line("its path holds a zero byte");
    if (path.starts_with('/')) refuse_line("its path is absolute");
    while (true) {
      const auto slash = path.find('/');
      const std::string_view part = path.substr(0, slash);
      if (part.empty() || part == "." || part == "..") {
        refuse_line("its path is empty or has an empty, `.` or `..` part");
      }
      if (slash == std::string_view::npos) return;
      path.remove_prefix(slash + 1);
    }
  }

  // Whoever creates or removes what is listed must not be led out of the tree by a link in it.
  void check_paths(const std::vector<ListedFile>& files) const {
    std::unordered_set<std::string_view> links;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (i > 0 && files[i].path == files[i - 1].path) {
        refuse(fmt::format("`{}` is listed twice", text::visible(files[i].path)));
      }
      if (files[i].kind == ListedFile::Kind::symlink) links.insert(files[i].path);
    }
    if (links.empty()) return;
    for (const auto& file : files) {
      for (auto at = file.path.find('/'); at != std::string::npos;
           at = file.path.find('/', at + 1)) {
        if (links.contains(std::string_view(file.path).substr(0, at))) {
          refuse(fmt::format("`{}` lies below a link", text::visible(file.path)));
        }
      }
    }
  }

  std::string_view rest_;
  std::string_view where_;
  std::size_t line_number_ = 0;
};

}  // namespace

std::string write_file_list(std::vector<ListedFile> files) {
  sort_by_path(files);
  std::string text = fmt::format("{}\t{}\t{}\n", format_name, format_version, files.size());
  text.reserve(text.size() + files.size() * 160);
  for (const auto& file : files) {
    if (file.kind == ListedFile::Kind::file) {
      fmt::format_to(std::back_inserter(text), "f\t{:04o}\t{}\t{}\t", file.mode, file.size,
                     file.sha256 ? file.sha256->hex() : "");
    } else {
      text += "l\t\t\t\t";
    }
    append_escaped(text, file.component);
    text += '\t';
    append_escaped(text, file.path);
    if (file.kind == ListedFile::Kind::symlink) {
      text += '\t';
      append_escaped(text, file.target);
    }
    text += '\n';
  }
  return text;
}

std::vector<ListedFile> read_file_list(std::string_view text, std::string_view where) {
  return Reader(text, where).read();
}

}  // namespace cudaenv::store
