#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "steps/tracer.hpp"

// Runs a command and counts its steps: the system calls that change the disk below a folder, make
// a change durable, or lock. Writes them down, or kills the command (SIGKILL) right before one.
//   cudaenv-test-steps --below FOLDER [--record FILE] [--kill-at N] -- COMMAND...
// Ends with the command's status (137 after a kill), or with 77 where tracing is not allowed.
namespace {

using cudaenv::test::DiskCall;
using cudaenv::test::Tracer;

struct Arguments {
  std::string below;
  std::string record;
  long kill_at = 0;
  std::vector<std::string> command;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      arguments.command.assign(words.begin() + static_cast<long>(i) + 1, words.end());
      break;
    }
    if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value");
    const std::string& value = words[i + 1];
    if (words[i] == "--below") {
      arguments.below = value;
    } else if (words[i] == "--record") {
      arguments.record = value;
    } else if (words[i] == "--kill-at") {
      arguments.kill_at = std::stol(value);
    } else {
      throw std::invalid_argument("unknown argument " + words[i]);
    }
    ++i;
  }
  if (arguments.command.empty()) throw std::invalid_argument("a command is missing after --");
  return arguments;
}

std::string hex(const std::string& bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {digits[byte >> 4], digits[byte & 15u]};
  }
  return text;
}

// One line of the recording. Bytes are in hex, for they need not be text.
std::string line_of(const DiskCall& call) {
  const auto replace = nlohmann::json::error_handler_t::replace;
  return nlohmann::json{{"step", call.step},     {"call", call.name},     {"path", call.path},
                        {"target", call.target}, {"flags", call.flags},   {"mode", call.mode},
                        {"offset", call.offset}, {"data", hex(call.data)}}
      .dump(-1, ' ', false, replace);
}

int run(const Arguments& arguments) {
  const auto inside = [&](const std::string& path) { return path.starts_with(arguments.below); };
  const auto counts = [&](const DiskCall& call) {
    return inside(call.path) || (call.name != "symlink" && inside(call.target));
  };
  std::ofstream record;
  if (!arguments.record.empty()) record.open(arguments.record);
  long count = 0;
  Tracer tracer(
      [&](DiskCall& call) {
        if (!counts(call)) return true;
        call.step = ++count;
        return count != arguments.kill_at;
      },
      [&](const DiskCall& call) {
        if (record.is_open() && call.step > 0) record << line_of(call) << "\n";
      });
  const int status = tracer.run(arguments.command);
  if (record.is_open() && !record.flush()) throw std::runtime_error("cannot write the recording");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse({argv + 1, argv + argc}));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "cudaenv-test-steps: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "SKIP: %s\n", error.what());
    return 77;
  }
}
