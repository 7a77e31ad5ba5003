// The text form of the tables: one record a line, fields separated by tabs.
#include <functional>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "compat/phrase.hpp"
#include "compat/row_order.hpp"
#include "compat/row_reader.hpp"
#include "compat/tables.hpp"

namespace cudaenv::compat {
namespace {

class TablesReader {
 public:
  TablesReader(Tables& tables, std::string_view where) : tables_(tables), where_(where) {}

  void read(std::string_view text);
  const std::string& date() const { return date_; }  // of the text

 private:
  struct Record {
    void (TablesReader::*read)(RowReader&);
    std::vector<std::size_t> key;  // which fields a row is known by; the kind is field 0
  };

  void read_head(RowReader& row);
  void read_source(RowReader& row);
  void read_toolkit(RowReader& row);
  void read_driver(RowReader& row);
  void read_forward(RowReader& row);
  void read_arch(RowReader& row);
  void read_gpu(RowReader& row);
  void read_compiler(RowReader& row);
  void read_glibc(RowReader& row);
  void read_cudnn(RowReader& row);
  void read_nccl(RowReader& row);
  void read_framework(RowReader& row);
  void read_recipe(RowReader& row);
  void read_soname(RowReader& row);
  void read_error(RowReader& row);
  void read_phrase(RowReader& row);
  void read_context(RowReader& row);
  void read_code(RowReader& row);
  void read_rate(RowReader& row);
  void read_board(RowReader& row);
  void read_measured(RowReader& row);

  // The last field of every row: the key of a `source` record before it.
  std::string source(RowReader& row) const;
  // The id of an `error` record before it.
  std::string known_error(RowReader& row) const;

  static const std::map<std::string_view, Record>& records();

  Tables& tables_;
  std::string_view where_;
  std::string date_;
  std::map<std::string, std::string, std::less<>> sources_;
  std::map<std::string, std::size_t> lines_;  // of each key in this text
  std::size_t fresh_frameworks_ = 0;
  std::size_t fresh_recipes_ = 0;
  std::size_t fresh_boards_ = 0;
  std::size_t fresh_measured_ = 0;
};

const std::map<std::string_view, TablesReader::Record>& TablesReader::records() {
  static const std::map<std::string_view, Record> known{
      {"source", {&TablesReader::read_source, {1}}},
      {"toolkit", {&TablesReader::read_toolkit, {1}}},
      {"driver", {&TablesReader::read_driver, {1}}},
      {"forward", {&TablesReader::read_forward, {1}}},
      {"arch", {&TablesReader::read_arch, {1}}},
      {"gpu", {&TablesReader::read_gpu, {1}}},
      {"compiler", {&TablesReader::read_compiler, {1, 2}}},
      {"glibc", {&TablesReader::read_glibc, {1}}},
      {"cudnn", {&TablesReader::read_cudnn, {1, 2}}},
      {"nccl", {&TablesReader::read_nccl, {1}}},
      {"framework", {&TablesReader::read_framework, {1, 3, 4, 10}}},
      {"recipe", {&TablesReader::read_recipe, {1, 2, 3}}},
      {"soname", {&TablesReader::read_soname, {1, 2}}},
      {"error", {&TablesReader::read_error, {1}}},
      {"phrase", {&TablesReader::read_phrase, {1, 2}}},
      {"context", {&TablesReader::read_context, {1, 2}}},
      {"code", {&TablesReader::read_code, {1, 2, 3}}},
      {"rate", {&TablesReader::read_rate, {1, 2}}},
      {"board", {&TablesReader::read_board, {1}}},
      {"measured", {&TablesReader::read_measured, {1, 2}}},
  };
  return known;
}

void TablesReader::read(std::string_view text) {
  const auto lines = text::lines(text::without_byte_order_mark(text));
  RowReader head(lines.empty() ? std::string_view{} : lines[0], where_, 1);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    head.refuse("it is UTF-16; save it as UTF-8");
  }
  read_head(head);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].starts_with('#')) continue;
    RowReader row(lines[i], where_, i + 1);
    const auto kind = row.text("kind");
    const auto found = records().find(kind);
    if (found == records().end()) {
      row.refuse(fmt::format("`{}` is no kind of row", text::visible(kind, 40)));
    }
    (this->*found->second.read)(row);
    row.end();
    // Of two rows with one key nobody could tell which one holds.
    const auto [first, is_new] = lines_.emplace(row.key(found->second.key), i + 1);
    if (!is_new) row.refuse(fmt::format("line {} says it already", first->second));
  }
}

void TablesReader::read_head(RowReader& row) {
  if (row.text("kind") != "compat") row.refuse("it does not begin with `compat`");
  if (const auto schema = row.text("schema"); schema != "1") {
    row.refuse(fmt::format("schema `{}` is not known", text::visible(schema, 20)));
  }
  date_ = row.date("date");
  if (date_.size() != 10) row.refuse("the table has no date");
  tables_.date = std::max(tables_.date, date_);
  row.end();
}

void TablesReader::read_source(RowReader& row) {
  std::string key = row.needed("key");
  sources_.emplace(std::move(key), row.needed("source"));
}

std::string TablesReader::source(RowReader& row) const {
  const std::string key = row.needed("source");
  const auto found = sources_.find(key);
  if (found == sources_.end()) {
    row.refuse(fmt::format("there is no source `{}` above it", text::visible(key, 40)));
  }
  return found->second;
}

void TablesReader::read_toolkit(RowReader& row) {
  ToolkitRow read{row.version("release"),
                  row.date("date"),
                  row.maybe_version("driver"),
                  row.maybe_version("bundled driver"),
                  row.maybe_version("floor"),
                  row.text("note"),
                  source(row)};
  place(tables_.toolkits, std::move(read),
        [](const auto& a, const auto& b) { return a.release < b.release; });
}

void TablesReader::read_driver(RowReader& row) {
  DriverRow read{row.version("branch"),
                 row.version("CUDA"),
                 row.text("kind of branch"),
                 row.date("date"),
                 row.date("end"),
                 row.maybe_version("newest build"),
                 row.capability("oldest GPU"),
                 row.capabilities("first GPUs"),
                 source(row)};
  place(tables_.drivers, std::move(read),
        [](const auto& a, const auto& b) { return a.branch < b.branch; });
}

void TablesReader::read_forward(RowReader& row) {
  ForwardRow read{row.version("CUDA"), row.maybe_version("branch"), row.versions("branches"),
                  source(row)};
  place(tables_.forward, std::move(read),
        [](const auto& a, const auto& b) { return a.cuda < b.cuda; });
}

void TablesReader::read_arch(RowReader& row) {
  ArchitectureRow read{row.version("CUDA"), row.capabilities("compiled"),
                       row.capabilities("deprecated"), source(row)};
  if (read.compiled.empty()) row.refuse("it compiles for nothing");
  if (!std::is_sorted(read.compiled.begin(), read.compiled.end())) {
    row.refuse("the capabilities are not in order");
  }
  place(tables_.architectures, std::move(read),
        [](const auto& a, const auto& b) { return a.cuda < b.cuda; });
}

void TablesReader::read_gpu(RowReader& row) {
  GpuRow read{row.needed("name"), row.capability("capability"), row.needed("architecture"),
              row.needed("kind of GPU"), source(row)};
  place(tables_.gpus, std::move(read),
        [](const auto& a, const auto& b) { return a.name < b.name; });
}

void TablesReader::read_compiler(RowReader& row) {
  CompilerRow read{row.version("CUDA"),        row.one_of("family", {"gcc", "clang"}),
                   row.maybe_version("least"), row.version("most"),
                   row.text("disputed"),       source(row)};
  place(tables_.compilers, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.family, a.cuda) < std::tie(b.family, b.cuda);
  });
}

void TablesReader::read_glibc(RowReader& row) {
  GlibcRow read{row.version("glibc"), row.constraint("CUDA"), row.needed("what clashes"),
                source(row)};
  place(tables_.glibc, std::move(read),
        [](const auto& a, const auto& b) { return a.glibc < b.glibc; });
}

void TablesReader::read_cudnn(RowReader& row) {
  Version release = row.version("release");
  const unsigned major = row.number("CUDA major");
  auto minors = row.versions("CUDA minors");
  const std::string basis = row.one_of("basis", {"listed", "bounded", "major"});
  CudnnRow read{std::move(release),
                major,
                std::move(minors),
                basis == "listed",
                row.maybe_version("driver"),
                row.capability("least capability"),
                row.capability("greatest capability"),
                source(row)};
  place(tables_.cudnn, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.release, a.cuda_major) < std::tie(b.release, b.cuda_major);
  });
}

void TablesReader::read_nccl(RowReader& row) {
  NcclRow read{row.version("release"), row.versions("CUDA builds"), row.numbers("CUDA majors"),
               source(row)};
  place(tables_.nccl, std::move(read),
        [](const auto& a, const auto& b) { return a.release < b.release; });
}

void TablesReader::read_framework(RowReader& row) {
  FrameworkRow read{row.plain_name("framework"),
                    row.constraint("version"),
                    row.needed("label"),
                    row.maybe_constraint("CUDA"),
                    row.maybe_constraint("cuDNN"),
                    row.maybe_constraint("Python"),
                    row.maybe_version("driver"),
                    row.one_of("basis", {"stated", "floor", ""}) == "stated",
                    row.maybe_capability("least capability"),
                    row.shipped("how shipped"),
                    row.text("status"),
                    row.one_of("confidence", {"high", "medium", "low"}),
                    row.text("note"),
                    source(row)};
  place_as_written(tables_.frameworks, fresh_frameworks_, std::move(read),
                   [](const auto& a, const auto& b) {
                     return std::tie(a.name, a.label, a.cuda, a.shipped) ==
                            std::tie(b.name, b.label, b.cuda, b.shipped);
                   });
}

void TablesReader::read_recipe(RowReader& row) {
  RecipeRow read{row.plain_name("framework"), row.constraint("version"), row.constraint("CUDA"),
                 row.needed("command"), source(row)};
  place_as_written(
      tables_.recipes, fresh_recipes_, std::move(read), [](const auto& a, const auto& b) {
        return std::tie(a.name, a.version, a.cuda) == std::tie(b.name, b.version, b.cuda);
      });
}

void TablesReader::read_soname(RowReader& row) {
  SonameRow read{row.plain_name("file name"), row.constraint("CUDA"), row.text("component"),
                 row.text("wheel"), source(row)};
  place(tables_.sonames, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.soname, a.cuda.text()) < std::tie(b.soname, b.cuda.text());
  });
}

std::string TablesReader::known_error(RowReader& row) const {
  std::string id = row.plain_name("error");
  if (!tables_.error(id)) row.refuse(fmt::format("there is no error `{}` above it", id));
  return id;
}

void TablesReader::read_error(RowReader& row) {
  ErrorRow read{row.plain_name("error"),
                row.plain_name("layer"),
                row.one_of("rank", {"specific", "general"}) == "general",
                row.needed("title"),
                row.sentences("causes"),
                row.names("findings"),
                row.sentences("help"),
                source(row)};
  if (read.causes.empty()) row.refuse("it has no cause");
  place(tables_.errors, std::move(read), [](const auto& a, const auto& b) { return a.id < b.id; });
}

void TablesReader::read_phrase(RowReader& row) {
  PhraseRow read{known_error(row), row.needed("text"), source(row)};
  if (!Phrase::parse(read.text)) row.refuse("it does not begin with a text of three letters");
  place(tables_.phrases, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.error, a.text) < std::tie(b.error, b.text);
  });
}

void TablesReader::read_context(RowReader& row) {
  ContextRow read{row.plain_name("family"), row.needed("text"), source(row)};
  const auto phrase = Phrase::parse(read.text);
  if (!phrase) row.refuse("it does not begin with a text of three letters");
  if (!phrase->has_number() && !ContextRow::takes_words(read.text)) {
    row.refuse("it has no place for a number or words");
  }
  // Else every line that begins so is compared with the words of each error.
  if (ContextRow::takes_words(read.text) &&
      read.text.find('{') != read.text.find(ContextRow::words_place)) {
    row.refuse("there is another place before its words");
  }
  place(tables_.contexts, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.family, a.text) < std::tie(b.family, b.text);
  });
}

void TablesReader::read_code(RowReader& row) {
  CodeRow read{row.plain_name("family"), row.number("number"), row.needed("name"),
               known_error(row),         row.text("words"),    source(row)};
  place(tables_.codes, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.family, a.number, a.name) < std::tie(b.family, b.number, b.name);
  });
}

ByArithmetic by_arithmetic(RowReader& row) {
  return {row.maybe_decimal("fp32"), row.maybe_decimal("tf32"), row.maybe_decimal("bf16")};
}

void TablesReader::read_rate(RowReader& row) {
  RateRow read{row.capability("capability"), row.text("word"), by_arithmetic(row), source(row)};
  place(tables_.rates, std::move(read), [](const auto& a, const auto& b) {
    return std::tie(a.capability, a.word) < std::tie(b.capability, b.word);
  });
}

void TablesReader::read_board(RowReader& row) {
  BoardRow read{row.needed("name"),
                row.maybe_decimal("memory bandwidth"),
                by_arithmetic(row),
                row.maybe_number("PCIe generation"),
                row.maybe_number("PCIe lanes"),
                row.maybe_decimal("NVLink bandwidth"),
                source(row)};
  if (read.pcie_generation.has_value() != read.pcie_lanes.has_value()) {
    row.refuse("PCIe takes both a generation and lanes");
  }
  place_as_written(tables_.boards, fresh_boards_, std::move(read),
                   [](const auto& a, const auto& b) { return a.name == b.name; });
}

void TablesReader::read_measured(RowReader& row) {
  MeasuredRow read{row.needed("board"), row.needed("figure"), row.needed("unit"),
                   row.decimal("value"), source(row)};
  if (!tables_.board(read.board)) {
    row.refuse(fmt::format("there is no board `{}` above it", text::visible(read.board, 60)));
  }
  place_as_written(tables_.measured, fresh_measured_, std::move(read),
                   [](const auto& a, const auto& b) {
                     return std::tie(a.board, a.figure) == std::tie(b.board, b.figure);
                   });
}

}  // namespace

std::string overlay(Tables& tables, std::string_view text, std::string_view where) {
  Tables changed = tables;
  TablesReader reader(changed, where);
  reader.read(text);
  tables = std::move(changed);
  return reader.date();
}

}  // namespace cudaenv::compat
