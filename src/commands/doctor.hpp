#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/machine_request.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::commands {

struct DoctorRequest {
  std::string spec;  // the toolkit to judge, or its path; empty: the active one
  bool all = false;  // every toolkit
  bool for_image = false;
  std::string library;  // the soname of a library that a program misses; empty: none
  MachineRequest machine{};
};

struct DoctorResult {
  doctor::Observed seen;
  doctor::Findings findings;
  std::string root;         // that was judged: "/" or the sysroot
  std::string tables_date;  // of the compatibility tables
};

// `doctor`: looks at the machine, or at another root, and judges what it sees. Changes nothing; of
// another root nothing is loaded or run. Throws Error(usage) for what was mistyped.
DoctorResult doctor(const DoctorRequest& request, const Host& host);

}  // namespace cudaenv::commands
