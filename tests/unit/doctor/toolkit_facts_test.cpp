#include "doctor/toolkit_facts.hpp"

#include <doctest/doctest.h>

#include "unit/doctor/sysroot.hpp"

using namespace cudaenv;
using cudaenv::test::Sysroot;

namespace {

std::string text(const std::optional<Version>& version) { return version ? version->text() : "-"; }

std::string version_at(const Sysroot& tree, const std::string& prefix) {
  const auto facts = doctor::toolkit_facts(sys::Tree(tree.dir().path()), prefix);
  return facts ? text(facts->version()) : "none";
}

}  // namespace

TEST_CASE("F48: each source tells the version") {
  const Sysroot tree;
  for (const char* prefix : {"/a", "/b", "/c", "/d", "/e"}) {
    tree.program(std::string(prefix) + "/bin/nvcc");
  }
  tree.file("/a/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.1.1"}})");
  tree.file("/b/version.txt", "CUDA Version 10.1.243\n");
  tree.file("/c/include/cuda.h", "\n#define CUDA_VERSION 12010\n");
  tree.program("/d/bin/nvcc", "tools, release 12.1, V12.1.105\nBuild cuda_12.1.r12.1/compiler.1\n");
  CHECK(version_at(tree, "/a") == "12.1.1");
  CHECK(version_at(tree, "/b") == "10.1.243");
  CHECK(version_at(tree, "/c") == "12.1");
  CHECK(version_at(tree, "/d") == "12.1");
  CHECK(version_at(tree, "/e") == "-");
  CHECK(version_at(tree, "/none") == "none");
}

TEST_CASE("texts that tell no version tell none") {
  for (const char* bad : {"", "{", "[]", "{\"cuda\": 12}", "{\"cuda\": {\"version\": 12}}",
                          "{\"cuda\": {\"version\": \"twelve\"}}"}) {
    CHECK(text(doctor::version_of_json(bad)) == "-");
  }
  CHECK(text(doctor::version_of_text("CUDA Version")) == "-");
  CHECK(text(doctor::version_of_header("#define CUDA_VERSION x\n")) == "-");
  CHECK(text(doctor::version_of_header("#define CUDA_VERSION 99999999999999999999\n")) == "-");
  CHECK(text(doctor::version_of_nvcc("release 12, V")) == "-");
  CHECK(text(doctor::version_of_nvcc("release 12.1")) == "-");
}

TEST_CASE("this machine's own toolkit is read, where there is one") {
  const auto facts = doctor::toolkit_facts(sys::Tree(), "/usr/local/cuda");
  if (!facts) {
    MESSAGE("SKIP: there is no /usr/local/cuda");
    return;
  }
  CHECK(facts->version().has_value());
  for (const auto& claim : facts->claims) {
    CHECK(claim.version.first(2) == facts->version()->first(2));
  }
}

TEST_CASE("the prefix of a compiler is the folder above its bin, of a distribution's /usr") {
  const Sysroot tree;
  tree.program("/usr/local/cuda-12.1/bin/nvcc");
  tree.program("/usr/lib/nvidia-cuda-toolkit/bin/nvcc");
  tree.link("/usr/local/bin/nvcc", "/usr/local/cuda-12.1/bin/nvcc");
  tree.link("/usr/bin/nvcc", "../lib/nvidia-cuda-toolkit/bin/nvcc");
  const sys::Tree root(tree.dir().path());
  CHECK(doctor::prefix_of_nvcc(root, "/usr/local/bin/nvcc") == "/usr/local/cuda-12.1");
  CHECK(doctor::prefix_of_nvcc(root, "/usr/bin/nvcc") == "/usr");
}

TEST_CASE("compilers are known by their names") {
  const auto known = [](const char* name) {
    const auto found = doctor::compiler_of_name(name);
    return found ? found->family + " " + found->version.text() : std::string("-");
  };
  CHECK(known("g++-12") == "gcc 12");
  CHECK(known("x86_64-linux-gnu-gcc-13") == "gcc 13");
  CHECK(known("clang++-14") == "clang 14");
  CHECK(known("gcc") == "-");
  CHECK(known("gcc-ar-12") == "-");
  CHECK(known("g++-") == "-");
}

TEST_CASE("a tree's C library tells its version") {
  Sysroot tree;
  tree.file("/lib/x86_64-linux-gnu/libc.so.6",
            "\x7f"
            "ELF...GNU C Library (Debian GLIBC 2.41-12) stable release version 2.41.\nCopyright");
  CHECK(text(tree.seen().glibc) == "2.41");
  CHECK(text(doctor::version_of_glibc("GNU C Library (x) development release version 2.9000.")) ==
        "2.9000");
  CHECK(text(doctor::version_of_glibc("release version 2.41")) == "-");
}

TEST_CASE("a tree's compilers are known without running them") {
  Sysroot tree;
  tree.program("/usr/bin/x86_64-linux-gnu-gcc-13");
  tree.program("/usr/bin/g++-12");
  tree.program("/usr/bin/g++-13");
  tree.link("/usr/bin/gcc-13", "x86_64-linux-gnu-gcc-13");
  tree.link("/usr/bin/gcc", "gcc-13");
  const auto compilers = tree.seen().compilers;
  REQUIRE(compilers.chosen);
  CHECK(compilers.chosen->version.text() == "13");
  REQUIRE(compilers.installed.size() == 2);
  CHECK(compilers.installed[1].path == "/usr/bin/g++-12");

  Sysroot rhel;
  rhel.program("/usr/bin/gcc");
  rhel.file("/usr/lib/gcc/x86_64-redhat-linux/11/cc1plus");
  rhel.program("/opt/rh/gcc-toolset-13/root/usr/bin/g++");
  CHECK(rhel.seen().compilers.chosen->version.text() == "11");
  CHECK(rhel.seen().compilers.installed.front().path == "/opt/rh/gcc-toolset-13/root/usr/bin/g++");
}

TEST_CASE("NVCC_CCBIN names the host compiler, a file or its folder") {
  Sysroot tree;
  tree.program("/opt/gcc/bin/gcc");
  tree.program("/opt/gcc/bin/g++-10");
  tree.program("/usr/bin/gcc-9");
  tree.variables["NVCC_CCBIN"] = "/opt/gcc/bin/g++-10";
  CHECK(tree.seen().compilers.chosen->version.text() == "10");
  tree.variables["NVCC_CCBIN"] = "gcc-9";
  CHECK(tree.seen().compilers.chosen->path == "/usr/bin/gcc-9");
  // An nvcc that does not read it takes that of PATH, where there is one.
  CHECK_FALSE(tree.seen().compilers.with(*Version::parse("12.4")).chosen);
  CHECK(tree.seen().compilers.with(*Version::parse("12.5")).chosen->path == "/usr/bin/gcc-9");
  // nvcc's own flags count before it, and before CUDA 12.5 alone.
  tree.program("/usr/bin/g++-11");
  tree.variables["NVCC_PREPEND_FLAGS"] = "-O3  -ccbin /usr/bin/g++-11 -lineinfo";
  CHECK(tree.seen().compilers.chosen->version.text() == "11");
  tree.variables["NVCC_APPEND_FLAGS"] = "--compiler-bindir=/opt/gcc/bin/g++-10";
  CHECK(tree.seen().compilers.chosen->version.text() == "10");
  tree.variables.erase("NVCC_PREPEND_FLAGS");
  tree.variables.erase("NVCC_APPEND_FLAGS");
  tree.variables["NVCC_CCBIN"] = "/nowhere/g++";
  CHECK_FALSE(tree.seen().compilers.chosen);
}
