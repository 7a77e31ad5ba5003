#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/check.hpp"
#include "commands/doctor.hpp"
#include "compat/framework.hpp"
#include "doctor/python_probe.hpp"

namespace cudaenv::commands {

// The toolkit that is meant, installed or only known.
struct MeantToolkit {
  std::optional<Version> release;
  std::string path;  // empty: it is not installed
  std::optional<Version> cudnn;
  std::optional<Version> nccl;
};

// What Python was asked and said.
struct AskedPython {
  std::string python;  // empty: none was asked
  doctor::PythonReport report;
  std::vector<compat::Finding> findings;
  bool run = true;  // false: its packages were read, as those of another root
};

// Judges layer by layer. What it is made of outlives it.
class LayerCheck {
 public:
  LayerCheck(const compat::Tables& tables, const DoctorResult& machine, doctor::Assumed assumed,
             MeantToolkit meant);

  void check_toolkit();
  void check_machine();
  void check_libraries(const AskedPython& asked);
  void check_framework(const compat::FrameworkWish& wish, const doctor::PythonReport& report);
  void check_python(const AskedPython& asked);
  std::vector<CheckedLayer> take() { return std::move(layers_); }

 private:
  void add(std::string name, std::string_view verdict, std::string what,
           std::vector<compat::Finding> findings, bool assumed = false);
  void check_driver(const Version& toolkit);
  void check_gpus(const Version& toolkit);
  void check_build(const Version& toolkit);
  const DriverFacts& driver() const { return seen_.driver.facts; }

  const compat::Tables& tables_;
  const doctor::Observed& seen_;
  const doctor::Findings& machine_;  // doctor's
  doctor::Assumed assumed_;
  MeantToolkit meant_;
  std::vector<CheckedLayer> layers_;
};

}  // namespace cudaenv::commands
