// How each shell spells the hook's check.
#include <fmt/format.h>

#include "activate/formats.hpp"
#include "activate/hook.hpp"
#include "activate/quote.hpp"
#include "base/text.hpp"

namespace cudaenv::activate {
namespace {

// How a shell asks for a file.
struct Tests {
  std::string (*quoted)(std::string_view);
  const char* all;  // between tests that must all hold
  const char* no;   // before a test that must not
};

std::string path_tests(const Watch& watch, const Tests& tests) {
  std::vector<std::string> parts;
  for (const auto& path : watch.no_file) {
    parts.push_back(fmt::format("{}-f {}", tests.no, tests.quoted(path)));
  }
  if (watch.file) {
    const std::string path = tests.quoted(watch.file->path);
    parts.push_back("-f " + path);
    parts.push_back(fmt::format("{}-r {}", watch.file->text ? "" : tests.no, path));
  }
  for (const auto& path : watch.present) parts.push_back("-e " + tests.quoted(path));
  for (const auto& path : watch.absent) {
    parts.push_back(fmt::format("{}-e {}", tests.no, tests.quoted(path)));
  }
  std::string result;
  for (const auto& part : parts) result += tests.all + part;
  return result;
}

// What shells read of the file: they stop at a NUL.
std::string_view readable_part(std::string_view text) { return text.substr(0, text.find('\0')); }

// PATH is in it for who sets it anew, as Python's environments do when they are left.
const char* const key_in_posix =
    "\"$PWD:${CUDAENV_ACTIVE-}:${CUDAENV_CHOSEN_BY-}:${CUDAENV_ROOT-}:${CUDAENV_CEILING-}:"
    "${PATH-}\"";

std::string posix_code(const Watch& watch, const HookState& state, std::string_view set,
                       std::string_view compare) {
  return fmt::format(
      "{0}__cudaenv_state={1} __cudaenv_key={2}\n"
      "__cudaenv_same() {{\n"
      "[[ {2} == \"$__cudaenv_key\"{3} ]]{4}\n"
      "}}\n",
      set, encoded(state), key_in_posix, path_tests(watch, {quoted_for_bash, " && ", "! "}),
      compare);
}

std::string bash_code(const Watch& watch, const HookState& state) {
  std::string compare;
  if (watch.file && watch.file->text) {
    const std::string& text = *watch.file->text;
    const std::string file = quoted_for_bash(watch.file->path);
    const bool has_nul = text.find('\0') != std::string::npos;
    // mapfile reads blocks, and so takes a third of the time, but goes on after a NUL.
    compare = fmt::format(
        " || return\nlocal IFS= __cudaenv_text\n{} <{}\n[ \"${{__cudaenv_text[*]}}\" = {} ]",
        has_nul ? "read -rd '' __cudaenv_text" : "mapfile __cudaenv_text", file,
        quoted_for_bash(readable_part(text)));
  }
  return posix_code(watch, state, "", compare);
}

std::string zsh_code(const Watch& watch, const HookState& state) {
  std::string compare;
  if (watch.file && watch.file->text) {
    // No process: zsh reads the file itself, and drops newlines at the end.
    std::string_view text = readable_part(*watch.file->text);
    if (text.size() == watch.file->text->size()) {
      text = text.substr(0, text.find_last_not_of('\n') + 1);
    }
    compare = fmt::format(
        " || return\nlocal __cudaenv_text\n__cudaenv_text=$(<{})\n"
        "[ \"${{__cudaenv_text%%$'\\0'*}}\" = {} ]",
        quoted_for_bash(watch.file->path), quoted_for_bash(text));
  }
  return posix_code(watch, state, "typeset -g ", compare);
}

std::string fish_code(const Watch& watch, const HookState& state) {
  const char* const key =
      "\"$PWD:$CUDAENV_ACTIVE:$CUDAENV_CHOSEN_BY:$CUDAENV_ROOT:$CUDAENV_CEILING:$PATH\"";
  std::string compare;
  if (watch.file && watch.file->text && watch.file->text->empty()) {
    // At an empty file `read` fails.
    compare = fmt::format("\nand not test -s {}", quoted_for_fish(watch.file->path));
  } else if (watch.file && watch.file->text) {
    compare = fmt::format(
        "\nand read --null --local __cudaenv_text <{}\n"
        "and test \"$__cudaenv_text\" = {}",
        quoted_for_fish(watch.file->path), quoted_for_fish(readable_part(*watch.file->text)));
  }
  return fmt::format(
      "set --global __cudaenv_state {}\nset --global __cudaenv_key {}\n"
      "function __cudaenv_same\ntest {} = \"$__cudaenv_key\"{}{}\nend\n",
      encoded(state), key, key, path_tests(watch, {quoted_for_fish, " -a ", "! "}), compare);
}

// tcsh reads no file by itself, so it looks when the file was changed, in seconds.
std::string csh_code(const Watch& watch, const HookState& state) {
  std::string tests = path_tests(watch, {quoted_for_csh, " && ", "! "});
  if (watch.file) {
    const WatchedFile& file = *watch.file;
    const std::string path = quoted_for_csh(file.path);
    tests += fmt::format(" && -M {0} == {1} && -C {0} == {2} && -I {0} == {3} && -Z {0} == {4}",
                         path, file.modified, file.changed, file.inode, file.size);
    if (!file.settled) tests += " && 0";
  }
  const std::string check = fmt::format(
      "if ( ! ( $__cudaenv_here:q == $__cudaenv_key:q{} ) ) eval $__cudaenv_look:q", tests);
  return fmt::format(
      "set __cudaenv_state={}; eval $__cudaenv_locate:q; "
      "set __cudaenv_key=$__cudaenv_here:q; set __cudaenv_check={}\n",
      encoded(state), quoted_for_csh(check));
}

std::string json_list(const std::vector<std::string>& paths) {
  std::vector<std::string> strings;
  for (const auto& path : paths) strings.push_back(json_string("a path", path));
  return text::join(strings, ", ");
}

std::string watch_json(const Watch& watch, const HookState& state) {
  std::string file;
  if (watch.file) {
    // A text that JSON cannot hold is as good as none: the shell then looks every time.
    const auto& text = watch.file->text;
    const bool is_shown = text && text::is_utf8(*text) && text->find('\0') == std::string::npos;
    file = fmt::format("\"file\": {}, \"text\": {}, ", json_string("a path", watch.file->path),
                       is_shown ? json_string("the text", *text) : "null");
  }
  return fmt::format(
      "{{{}\"no_file\": [{}], \"present\": [{}], \"absent\": [{}], \"state\": \"{}\"}}", file,
      json_list(watch.no_file), json_list(watch.present), json_list(watch.absent), encoded(state));
}

}  // namespace

bool has_hook(Shell shell) { return shell != Shell::sh; }

std::string hook_code(const Change& change, const Watch& watch, const HookState& state,
                      Shell shell) {
  switch (shell) {
    case Shell::bash:
      return render(change, shell) + bash_code(watch, state);
    case Shell::zsh:
      return render(change, shell) + zsh_code(watch, state);
    case Shell::fish:
      return render(change, shell) + fish_code(watch, state);
    case Shell::csh: {
      // Backquotes make blanks of newlines.
      const std::string code = render(change, shell);
      return (code.empty() ? "" : code.substr(0, code.size() - 1) + "; ") + csh_code(watch, state);
    }
    default:
      return fmt::format("{{\"change\": {}, \"watch\": {}}}\n", json(change),
                         watch_json(watch, state));
  }
}

}  // namespace cudaenv::activate
