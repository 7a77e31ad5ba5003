#include "commands/explain.hpp"

#include <algorithm>

#include "commands/compat_tables.hpp"
#include "commands/doctor.hpp"
#include "sys/overheard.hpp"

namespace cudaenv::commands {
namespace {

std::vector<compat::Explanation> of_text(const compat::ErrorTexts& texts, const std::string& text) {
  auto found = texts.of_code(text);
  if (!found.empty()) return found;
  compat::LogReader reader(texts);
  reader.feed(text);
  found = reader.finish();
  if (found.empty()) found = texts.of_piece(text);
  for (auto& each : found) {
    each.line = 0;
    each.shown.clear();
  }
  return found;
}

std::vector<compat::Explanation> of_log(const compat::ErrorTexts& texts,
                                        const ExplainRequest& request, const Host& host,
                                        ExplainResult& result) {
  compat::LogReader reader(texts);
  const auto hear = [&](std::string_view bytes) { reader.feed(bytes); };
  if (request.command.empty()) {
    sys::read_input(hear, host.interrupt);
  } else {
    result.command_status = sys::run_overheard(request.command, host.environment.variables(), hear);
  }
  return reader.finish();
}

// The findings of doctor that the table names as causes of an error.
void look_here(std::vector<Explained>& errors, const Host& host) {
  std::vector<compat::Finding> findings;
  bool looked = false;
  for (auto& error : errors) {
    const auto& wanted = error.what.error->findings;
    if (wanted.empty()) continue;
    if (!looked) findings = doctor(DoctorRequest{}, host).findings;
    looked = true;
    error.looked = true;
    std::copy_if(findings.begin(), findings.end(), std::back_inserter(error.here),
                 [&](const compat::Finding& finding) {
                   return std::find(wanted.begin(), wanted.end(), finding.id) != wanted.end();
                 });
  }
}

}  // namespace

ExplainResult explain(const ExplainRequest& request, const Host& host) {
  ExplainResult result;
  result.tables = std::make_shared<const compat::Tables>(known_tables(host).tables);
  const compat::ErrorTexts texts(*result.tables);
  auto found =
      request.text.empty() ? of_log(texts, request, host, result) : of_text(texts, request.text);
  if (found.empty() && !request.text.empty()) result.close_name = texts.close_name(request.text);
  for (auto& each : found) result.errors.push_back({std::move(each), {}, false});
  look_here(result.errors, host);
  return result;
}

}  // namespace cudaenv::commands
