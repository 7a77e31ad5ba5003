#include "compat/xid.hpp"

#include <utility>

#include <fmt/format.h>

#include "compat/explain.hpp"

namespace cudaenv::compat {

XidMeaning meaning_of_xid(const Tables& tables, unsigned number) {
  XidMeaning meaning{fmt::format("Xid {}", number), false, "", {}};
  const auto* code = tables.code("xid", number);
  const auto* error = tables.error(code ? code->error : "xid");
  if (code && !code->words.empty()) meaning.text += fmt::format(" ({})", code->words);
  if (!error) return meaning;
  meaning.of_program = error->layer == "program";
  auto explained = explanation(*error, code, {});
  if (code && !explained.causes.empty()) meaning.cause = std::move(explained.causes.front());
  meaning.help = std::move(explained.help);
  return meaning;
}

}  // namespace cudaenv::compat
