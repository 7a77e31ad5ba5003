#include "cli/explain_print.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/url.hpp"
#include "cli/findings_print.hpp"

namespace cudaenv::cli {
namespace {

using Json = nlohmann::ordered_json;

// Whose numbers they are, in words that their documentation uses.
std::string family_name(const std::string& family) {
  static const std::map<std::string, std::string, std::less<>> names{
      {"runtime", "cudaError_t"},
      {"runtime-10.0", "cudaError_t before CUDA 10.1"},
      {"driver", "CUresult"},
      {"nvrtc", "nvrtcResult"},
      {"cublas", "cublasStatus_t"},
      {"cudnn", "cudnnStatus_t of cuDNN 9"},
      {"cudnn8", "cudnnStatus_t of cuDNN 8"},
      {"nccl", "ncclResult_t"},
      {"cufft", "cufftResult"},
      {"curand", "curandStatus_t"},
      {"nvjitlink", "nvJitLinkResult"},
      {"cusolver", "cusolverStatus_t"},
      {"cusparse", "cusparseStatus_t"},
      {"nvml", "nvmlReturn_t"},
      {"xid", "Xid of the kernel module"}};
  const auto found = names.find(family);
  return found == names.end() ? family : found->second;
}

std::string code_text(const compat::CodeRow& code) {
  std::string text = fmt::format("{} {}, {}", family_name(code.family), code.number, code.name);
  if (!code.words.empty()) text += fmt::format(": {}", code.words);
  return text;
}

// A number that is the runtime's or the driver's is seldom another library's.
bool is_aside(const commands::ExplainResult& result, const commands::Explained& error) {
  const auto is_cuda = [](const commands::Explained& each) {
    return each.what.code && each.what.line == 0 &&
           (each.what.code->family == "runtime" || each.what.code->family == "driver");
  };
  return is_cuda(result.errors.front()) && error.what.code && !is_cuda(error);
}

std::string heading(const commands::Explained& error, const Style& style) {
  const auto& what = error.what;
  std::string text = style.bold(what.error->title) + "\n";
  if (what.line > 0) {
    text += fmt::format("  line {}: {}\n", what.line, without_secrets(what.shown));
    if (what.times == 2) text += "  and once more\n";
    if (what.times > 2) text += fmt::format("  and {} more times\n", what.times - 1);
  }
  if (what.code) text += fmt::format("  {}\n", code_text(*what.code));
  return text;
}

std::string here_text(const commands::Explained& error, const Style& style) {
  if (!error.looked) {
    return fmt::format("{} unknown; no check of `cudaenv doctor` is about it\n",
                       style.yellow("here:"));
  }
  if (error.here.empty()) {
    return fmt::format("{} nothing that `cudaenv doctor` looks for explains it now\n",
                       style.yellow("here:"));
  }
  std::string text;
  for (const auto& finding : error.here) {
    text += fmt::format("{} {} {}\n", style.yellow("here:"), finding.seen,
                        style.dim("[" + finding.id + "]"));
    for (const auto& why : finding.why) text += fmt::format("  {}\n", why);
  }
  return text;
}

std::string help_text(const commands::Explained& error, const Style& style) {
  // What the machine itself calls for comes first.
  std::vector<std::string> lines;
  for (const auto& finding : error.here) {
    lines.insert(lines.end(), finding.help.begin(), finding.help.end());
  }
  lines.insert(lines.end(), error.what.help.begin(), error.what.help.end());
  std::string text;
  std::vector<std::string> told;
  for (const auto& line : lines) {
    if (std::find(told.begin(), told.end(), line) != told.end()) continue;
    text += fmt::format("{} {}\n", style.cyan("help:"), line);
    told.push_back(line);
  }
  return text;
}

}  // namespace

std::string explain_text(const commands::ExplainResult& result, const Style& style) {
  std::string text;
  std::vector<std::string> told;
  std::string others;
  for (const auto& error : result.errors) {
    const auto& id = error.what.error->id;
    if (is_aside(result, error) || std::find(told.begin(), told.end(), id) != told.end()) {
      if (error.what.code) others += fmt::format("also {}\n", code_text(*error.what.code));
      continue;
    }
    told.push_back(id);
    if (!text.empty()) text += "\n";
    text += heading(error, style);
    for (const auto& cause : error.what.causes) {
      text += fmt::format("{} {}\n", style.red("cause:"), cause);
    }
    text += here_text(error, style) + help_text(error, style);
  }
  return others.empty() ? text : text + "\n" + others;
}

std::string explain_json(const commands::ExplainResult& result) {
  Json errors = Json::array();
  for (const auto& error : result.errors) {
    const auto& what = error.what;
    Json code = nullptr;
    if (what.code) {
      code = {{"family", what.code->family},
              {"number", what.code->number},
              {"name", what.code->name},
              {"words", what.code->words}};
    }
    errors.push_back({{"id", what.error->id},
                      {"layer", what.error->layer},
                      {"title", what.error->title},
                      {"code", std::move(code)},
                      {"line", what.line},
                      {"text", without_secrets(what.shown)},
                      {"times", what.times},
                      {"causes", what.causes},
                      {"looked", error.looked},
                      {"here", findings_json(error.here)},
                      {"help", what.help},
                      {"source", what.error->source}});
  }
  const Json json{{"schema", 1}, {"tables", result.tables->date}, {"errors", std::move(errors)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cudaenv::cli
