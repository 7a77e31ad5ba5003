// Which toolkit holds: in this shell, in this folder, by default.
#include "commands/choice.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "commands/toolkit_choice.hpp"
#include "support/error_text.hpp"
#include "support/test_host.hpp"
#include "sys/machine.hpp"
#include "unit/store/sample.hpp"

using namespace cudaenv;
using commands::ChosenBy;
using commands::Toolkits;
using test::error_text;
using test::TempDir;
using test::TestHost;

namespace fs = std::filesystem;

namespace {

using More = std::vector<std::pair<std::string, std::string>>;

// A root with some toolkits and a folder for projects.
struct Fixture {
  Fixture() {
    for (const char* version : {"11.8.0", "12.1.0", "12.1.1"}) {
      test::make_prefix(layout, std::string("cuda-") + version, version);
    }
    auto receipt = test::sample_receipt("cuda-11.8-cudnn89", "11.8.0");
    receipt.components.push_back(receipt.components.front());
    receipt.components.back().name = "cudnn";
    receipt.components.back().product = "cudnn";
    receipt.components.back().version = "8.9.7.29";
    const fs::path prefix = layout.root() / receipt.name;
    fs::create_directories(prefix / ".cudaenv");
    folder.make_file("root/cuda-11.8-cudnn89/.cudaenv/receipt.json", store::write_receipt(receipt));
    folder.make_dir("p/a/b");
  }

  TestHost host_in(const std::string& place, More more = {}) const {
    more.emplace_back("CUDAENV_ROOT", layout.root().string());
    more.emplace_back("PWD", (folder / place).string());
    return TestHost(more);
  }

  // "cuda-12.1.1 by ...", with the folder called DIR.
  std::string chosen(const std::string& place, const More& more = {}) const {
    const TestHost host = host_in(place, more);
    std::string result;
    const auto error = error_text([&] {
      const auto choice = Toolkits(host.host()).chosen();
      result = choice.prefix.receipt.name + " by " + choice.where;
    });
    if (error != "no error") result = error;
    const std::string name = folder.path().string();
    for (auto at = result.find(name); at != std::string::npos; at = result.find(name)) {
      result.replace(at, name.size(), "DIR");
    }
    return result;
  }

  std::string path_of(const std::string& name) const { return (layout.root() / name).string(); }

  TempDir folder;
  store::Layout layout = store::Layout::user(folder / "root");
};

}  // namespace

TEST_CASE_FIXTURE(Fixture,
                  "the shell's toolkit comes before the project's, that before the default") {
  CHECK(chosen("p").starts_with("no toolkit is active and there is no default"));
  fs::create_directory_symlink("cuda-12.1.0", folder / "root/cuda");
  CHECK(chosen("p/a/b") == "cuda-12.1.0 by DIR/root/cuda");
  folder.make_file("p/.cudaenv", "# c\r\n11.8.0\r\n");
  CHECK(chosen("p/a/b") == "cuda-11.8.0 by DIR/p/.cudaenv:2");
  CHECK(chosen("p/a/b", {{"CUDA_HOME", path_of("cuda")}}) == "cuda-12.1.0 by CUDA_HOME");
  CHECK(chosen("p/a/b", {{"CUDA_HOME", "/opt/other"}}) == "cuda-11.8.0 by DIR/p/.cudaenv:2");
  CHECK(chosen("p/a/b", {{"CUDA_HOME", path_of("cuda")},
                         {"CUDAENV_ACTIVE", path_of("cuda-12.1.1")},
                         {"CUDAENV_CHOSEN_BY", "use 12"}}) == "cuda-12.1.1 by use 12");
  CHECK(chosen("p", {{"CUDAENV_ACTIVE", path_of("cuda-9.0")}})
            .starts_with("the active toolkit `DIR/root/cuda-9.0` is not there any more"));
}

TEST_CASE_FIXTURE(Fixture, "the nearest file of a folder or those above it holds") {
  folder.make_file("p/.cudaenv", "12.1");
  CHECK(chosen("p") == "cuda-12.1.1 by DIR/p/.cudaenv:1");
  CHECK(chosen("p/a/b") == "cuda-12.1.1 by DIR/p/.cudaenv:1");
  folder.make_file("p/a/.cudaenv", "cuda = \"11.8.0\"");
  CHECK(chosen("p/a/b") == "cuda-11.8.0 by DIR/p/a/.cudaenv:1");
  CHECK(chosen("p") == "cuda-12.1.1 by DIR/p/.cudaenv:1");
  // Not files: a folder, a link to nowhere, what would be waited for.
  folder.make_dir("p/a/b/.cudaenv");
  CHECK(chosen("p/a/b") == "cuda-11.8.0 by DIR/p/a/.cudaenv:1");
  fs::remove(folder / "p/a/b/.cudaenv");
  fs::create_symlink("nowhere", folder / "p/a/b/.cudaenv");
  CHECK(chosen("p/a/b") == "cuda-11.8.0 by DIR/p/a/.cudaenv:1");
  fs::remove(folder / "p/a/b/.cudaenv");
  REQUIRE(::mkfifo((folder / "p/a/b/.cudaenv").c_str(), 0600) == 0);
  CHECK(chosen("p/a/b") == "cuda-11.8.0 by DIR/p/a/.cudaenv:1");
}

TEST_CASE_FIXTURE(Fixture, "the search ends at the folder that CUDAENV_CEILING names") {
  folder.make_file(".cudaenv", "12.1");
  CHECK(chosen("p/a") == "cuda-12.1.1 by DIR/.cudaenv:1");
  const auto with_ceiling = [&](const std::string& ceiling) {
    return chosen("p/a", {{"CUDAENV_CEILING", ceiling}});
  };
  for (const char* below : {"p", "p/", "p/a"}) {
    CHECK(with_ceiling((folder / below).string()).starts_with("no toolkit is active"));
  }
  // The ceiling itself is looked at, and one that is elsewhere ends nothing.
  CHECK(with_ceiling(folder.path().string()) == "cuda-12.1.1 by DIR/.cudaenv:1");
  CHECK(with_ceiling((folder / "q").string()) == "cuda-12.1.1 by DIR/.cudaenv:1");
  CHECK(with_ceiling("") == "cuda-12.1.1 by DIR/.cudaenv:1");
}

TEST_CASE_FIXTURE(Fixture, "a file that asks for a library takes a toolkit that has it") {
  folder.make_file("p/.cudaenv", "cuda = \"11.8\"\ncudnn = \"8.9\"\n");
  CHECK(chosen("p") == "cuda-11.8-cudnn89 by DIR/p/.cudaenv:1");
  folder.make_file("p/.cudaenv", "cuda = \"11.8-cudnn89\"\ncudnn = \"latest\"\n");
  CHECK(chosen("p") == "cuda-11.8-cudnn89 by DIR/p/.cudaenv:1");
  folder.make_file("p/.cudaenv", "cuda = \"11.8\"\ncudnn = \"8.8\"\n");
  CHECK(chosen("p") ==
        "no installed toolkit matches `11.8` with cudnn 8.8: installed: 12.1.1, 12.1.0, "
        "11.8-cudnn89, 11.8.0: `DIR/p/.cudaenv` line 1 asks for it | install it with `cudaenv "
        "install 11.8 --with cudnn@8.8`");
}

TEST_CASE_FIXTURE(Fixture,
                  "a file that cannot be read or that names what is not there is an error") {
  folder.make_file("p/.cudaenv", "13.0\n");
  CHECK(chosen("p").starts_with("no installed toolkit matches `13.0`"));
  folder.make_file("p/.cudaenv", "../../etc\n");
  CHECK(chosen("p").starts_with("cannot read `DIR/p/.cudaenv`: line 1: `../../etc`"));
  folder.make_file("p/.cudaenv", std::string(100000, '#'));
  CHECK(chosen("p").find("DIR/p/.cudaenv") != std::string::npos);
  if (sys::is_root()) return;
  folder.make_file("p/.cudaenv", "12.1\n");
  fs::permissions(folder / "p/.cudaenv", fs::perms::none);
  CHECK(chosen("p/a").find("DIR/p/.cudaenv") != std::string::npos);
  CHECK(chosen("p/a").find("ermission") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "unknown keys are told, and harm nothing") {
  folder.make_file("p/.cudaenv", "cuda = \"12.1\"\nprofil = \"dev\"\n");
  const TestHost host = host_in("p");
  CHECK(Toolkits(host.host()).chosen().prefix.receipt.name == "cuda-12.1.1");
  REQUIRE(host.progress.lines().size() == 1);
  CHECK(host.progress.lines()[0] ==
        "note `" + (folder / "p/.cudaenv").string() +
            "` line 2: there is no key `profil`; did you mean `profile`?");
}

TEST_CASE_FIXTURE(Fixture, "a file that names a framework takes the toolkit that it is made for") {
  const auto asks = [&](const std::string& cuda, const std::string& framework) {
    folder.make_file("p/.cudaenv", "cuda = \"" + cuda + "\"\nfor = \"" + framework + "\"\n");
    return chosen("p");
  };
  // PyTorch brings its own libraries, and its builds are of 11.8 and 12.1.
  CHECK(asks("latest", "pytorch==2.1") == "cuda-12.1.1 by DIR/p/.cudaenv:1");
  CHECK(asks("11", "pytorch==2.1") == "cuda-11.8.0 by DIR/p/.cudaenv:1");
  // TensorFlow 2.13 is for 11.8 with cuDNN 8.6, also where newer toolkits would be allowed.
  CHECK(asks("latest", "tensorflow==2.13").starts_with("cuda-11.8"));
  auto receipt = test::sample_receipt("cuda-tf", "11.8.0");
  receipt.components.push_back(receipt.components.front());
  receipt.components.back().name = receipt.components.back().product = "cudnn";
  receipt.components.back().version = "8.6.0.163";
  folder.make_file("root/cuda-tf/.cudaenv/receipt.json", store::write_receipt(receipt));
  CHECK(asks("latest", "tensorflow==2.13") == "cuda-tf by DIR/p/.cudaenv:1");
  CHECK(asks("11.8-cudnn89", "tensorflow==2.13") == "cuda-11.8-cudnn89 by DIR/p/.cudaenv:1");
  CHECK(asks("12.1", "tensorflow==2.13") ==
        "no installed toolkit matches `12.1` for tensorflow==2.13: installed: 12.1.1, 12.1.0, "
        "11.8-cudnn89, 11.8.0, tf: `DIR/p/.cudaenv` line 1 asks for it | install it with "
        "`cudaenv install 12.1 --for tensorflow==2.13`");
  CHECK(asks("12.1", "tensorflwo").find("`DIR/p/.cudaenv` line 1") != std::string::npos);
}

TEST_CASE_FIXTURE(Fixture, "what takes any toolkit takes what holds here, then those of others") {
  folder.make_dir("opt/cuda");
  folder.make_file("q/.cudaenv", "11.8.0");
  const std::string other = (folder / "opt/cuda").string();
  const auto taken = [&](const std::string& place, const More& more = {},
                         const std::string& spec = "") {
    const TestHost host = host_in(place, more);
    const auto found = commands::chosen_toolkit(spec, host.host());
    return found ? found->name : std::string("none");
  };
  // This machine may have a default of its own in /usr/local.
  CHECK(taken("p", {{"CUDA_HOME", other}}) == other);
  CHECK(taken("p", {{"CUDA_HOME", other + "/gone"}}) == taken("p"));
  CHECK(taken("q") == "cuda-11.8.0");
  CHECK(taken("q", {{"CUDA_HOME", other}}) == "cuda-11.8.0");
  CHECK(taken("q", {{"CUDA_HOME", path_of("cuda-12.1.0")}}) == "cuda-12.1.0");
  CHECK(taken("q", {{"CUDAENV_ACTIVE", path_of("cuda-12.1.1")}}) == "cuda-12.1.1");
  CHECK(taken("q", {}, other) == other);
  CHECK(taken("q", {}, "12.1.0") == "cuda-12.1.0");
  fs::create_directory_symlink("cuda-12.1.0", folder / "root/cuda");
  CHECK(taken("p") == "cuda-12.1.0");
  CHECK(taken("p", {{"CUDA_HOME", other}}) == other);
  // A default that somebody else installed.
  fs::remove(folder / "root/cuda");
  fs::create_directory_symlink(other, folder / "root/cuda");
  CHECK(taken("p") == other);
}
