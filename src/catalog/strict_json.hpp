#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace cudaenv::catalog {

// Reads JSON that may come from a stranger: of bounded size and depth, and without a key that
// stands twice in one object. `what` is what was expected ("a manifest"), `where` names the text.
// Throws Error(corrupt) that says where in the text it went wrong, and tells an HTML page as such.
nlohmann::json parse_strict_json(std::string_view text, std::string_view where,
                                 std::string_view what);

// Whether the text begins like an HTML or XML page.
bool looks_like_html(std::string_view text);

// Throws Error(corrupt): `where` is damaged, because `place` ("cuda_nvcc.version") `why`.
[[noreturn]] void report_damage(std::string_view where, std::string_view place,
                                std::string_view why);

// What kind of value it is, for messages: "a string", "a list".
std::string kind_of(const nlohmann::json& value);

}  // namespace cudaenv::catalog
