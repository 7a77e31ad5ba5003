#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudaenv::text {

// Without blanks, tabs, CR and LF at either end.
std::string_view trimmed(std::string_view text);

// The pieces between separators; empty pieces are kept, so "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

// Takes the first line off `rest`, which is not empty, and returns it without its LF or CRLF.
std::string_view take_line(std::string_view& rest);

// The lines without their LF or CRLF; a final newline does not add an empty one.
std::vector<std::string_view> lines(std::string_view text);

std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string lower(std::string_view text);

// Without the mark that some editors put before a text in UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

// Of ASCII, whatever the locale.
bool is_digit(char c);
bool is_letter(char c);
bool is_alphanumeric(char c);

// A decimal number that fits, without sign, blanks or anything after it; else nothing.
std::optional<std::uint64_t> parse_unsigned(std::string_view text);

// Whether all of it is well-formed UTF-8.
bool is_utf8(std::string_view text);

// Foreign text made safe to show in one line: control characters and bytes that are not UTF-8
// become \n, \r, \t or \xNN; cut to `limit` bytes with "...".
std::string visible(std::string_view text, std::size_t limit = 200);

// A path or word in backticks-free form that a POSIX shell reads back as it is.
std::string shell_quoted(std::string_view word);

// "0 B", "999 B", "1.2 kB", "3.4 MB": powers of 1000, as download pages count.
std::string bytes(std::uint64_t count);

// "1 file", "2 files", "2 libraries".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace cudaenv::text
