#include "doctor/checks.hpp"

#include <array>
#include <iterator>

namespace cudaenv::doctor {
namespace {

// What an image lacks, because its containers get it from the host.
bool is_of_the_host(const compat::Finding& finding) {
  for (const std::string_view area : {"driver.", "gpu.", "device.", "container."}) {
    if (finding.id.starts_with(area)) return true;
  }
  return false;
}

}  // namespace

Findings check_all(const Observed& seen, const compat::Tables* tables) {
  constexpr std::array checks{check_driver_state,    check_driver_libraries,
                              check_device_nodes,    check_gpus,
                              check_home_variables,  check_nvccs,
                              check_default_link,    check_sudo,
                              check_toolkit_parts,   check_toolkit_versions,
                              check_readable,        check_conda,
                              check_loader_elements, check_loader_driver,
                              check_loader_toolkits, check_wheels,
                              check_loader_cache,    check_sonames,
                              check_cudnn,           check_ceiling};
  Findings findings;
  for (const auto& check : checks) {
    auto found = check(seen);
    std::move(found.begin(), found.end(), std::back_inserter(findings));
  }
  if (tables) {
    for (const auto& check : {check_wanted, check_xids, check_compatibility}) {
      auto found = check(seen, *tables);
      std::move(found.begin(), found.end(), std::back_inserter(findings));
    }
  }
  for (auto& finding : findings) {
    if (seen.for_image && is_of_the_host(finding)) finding.severity = compat::Severity::note;
  }
  return findings;
}

}  // namespace cudaenv::doctor
