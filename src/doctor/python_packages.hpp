#pragma once

#include <string>

#include "doctor/python_probe.hpp"
#include "sys/tree.hpp"

namespace cudaenv::doctor {

// What the files of a Python environment tell, without running it: its version, packages and the
// frameworks that could be imported. `python` is the interpreter's path in the tree, such as
// /opt/venv/bin/python; End::not_found where no program is there.
PythonReport read_python_packages(const sys::Tree& tree, const std::string& python);

}  // namespace cudaenv::doctor
