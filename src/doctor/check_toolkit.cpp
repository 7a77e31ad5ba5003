#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Finding;
using compat::Severity;
using Lines = std::vector<std::string>;

std::string quoted(const std::string& path) {
  return fmt::format("`{}`", text::visible(path, 400));
}

std::vector<const ToolkitFacts*> judged(const Observed& seen) {
  std::vector<const ToolkitFacts*> result;
  for (const auto& path : seen.judged) {
    if (const auto* facts = seen.toolkit(path)) result.push_back(facts);
  }
  return result;
}

// Whether the two say the same as far as both go: 12.1 and 12.1.105.
bool agree(const Version& one, const Version& other) {
  return one.starts_with(other) || other.starts_with(one);
}

void check_parts(const ToolkitFacts& facts, Findings& findings) {
  const std::string where = quoted(facts.path);
  const std::string again =
      facts.owner == Owner::cudaenv
          ? fmt::format("install it anew with `cudaenv install {} --force`", facts.spec())
          : std::string("install the toolkit again");
  const auto lacks = [&](const char* id, Severity severity, std::string what, std::string why,
                         std::string help) {
    findings.push_back({id, severity, std::move(what), {std::move(why)}, {std::move(help)}});
  };
  if (!facts.is_compiler()) {
    findings.push_back(
        {"toolkit.run-time-only",
         Severity::note,
         fmt::format("{} has no nvcc: programs can run with it, not be compiled", where),
         {},
         {}});
    return;
  }
  if (facts.libdevice.empty()) {
    lacks("toolkit.no-libdevice", Severity::error, fmt::format("{} has no libdevice.10.bc", where),
          "nvcc needs it for mathematical functions, TensorFlow and JAX for all they compile",
          again +
              ", or name a whole one: "
              "`export XLA_FLAGS=\"${XLA_FLAGS:+$XLA_FLAGS }--xla_gpu_cuda_data_dir=PREFIX\"`");
  }
  if (facts.ptxas.empty()) {
    lacks("toolkit.no-ptxas", Severity::error, fmt::format("{} has no ptxas", where),
          "nvcc, TensorFlow, JAX and Triton run it", again);
  }
  if (facts.include.empty()) {
    lacks("toolkit.no-headers", Severity::error, fmt::format("{} has no cuda_runtime_api.h", where),
          "nothing can be compiled", again);
  }
  if (facts.lib.empty()) {
    lacks("toolkit.no-libraries", Severity::error, fmt::format("{} has no libcudart", where),
          "nothing can be linked", again);
  }
  if (!facts.lib64) {
    lacks("toolkit.no-lib64", Severity::warning, fmt::format("{} has no lib64", where),
          "build files of many projects say -L$CUDA_HOME/lib64",
          fmt::format("ln -s lib {}/lib64", text::shell_quoted(facts.path)));
  }
  if (facts.split) {
    findings.push_back({"toolkit.split",
                        Severity::note,
                        "the toolkit is the distribution's: nvcc in /usr/bin, headers in "
                        "/usr/include, libraries beside the system's",
                        {"projects that want one CUDA_HOME find half of it"},
                        {"install one that is whole beside it with `cudaenv install`"}});
  }
}

std::string shown(const NvccOnPath& nvcc) {
  return fmt::format("{} is {} ({})", quoted(nvcc.path),
                     nvcc.version ? nvcc.version->text() : "of unknown version",
                     name_of(nvcc.owner));
}

const Naming* naming(const Observed& seen, std::string_view by) {
  const auto found = std::find_if(seen.namings.begin(), seen.namings.end(),
                                  [&](const Naming& one) { return one.by == by; });
  return found == seen.namings.end() ? nullptr : &*found;
}

// One line a toolkit, for where one of several has to be chosen.
Lines activations(const std::vector<const ToolkitFacts*>& choices) {
  Lines lines;
  for (const auto* facts : choices) {
    if (!facts || facts->split) continue;
    auto line = fmt::format("for {} type `{}`", facts->shown(), facts->activation());
    if (std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(std::move(line));
  }
  return lines;
}

// An nvcc that runs and a folder that builds look into, which are not of one toolkit.
Finding differing(const Observed& seen, const NvccOnPath& nvcc, const Naming& home) {
  const auto* facts = seen.toolkit(home.prefix);
  const auto version = facts ? facts->version() : std::nullopt;
  Severity severity = Severity::warning;
  if (version && nvcc.version && version->major() != nvcc.version->major()) {
    severity = Severity::error;
  }
  if (version && nvcc.version && agree(version->first(2), nvcc.version->first(2))) {
    severity = Severity::note;
  }
  return {
      "toolkit.nvcc-differs",
      severity,
      fmt::format("the nvcc that runs and {} are of different toolkits", home.by),
      {shown(nvcc), fmt::format("{} is {}", home.by, facts ? facts->shown() : quoted(home.prefix)),
       "builds mix both: PyTorch's extensions take CUDA_HOME, CMake the nvcc of PATH"},
      activations({facts, seen.toolkit(nvcc.prefix)})};
}

}  // namespace

Findings check_home_variables(const Observed& seen) {
  Findings findings;
  std::vector<const Naming*> leading;
  for (const auto& one : seen.namings) {
    if (one.by == "PATH" || one.by.starts_with('/')) continue;
    const std::string value = text::visible(one.value, 400);
    const bool malformed = !one.value.starts_with('/') || one.value.find(':') != std::string::npos;
    if (malformed) {
      findings.push_back({"toolkit.variable-malformed",
                          one.value.empty() ? Severity::warning : Severity::error,
                          fmt::format("{} is `{}`, which is no folder's path", one.by, value),
                          {one.value.empty() ? "programs that look at it find the folder /"
                           : one.value.starts_with('/') ? "it names one folder: colons are for PATH"
                                                        : "it has to be an absolute path"},
                          {fmt::format("unset {}", one.by)}});
    } else if (one.prefix.empty()) {
      findings.push_back({"toolkit.variable-dangling",
                          Severity::error,
                          fmt::format("{} names `{}`, which is not there", one.by, value),
                          {},
                          {fmt::format("unset {}", one.by),
                           "see what is installed with "
                           "`cudaenv list`"}});
    } else {
      leading.push_back(&one);
    }
  }
  const bool disagree = std::any_of(leading.begin(), leading.end(), [&](const Naming* one) {
    return one->prefix != leading.front()->prefix;
  });
  if (disagree) {
    Lines why;
    for (const auto* one : leading) {
      why.push_back(fmt::format("{} leads to {}", one->by, quoted(one->prefix)));
    }
    why.emplace_back("CMake, CuPy and cuda-python look at CUDA_PATH first, PyTorch at CUDA_HOME");
    std::vector<const ToolkitFacts*> choices;
    Lines others;
    for (const auto* one : leading) {
      choices.push_back(seen.toolkit(one->prefix));
      if (one->by != "CUDA_HOME" && one->by != "CUDA_PATH") others.push_back(one->by);
    }
    auto help = activations(choices);
    if (!others.empty()) help.push_back(fmt::format("unset {}", text::join(others, " ")));
    findings.push_back({"toolkit.variables-disagree", Severity::warning,
                        "the variables that name the toolkit name different ones", std::move(why),
                        std::move(help)});
  }
  return findings;
}

Findings check_nvccs(const Observed& seen) {
  Findings findings;
  const auto* home = naming(seen, "CUDA_HOME");
  if (!home || home->prefix.empty()) home = naming(seen, "CUDA_PATH");
  if (!home || home->prefix.empty()) home = naming(seen, "/usr/local/cuda");
  if (seen.nvccs.size() > 1) {
    Lines why;
    for (const auto& nvcc : seen.nvccs) why.push_back(shown(nvcc));
    why.front() += ": this one runs";
    std::vector<const ToolkitFacts*> others;
    for (const auto& nvcc : seen.nvccs) others.push_back(seen.toolkit(nvcc.prefix));
    findings.push_back({"toolkit.several-nvcc", Severity::note,
                        fmt::format("PATH has {} nvcc", seen.nvccs.size()), std::move(why),
                        activations(others)});
  }
  if (!home || home->prefix.empty()) return findings;
  const auto* facts = seen.toolkit(home->prefix);
  if (seen.nvccs.empty()) {
    if (facts && facts->is_compiler()) {
      findings.push_back(
          {"toolkit.not-on-path",
           Severity::note,
           fmt::format("{} leads to {} and PATH has no nvcc", home->by, facts->shown()),
           {},
           {fmt::format("activate it with `{}`", facts->activation())}});
    }
  } else if (seen.nvccs.front().prefix != home->prefix) {
    findings.push_back(differing(seen, seen.nvccs.front(), *home));
  }
  return findings;
}

Findings check_default_link(const Observed& seen) {
  const auto* link = naming(seen, "/usr/local/cuda");
  if (!link) return {};
  const std::string chain = text::visible(text::join(seen.default_hops, " -> "), 800);
  if (link->prefix.empty()) {
    return {{"toolkit.default-dangling",
             Severity::error,
             "/usr/local/cuda leads to nothing",
             {chain},
             {"point it to an installed toolkit with `sudo cudaenv default VERSION`"}}};
  }
  const bool alternatives =
      std::any_of(seen.default_hops.begin(), seen.default_hops.end(),
                  [](const std::string& hop) { return hop.starts_with("/etc/alternatives/"); });
  if (!alternatives) return {};
  return {{"toolkit.default-alternatives",
           Severity::note,
           "/usr/local/cuda belongs to update-alternatives",
           {chain},
           {"move it with `sudo update-alternatives --config cuda`"}}};
}

Findings check_sudo(const Observed& seen) {
  const bool lost = seen.root && seen.environment.non_empty("SUDO_USER") &&
                    !seen.environment.get("CUDA_HOME") && seen.nvccs.empty();
  if (!lost) return {};
  return {{"sudo.activation-dropped",
           Severity::note,
           "sudo keeps neither PATH nor CUDA_HOME: no toolkit is active here",
           {},
           {"run the command with `sudo cudaenv exec VERSION -- COMMAND`",
            "or, with a toolkit of your own: `sudo env PATH=\"$PATH\" CUDA_HOME=\"$CUDA_HOME\" "
            "LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\" COMMAND`"}}};
}

Findings check_conda(const Observed& seen) {
  Findings findings;
  if (const auto value = seen.environment.get("CONDA_OVERRIDE_CUDA")) {
    findings.push_back({"conda.override",
                        Severity::note,
                        fmt::format("CONDA_OVERRIDE_CUDA is `{}`: conda takes it for the driver's "
                                    "CUDA version",
                                    text::visible(*value)),
                        {},
                        {}});
  } else if (!seen.conda.empty()) {
    const auto& cuda = seen.driver.facts.cuda;
    findings.push_back(
        {"conda.cuda",
         Severity::note,
         cuda ? fmt::format("conda sees __cuda={}: the driver's CUDA version", cuda->text())
              : std::string("conda sees no __cuda: it will choose packages for "
                            "machines without a GPU"),
         {},
         {}});
  }
  const auto* facts = seen.conda.empty() ? nullptr : seen.toolkit(seen.conda);
  if (!facts) return findings;
  if (!facts->is_compiler()) {
    const auto* home = naming(seen, "CUDA_HOME");
    const bool as_home = home && home->prefix == facts->path;
    findings.push_back({"conda.run-time-only",
                        as_home ? Severity::error : Severity::note,
                        fmt::format("the conda environment `{}` has CUDA's libraries and no nvcc",
                                    text::visible(facts->path)),
                        {as_home ? "CUDA_HOME names it, so builds look for nvcc there"
                                 : "programs run with them; a compiler is another package"},
                        {"install cuda-nvcc into it, or `eval \"$(cudaenv use VERSION)\"`"}});
  } else if (!seen.nvccs.empty() && seen.nvccs.front().prefix == facts->path &&
             seen.nvccs.size() > 1) {
    findings.push_back(
        {"conda.nvcc-first",
         Severity::note,
         fmt::format("conda's nvcc comes before that of {}", quoted(seen.nvccs[1].prefix)),
         {},
         {}});
  }
  return findings;
}

Findings check_toolkit_parts(const Observed& seen) {
  Findings findings;
  for (const auto* facts : judged(seen)) {
    if (facts->owner != Owner::conda) check_parts(*facts, findings);
  }
  return findings;
}

Findings check_toolkit_versions(const Observed& seen) {
  Findings findings;
  for (const auto* facts : judged(seen)) {
    if (facts->claims.empty()) {
      findings.push_back({"toolkit.version-unknown",
                          Severity::warning,
                          fmt::format("nothing in {} tells its version", quoted(facts->path)),
                          {"looked at version.json, version.txt, cuda.h, libcudart and nvcc"},
                          {}});
      continue;
    }
    const bool disagree =
        std::any_of(facts->claims.begin(), facts->claims.end(), [&](const VersionClaim& one) {
          return !agree(one.version.first(2), facts->claims.front().version.first(2));
        });
    if (!disagree) continue;
    Lines why;
    for (const auto& one : facts->claims) {
      why.push_back(fmt::format("{} says {}", one.source, one.version.text()));
    }
    findings.push_back({"toolkit.versions-disagree",
                        Severity::warning,
                        fmt::format("{} is of several versions", quoted(facts->path)),
                        std::move(why),
                        {"two toolkits were installed into one folder: install it anew"}});
  }
  return findings;
}

Findings check_readable(const Observed& seen) {
  Findings findings;
  for (const auto* facts : judged(seen)) {
    if (facts->unreadable.empty()) continue;
    const bool shared = facts->path.starts_with("/usr/") || facts->path.starts_with("/opt/");
    Lines why;
    for (const auto& path : facts->unreadable) why.push_back(quoted(path));
    why.emplace_back("they were installed under a strict umask");
    findings.push_back({"toolkit.unreadable",
                        shared ? Severity::error : Severity::note,
                        fmt::format("other users cannot read all of {}", quoted(facts->path)),
                        std::move(why),
                        {fmt::format("sudo chmod -R a+rX {}", text::shell_quoted(facts->path))}});
  }
  return findings;
}

}  // namespace cudaenv::doctor
