#include <doctest/doctest.h>

#include "catalog/wheels.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;

namespace {

const std::string metadata =
    "Metadata-Version: 2.4\r\n"
    "Name: cuda-toolkit\r\n"
    "Version: 13.5.0\r\n"
    "Provides-Extra: all\r\n"
    "Requires-Dist: nvidia-cublas==13.10.0.20.*; (sys_platform == 'linux' and platform_machine == "
    "'aarch64' or sys_platform == 'linux' and platform_machine == 'x86_64' or sys_platform == "
    "'win32' and platform_machine == 'AMD64') and extra == 'all'\r\n"
    "Requires-Dist: nvidia-cudla==13.5.25.*; (sys_platform == 'linux' and platform_machine == "
    "'aarch64') and extra == 'all'\r\n"
    "Provides-Extra: cufft\r\n"
    "Requires-Dist: nvidia-cufft==12.5.0.14.*; (sys_platform == 'linux') and extra == 'cufft'\r\n"
    "Requires-Dist: nvidia-nvjitlink<14,>=13.5.37; (sys_platform == 'linux') and extra == "
    "'cufft'\r\n"
    "Provides-Extra: vs\r\n"
    "Requires-Dist: nvidia-vs==1.0; sys_platform == 'win32' and extra == 'vs'\r\n"
    "\r\n"
    "| Extra | Package |\r\n"
    "Provides-Extra: not-a-header\r\n";

using Wanted = std::map<std::string, std::string>;

Wanted of_extra(const std::string& requirement) {
  const auto all = parse_requirements("Provides-Extra: x\nRequires-Dist: " + requirement + "\n");
  return all.at("x");
}

}  // namespace

TEST_CASE("a meta wheel's extras tell which wheels a release is made of") {
  const auto any = parse_requirements(metadata);
  REQUIRE(any.size() == 3);
  CHECK(any.at("all") == Wanted{{"nvidia-cublas", "13.10.0.20"}, {"nvidia-cudla", "13.5.25"}});
  CHECK(any.at("cufft") == Wanted{{"nvidia-cufft", "12.5.0.14"}, {"nvidia-nvjitlink", "13.5.37"}});
  CHECK(any.at("vs").empty());

  CHECK(parse_requirements(metadata, "x86_64").at("all") ==
        Wanted{{"nvidia-cublas", "13.10.0.20"}});
  CHECK(parse_requirements(metadata, "aarch64").at("all").count("nvidia-cudla") == 1);
  CHECK(parse_requirements(metadata, "riscv64").at("all").empty());
}

TEST_CASE("requirements are read in every form that pip accepts") {
  const Wanted wanted{{"a-b", "1.2"}};
  CHECK(of_extra("A_b==1.2.* ; extra == 'x'") == wanted);
  CHECK(of_extra("a.b (==1.2) ; extra == \"x\"") == wanted);
  CHECK(of_extra("a-b[y,z]~=1.2; 'x' == extra") == wanted);
  CHECK(of_extra("a-b <3, >= 1.2; ((extra == 'x'))") == wanted);
  CHECK(of_extra("a-b===1.2; python_version >= '3.8' and extra == 'x'") == wanted);
  CHECK(of_extra("a-b==1.2; os_name == 'posix' and platform_system == 'Linux' and extra=='x'") ==
        wanted);
  CHECK(of_extra("a-b; extra == 'x'") == Wanted{{"a-b", ""}});
  CHECK(of_extra("a-b==1.2; sys_platform != 'linux' and extra == 'x'").empty());
  CHECK(of_extra("a-b==1.2; extra == 'y'").empty());
  CHECK(of_extra("a-b==1.2; extra == 'x' and extra != 'x'").empty());
  CHECK(of_extra("a-b==1.2").empty());
}

TEST_CASE("a malformed marker or requirement asks for nothing") {
  for (const char* odd :
       {"==1.2; extra == 'x'", "a[b; extra == 'x'", "a; extra == 'x", "a; extra ='x'",
        "a; (extra == 'x'", "a; extra == 'x')", "a; extra == 'x' and", "a; and extra == 'x'",
        "a; extra", "a; == 'x'", "a; extra == 'x' extra == 'x'", ";", "; extra == 'x'"}) {
    CAPTURE(odd);
    CHECK(of_extra(odd).empty());
  }
  CHECK(of_extra("a; " + std::string(100000, '(') + "extra == 'x'").empty());
  CHECK(parse_requirements("").empty());
}
