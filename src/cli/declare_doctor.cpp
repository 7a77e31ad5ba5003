#include <memory>

#include <CLI/CLI.hpp>

#include "base/error.hpp"
#include "cli/declare.hpp"
#include "cli/doctor_print.hpp"
#include "cli/machine_options.hpp"
#include "cli/report.hpp"

namespace cudaenv::cli {
namespace {

struct Options {
  commands::DoctorRequest request;
  bool json = false;
  bool strict = false;
  std::string format = "text";
};

int show(const Options& options, const Session& session) {
  const auto result = commands::doctor(options.request, session.host);
  if (options.json || options.format == "json") {
    session.print(doctor_json(result));
  } else if (options.format == "prometheus") {
    session.print(doctor_prometheus(result));
  } else {
    session.print(doctor_text(result, session.out));
  }
  const auto bad = options.strict ? compat::Severity::warning : compat::Severity::error;
  if (!result.findings.empty() && compat::worst(result.findings) >= bad) {
    return Exit::found_something;
  }
  if (options.format == "text" && !options.json) session.say(doctor_verdict(result));
  return Exit::done;
}

}  // namespace

void declare_doctor(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  auto& request = options->request;
  app.add_option("SPEC", request.spec,
                 "The toolkit to judge, or its path; without it the active one, else the default");
  app.add_flag("--all,-a", request.all, "Judge every toolkit that is found");
  app.add_flag("--strict", options->strict, "End with 3 for warnings too");
  app.add_flag("--for-image", request.for_image,
               "This becomes an image: a missing driver or GPU is a note");
  app.add_option("--library", request.library,
                 "Look for a library that a program misses, such as libcudart.so.11.0")
      ->type_name("NAME");
  add_machine_options(app, request.machine);
  app.add_option("--format", options->format, "text, json or prometheus")
      ->check(CLI::IsMember({"text", "json", "prometheus"}).description(""))
      ->type_name("FORMAT");
  app.add_flag("--json", options->json, "Print JSON");
  app.callback([options, &session] {
    session.action = [options, &session] { return show(*options, session); };
  });
}

}  // namespace cudaenv::cli
