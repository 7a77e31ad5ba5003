#include "install/foreign.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/file_check.hpp"
#include "store/receipt.hpp"
#include "sys/file.hpp"

namespace cudaenv::install {
namespace {

namespace fs = std::filesystem;

std::string shown(const fs::path& path) { return text::visible(path.string(), 1000); }

std::vector<std::string> foreign_files(const fs::path& prefix, std::string_view or_else) {
  try {
    return store::unlisted_files(prefix, store::files_of(prefix));
  } catch (const Error& error) {
    throw error
        .under(fmt::format("nobody can tell which files of `{}` are not cudaenv's", shown(prefix)))
        .help(std::string(or_else));
  }
}

}  // namespace

void refuse_foreign_folder(const fs::path& prefix) {
  const auto stat = sys::stat_link(prefix);
  if (!stat) return;
  // A link is not followed: it would be replaced, and what it leads to left behind.
  if (stat->kind == sys::Kind::directory && store::receipt_in(prefix)) return;
  throw Error(ErrorKind::missing,
              fmt::format("`{}` is there and was not made by cudaenv", shown(prefix)))
      .help("install under another name with --name, or in another root with CUDAENV_ROOT");
}

void refuse_foreign_files(const fs::path& prefix, std::string_view or_else) {
  if (!sys::stat_link(prefix)) return;  // removed meanwhile
  const auto foreign = foreign_files(prefix, or_else);
  if (foreign.empty()) return;
  constexpr std::size_t named = 5;
  Error error(ErrorKind::busy, fmt::format("`{}` holds {} that cudaenv did not put there",
                                           shown(prefix), text::counted(foreign.size(), "file")));
  for (std::size_t i = 0; i < foreign.size() && i < named; ++i) {
    error = std::move(error).because(text::visible(foreign[i]));
  }
  if (foreign.size() > named) {
    error = std::move(error).because(fmt::format("and {} more", foreign.size() - named));
  }
  throw std::move(error).help(fmt::format("move them away, or {}", or_else));
}

}  // namespace cudaenv::install
