#include "activate/change.hpp"

#include <doctest/doctest.h>

#include "support/error_text.hpp"

using namespace cudaenv;
using namespace cudaenv::activate;

namespace {

const Prefix cuda11{"/r/cuda-11.8.0", {}};
const Prefix cuda12{"/r/cuda-12.1.1", {}};

Variables used(const Variables& before, const Prefix& prefix, const Options& options = {}) {
  return applied(before, change(before, prefix, options));
}

Variables left(const Variables& before) { return applied(before, leave(before)); }

}  // namespace

TEST_CASE("a toolkit's environment names it everywhere that tools look") {
  const auto after = used({{"PATH", "/usr/bin:/bin"}}, cuda12);
  for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT"}) {
    CHECK(after.at(name) == "/r/cuda-12.1.1");
  }
  CHECK(after.at("CUDACXX") == "/r/cuda-12.1.1/bin/nvcc");
  CHECK(after.at("PATH") == "/r/cuda-12.1.1/bin:/usr/bin:/bin");
  CHECK(after.at("LD_LIBRARY_PATH") == "/r/cuda-12.1.1/lib");
  CHECK(after.at("PKG_CONFIG_PATH") == "/r/cuda-12.1.1/pkg-config");
}

TEST_CASE("a change says what lists gain and lose, and nothing of what stays") {
  const Variables before{{"PATH", "/bin"}, {"LD_LIBRARY_PATH", "/opt/x"}, {"HOME", "/home/a"}};
  const auto first = change(before, cuda11, {.ld_path = false});
  CHECK(first.added == std::vector<Entry>{{"PATH", "/r/cuda-11.8.0/bin"},
                                          {"PKG_CONFIG_PATH", "/r/cuda-11.8.0/pkg-config"}});
  CHECK(first.removed.empty());
  CHECK_FALSE(first.variables.contains("HOME"));
  CHECK_FALSE(first.variables.contains("LD_LIBRARY_PATH"));

  const auto back = leave(applied(before, first));
  CHECK(back.removed == first.added);
  CHECK(back.variables.at("CUDA_HOME") == std::nullopt);
  CHECK(back.variables.at("PATH") == "/bin");
}

TEST_CASE("no list gets an empty element, and the user's own stay where they are") {
  const Variables before{{"PATH", ":/bin::"}, {"LD_LIBRARY_PATH", ""}};
  const auto after = used(before, cuda12);
  CHECK(after.at("PATH") == "/r/cuda-12.1.1/bin::/bin::");
  CHECK(after.at("LD_LIBRARY_PATH") == "/r/cuda-12.1.1/lib");
  CHECK(left(after) == before);
}

TEST_CASE("MANPATH is extended only where it does not stand for the system's manuals") {
  CHECK_FALSE(used({}, cuda12).contains("MANPATH"));
  CHECK(used({{"MANPATH", ""}}, cuda12).at("MANPATH").empty());
  CHECK(used({{"MANPATH", "/m:"}}, cuda12).at("MANPATH") == "/r/cuda-12.1.1/share/man:/m:");
}

TEST_CASE("an unset PATH goes on meaning the system's programs") {
  const auto after = used({}, cuda12);
  CHECK(after.at("PATH") == "/r/cuda-12.1.1/bin:/usr/bin:/bin");
  CHECK(left(after).empty());
}

TEST_CASE("a switch takes out what the last toolkit had put in, and nothing else") {
  const Variables before{{"PATH", "/usr/bin"}, {"LD_LIBRARY_PATH", "/opt/x/lib"}};
  const auto twice = used(used(before, cuda11), cuda12);
  CHECK(twice == used(before, cuda12));
  CHECK(twice.at("PATH") == "/r/cuda-12.1.1/bin:/usr/bin");
  CHECK(twice.at("LD_LIBRARY_PATH") == "/r/cuda-12.1.1/lib:/opt/x/lib");
  CHECK(change(twice, cuda12).empty());
  CHECK(left(twice) == before);
}

TEST_CASE("F25: after many switches and a login shell's profile each list has one entry of ours") {
  const Variables before{{"PATH", "/usr/bin:/bin"}};
  auto now = before;
  for (int i = 0; i < 20; ++i) now = used(used(now, cuda11), cuda12);
  now["PATH"] = "/usr/local/bin:" + now["PATH"];
  now = used(now, cuda12);
  CHECK(now.at("PATH") == "/r/cuda-12.1.1/bin:/usr/local/bin:/usr/bin:/bin");
  CHECK(left(now) == Variables{{"PATH", "/usr/local/bin:/usr/bin:/bin"}});
}

TEST_CASE("variables of another toolkit come back, set or empty as they were") {
  const Variables before{{"PATH", "/bin"},
                         {"CUDA_PATH", "/usr/local/cuda-11.8"},
                         {"CUDA_HOME", "/opt/old"},
                         {"CUDA_ROOT", ""}};
  const auto after = used(before, cuda12);
  CHECK(after.at("CUDA_PATH") == after.at("CUDA_HOME"));
  CHECK(left(after) == before);
  CHECK(left(used(after, cuda11)) == before);
}

TEST_CASE("what the user sets after a toolkit was activated stays") {
  auto now = used({{"PATH", "/bin"}}, cuda11);
  now["CUDA_HOME"] = "/my/own";
  now["PATH"] += ":/added/later";
  now.erase("CUDACXX");
  CHECK(left(now) == Variables{{"CUDA_HOME", "/my/own"}, {"PATH", "/bin:/added/later"}});
  CHECK(left(used(now, cuda12)) == left(now));
}

TEST_CASE("a folder of the toolkit that the user had in a list himself stays in its place") {
  const Variables behind{{"PATH", "/bin:/r/cuda-12.1.1/bin:/sbin"}};
  const auto after = used(behind, cuda12);
  CHECK(after.at("PATH") == "/r/cuda-12.1.1/bin:/bin:/r/cuda-12.1.1/bin:/sbin");
  CHECK(left(after) == behind);

  const Variables first{{"PATH", "/r/cuda-12.1.1/bin:/bin"}};
  CHECK(used(first, cuda12).at("PATH") == first.at("PATH"));
  CHECK(left(used(first, cuda12)) == first);
}

TEST_CASE("an entry that the user took out himself is not missed, nor is its like taken") {
  auto now = used({{"PATH", "/bin:/r/cuda-12.1.1/bin"}}, cuda12);
  now["PATH"] = "/bin:/r/cuda-12.1.1/bin";
  CHECK(left(now) == Variables{{"PATH", "/bin:/r/cuda-12.1.1/bin"}});
}

TEST_CASE("LD_LIBRARY_PATH and CUDACXX can be left alone, and libraries added") {
  const auto after = used({{"CUDACXX", "mine"}}, cuda12, {.ld_path = false, .cudacxx = false});
  CHECK_FALSE(after.contains("LD_LIBRARY_PATH"));
  CHECK(after.at("CUDACXX") == "mine");

  const auto more = used({{"LD_LIBRARY_PATH", "/x"}}, {"/p", {"/d/lib"}});
  CHECK(more.at("LD_LIBRARY_PATH") == "/p/lib:/d/lib:/x");
  // The next time without: the switch takes both out.
  CHECK(used(more, cuda12, {.ld_path = false}).at("LD_LIBRARY_PATH") == "/x");
}

TEST_CASE("what is active, and what asked for it, is known from the environment") {
  CHECK_FALSE(active({{"CUDA_HOME", "/usr/local/cuda"}}));
  const auto now = used({}, cuda12, {.chosen_by = "/a b/.cudaenv:3"});
  CHECK(active(now)->prefix == "/r/cuda-12.1.1");
  CHECK(active(now)->chosen_by == "/a b/.cudaenv:3");
  CHECK(active(used(now, cuda11))->chosen_by.empty());
  CHECK_FALSE(active(left(now)));
}

TEST_CASE("a damaged memory of what was changed is dropped, and no harm is done") {
  for (const char* text : {"", "1:V", "2", "1:L,PATH,-,/x", "1:V,LD PRELOAD,-,x", "1:V,A,-,%"}) {
    const Variables before{{"PATH", "/bin"}, {"CUDAENV_SAVED", text}, {"CUDAENV_ACTIVE", "/x"}};
    CHECK(left(before) == Variables{{"PATH", "/bin"}});
    CHECK(left(used(before, cuda12)) == Variables{{"PATH", "/bin"}});
  }
  CHECK(leave({{"PATH", "/bin"}}).empty());
}

TEST_CASE("a path that a list cannot hold is refused") {
  const auto text = test::error_text([] { change({}, {"/a:b", {}}); });
  CHECK(text.find("cannot activate `/a:b`") != std::string::npos);
  CHECK(text.find("separates the folders of PATH") != std::string::npos);
  CHECK(test::error_text([] {
          change({}, {"/a;b", {}});
        }).find("LD_LIBRARY_PATH") != std::string::npos);
  CHECK_NOTHROW(change({}, {"/a;b", {}}, {.ld_path = false}));
  CHECK(test::error_text([] {
          change({}, {"relative", {}});
        }) == "`relative` is not an absolute path");
}
