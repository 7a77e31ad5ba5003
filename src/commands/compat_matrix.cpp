#include "commands/compat_matrix.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compat/driver.hpp"
#include "compat/gpu.hpp"
#include "compat/libraries.hpp"

namespace cudaenv::commands {
namespace {

using compat::Tables;

std::string shown(const std::optional<Version>& version) { return version ? version->text() : ""; }

std::string shown(const std::optional<compat::Constraint>& constraint) {
  return constraint ? constraint->words() : "";
}

// "5.0 to 12.1": what nvcc compiles for.
std::string compiled_range(const Tables& tables, const Version& release) {
  const auto* row = tables.architecture(release);
  if (!row) return "";
  return fmt::format("{} to {}", row->compiled.front().text(), row->compiled.back().text());
}

std::string compiler_range(const Tables& tables, const Version& release, std::string_view family) {
  const auto* row = tables.compiler(release, family);
  if (!row) return "";
  return row->least ? fmt::format("{} to {}", row->least->text(), row->most.text())
                    : fmt::format("up to {}", row->most.text());
}

// Of those that serve the GPUs that were named.
std::string newest_cudnn_of(const Tables& tables, const Version& release,
                            const compat::Surroundings& around) {
  std::vector<ComputeCapability> gpus;
  for (const auto& gpu : around.gpus) {
    if (gpu.capability) gpus.push_back(*gpu.capability);
  }
  const auto* row = compat::newest_cudnn(tables, release, nullptr, gpus);
  return row ? row->release.text() : "";
}

// The verdicts on every GPU, one word where they agree.
std::string gpu_words(const Tables& tables, const Version& release,
                      const compat::Surroundings& around) {
  std::vector<std::string> words;
  for (const auto& gpu : around.gpus) {
    const auto verdict =
        compat::judge_gpu(tables, release, gpu, around.driver.value_or(DriverFacts{}));
    std::string word(compat::name_of(verdict.support));
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(std::move(word));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

const compat::DriverRow* first_driver(const Tables& tables, ComputeCapability capability) {
  for (const auto& row : tables.drivers) {
    const auto& first = row.first_with;
    if (std::find(first.begin(), first.end(), capability) != first.end()) return &row;
  }
  return nullptr;
}

const compat::DriverRow* last_driver(const Tables& tables, ComputeCapability capability) {
  const compat::DriverRow* found = nullptr;
  for (const auto& row : tables.drivers) {
    if (row.oldest_gpu <= capability) found = &row;
  }
  // The newest branch is no end.
  return found == &tables.drivers.back() ? nullptr : found;
}

std::string verdict_word(const std::vector<compat::Finding>& findings) {
  if (findings.empty()) return "fine";
  const auto severity = compat::worst(findings);
  for (const auto& finding : findings) {
    if (finding.severity != severity) continue;
    return fmt::format("{}: {}", compat::name_of(severity), finding.seen);
  }
  return "fine";
}

// The CUDA that a line installs a row with: the one that was asked about, else the row's first.
std::optional<Version> cuda_of(const compat::FrameworkRow& row,
                               const compat::Surroundings& around) {
  if (!row.cuda) return std::nullopt;
  if (around.toolkit && row.cuda->accepts(*around.toolkit)) return around.toolkit;
  return row.cuda->alternatives().front().front().version;
}

// Nothing stands for a GPU that the tables do not have.
bool asked_for(const Tables& tables, const compat::Surroundings& around,
               const compat::GpuRow* row) {
  return around.gpus.empty() ||
         (row && std::any_of(around.gpus.begin(), around.gpus.end(), [&](const GpuFacts& gpu) {
            if (gpu.name.empty()) return gpu.capability == row->capability;
            return tables.gpu(gpu.name) == row;
          }));
}

std::string shown(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "";
}

bool gives_anything(const compat::Surroundings& around) {
  return around.toolkit || around.cudnn || around.driver || around.python || !around.gpus.empty();
}

Matrix::Row framework_row(const Tables& tables, const MatrixQuestion& question,
                          const compat::FrameworkRow& row) {
  const auto cuda = cuda_of(row, question.around);
  const auto& wish = question.framework;
  const Version* version = wish && wish->version ? &*wish->version : nullptr;
  Matrix::Row cells{
      {row.name, row.label, shown(row.cuda), shown(row.cudnn), shown(row.python), shown(row.driver),
       row.least_gpu ? row.least_gpu->text() : "", std::string(compat::name_of(row.shipped)),
       row.status, cuda ? compat::install_line(tables, row, version, *cuda) : ""},
      row.source};
  if (gives_anything(question.around)) {
    cells.cells.push_back(verdict_word(compat::judge_row(tables, row, question.around)));
  }
  return cells;
}

}  // namespace

Matrix cuda_matrix(const Tables& tables, const MatrixQuestion& question) {
  const auto& around = question.around;
  Matrix matrix{"cuda",
                "CUDA toolkits",
                {{"cuda", "CUDA"},
                 {"date", "date"},
                 {"driver", "NVIDIA's driver"},
                 {"least_driver", "least driver"},
                 {"gpus", "compiles for"},
                 {"gcc", "gcc"},
                 {"clang", "clang"},
                 {"cudnn", "newest cuDNN"}},
                {}};
  if (around.driver) matrix.columns.push_back({"driver_verdict", "on this driver"});
  if (!around.gpus.empty()) matrix.columns.push_back({"gpu_verdict", "for this GPU"});
  if (around.cudnn) matrix.columns.push_back({"cudnn_verdict", "with this cuDNN"});
  for (auto row = tables.toolkits.rbegin(); row != tables.toolkits.rend(); ++row) {
    const auto& release = row->release;
    if (around.toolkit && !release.starts_with(*around.toolkit)) continue;
    Matrix::Row cells{
        {release.text(), row->date, shown(row->driver),
         shown(row->floor ? row->floor : row->driver), compiled_range(tables, release),
         compiler_range(tables, release, "gcc"), compiler_range(tables, release, "clang"),
         newest_cudnn_of(tables, release, around)},
        row->source};
    if (around.driver) {
      const auto verdict = compat::judge_driver(tables, release, *around.driver, around.gpus);
      cells.cells.emplace_back(compat::name_of(verdict.support));
    }
    if (!around.gpus.empty()) cells.cells.push_back(gpu_words(tables, release, around));
    if (around.cudnn) {
      const auto verdict = compat::judge_cudnn(tables, release, *around.cudnn);
      cells.cells.emplace_back(compat::name_of(verdict.support));
    }
    matrix.rows.push_back(std::move(cells));
  }
  return matrix;
}

Matrix driver_matrix(const Tables& tables, const MatrixQuestion& question) {
  const auto& around = question.around;
  Matrix matrix{"driver",
                "Driver branches",
                {{"branch", "branch"},
                 {"cuda", "CUDA in full"},
                 {"newest_cuda", "newest CUDA"},
                 {"kind", "kind"},
                 {"date", "since"},
                 {"until", "until"},
                 {"newest", "newest build"},
                 {"oldest_gpu", "GPUs from"}},
                {}};
  if (around.toolkit) {
    matrix.columns.push_back({"verdict", fmt::format("CUDA {}", around.toolkit->text())});
  }
  const auto* own = around.driver && around.driver->version()
                        ? tables.driver(*around.driver->version())
                        : nullptr;
  for (auto row = tables.drivers.rbegin(); row != tables.drivers.rend(); ++row) {
    if (own && own != &*row) continue;
    DriverFacts facts;
    facts.module_version =
        around.driver ? around.driver->version() : row->newest.value_or(row->branch);
    Matrix::Row cells{
        {row->branch.text(), row->cuda.text(), shown(compat::newest_toolkit(tables, facts, false)),
         row->kind, row->date, row->until, shown(row->newest), row->oldest_gpu.text()},
        row->source};
    if (around.toolkit) {
      const auto verdict = compat::judge_driver(tables, *around.toolkit, facts, around.gpus);
      cells.cells.emplace_back(compat::name_of(verdict.support));
    }
    matrix.rows.push_back(std::move(cells));
  }
  return matrix;
}

Matrix gpu_matrix(const Tables& tables, const MatrixQuestion& question) {
  const auto& around = question.around;
  Matrix matrix{"gpu",
                "GPUs",
                {{"gpu", "GPU"},
                 {"capability", "capability"},
                 {"architecture", "architecture"},
                 {"kind", "kind"},
                 {"first_cuda", "first CUDA"},
                 {"last_cuda", "last CUDA"},
                 {"first_driver", "first driver"},
                 {"last_driver", "last driver"}},
                {}};
  if (around.toolkit) {
    matrix.columns.push_back({"verdict", fmt::format("CUDA {}", around.toolkit->text())});
  }
  const auto newest = tables.architectures.back().cuda;
  for (const auto& row : tables.gpus) {
    if (!asked_for(tables, around, &row)) continue;
    const auto last = tables.last_with(row.capability);
    const auto* first_branch = first_driver(tables, row.capability);
    const auto* last_branch = last_driver(tables, row.capability);
    Matrix::Row cells{{row.name, row.capability.text(), row.architecture, row.kind,
                       shown(tables.first_with(row.capability)), last == newest ? "" : shown(last),
                       first_branch ? first_branch->branch.text() : "",
                       last_branch ? last_branch->branch.text() : ""},
                      row.source};
    if (around.toolkit) {
      GpuFacts gpu;
      gpu.name = row.name;
      const auto verdict =
          compat::judge_gpu(tables, *around.toolkit, gpu, around.driver.value_or(DriverFacts{}));
      cells.cells.emplace_back(compat::name_of(verdict.support));
    }
    matrix.rows.push_back(std::move(cells));
  }
  // Most capable first, as people look for what is new.
  std::stable_sort(matrix.rows.begin(), matrix.rows.end(), [](const auto& one, const auto& other) {
    return Version::parse(one.cells[1]) > Version::parse(other.cells[1]);
  });
  return matrix;
}

Matrix board_matrix(const Tables& tables, const MatrixQuestion& question) {
  Matrix matrix{"board",
                "Boards, by their maker's figures (dense products, sums in 32 bits)",
                {{"board", "board"},
                 {"memory_gb_per_second", "memory, GB/s"},
                 {"fp32_tflops", "fp32, TFLOP/s"},
                 {"tf32_tflops", "tf32"},
                 {"bf16_tflops", "bf16"},
                 {"pcie", "PCIe"},
                 {"nvlink_gb_per_second", "NVLink, GB/s"}},
                {}};
  for (const auto& row : tables.boards) {
    if (!asked_for(tables, question.around, tables.gpu(row.name))) continue;
    const auto link = row.pcie_generation
                          ? fmt::format("{} x{}", *row.pcie_generation, *row.pcie_lanes)
                          : std::string();
    matrix.rows.push_back(
        {{row.name, shown(row.memory), shown(row.tflops.fp32), shown(row.tflops.tf32),
          shown(row.tflops.bf16), link, shown(row.nvlink)},
         row.source});
  }
  return matrix;
}

Matrix measured_matrix(const Tables& tables, const MatrixQuestion& question) {
  Matrix matrix{"measured",
                "Boards, as they were measured",
                {{"board", "board"}, {"figure", "figure"}, {"value", "reached"}, {"unit", "unit"}},
                {}};
  for (const auto& row : tables.measured) {
    if (!asked_for(tables, question.around, tables.gpu(row.board))) continue;
    matrix.rows.push_back({{row.board, row.figure, shown(row.value), row.unit}, row.source});
  }
  return matrix;
}

Matrix framework_matrix(const Tables& tables, const MatrixQuestion& question) {
  Matrix matrix{"framework",
                "Frameworks",
                {{"framework", "framework"},
                 {"version", "version"},
                 {"cuda", "CUDA"},
                 {"cudnn", "cuDNN"},
                 {"python", "Python"},
                 {"driver", "least driver"},
                 {"least_gpu", "GPUs from"},
                 {"ships", "CUDA is"},
                 {"status", "status"},
                 {"install", "to install it"}},
                {}};
  if (gives_anything(question.around)) matrix.columns.push_back({"verdict", "here"});
  const auto& wish = question.framework;
  if (wish && wish->version) {
    for (const auto* row : compat::rows_for(tables, *wish)) {
      matrix.rows.push_back(framework_row(tables, question, *row));
    }
    return matrix;
  }
  for (const auto& row : tables.frameworks) {
    if (wish && row.name != wish->name) continue;
    matrix.rows.push_back(framework_row(tables, question, row));
  }
  return matrix;
}

}  // namespace cudaenv::commands
