#include "cli/plan_print.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace cudaenv;
using cli::Style;

namespace {

Digest digest(char digit) { return *Digest::from_hex(std::string(64, digit)); }

install::Part part(const std::string& component, std::uint64_t size, bool stored) {
  install::Part result{
      {component,
       "cuda",
       "12.1.105",
       digest('a'),
       size,
       {"https://user:secret@mirror.example/" + component + ".tar.xz?token=hidden"},
       component + ".tar.xz"}};
  result.stored = stored;
  result.disk_bytes = 3 * size;
  return result;
}

commands::PreparedInstall prepared_install() {
  const install::Wish wish{*Version::parse("12.1.1"),
                           "cuda-12.1.1",
                           *Platform::parse("linux-x86_64"),
                           catalog::Profile::minimal,
                           {},
                           {},
                           false,
                           {},
                           {},
                           false};
  install::Plan plan{wish, "nvidia", {}, {}, {}, {}, true};
  plan.parts = {part("cuda_cudart", 1'200'000, true), part("cuda_nvcc", 43'000'000, false)};
  return {store::Layout::user("/opt/cuda"), plan, {}, {}, "", false, "/opt/cuda/cuda-12.1.1", {}};
}

}  // namespace

TEST_CASE("a plan names release, platform, source, place, every archive and the sums") {
  const auto prepared = prepared_install();
  const auto text = cli::plan_text(prepared, Style(false));
  CHECK(
      text.starts_with("CUDA 12.1.1 for linux-x86_64 from nvidia\n"
                       "  in /opt/cuda/cuda-12.1.1\n"
                       "  cuda_cudart  12.1.105  1.2 MB   here already\n"
                       "  cuda_nvcc    12.1.105  43.0 MB  fetch\n"
                       "to fetch: 43.0 MB in 1 archive; on disk about "));
  CHECK(text.find("\x1b") == std::string::npos);
}

TEST_CASE("a plan tells what it takes of an archive, what it lacks and what cannot be had") {
  auto prepared = prepared_install();
  prepared.plan.parts[1].filter = catalog::Filter::no_static;
  prepared.plan.lacking = {"cuda_gdb", "cuda_nsight"};
  prepared.plan.unusable = {"cuda_nvcc: it holds no compiler"};
  const auto text = cli::plan_text(prepared, Style(false));
  CHECK(text.find("fetch, no_static\n") != std::string::npos);
  CHECK(text.find("lacking: cuda_gdb, cuda_nsight\n") != std::string::npos);
  CHECK(text.find("not to be had: cuda_nvcc: it holds no compiler\n") != std::string::npos);
}

TEST_CASE("sizes that nobody knows before the transfer are a question mark, not zero") {
  auto prepared = prepared_install();
  for (auto& part : prepared.plan.parts) {
    part.offer.size = 0;
    part.disk_bytes = 0;
    part.stored = false;
  }
  const auto text = cli::plan_text(prepared, Style(false));
  CHECK(text.find("cuda_nvcc    12.1.105  ?  fetch\n") != std::string::npos);
  CHECK(text.find("to fetch: ? in 2 archives; on disk about ? more\n") != std::string::npos);
}

TEST_CASE("a plan that changes nothing says so and lists nothing") {
  auto prepared = prepared_install();
  prepared.already = true;
  CHECK(cli::plan_text(prepared, Style(false)) ==
        "CUDA 12.1.1 for linux-x86_64 from nvidia\n"
        "  in /opt/cuda/cuda-12.1.1\n"
        "it is installed so: nothing to do\n");
}

TEST_CASE("a plan as JSON has the documented fields") {
  auto prepared = prepared_install();
  prepared.plan.parts[1].offer.lacks = "no cuda-gdb";
  prepared.plan.lacking = {"cuda_gdb"};
  const auto text = cli::plan_json(prepared);
  CHECK(text.ends_with("}\n"));
  const auto json = nlohmann::json::parse(text);
  CHECK(json.at("schema") == 1);
  CHECK(json.at("cuda") == "12.1.1");
  CHECK(json.at("platform") == "linux-x86_64");
  CHECK(json.at("source") == "nvidia");
  CHECK(json.at("prefix") == "/opt/cuda/cuda-12.1.1");
  CHECK(json.at("changes") == true);
  CHECK(json.at("lacking") == nlohmann::json::array({"cuda_gdb"}));
  CHECK(json.at("unusable") == nlohmann::json::array());
  CHECK(json.at("fetch_bytes") == 43'000'000);
  CHECK(json.at("fetch_count") == 1);
  REQUIRE(json.at("parts").size() == 2);
  const auto& nvcc = json.at("parts")[1];
  CHECK(nvcc.at("component") == "cuda_nvcc");
  CHECK(nvcc.at("product") == "cuda");
  CHECK(nvcc.at("version") == "12.1.105");
  CHECK(nvcc.at("sha256") == std::string(64, 'a'));
  CHECK(nvcc.at("size") == 43'000'000);
  CHECK(nvcc.at("filter") == "all");
  CHECK(nvcc.at("stored") == false);
  CHECK(nvcc.at("lacks") == "no cuda-gdb");
}

TEST_CASE("a plan shows no credentials") {
  const auto prepared = prepared_install();
  const auto json = cli::plan_json(prepared);
  CHECK(json.find("secret") == std::string::npos);
  CHECK(json.find("hidden") == std::string::npos);
  CHECK(json.find("https://mirror.example/cuda_nvcc.tar.xz") != std::string::npos);
  CHECK(cli::plan_text(prepared, Style(false)).find("secret") == std::string::npos);
}

TEST_CASE("a prefix whose name is not UTF-8 still gives valid JSON") {
  auto prepared = prepared_install();
  prepared.prefix = "/opt/\xff/cuda-12.1.1";
  CHECK_FALSE(
      nlohmann::json::parse(cli::plan_json(prepared)).at("prefix").get<std::string>().empty());
}
