#include "commands/compat.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/compat_matrix.hpp"
#include "commands/machine_request.hpp"
#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"
#include "model/spec.hpp"

namespace cudaenv::commands {
namespace {

using compat::Finding;
using compat::Tables;

// A release as people name one: "12.4", "cuda-12.4", "v12.4.1".
Version typed_cuda(const std::string& typed) {
  const Spec spec = Spec::parse(typed);
  if (const auto* partial = std::get_if<Spec::Partial>(&spec.value())) return partial->version;
  throw Error(ErrorKind::usage, fmt::format("`{}` is not one CUDA release", text::visible(typed)))
      .help("name one by its number, like 12.4");
}

MatrixQuestion read_question(const CompatRequest& request, const Tables& tables) {
  MatrixQuestion question;
  if (!request.framework.empty()) {
    question.framework = compat::FrameworkWish::parse(tables, request.framework);
  }
  auto& around = question.around;
  if (!request.cuda.empty()) around.toolkit = typed_cuda(request.cuda);
  if (!request.cudnn.empty()) around.cudnn = typed_version(request.cudnn, "--cudnn");
  if (!request.python.empty()) around.python = typed_version(request.python, "--python");
  if (!request.driver.empty()) {
    around.driver = DriverFacts{};
    around.driver->module_version = typed_version(request.driver, "--driver");
  }
  for (const auto& gpu : request.gpus) around.gpus.push_back(typed_gpu(tables, gpu));
  return question;
}

// A toolkit or GPU that no row speaks of must not look as if nothing stood against it.
void name_unknown(CompatResult& result, const Tables& tables, const compat::Surroundings& around) {
  const auto say = [&](const char* id, const std::string& seen) {
    result.findings.push_back({id,
                               compat::Severity::note,
                               fmt::format("{} is not in the tables", seen),
                               {fmt::format("they are of {}", tables.date)},
                               {}});
  };
  const auto& toolkit = around.toolkit;
  const auto has_toolkit = [&](const auto& row) { return row.release.starts_with(*toolkit); };
  if (toolkit && std::none_of(tables.toolkits.begin(), tables.toolkits.end(), has_toolkit)) {
    say("driver.unknown", fmt::format("CUDA {}", toolkit->text()));
  }
  for (const auto& gpu : around.gpus) {
    const auto has_gpu = [&](const auto& row) { return row.capability == gpu.capability; };
    if (std::any_of(tables.gpus.begin(), tables.gpus.end(), has_gpu)) continue;
    say("gpu.unknown", fmt::format("a GPU of compute capability {}", gpu.capability->text()));
  }
}

// Without --by what is named decides.
std::string view_of(const CompatRequest& request) {
  if (!request.by.empty()) return request.by;
  if (!request.framework.empty()) return "framework";
  if (!request.cuda.empty()) return "cuda";
  if (!request.driver.empty()) return "cuda";
  if (!request.python.empty()) return "framework";
  return request.gpus.empty() ? "cuda" : "gpu";
}

void add_matrices(CompatResult& result, const std::string& view, const Tables& tables,
                  const MatrixQuestion& question) {
  const bool all = view == "all";
  if (all || view == "cuda") result.matrices.push_back(cuda_matrix(tables, question));
  if (all || view == "driver") result.matrices.push_back(driver_matrix(tables, question));
  if (all || view == "gpu") result.matrices.push_back(gpu_matrix(tables, question));
  if (all || view == "board") {
    result.matrices.push_back(board_matrix(tables, question));
    result.matrices.push_back(measured_matrix(tables, question));
  }
  if (all || view == "framework") result.matrices.push_back(framework_matrix(tables, question));
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  for (auto& finding : more) {
    if (std::find(all.begin(), all.end(), finding) == all.end()) all.push_back(std::move(finding));
  }
}

// The toolkit with driver, GPUs and cuDNN, whatever the framework.
void judge_toolkit(CompatResult& result, const Tables& tables, const compat::Surroundings& around) {
  const auto driver = around.driver.value_or(DriverFacts{});
  // "12" means the newest 12.x.
  const auto* row = tables.toolkit(*around.toolkit);
  const bool whole = around.toolkit->parts().size() > 1 || !row;
  const Version& toolkit = whole ? *around.toolkit : row->release;
  if (around.driver) {
    append(result.findings, compat::judge_driver(tables, toolkit, driver, around.gpus).findings);
  }
  for (const auto& gpu : around.gpus) {
    append(result.findings, compat::judge_gpu(tables, toolkit, gpu, driver).findings);
  }
  if (around.cudnn) {
    append(result.findings, compat::judge_cudnn(tables, toolkit, *around.cudnn).findings);
  }
  result.judged = around.driver || around.cudnn || !around.gpus.empty();
}

void judge_framework(CompatResult& result, const Tables& tables, const MatrixQuestion& question) {
  const auto& wish = *question.framework;
  const auto verdict = compat::judge_framework(tables, wish, question.around);
  result.judged = true;
  append(result.findings, verdict.findings);
  if (!verdict.row) return;
  const auto& row = *verdict.row;
  result.toolkit_needed =
      row.shipped == compat::Shipped::system || row.shipped == compat::Shipped::source;
  if (!row.cuda) return;
  const auto& own = row.cuda->alternatives().front().front().version;
  const auto& toolkit = question.around.toolkit;
  const auto& cuda = toolkit && row.cuda->accepts(*toolkit) ? *toolkit : own;
  result.framework_line =
      compat::install_line(tables, row, wish.version ? &*wish.version : nullptr, cuda);
}

}  // namespace

CompatResult show_compat(const CompatRequest& request, const Host& host) {
  auto known = known_tables(host);
  const Tables& tables = known.tables;
  const auto question = read_question(request, tables);
  CompatResult result;
  result.date = tables.date;
  result.builtin_date = compat::builtin_tables().date;
  result.overlays = std::move(known.overlays);
  add_matrices(result, view_of(request), tables, question);
  name_unknown(result, tables, question.around);
  if (question.framework && (question.framework->version || question.around.driver)) {
    judge_framework(result, tables, question);
  } else if (question.around.toolkit && !question.framework) {
    judge_toolkit(result, tables, question.around);
  }
  return result;
}

}  // namespace cudaenv::commands
