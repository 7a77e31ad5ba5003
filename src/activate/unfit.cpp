#include "activate/unfit.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::activate {

Error unfit(std::string_view form, std::string_view name, const std::string& why) {
  return Error(ErrorKind::usage, fmt::format("{} cannot hold the value of {}", form, name))
      .because(why);
}

void check_text(std::string_view form, std::string_view name, std::string_view value) {
  if (text::is_utf8(value)) return;
  throw unfit(form, name, fmt::format("`{}` is not UTF-8", text::visible(value)));
}

}  // namespace cudaenv::activate
