// complete: what the completions of shell/ ask.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/complete.hpp"
#include "cli/declare.hpp"
#include "cli/report.hpp"
#include "cli/run.hpp"

namespace cudaenv::cli {

void declare_complete(CLI::App& app, Session& session) {
  const auto words = std::make_shared<std::vector<std::string>>();
  app.add_option("WORDS", *words, "What was typed after `cudaenv`, the last word being completed");
  app.callback([words, &session] {
    session.action = [words, &session] {
      for (const auto& [value, meaning] : candidates(*words, all_commands(), session)) {
        session.print(fmt::format("{}\t{}\n", value, meaning));
      }
      return Exit::done;
    };
  });
}

}  // namespace cudaenv::cli
