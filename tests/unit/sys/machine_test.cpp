#include "sys/machine.hpp"

#include <sched.h>
#include <string>
#include <sys/utsname.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "support/temp_dir.hpp"
#include "unit/sys/child.hpp"

using namespace cudaenv;

TEST_CASE("the machine is called what uname calls it") {
  utsname names;
  REQUIRE(::uname(&names) == 0);
  CHECK(sys::this_machine().name == names.machine);
  CHECK(sys::host_name() == names.nodename);
}

TEST_CASE("processors are those that this process may use, not those that are there") {
  const int status = test::in_child([] {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return 98;
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    if (::sched_setaffinity(0, sizeof set, &set) != 0) return 97;
    return static_cast<int>(sys::this_machine().processors);
  });
  CHECK(status == 1);
}

TEST_CASE("the time is UTC in ISO form") {
  const std::string now = sys::now_utc();
  REQUIRE(now.size() == 20);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string_view form = "0000-00-00T00:00:00Z";
    CAPTURE(i);
    CHECK((form[i] == '0' ? now[i] >= '0' && now[i] <= '9' : now[i] == form[i]));
  }
  CHECK(now > "2024-01-01T00:00:00Z");
}

TEST_CASE("the running program knows its own file and its user") {
  CHECK(sys::own_program().filename() == "unit_sys");
  CHECK(sys::is_root() == (::geteuid() == 0));
}

TEST_CASE("the working directory is as the user came to it, if that is true") {
  const test::TempDir folder;
  folder.make_dir("real/sub");
  std::filesystem::create_directory_symlink("real", folder / "link");
  // In a child: the directory is the whole process's.
  const int status = test::in_child([&] {
    const auto real = std::filesystem::canonical(folder / "real/sub");
    if (::chdir((folder / "link/sub").c_str()) != 0) return 99;
    if (sys::working_directory((folder / "link/sub").string()) != folder / "link/sub") return 1;
    for (const char* untrue : {"", ".", "link/sub", "/", "/nowhere"}) {
      if (sys::working_directory(untrue) != real) return 2;
    }
    if (sys::working_directory((folder / "link/../link/sub").string()) != real) return 3;
    if (sys::working_directory(std::nullopt) != real) return 4;
    if (::rmdir(real.c_str()) != 0) return 98;
    return sys::working_directory(real.string()).empty() ? 0 : 5;
  });
  CHECK(status == 0);
}
