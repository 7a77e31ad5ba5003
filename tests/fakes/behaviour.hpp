#pragma once

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

// What a fake library of the driver does, by a variable of the process that loads it:
// "init=802,devices=2,hang=cuInit,crash=cuDeviceGetName,exit=cuInit,lie=1". "@FILE" reads it from a
// file at each call, so that a test can change it. "once=FILE": hangs, crashes and exits only where
// that file is there, and removes it.
namespace fake {

inline std::string all_settings(const char* variable) {
  const char* all = std::getenv(variable);
  if (!all || *all != '@') return all ? all : "";
  std::ifstream file(all + 1);
  std::string text;
  std::getline(file, text);
  return text;
}

inline std::string setting(const char* variable, const std::string& key) {
  const std::string text = "," + all_settings(variable) + ",";
  const auto at = text.find("," + key + "=");
  if (at == std::string::npos) return "";
  const auto start = at + key.size() + 2;
  return text.substr(start, text.find(',', start) - start);
}

inline int number(const char* variable, const std::string& key, int otherwise) {
  const std::string value = setting(variable, key);
  return value.empty() ? otherwise : std::atoi(value.c_str());
}

// At the beginning of each function: what it was told to do there.
inline void enter(const char* variable, const char* function) {
  if (setting(variable, "talk") == function) {
    [[maybe_unused]] const auto n = ::write(1, "a driver that talks\n", 20);
  }
  const std::string once = setting(variable, "once");
  const bool bad = setting(variable, "hang") == function ||
                   setting(variable, "crash") == function || setting(variable, "exit") == function;
  if (bad && !once.empty() && ::unlink(once.c_str()) != 0) return;
  if (setting(variable, "hang") == function) {
    while (true) ::pause();
  }
  if (setting(variable, "crash") == function) std::abort();
  if (setting(variable, "exit") == function) ::_exit(0);
}

// A text into a caller's buffer, as drivers do; one that lies fills it to the brim with what no
// name is.
inline void put(char* buffer, std::size_t size, const std::string& text, bool lie) {
  if (lie) {
    std::memset(buffer, '\x1b', size);
    if (size > 8) std::memcpy(buffer + 2, "\n\t\xff;x", 5);
    return;
  }
  std::strncpy(buffer, text.c_str(), size - 1);
}

}  // namespace fake
