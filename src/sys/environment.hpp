#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace cudaenv::sys {

// The environment variables as they were when the process began, or as a test says.
class Environment {
 public:
  Environment() = default;
  explicit Environment(std::map<std::string, std::string, std::less<>> variables)
      : variables_(std::move(variables)) {}
  // `defaults` hold where a variable is unset; they are none of variables().
  Environment(std::map<std::string, std::string, std::less<>> variables,
              std::map<std::string, std::string, std::less<>> defaults)
      : variables_(std::move(variables)), defaults_(std::move(defaults)) {}
  static Environment of_process();

  // The value, which may be empty; nothing where the variable is unset.
  std::optional<std::string> get(std::string_view name) const;
  // The value, or nothing where it is unset or empty.
  std::optional<std::string> non_empty(std::string_view name) const;
  // Set to something else than "", "0", "no", "off", "false".
  bool is_on(std::string_view name) const;

  // $HOME, else the password file's entry.
  std::filesystem::path home() const;
  // An XDG base folder: the variable if it is an absolute path, else `fallback` below home.
  std::filesystem::path xdg(std::string_view variable, std::string_view fallback) const;

  const std::map<std::string, std::string, std::less<>>& variables() const { return variables_; }

 private:
  std::map<std::string, std::string, std::less<>> variables_;
  std::map<std::string, std::string, std::less<>> defaults_;
};

// Sets a variable of this process, for what it loads and starts. Only in a child process of ours:
// the command's own surroundings never change.
void set_own_variable(const char* name, const std::string& value);

}  // namespace cudaenv::sys
