#include "doctor/python_packages.hpp"

#include <doctest/doctest.h>

#include "unit/doctor/sysroot.hpp"

using namespace cudaenv;
using cudaenv::test::Sysroot;
using End = doctor::PythonReport::End;

namespace {

doctor::PythonReport read(const Sysroot& tree, const std::string& python) {
  return doctor::read_python_packages(sys::Tree(tree.dir().path()), python);
}

void package(const Sysroot& tree, const std::string& folder, const std::string& name,
             const std::string& version) {
  tree.file(folder + "/" + name + "-" + version + ".dist-info/METADATA",
            "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version +
                "\nAuthor: x\n\nName: text\nVersion: 0\n");
}

}  // namespace

TEST_CASE("an environment of a tree is read, and its interpreter not run") {
  Sysroot tree;
  tree.program("/usr/bin/python3.11", "#!/bin/sh\nexit 9\n");
  tree.link("/usr/bin/python3", "python3.11");
  tree.link("/opt/venv/bin/python", "/usr/bin/python3");
  const std::string packages = "/opt/venv/lib/python3.11/site-packages";
  package(tree, packages, "torch", "2.1.2+cu118");
  package(tree, packages, "nvidia_nccl_cu11", "2.18.1");
  tree.file(packages + "/torch/__init__.py");
  tree.folder(packages + "/jax");  // without code
  tree.file(packages + "/broken-1.dist-info/METADATA", "Name\n");
  const auto report = read(tree, "/opt/venv/bin/python");
  CHECK(report.end == End::done);
  CHECK(report.version == "3.11");
  CHECK(report.prefix == "/opt/venv");
  CHECK(report.modules == std::vector<std::string>{"torch"});
  REQUIRE(report.package("torch"));
  CHECK(report.package("torch")->version == "2.1.2+cu118");
  CHECK(report.package("nvidia-nccl-cu11")->version == "2.18.1");
  CHECK(report.packages.size() == 2);
}

TEST_CASE("the packages of a distribution's Python are in its own folders") {
  Sysroot tree;
  tree.program("/usr/bin/python3.12");
  tree.link("/usr/bin/python3", "python3.12");
  package(tree, "/usr/lib/python3/dist-packages", "numpy", "1.26");
  package(tree, "/usr/local/lib/python3.12/dist-packages", "tensorflow_cpu", "2.15.0");
  const auto report = read(tree, "/usr/bin/python3");
  CHECK(report.version == "3.12");
  CHECK(report.package("numpy"));
  CHECK(report.package("tensorflow-cpu"));
}

TEST_CASE("what is no interpreter, and links that lead out, are not there") {
  Sysroot tree;
  tree.link("/venv/bin/python", "../../../../../../../../bin/sh");
  CHECK(read(tree, "/venv/bin/python").end == End::not_found);
  CHECK(read(tree, "/nowhere/python").end == End::not_found);
  tree.program("/bare/bin/python");
  const auto bare = read(tree, "/bare/bin/python");
  CHECK(bare.end == End::done);
  CHECK(bare.version.empty());
  CHECK(bare.packages.empty());
}
