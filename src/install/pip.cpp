#include "install/pip.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "store/staging.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"
#include "sys/scope.hpp"

namespace cudaenv::install {
namespace {

// The first pip whose `install --dry-run --report` exists.
const char* const oldest_pip = "22.2";

sys::Command command_of(const Context& context, std::vector<std::string> arguments) {
  sys::Command command;
  command.arguments = std::move(arguments);
  auto variables = context.environment.variables();
  // pip's words are read by us and shown in part: no colours, no questions, no advice to upgrade.
  variables["PIP_NO_INPUT"] = "1";
  variables["PIP_NO_COLOR"] = "1";
  variables["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  variables["PYTHONUTF8"] = "1";
  // A configured minimum of checks or a target would change what a dry run means.
  for (const char* name : {"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_REPORT"}) {
    variables.erase(name);
  }
  command.environment = std::move(variables);
  return command;
}

// "pip 23.0.1 from /usr/lib/... (python 3.11)", in the first line -> 23.0.1
std::optional<Version> version_in(std::string_view output) {
  const auto words = text::split(text::trimmed(output.substr(0, output.find('\n'))), ' ');
  if (words.size() < 2 || words[0] != "pip") return std::nullopt;
  return Version::parse(words[1]);
}

using Words = std::vector<std::string>;

// The commands that may be a pip, the likeliest first.
std::vector<Words> candidates(const Context& context) {
  if (const auto named = context.environment.non_empty("CUDAENV_PIP")) {
    Words words;
    for (const auto word : text::split(*named, ' ')) {
      if (!word.empty()) words.emplace_back(word);
    }
    return {words};
  }
  return {{"python3", "-m", "pip"},
          {"python", "-m", "pip"},
          {"/usr/bin/python3", "-m", "pip"},
          {"pip3"},
          {"pip"}};
}

bool is_python_module(const Words& command) {
  return command.size() == 3 && command[0].find("python") != std::string::npos &&
         command[1] == "-m" && command[2] == "pip";
}

// What makes a candidate say "pip VERSION". Python is asked itself: it takes a sixth of the time
// that pip takes to begin, and can tell its own file as well.
Words question(const Words& command) {
  if (is_python_module(command)) {
    return {command[0], "-c",
            "import pip, sys; print('pip', pip.__version__); print(sys.executable)"};
  }
  Words words = command;
  words.emplace_back("--version");
  return words;
}

// The command without what stands between: a version manager's `python3` is a script that looks
// for the real one, each time for longer than pip needs.
Words directly(const Words& command, std::string_view answer) {
  const auto lines = text::lines(answer);
  if (!is_python_module(command) || lines.size() < 2 || !lines[1].starts_with('/')) return command;
  return {std::string(lines[1]), "-m", "pip"};
}

// The lines of pip's stderr that say why, the last few.
std::vector<std::string> reasons(std::string_view err) {
  std::vector<std::string> result;
  for (const auto line : text::lines(err)) {
    const auto trimmed = text::trimmed(line);
    if (trimmed.starts_with("ERROR: ")) {
      result.push_back(text::visible(without_secrets(trimmed.substr(7)), 300));
    }
  }
  if (result.empty()) {
    const auto lines = text::lines(text::trimmed(err));
    if (!lines.empty()) result.push_back(text::visible(without_secrets(lines.back()), 300));
  }
  if (result.size() > 4) result.erase(result.begin(), result.end() - 4);
  return result;
}

bool says_absent(std::string_view err) {
  return err.find("No matching distribution found") != std::string_view::npos ||
         err.find("Could not find a version that satisfies") != std::string_view::npos;
}

// pip says "no matching distribution" as well when it could not reach the index at all.
bool says_unreachable(std::string_view err) {
  for (const std::string_view sign :
       {"Failed to establish a new connection", "Connection refused", "Name or service not known",
        "Temporary failure in name resolution", "ProxyError", "SSLError", "certificate verify",
        "Read timed out", "ConnectTimeoutError", "Network is unreachable", "401 Client Error",
        "403 Client Error", "407 Proxy"}) {
    if (err.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

[[noreturn]] void refuse(const std::string& doing, const sys::Outcome& outcome) {
  Error error(ErrorKind::network, doing);
  if (outcome.timed_out) error = std::move(error).because("pip did not answer within 10 minutes");
  for (const auto& reason : reasons(outcome.err))
    error = std::move(error).because("pip: " + reason);
  throw std::move(error).help(
      "see what `python3 -m pip download --no-deps nvidia-cuda-runtime` says, or name another "
      "source with --source");
}

// pip compares the glibc number of a tag exactly, so each that NVIDIA uses is named.
std::vector<std::string> platform_arguments(const Platform& platform,
                                            const std::filesystem::path& target) {
  std::string machine;
  if (platform.name() == "linux-x86_64") machine = "x86_64";
  if (platform.name() == "linux-sbsa") machine = "aarch64";
  if (machine.empty()) return {};
  std::vector<std::string> arguments;
  // The newest first, as pip itself prefers: some wheels exist under several, with other bytes.
  for (const char* tag :
       {"manylinux_2_35", "manylinux_2_34", "manylinux_2_31", "manylinux_2_28", "manylinux_2_27",
        "manylinux_2_26", "manylinux_2_25", "manylinux_2_24", "manylinux_2_17", "manylinux2014",
        "manylinux_2_12", "manylinux2010", "manylinux_2_5", "manylinux1", "linux"}) {
    arguments.push_back("--platform");
    arguments.push_back(fmt::format("{}_{}", tag, machine));
  }
  arguments.insert(arguments.end(), {"--platform", "any", "--target", target.string()});
  return arguments;
}

}  // namespace

Pip Pip::find(const Context& context) {
  std::vector<std::string> unfit;
  for (const auto& command : candidates(context)) {
    sys::Command ask = command_of(context, question(command));
    ask.timeout = std::chrono::seconds(60);
    const auto outcome = sys::run(ask, context.interrupt);
    const std::string spelt = without_secrets(fmt::format("{}", fmt::join(command, " ")));
    if (outcome.not_found) continue;
    const auto version = outcome.ok() ? version_in(outcome.out) : std::nullopt;
    if (!version) {
      unfit.push_back(fmt::format("`{}` does not work: {}", spelt,
                                  text::visible(without_secrets(text::trimmed(outcome.err)), 120)));
    } else if (*version < *Version::parse(oldest_pip)) {
      unfit.push_back(fmt::format("`{}` is pip {}, which is older than {}", spelt, version->text(),
                                  oldest_pip));
    } else {
      return Pip(context, directly(command, outcome.out));
    }
  }
  Error error(ErrorKind::network, "the Python wheels need pip, and no pip that serves was found");
  for (const auto& line : unfit) error = std::move(error).because(line);
  throw std::move(error)
      .help(fmt::format("install pip {} or newer (`apt-get install python3-pip`, or a virtual "
                        "environment with `pip install -U pip`), or name one with CUDAENV_PIP",
                        oldest_pip))
      .help("or fetch the wheels elsewhere and use `--source wheels:DIR`");
}

std::optional<std::vector<catalog::ReportedWheel>> Pip::resolve(
    const std::vector<std::string>& requirements, const Platform& platform,
    bool with_dependencies) const {
  // pip creates the target folder's parents even in a dry run; it gets a place of its own.
  const auto scratch = sys::unused_sibling(context_->cache / "pip");
  sys::create_directories(scratch);
  struct Remove {
    std::filesystem::path path;
    ~Remove() {
      try {
        sys::remove_tree(path);
      } catch (const Error&) {  // a leftover in the cache harms nobody
      }
    }
  } const remove{scratch};

  auto arguments = command_;
  const std::string report = (scratch / "report.json").string();
  arguments.insert(arguments.end(), {"install", "--dry-run", "--quiet", "--ignore-installed",
                                     "--only-binary=:all:", "--report", report});
  if (!with_dependencies) arguments.emplace_back("--no-deps");
  const auto tags = platform_arguments(platform, scratch / "target");
  if (tags.empty()) return std::nullopt;
  arguments.insert(arguments.end(), tags.begin(), tags.end());
  arguments.insert(arguments.end(), requirements.begin(), requirements.end());

  const auto outcome = sys::run(command_of(*context_, arguments), context_->interrupt);
  if (!outcome.ok()) {
    if (says_absent(outcome.err) && !says_unreachable(outcome.err)) return std::nullopt;
    refuse("pip could not resolve NVIDIA's wheels", outcome);
  }
  return catalog::parse_pip_report(sys::read_file(report));
}

std::vector<Version> Pip::toolkit_versions() const {
  auto arguments = command_;
  arguments.insert(arguments.end(), {"index", "versions", "cuda-toolkit"});
  const auto outcome = sys::run(command_of(*context_, arguments), context_->interrupt);
  if (!outcome.ok()) {
    if (says_absent(outcome.err) && !says_unreachable(outcome.err)) return {};
    refuse("pip could not list the releases of NVIDIA's wheels", outcome);
  }
  return catalog::parse_pip_versions(outcome.out);
}

std::optional<std::string> Pip::credentials_for(std::string_view url) const {
  auto arguments = command_;
  arguments.insert(arguments.end(), {"config", "list"});
  const auto outcome = sys::run(command_of(*context_, arguments), context_->interrupt);
  // Each line is name='value'; a value may hold several URLs.
  std::string all = outcome.out;
  for (const char* name : {"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"}) {
    all += "\n" + context_->environment.get(name).value_or("");
  }
  std::replace_if(
      all.begin(), all.end(), [](char c) { return c == '\'' || c == '"' || c == '\n'; }, ' ');
  for (const auto word : text::split(all, ' ')) {
    const auto scheme = word.find("://");
    const auto at = word.rfind('@');
    if (scheme == std::string_view::npos || at == std::string_view::npos || at < scheme) continue;
    if (url_origin(word) == url_origin(url)) {
      return std::string(word.substr(scheme + 3, at - scheme - 3));
    }
  }
  return std::nullopt;
}

}  // namespace cudaenv::install
