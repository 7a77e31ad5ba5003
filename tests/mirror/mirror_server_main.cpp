#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/mirror_server.hpp"

// MirrorServer as a program, for suites that are shell scripts. Prints its URL, then serves until
// SIGTERM or SIGINT.
//   cudaenv-test-mirror --root DIR [--port-file FILE] [--log FILE] [--rule 'PATH=RULE']...
//                       [--tls CERTIFICATE-FILE] [--ipv6] [--proxy [--proxy-login USER:PASSWORD]]
namespace {

using cudaenv::test::MirrorOptions;
using cudaenv::test::MirrorServer;

struct Arguments {
  MirrorOptions options;
  std::string port_file;
  std::string certificate_file;
  std::vector<std::pair<std::string, std::string>> rules;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&]() -> const std::string& {
      if (++i == words.size()) throw std::invalid_argument(word + " needs a value");
      return words[i];
    };
    if (word == "--root") {
      arguments.options.root = value();
    } else if (word == "--port-file") {
      arguments.port_file = value();
    } else if (word == "--log") {
      arguments.options.log = value();
    } else if (word == "--tls") {
      arguments.options.tls = true;
      arguments.certificate_file = value();
    } else if (word == "--ipv6") {
      arguments.options.ipv6 = true;
    } else if (word == "--proxy") {
      arguments.options.proxy = true;
    } else if (word == "--proxy-login") {
      arguments.options.proxy_login = value();
    } else if (word == "--rule") {
      const std::string& rule = value();
      const auto equals = rule.find('=');
      if (equals == std::string::npos) throw std::invalid_argument("--rule wants PATH=RULE");
      arguments.rules.emplace_back(rule.substr(0, equals), rule.substr(equals + 1));
    } else {
      throw std::invalid_argument("unknown argument " + word);
    }
  }
  return arguments;
}

void write_file(const std::string& path, const std::string& text) {
  if (!path.empty() && !(std::ofstream(path) << text).flush()) {
    throw std::runtime_error("cannot write " + path);
  }
}

void serve(const Arguments& arguments, const sigset_t& end) {
  MirrorServer server(arguments.options);
  for (const auto& [path, rule] : arguments.rules) server.rule(path, rule);
  write_file(arguments.certificate_file, server.certificate());
  const std::string url = server.url();
  write_file(arguments.port_file, url.substr(url.rfind(':') + 1) + "\n");
  std::printf("%s\n", url.c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&end, &signal);
}

}  // namespace

int main(int argc, char** argv) {
  // Blocked before the server's threads begin, so that only sigwait() sees them.
  sigset_t end;
  sigemptyset(&end);
  sigaddset(&end, SIGTERM);
  sigaddset(&end, SIGINT);
  sigprocmask(SIG_BLOCK, &end, nullptr);
  // A client that goes away in the middle of a file is no reason to end.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    serve(parse({argv + 1, argv + argc}), end);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cudaenv-test-mirror: %s\n", error.what());
    return 2;
  }
  return 0;
}
