#include <algorithm>

#include <doctest/doctest.h>

#include "support/mini_elf.hpp"
#include "unit/doctor/sysroot.hpp"

using namespace cudaenv;
using compat::Severity;
using cudaenv::test::Sysroot;

namespace {

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("F01: a cuDNN on LD_LIBRARY_PATH that beats the wheel's is named with the winner") {
  Sysroot tree;
  tree.cudnn("/apps/cudnn/8.0.3/lib64", "8.0.3");
  tree.cudnn("/srv/venv/lib/python3.10/site-packages/nvidia/cudnn/lib", "8.3.2");
  tree.variables["VIRTUAL_ENV"] = "/srv/venv";
  tree.variables["LD_LIBRARY_PATH"] =
      "/apps/cudnn/8.0.3/lib64:/apps/cuda/11.0/lib64::/apps/slurm/lib";
  const auto finding = tree.finding("loader.over-wheels");
  CHECK(finding.severity == Severity::error);
  CHECK(finding.seen.find("`/apps/cudnn/8.0.3/lib64` wins") != std::string::npos);
  CHECK(says(finding.why, "libcudnn.so.8 8.0.3 instead of 8.3.2"));
  CHECK(says(finding.why, "/srv/venv/lib/python3.10/site-packages/nvidia/cudnn/lib"));
  CHECK(says(finding.help, "take `/apps/cudnn/8.0.3/lib64` off LD_LIBRARY_PATH"));
  CHECK(tree.finding("loader.empty-element").severity == Severity::warning);
  CHECK(says({tree.finding("loader.missing-folder").seen}, "/apps/cuda/11.0/lib64"));
}

TEST_CASE("F11: an older library of the same name that shadows a wheel's is told") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  tree.library(prefix + "/lib", "libnvJitLink.so.12", "libnvJitLink.so.12.1.105");
  tree.library("/opt/conda/lib/python3.11/site-packages/nvidia/nvjitlink/lib",
               "libnvJitLink.so.12");
  tree.folder("/opt/conda/conda-meta");
  tree.variables["CONDA_PREFIX"] = "/opt/conda";
  tree.variables["LD_LIBRARY_PATH"] = prefix + "/lib64";
  const auto finding = tree.finding("loader.over-wheels");
  CHECK(says(finding.why, "libnvJitLink.so.12"));
  CHECK(says(finding.help, "--no-ld-path"));
}

TEST_CASE("an environment with LD_LIBRARY_PATH that leads to the same file is well") {
  Sysroot tree;
  const std::string wheel = "/venv/lib/python3.11/site-packages/nvidia/cudnn/lib";
  tree.cudnn(wheel, "9.19.0");
  tree.variables["VIRTUAL_ENV"] = "/venv";
  tree.variables["LD_LIBRARY_PATH"] = wheel;
  CHECK_FALSE(tree.has("loader.over-wheels"));
  CHECK_FALSE(tree.has("cudnn.mixed"));
}

TEST_CASE("F28: stubs and a libcuda inside a toolkit must not be loaded") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  tree.library(prefix + "/lib/stubs", "libcuda.so.1", "libcuda.so");
  tree.variables["LD_LIBRARY_PATH"] = prefix + "/lib64/stubs:" + prefix + "/lib64";
  const auto finding = tree.finding("loader.stubs");
  CHECK(finding.severity == Severity::error);
  CHECK(says(finding.help, "LIBRARY_PATH"));
  tree.variables["LD_LIBRARY_PATH"] = prefix + "/lib64";
  CHECK_FALSE(tree.has("loader.stubs"));
  CHECK_FALSE(tree.has("loader.libcuda-in-toolkit"));
  tree.library(prefix + "/lib", "libcuda.so.1");
  CHECK(tree.finding("loader.libcuda-in-toolkit").severity == Severity::error);
  tree.library(prefix + "/lib", "libOpenCL.so.1");
  CHECK(tree.finding("loader.opencl").severity == Severity::warning);
}

TEST_CASE("F20: a compat libcuda on the loader's path is told, of the cache too") {
  Sysroot tree;
  tree.library("/usr/local/cuda-12.1/compat", "libcuda.so.1", "libcuda.so.530.30.02");
  tree.variables["LD_LIBRARY_PATH"] = "/usr/local/cuda-12.1/compat";
  CHECK(says(tree.finding("loader.compat").why, "804"));
  tree.variables.erase("LD_LIBRARY_PATH");
  CHECK_FALSE(tree.has("loader.compat"));
  tree.loader_cache({{"libcuda.so.1", "/usr/local/cuda-12.1/compat/libcuda.so.1"}});
  CHECK(says(tree.finding("loader.compat").help, "/etc/ld.so.conf.d"));
}

TEST_CASE("F13: on WSL2 a libcuda elsewhere is an error, the one of WSL2 is not") {
  Sysroot tree;
  tree.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2\n");
  tree.library("/usr/lib/wsl/lib", "libcuda.so.1");
  tree.loader_cache({{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}});
  CHECK_FALSE(tree.has("loader.wsl-libcuda"));
  tree.folder("/usr/lib/x86_64-linux-gnu");
  tree.variables["LD_LIBRARY_PATH"] = "/usr/lib/x86_64-linux-gnu";
  CHECK(tree.finding("loader.wsl-system-folder").severity == Severity::warning);
  tree.variables["LD_LIBRARY_PATH"] = "/usr/lib/wsl/lib:/usr/lib/x86_64-linux-gnu";
  CHECK_FALSE(tree.has("loader.wsl-system-folder"));
  tree.driver("", "535.104.05");
  CHECK(tree.finding("loader.wsl-libcuda").severity == Severity::error);
}

TEST_CASE("another toolkit than the active one on LD_LIBRARY_PATH is told once") {
  Sysroot tree;
  const auto older = tree.toolkit("11.8.0");
  const auto active = tree.toolkit("12.1.1");
  tree.variables["CUDA_HOME"] = active;
  tree.variables["PATH"] = active + "/bin";
  tree.variables["LD_LIBRARY_PATH"] = older + "/lib64:" + older + "/lib:" + active + "/lib";
  const auto found = tree.found();
  CHECK(std::count_if(found.begin(), found.end(), [](const std::string& line) {
          return line.find("loader.other-toolkit") != std::string::npos;
        }) == 1);
}

TEST_CASE("libraries of one name in two places: the winner is told, an older one as a warning") {
  Sysroot tree;
  tree.library("/a", "libcublas.so.12", "libcublas.so.12.1.0");
  tree.library("/b", "libcublas.so.12", "libcublas.so.12.4.5");
  tree.variables["LD_LIBRARY_PATH"] = "/a:/b";
  auto finding = tree.finding("loader.shadowing");
  CHECK(finding.severity == Severity::warning);
  CHECK(finding.seen == "1 library in `/a` hides those in `/b`");
  tree.variables["LD_LIBRARY_PATH"] = "/b:/a";
  CHECK(tree.finding("loader.shadowing").severity == Severity::note);
  tree.variables["LD_LIBRARY_PATH"] = "/b:/b";
  CHECK_FALSE(tree.has("loader.shadowing"));
  CHECK(tree.seen().loader.folders[1].libraries.empty());
}

TEST_CASE("a library of another word size hides nothing: the loader passes it over") {
  Sysroot tree;
  tree.file("/a/libcublas.so.12", std::string("\x7f"
                                              "ELF\1\1\1") +
                                      std::string(60, '\0'));
  tree.library("/b", "libcublas.so.12", "libcublas.so.12.4.5");
  tree.variables["LD_LIBRARY_PATH"] = "/a:/b";
  CHECK_FALSE(tree.has("loader.shadowing"));
  CHECK(tree.seen().loader.hits("libcublas.so.12").size() == 1);
}

TEST_CASE("of a folder with more libraries than anybody has some are read") {
  Sysroot tree;
  for (int i = 0; i < 1100; ++i) tree.file("/a/libcublas_" + std::to_string(i) + ".so.12");
  tree.variables["LD_LIBRARY_PATH"] = "/a";
  CHECK(tree.seen().loader.folders[0].libraries.size() == 1000);
}

TEST_CASE("empty and relative elements of LD_LIBRARY_PATH are told, an empty variable is none") {
  Sysroot tree;
  tree.variables["LD_LIBRARY_PATH"] = "";
  CHECK_FALSE(tree.has("loader.empty-element"));
  tree.variables["LD_LIBRARY_PATH"] = "/usr/lib:";
  CHECK(tree.has("loader.empty-element"));
  tree.variables["LD_LIBRARY_PATH"] = "lib64";
  CHECK(tree.has("loader.relative-element"));
}

TEST_CASE("F06: a library that is only called another major is forged, a link to one too") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.2.0");
  tree.variables["CUDA_HOME"] = prefix;
  tree.variables["PATH"] = prefix + "/bin";
  CHECK_FALSE(tree.has("library.forged"));
  tree.link(prefix + "/lib/libcudart.so.11.0", "libcudart.so.12");
  const auto finding = tree.finding("library.forged");
  CHECK(finding.severity == Severity::error);
  CHECK(finding.seen ==
        "libcudart.so.11.0 in `/usr/local/cuda-12.2.0/lib` is another library: libcudart.so.12");
  CHECK(says(finding.help, "cudaenv doctor --library libcudart.so.11.0"));
}

TEST_CASE("F06: the names that NVIDIA itself gives are not forged") {
  Sysroot tree;
  const auto prefix = tree.toolkit("11.8.0");
  tree.variables["CUDA_HOME"] = prefix;
  tree.variables["PATH"] = prefix + "/bin";
  tree.library(prefix + "/lib", "libnvrtc.so.11.2", "libnvrtc.so.11.8.89");
  tree.library(prefix + "/lib", "libcufft.so.10", "libcufft.so.10.9.0.58");
  // The file's own name has other numbers than its soname.
  tree.library(prefix + "/lib", "libcupti.so.13", "libcupti.so.2025.3.1");
  tree.library(prefix + "/lib", "libcufile.so.0", "libcufile.so.1.15.1");
  CHECK_FALSE(tree.has("library.forged"));
}

TEST_CASE("cuDNN of parts of different versions is an error, by the constants inside") {
  Sysroot tree;
  tree.cudnn("/a", "9.19.0", {"", "_ops"});
  tree.cudnn("/b", "9.22.0", {"_cnn", "_graph"});
  tree.variables["LD_LIBRARY_PATH"] = "/a:/b";
  const auto finding = tree.finding("cudnn.mixed");
  CHECK(finding.severity == Severity::error);
  CHECK(says(finding.why, "2 parts of 9.19.0 in `/a`"));
  CHECK(says(finding.why, "2 parts of 9.22.0 in `/b`"));
  CHECK(says(finding.why, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"));
  tree.variables["LD_LIBRARY_PATH"] = "/a";
  CHECK_FALSE(tree.has("cudnn.mixed"));
}

TEST_CASE("F46: a part that the wheel lacks and the cache has in another version is told") {
  Sysroot tree;
  tree.cudnn("/venv/lib/python3.12/site-packages/nvidia/cudnn/lib", "9.20.0",
             {"", "_graph", "_ops"});
  tree.cudnn("/usr/lib/x86_64-linux-gnu", "9.22.0", {"_engines_tensor_ir"});
  tree.variables["VIRTUAL_ENV"] = "/venv";
  CHECK_FALSE(tree.has("cudnn.partial"));
  tree.loader_cache({{"libcudnn_engines_tensor_ir.so.9",
                      "/usr/lib/x86_64-linux-gnu/libcudnn_engines_tensor_ir.so.9"}});
  const auto finding = tree.finding("cudnn.partial");
  CHECK(finding.severity == Severity::warning);
  CHECK(says(finding.why, "/usr/lib/x86_64-linux-gnu/libcudnn_engines_tensor_ir.so.9"));
}

TEST_CASE("F15: cuDNN 8 and 9 are different, and 8 must be where the loader looks") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  tree.variables["CUDA_HOME"] = prefix;
  tree.variables["PATH"] = prefix + "/bin";
  tree.cudnn(prefix + "/lib", "8.9.7");
  CHECK(says(tree.finding("cudnn.not-found").help, "LD_LIBRARY_PATH=" + prefix + "/lib"));
  tree.variables["LD_LIBRARY_PATH"] = prefix + "/lib";
  CHECK_FALSE(tree.has("cudnn.not-found"));
  tree.cudnn("/nine", "9.19.0");
  tree.variables["LD_LIBRARY_PATH"] = prefix + "/lib:/nine";
  CHECK(says(tree.finding("cudnn.several-majors").why, "libcudnn_ops_infer.so.8"));
}

TEST_CASE("F15: cuDNN 9 finds its parts beside itself") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  tree.variables["CUDA_HOME"] = prefix;
  tree.variables["PATH"] = prefix + "/bin";
  tree.cudnn(prefix + "/lib", "9.19.0");
  CHECK_FALSE(tree.has("cudnn.not-found"));
}

TEST_CASE("a loader cache that lists what is gone is told") {
  Sysroot tree;
  tree.toolkit("11.8.0");
  tree.loader_cache({{"libcudart.so.10.2", "/usr/local/cuda-10.2/lib64/libcudart.so.10.2"},
                     {"libcudart.so.11.0", "/usr/local/cuda-11.8.0/lib64/libcudart.so.11.0"},
                     {"libm.so.6", "/gone/libm.so.6"}});
  CHECK(tree.finding("loader.cache-stale").seen ==
        "ld.so.cache lists 1 NVIDIA library that is not there");
  CHECK(tree.has("loader.cache-toolkit"));
}
