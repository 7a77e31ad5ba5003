#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compat/explain.hpp"
#include "compat/finding.hpp"
#include "doctor/python_probe.hpp"

namespace cudaenv::doctor {

// What a Python's frameworks are compared with; what is absent is not judged.
struct PythonSurroundings {
  std::string python;              // that was asked, as it was named
  std::optional<Version> toolkit;  // extensions are built with it
  std::vector<GpuFacts> gpus;
  bool driver_works = false;  // as the driver itself says
  bool elsewhere = false;     // of another machine: whether it sees a GPU here does not matter
};

// The module of a framework of the tables ("pytorch": "torch"); empty for one that is not imported.
std::string_view module_of(std::string_view framework);

// Every module that has a framework.
std::vector<std::string> framework_modules();

// What keeps the frameworks of a Python from their GPUs, or might. Foreign error texts are
// explained where they are known.
std::vector<compat::Finding> check_python(const PythonReport& report,
                                          const PythonSurroundings& around,
                                          const compat::ErrorTexts& texts);

}  // namespace cudaenv::doctor
