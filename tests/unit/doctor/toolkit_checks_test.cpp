#include <algorithm>
#include <sys/stat.h>

#include <doctest/doctest.h>

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

void activate(Sysroot& tree, const std::string& prefix) {
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    tree.variables[name] = prefix;
  }
  tree.variables["CUDACXX"] = prefix + "/bin/nvcc";
  tree.variables["PATH"] = prefix + "/bin:" + tree.variables["PATH"];
  tree.variables["LD_LIBRARY_PATH"] = prefix + "/lib";
}

const std::vector<std::string> no_driver{
    "note driver.absent: there is no NVIDIA driver in this tree"};

}  // namespace

TEST_CASE("a toolkit that cudaenv activates gives no finding") {
  Sysroot tree;
  activate(tree, tree.toolkit("12.1.1"));
  tree.link("/usr/local/cuda", "cuda-12.1.1");
  CHECK(tree.found() == no_driver);
  REQUIRE(tree.seen().active());
  CHECK(tree.seen().active()->version()->text() == "12.1.1");
}

TEST_CASE("F03: CUDA_HOME and the nvcc that runs of different majors are an error") {
  Sysroot tree;
  tree.toolkit("12.6.0");
  tree.link("/usr/local/cuda", "cuda-12.6.0");
  const auto older = tree.toolkit("11.8.0");
  tree.variables["PATH"] = older + "/bin:/usr/bin";
  tree.variables["CUDA_HOME"] = "/usr/local/cuda";
  auto finding = tree.finding("toolkit.nvcc-differs");
  CHECK(finding.severity == Severity::error);
  CHECK(says(finding.why, "11.8.0"));
  CHECK(says(finding.why, "12.6.0"));
  // The same with CUDA_HOME unset: builds look into /usr/local/cuda.
  tree.variables.erase("CUDA_HOME");
  CHECK(tree.finding("toolkit.nvcc-differs").severity == Severity::error);
}

TEST_CASE("F03: of different minors they are a warning, of one version a note") {
  Sysroot tree;
  tree.variables["CUDA_HOME"] = tree.toolkit("12.6.0");
  tree.variables["PATH"] = tree.toolkit("12.4.1") + "/bin";
  CHECK(tree.finding("toolkit.nvcc-differs").severity == Severity::warning);
  tree.variables["PATH"] = tree.toolkit("12.6.3") + "/bin";
  CHECK(tree.finding("toolkit.nvcc-differs").severity == Severity::note);
}

TEST_CASE("F09: every nvcc of PATH is listed in order, with version and owner") {
  Sysroot tree;
  tree.program("/usr/bin/nvcc");
  tree.file("/usr/lib/cuda/version.txt", "CUDA Version 11.5.119\n");
  tree.file("/usr/include/cuda.h", "#define CUDA_VERSION 11050\n");
  tree.library("/usr/lib/x86_64-linux-gnu", "libcudart.so.11.0", "libcudart.so.11.5.117");
  tree.variables["PATH"] = "/usr/bin:/bin:" + tree.toolkit("11.8.0", "/opt/cuda-11.8") + "/bin";
  const auto finding = tree.finding("toolkit.several-nvcc");
  REQUIRE(finding.why.size() == 2);
  CHECK(finding.why[0] == "`/usr/bin/nvcc` is 11.5 (distribution): this one runs");
  CHECK(finding.why[1] == "`/opt/cuda-11.8/bin/nvcc` is 11.8.0 (other installer)");
  REQUIRE(finding.help.size() == 1);  // the distribution's runs without
  CHECK(says(finding.help, "PATH=/opt/cuda-11.8/bin:$PATH"));
  CHECK(tree.has("toolkit.split"));
}

TEST_CASE("F09: one nvcc under two names is one") {
  Sysroot tree;
  tree.toolkit("12.1.1");
  tree.link("/usr/local/cuda", "cuda-12.1.1");
  tree.link("/usr/local/bin/nvcc", "../cuda/bin/nvcc");
  tree.variables["PATH"] = "/usr/local/cuda/bin:/usr/local/cuda-12.1.1/bin:/usr/local/bin";
  CHECK_FALSE(tree.has("toolkit.several-nvcc"));
  CHECK(tree.found() == no_driver);
}

TEST_CASE("F09: a link to ccache is not an nvcc: the next one runs") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  tree.program("/usr/bin/ccache");
  tree.link("/usr/lib/ccache/nvcc", "../../bin/ccache");
  tree.variables["PATH"] = "/usr/lib/ccache:" + prefix + "/bin:/usr/bin";
  tree.variables["CUDA_HOME"] = prefix;
  CHECK(tree.found() == no_driver);
}

TEST_CASE("F03: what is said to type activates the toolkit, whoever installed it") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  tree.link("/usr/local/cuda", "cuda-12.1.1");
  CHECK(tree.finding("toolkit.not-on-path").help ==
        std::vector<std::string>{"activate it with `export CUDA_HOME=/usr/local/cuda-12.1.1 "
                                 "CUDA_PATH=/usr/local/cuda-12.1.1 "
                                 "PATH=/usr/local/cuda-12.1.1/bin:$PATH`"});
  tree.file(prefix + "/.cudaenv/receipt.json", "{}");
  CHECK(tree.finding("toolkit.not-on-path").help ==
        std::vector<std::string>{"activate it with `eval \"$(cudaenv use 12.1.1)\"`"});
  const auto named = tree.toolkit("12.4.1", "/usr/local/cuda-my build");
  tree.file(named + "/.cudaenv/receipt.json", "{}");
  tree.variables["CUDA_HOME"] = named;
  tree.variables["CUDA_PATH"] = prefix;
  CHECK(says(tree.finding("toolkit.variables-disagree").help,
             "eval \"$(cudaenv use 'cuda-my build')\""));
  CHECK(says(tree.finding("toolkit.variables-disagree").help, "cudaenv use 12.1.1"));
}

TEST_CASE("F27: variables that name different toolkits are listed where they lead") {
  Sysroot tree;
  const auto older = tree.toolkit("11.8.0");
  activate(tree, tree.toolkit("12.1.1"));
  tree.variables["CUDA_PATH"] = older;
  const auto finding = tree.finding("toolkit.variables-disagree");
  CHECK(finding.severity == Severity::warning);
  CHECK(says(finding.why, "CUDA_PATH leads to `/usr/local/cuda-11.8.0`"));
  CHECK(says(finding.why, "CUDACXX leads to `/usr/local/cuda-12.1.1`"));
}

TEST_CASE("F27: links to one toolkit agree, and an empty CUDA_PATH is told") {
  Sysroot tree;
  activate(tree, tree.toolkit("12.1.1"));
  tree.link("/usr/local/cuda", "cuda-12.1.1");
  tree.variables["CUDA_PATH"] = "/usr/local/cuda";
  CHECK_FALSE(tree.has("toolkit.variables-disagree"));
  tree.variables["CUDA_PATH"] = "";
  CHECK(tree.finding("toolkit.variable-malformed").severity == Severity::warning);
}

TEST_CASE("F07: a CUDA_HOME with a colon is malformed, one that is not there dangles") {
  Sysroot tree;
  tree.variables["CUDA_HOME"] = ":/usr/local/cuda";
  CHECK(tree.finding("toolkit.variable-malformed").severity == Severity::error);
  tree.variables["CUDA_HOME"] = "cuda-12.1";
  CHECK(says(tree.finding("toolkit.variable-malformed").why, "absolute path"));
  tree.variables["CUDA_HOME"] = "/usr/local/cuda:/opt/cuda";
  CHECK(says(tree.finding("toolkit.variable-malformed").why, "colons"));
  tree.variables["CUDA_HOME"] = "/usr/local/cuda-9.0";
  const auto finding = tree.finding("toolkit.variable-dangling");
  CHECK(finding.severity == Severity::error);
  CHECK(finding.seen == "CUDA_HOME names `/usr/local/cuda-9.0`, which is not there");
}

TEST_CASE("F07: a conda environment with run-time libraries only is told from a toolkit") {
  Sysroot tree;
  tree.folder("/opt/conda/envs/ml/conda-meta");
  tree.file("/opt/conda/envs/ml/targets/x86_64-linux/include/cuda_runtime_api.h");
  tree.library("/opt/conda/envs/ml/lib", "libcudart.so.12", "libcudart.so.12.4.127");
  tree.variables["CONDA_PREFIX"] = "/opt/conda/envs/ml";
  CHECK(tree.finding("conda.run-time-only").severity == Severity::note);
  tree.variables["CUDA_HOME"] = "/opt/conda/envs/ml";
  CHECK(tree.finding("conda.run-time-only").severity == Severity::error);
  const auto seen = tree.seen();
  REQUIRE(seen.toolkit("/opt/conda/envs/ml"));
  CHECK(seen.toolkit("/opt/conda/envs/ml")->version()->text() == "12.4");
  CHECK(seen.toolkit("/opt/conda/envs/ml")->owner == doctor::Owner::conda);
}

TEST_CASE("what conda sees as __cuda is told") {
  Sysroot tree;
  tree.folder("/opt/conda/conda-meta");
  tree.variables["CONDA_PREFIX"] = "/opt/conda";
  CHECK(tree.has("conda.cuda"));
  tree.variables["CONDA_OVERRIDE_CUDA"] = "12.4";
  CHECK(tree.has("conda.override"));
}

TEST_CASE("F34: each hop of an alternatives chain is shown, and the version read at its end") {
  Sysroot tree;
  tree.toolkit("11.7.1", "/usr/local/cuda-11.7");
  tree.link("/usr/local/cuda", "/etc/alternatives/cuda");
  tree.link("/etc/alternatives/cuda", "/usr/local/cuda-11.7");
  tree.variables["CUDA_HOME"] = "/etc/alternatives/cuda";
  const auto finding = tree.finding("toolkit.default-alternatives");
  CHECK(finding.why.front() == "/usr/local/cuda -> /etc/alternatives/cuda -> /usr/local/cuda-11.7");
  CHECK(says(finding.help, "update-alternatives"));
  CHECK(tree.seen().active()->version()->text() == "11.7.1");
}

TEST_CASE("a default link that leads to nothing is an error") {
  Sysroot tree;
  tree.link("/usr/local/cuda", "cuda-11.2");
  CHECK(tree.finding("toolkit.default-dangling").severity == Severity::error);
}

TEST_CASE("F12: sudo that drops the activation is told") {
  Sysroot tree;
  tree.root = true;
  tree.variables["SUDO_USER"] = "ada";
  CHECK(says(tree.finding("sudo.activation-dropped").help, "cudaenv exec"));
  CHECK(says(tree.finding("sudo.activation-dropped").help, "sudo env PATH="));
  activate(tree, tree.toolkit("12.1.1"));
  CHECK_FALSE(tree.has("sudo.activation-dropped"));
}

TEST_CASE("F14: a toolkit without libdevice or ptxas is an error with what XLA wants") {
  Sysroot tree;
  const auto prefix = tree.toolkit("12.1.1");
  activate(tree, prefix);
  std::filesystem::remove_all(tree.dir() / "usr/local/cuda-12.1.1/nvvm");
  const auto finding = tree.finding("toolkit.no-libdevice");
  CHECK(finding.severity == Severity::error);
  CHECK(says(finding.help, "${XLA_FLAGS:+$XLA_FLAGS }--xla_gpu_cuda_data_dir"));
  tree.file(prefix + "/.cudaenv/receipt.json", "{}");
  CHECK(says(tree.finding("toolkit.no-libdevice").help, "`cudaenv install 12.1.1 --force`"));
  std::filesystem::remove(tree.dir() / "usr/local/cuda-12.1.1/bin/ptxas");
  CHECK(tree.has("toolkit.no-ptxas"));
}

TEST_CASE("F47: a toolkit without lib64 is told") {
  Sysroot tree;
  activate(tree, tree.toolkit("12.1.1"));
  std::filesystem::remove(tree.dir() / "usr/local/cuda-12.1.1/lib64");
  CHECK(tree.finding("toolkit.no-lib64").severity == Severity::warning);
}

TEST_CASE("F48: files of one toolkit that tell different versions are told") {
  Sysroot tree;
  activate(tree, tree.toolkit("12.1.1"));
  CHECK_FALSE(tree.has("toolkit.versions-disagree"));
  tree.file("/usr/local/cuda-12.1.1/include/cuda.h", "#define CUDA_VERSION 11080\n");
  const auto finding = tree.finding("toolkit.versions-disagree");
  CHECK(says(finding.why, "version.json says 12.1.1"));
  CHECK(says(finding.why, "cuda.h says 11.8"));
}

TEST_CASE("F54: what others cannot read is an error in a shared place") {
  Sysroot tree;
  activate(tree, tree.toolkit("12.1.1"));
  CHECK_FALSE(tree.has("toolkit.unreadable"));
  ::chmod((tree.dir() / "usr/local/cuda-12.1.1/include/cuda.h").c_str(), 0600);
  const auto finding = tree.finding("toolkit.unreadable");
  CHECK(finding.severity == Severity::error);
  CHECK(finding.why.front() == "`/usr/local/cuda-12.1.1/include/cuda.h`");
  CHECK(says(finding.help, "chmod -R a+rX"));
}

TEST_CASE("F02: the driver's ceiling and the active toolkit are two things") {
  Sysroot tree;
  activate(tree, tree.toolkit("11.3.1"));
  auto seen = tree.seen();
  seen.driver.facts.cuda = Version::parse("12.2");
  const auto findings = doctor::check_ceiling(seen);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].severity == Severity::note);
  CHECK(findings[0].seen == "the driver runs CUDA up to 12.2; the active toolkit is 11.3.1");
  seen.driver.facts.cuda = Version::parse("11.3");
  CHECK(doctor::check_ceiling(seen).empty());
}

TEST_CASE("every toolkit is judged on request, the active one else") {
  Sysroot tree;
  activate(tree, tree.toolkit("12.1.1"));
  tree.toolkit("11.8.0");
  std::filesystem::remove(tree.dir() / "usr/local/cuda-11.8.0/bin/ptxas");
  CHECK_FALSE(tree.has("toolkit.no-ptxas"));
  tree.judge_all = true;
  CHECK(tree.has("toolkit.no-ptxas"));
}

TEST_CASE("a hostile tree ends in findings") {
  Sysroot tree;
  tree.link("/usr/local/cuda", "/usr/local/cuda");
  tree.link("/usr/local/cuda-9", "../../../../../../etc");
  REQUIRE(::mkfifo((tree.dir() / "usr/local/cuda-pipe").c_str(), 0644) == 0);
  tree.folder("/usr/local/cuda-8/include");
  REQUIRE(::mkfifo((tree.dir() / "usr/local/cuda-8/version.json").c_str(), 0644) == 0);
  REQUIRE(::mkfifo((tree.dir() / "usr/local/cuda-8/include/cuda.h").c_str(), 0644) == 0);
  tree.file("/etc/ld.so.cache", "glibc-ld.so.cache1.1\xff\xff\xff\xff");
  tree.file("/usr/local/cuda-7/version.json", std::string(100'000, '['));
  tree.file("/usr/local/cuda-7/bin/nvcc", "release release release 99999999999.1, V");
  tree.variables["PATH"] = "/usr/local/cuda-7/bin:/dev/null:relative::";
  tree.variables["CUDA_HOME"] = "/usr/local/cuda-8";
  tree.judge_all = true;
  CHECK(tree.has("toolkit.default-dangling"));
}
