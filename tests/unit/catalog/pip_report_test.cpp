#include <random>

#include <doctest/doctest.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/wheels.hpp"

using namespace cudaenv;
using namespace cudaenv::catalog;

namespace {

constexpr const char* nvcc_hash =
    "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03";

// As pip 23.2 writes it, without the fields that nobody here reads.
const std::string report = R"({
  "version": "1",
  "pip_version": "23.2.1",
  "install": [
    {
      "download_info": {
        "url": "https://user:secret@index.example/packages/nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "archive_info": {
          "hash": "sha256=56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03",
          "hashes": {"sha256": "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03"}
        }
      },
      "is_direct": false,
      "requested": true,
      "metadata": {
        "metadata_version": "2.4",
        "name": "nvidia_cuda.nvcc",
        "version": "13.0.88",
        "summary": "CUDA nvcc",
        "requires_dist": ["nvidia-nvvm", "nvidia-cuda-runtime", "nvidia-cuda-crt"]
      }
    },
    {
      "download_info": {
        "url": "file:///srv/my%20wheels/nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
        "archive_info": {}
      },
      "metadata": {"name": "nvidia-cuda-runtime", "version": "13.0.96"}
    }
  ],
  "environment": {"sys_platform": "linux", "platform_machine": "x86_64"}
})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return text.replace(at, from.size(), to);
}

std::string complaint(const std::string& json) {
  try {
    parse_pip_report(json);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::corrupt);
    CHECK(error.message() == "pip's installation report cannot be used");
    REQUIRE(error.causes().size() == 1);
    return error.causes()[0];
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("pip's report gives name, version, address and digest of each wheel") {
  const auto wheels = parse_pip_report(report);
  REQUIRE(wheels.size() == 2);
  CHECK(wheels[0].distribution == "nvidia-cuda-nvcc");
  CHECK(wheels[0].version == "13.0.88");
  CHECK(wheels[0].url.starts_with("https://user:secret@index.example/packages/"));
  CHECK(wheels[0].sha256 == Digest::from_hex(nvcc_hash));
  CHECK(wheels[1].url.starts_with("file:///srv/my%20wheels/"));
  CHECK_FALSE(wheels[1].sha256);
}

TEST_CASE("a report with only the older form of the digest serves too") {
  const auto wheels = parse_pip_report(replaced(report,
                                                R"(,
          "hashes": {"sha256": "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03"})",
                                                ""));
  CHECK(wheels[0].sha256 == Digest::from_hex(nvcc_hash));
}

TEST_CASE("a report of nothing to install is empty, not wrong") {
  CHECK(parse_pip_report(R"({"version": "1", "install": []})").empty());
}

TEST_CASE("a malformed report is refused by place") {
  CHECK(complaint("") == "it is not JSON");
  CHECK(complaint("ERROR: No matching distribution found") == "it is not JSON");
  CHECK(complaint(report.substr(0, report.size() / 2)) == "it is not JSON");
  CHECK(complaint("[]") == "it is not an object");
  CHECK(complaint("{}") == "report.version is missing");
  CHECK(complaint(R"({"version": 1})") == "report.version is not a text");
  CHECK(complaint(R"({"version": "2", "install": []})") == "its format is version 2, known is 1");
  CHECK(complaint(R"({"version": "1"})") == "report.install is not a list");
  CHECK(complaint(R"({"version": "1", "install": {}})") == "report.install is not a list");
  CHECK(complaint(R"({"version": "1", "install": [7]})") == "install[0] is not an object");
  CHECK(complaint(R"({"version": "1", "install": [{}]})") == "install[0].download_info is missing");
  CHECK(complaint(R"({"version": "1", "install": [{"download_info": []}]})") ==
        "install[0].download_info is not an object");
  CHECK(complaint(replaced(report, R"("name": "nvidia-cuda-runtime", )", "")) ==
        "install[1].metadata.name is missing");
  CHECK(complaint(replaced(report, R"("version": "13.0.96")", R"("version": "")")) ==
        "install[1].metadata.version is empty");
  CHECK(complaint(replaced(report, R"("archive_info": {})", R"("archive_info": 1)")) ==
        "install[1].download_info.archive_info is not an object");
  CHECK(complaint(replaced(report, R"("hashes": {"sha256": "56)", R"("hashes": {"sha256": "5)")) ==
        "install[0].download_info.archive_info.hashes.sha256 is not a SHA-256: " +
            std::string(nvcc_hash).erase(1, 1));
  CHECK(complaint(replaced(report, R"("hashes": {)", R"("hashes": 1, "x": {)")) ==
        "install[0].download_info.archive_info.hashes is not an object");
}

TEST_CASE("an address that is no wheel's is refused, and its password is not shown") {
  CHECK(complaint(replaced(report, "https://user:secret@", "ftp://user:secret@"))
            .starts_with("install[0].download_info.url is neither http, https nor file: "
                         "ftp://index.example/packages/"));
  CHECK(complaint(replaced(report, "manylinux_2_17_x86_64.whl", "manylinux_2_17_x86_64.tar.gz"))
            .starts_with("install[0].download_info.url names no wheel: https://index.example/"));
  CHECK(complaint(replaced(report, "file:///srv/", "file:///srv\\n/"))
            .starts_with("install[1].download_info.url is neither http, https nor file"));
  CHECK(complaint(replaced(report, "nvidia_cuda_nvcc-13", "nvidia_cuda_crt-13"))
            .starts_with("install[0].download_info.url names a wheel of nvidia-cuda-crt, "
                         "not of nvidia-cuda-nvcc: https://index.example/"));
}

TEST_CASE("a damaged report is read or refused, never worse") {
  std::mt19937 random(7);
  std::size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = report;
    for (int i = 0; i < 1 + round % 3; ++i) {
      const auto at = random() % damaged.size();
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          damaged.erase(at, 1 + random() % 40);
          break;
        case 2:
          damaged.insert(at, damaged.substr(random() % damaged.size(), 30));
          break;
        default:
          damaged.resize(at);
          break;
      }
      if (damaged.empty()) damaged = "x";
    }
    try {
      for (const auto& wheel : parse_pip_report(damaged)) REQUIRE_FALSE(wheel.url.empty());
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("deep nesting in a report is refused or read, not a crash") {
  CHECK(complaint(std::string(100000, '[')) == "it is not JSON");
  CHECK(complaint(std::string(100000, '[') + std::string(100000, ']')) == "it is not an object");
}

TEST_CASE("the versions that pip lists are releases, ascending, each once") {
  const auto releases = parse_pip_versions(
      "WARNING: pip index is currently an experimental command.\n"
      "cuda-toolkit (13.5.0)\n"
      "Available versions: 13.5.0, 13.4.1.0, 13.0.3.0, 13.0.3, 12.9.2.0, 12.0.0, 11.8.0, "
      "13.10.0, 14.0.0rc1, junk, 9\r\n"
      "  INSTALLED: 12.1.0\n"
      "  LATEST:    13.5.0\n");
  std::string shown;
  for (const auto& release : releases) shown += release.text() + " ";
  CHECK(shown == "11.8.0 12.0.0 12.9.2 13.0.3 13.4.1 13.5.0 13.10.0 ");
  CHECK(parse_pip_versions("").empty());
  CHECK(parse_pip_versions("ERROR: No matching distribution found for cuda-toolkit").empty());
}
