#include "commands/doctor.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/compat.hpp"
#include "commands/compat_tables.hpp"
#include "commands/gpu_state.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

std::string typed_library(const std::string& typed) {
  if (typed.empty() || (typed.find('/') == std::string::npos && doctor::soname_major(typed))) {
    return typed;
  }
  throw Error(ErrorKind::usage, fmt::format("`{}` is no library's name", text::visible(typed)))
      .help("write it as the error does, such as libcudart.so.11.0");
}

void choose_toolkit(const DoctorRequest& request, const Host& host,
                    doctor::ObserveRequest& observe) {
  if (request.spec.empty()) return;
  std::string path = request.spec;
  if (!path.starts_with('/')) {
    if (!observe.tree.is_machine()) {
      throw Error(ErrorKind::usage, "in another root a toolkit is named by its path")
          .help("write it as it is in there, such as /usr/local/cuda-12.1");
    }
    path = installed_prefix(host, request.spec).path.string();
  }
  if (!doctor::toolkit_facts(observe.tree, path)) {
    throw Error(ErrorKind::missing,
                fmt::format("there is no toolkit in `{}`", text::visible(request.spec, 1000)));
  }
  observe.judged.push_back(std::move(path));
}

}  // namespace

DoctorResult doctor(const DoctorRequest& request, const Host& host) {
  doctor::ObserveRequest observe;
  auto tables = known_rules(host).tables;
  observe.tree = tree_of(request.machine, host);
  const bool machine = observe.tree.is_machine();
  observe.environment = environment_of(request.machine, host);
  observe.assumed = assumed_of(request.machine, tables);
  observe.for_image = request.for_image;
  observe.judge_all = request.all;
  observe.wanted = typed_library(request.library);
  observe.driver_limit = driver_timeout(host);
  observe.root = machine && sys::is_root();
  std::vector<store::Oddity> oddities;
  if (machine) {
    auto inventory = store::Inventory::read(reading_roots(host), store::Inventory::Detail::summary);
    for (const auto& prefix : inventory.prefixes) observe.prefixes.push_back(prefix.path.string());
    oddities = std::move(inventory.oddities);
  }
  choose_toolkit(request, host, observe);

  DoctorResult result{
      doctor::observe(observe, host.interrupt), {}, observe.tree.root().string(), tables.date};
  // What an Xid means stands among the errors.
  if (!result.seen.xids.empty()) tables = known_tables(host).tables;
  result.findings = doctor::check_all(result.seen, &tables);
  for (auto& oddity : oddities) {
    result.findings.push_back({"toolkit.receipt",
                               compat::Severity::warning,
                               fmt::format("`{}` is no toolkit that cudaenv can use",
                                           text::visible(oddity.path.string(), 400)),
                               {std::move(oddity.why)},
                               std::move(oddity.advice)});
  }
  return result;
}

}  // namespace cudaenv::commands
