#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/declare.hpp"
#include "cli/explain_print.hpp"
#include "cli/report.hpp"
#include "sys/file.hpp"
#include "sys/terminal.hpp"

namespace cudaenv::cli {
namespace {

struct Options {
  std::vector<std::string> words;
  bool json = false;
};

commands::ExplainRequest request_of(const Options& options, const Session& session) {
  commands::ExplainRequest request;
  request.text = std::string(text::trimmed(text::join(options.words, " ")));
  if (request.text == "-") request.text.clear();
  request.command = session.command;
  if (!options.words.empty() && !request.command.empty()) {
    throw Error(ErrorKind::usage, "either a text is explained or a command is run")
        .help("leave out what stands before `--`");
  }
  if (options.json && !request.command.empty()) {
    throw Error(ErrorKind::usage, "what a command prints and JSON would be mixed")
        .help("keep its stderr in a file: `CMD 2>log`, then `cudaenv explain --json <log`");
  }
  if (request.text.empty() && request.command.empty()) {
    if (!options.words.empty() && options.words != std::vector<std::string>{"-"}) {
      throw Error(ErrorKind::usage, "the text is empty").help("see `cudaenv explain --help`");
    }
    if (sys::is_terminal(STDIN_FILENO) && options.words.empty()) {
      throw Error(ErrorKind::usage, "there is nothing to explain")
          .help("name an error: `cudaenv explain 35`, `cudaenv explain \"no CUDA-capable ...\"`")
          .help("or give it a log: `cudaenv explain <log`");
    }
  }
  return request;
}

[[noreturn]] void not_known(const commands::ExplainRequest& request,
                            const commands::ExplainResult& result) {
  if (request.text.empty()) {
    throw Error(ErrorKind::missing, "the log has no error that is known here")
        .help("look at the machine with `cudaenv doctor`");
  }
  Error error(ErrorKind::missing,
              fmt::format("`{}` is no error that is known here", text::visible(request.text, 120)));
  if (!result.close_name.empty()) {
    error =
        std::move(error).help(fmt::format("did you mean `cudaenv explain {}`?", result.close_name));
  }
  if (sys::is_directory(request.text) || sys::exists(request.text)) {
    error = std::move(error).help(
        fmt::format("to explain a file: `cudaenv explain <{}`", text::shell_quoted(request.text)));
  }
  throw std::move(error)
      .help("give the whole message, or the log: `cudaenv explain <log`")
      .help("look at the machine with `cudaenv doctor`");
}

// A command's own output and status are what its caller waits for: ours is talk.
int after_command(const commands::ExplainResult& result, const Session& session) {
  const int status = *result.command_status;
  if (!result.errors.empty()) {
    session.host.progress.job_end();
    sys::write_stderr("\n" + explain_text(result, session.err));
  } else if (status != 0) {
    session.say("nothing that it said on stderr is an error known here");
  }
  return status;
}

int show(const Options& options, const Session& session) {
  const auto request = request_of(options, session);
  const auto result = commands::explain(request, session.host);
  if (result.command_status) return after_command(result, session);
  if (options.json) {
    session.print(explain_json(result));
    return result.errors.empty() ? Exit::failed : Exit::done;
  }
  if (result.errors.empty()) not_known(request, result);
  session.print(explain_text(result, session.out));
  return Exit::done;
}

}  // namespace

void declare_explain(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  app.add_option("TEXT", options->words,
                 "An error's number (35, 804), its name or what was printed; "
                 "without it a log on standard input");
  app.add_flag("--json", options->json, "Print JSON");
  app.footer(
      "`cudaenv explain -- CMD` runs a command and explains what it says on stderr;\n"
      "its output and its exit status are the command's own.");
  app.callback([options, &session] {
    session.action = [options, &session] { return show(*options, session); };
  });
}

}  // namespace cudaenv::cli
