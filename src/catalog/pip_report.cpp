#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "catalog/wheels.hpp"

namespace cudaenv::catalog {
namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorKind::corrupt, "pip's installation report cannot be used").because(why);
}

// The member of an object; a null pointer where there is none.
const Json* member(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json& object_at(const Json& parent, const char* key, const std::string& place) {
  const Json* value = member(parent, key);
  if (!value) refuse(fmt::format("{}.{} is missing", place, key));
  if (!value->is_object()) refuse(fmt::format("{}.{} is not an object", place, key));
  return *value;
}

std::string text_at(const Json& parent, const char* key, const std::string& place) {
  const Json* value = member(parent, key);
  if (!value) refuse(fmt::format("{}.{} is missing", place, key));
  if (!value->is_string()) refuse(fmt::format("{}.{} is not a text", place, key));
  auto found = value->get<std::string>();
  if (found.empty()) refuse(fmt::format("{}.{} is empty", place, key));
  return found;
}

Digest digest_of(const std::string& hex, const std::string& place) {
  const auto digest = Digest::from_hex(hex);
  if (!digest) refuse(fmt::format("{} is not a SHA-256: {}", place, text::visible(hex, 80)));
  return *digest;
}

// "hashes": {"sha256": ...}, or in reports of an older pip only "hash": "sha256=...".
std::optional<Digest> digest_at(const Json& download, const std::string& place) {
  const Json* archive = member(download, "archive_info");
  if (!archive) return std::nullopt;
  const std::string archive_place = place + ".archive_info";
  if (!archive->is_object()) refuse(archive_place + " is not an object");

  if (const Json* hashes = member(*archive, "hashes")) {
    if (!hashes->is_object()) refuse(archive_place + ".hashes is not an object");
    if (hashes->contains("sha256")) {
      const std::string hashes_place = archive_place + ".hashes";
      return digest_of(text_at(*hashes, "sha256", hashes_place), hashes_place + ".sha256");
    }
  }
  if (!archive->contains("hash")) return std::nullopt;
  const std::string hash = text_at(*archive, "hash", archive_place);
  constexpr std::string_view label = "sha256=";
  if (!hash.starts_with(label)) return std::nullopt;
  return digest_of(hash.substr(label.size()), archive_place + ".hash");
}

bool is_usable_url(std::string_view url) {
  const bool scheme =
      url.starts_with("https://") || url.starts_with("http://") || url.starts_with("file://");
  const auto control = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; };
  return scheme && std::none_of(url.begin(), url.end(), control);
}

ReportedWheel read_wheel(const Json& entry, const std::string& place) {
  if (!entry.is_object()) refuse(place + " is not an object");
  const Json& download = object_at(entry, "download_info", place);
  const Json& metadata = object_at(entry, "metadata", place);
  const std::string download_place = place + ".download_info";
  const std::string metadata_place = place + ".metadata";

  ReportedWheel wheel;
  wheel.distribution = normalised_distribution(text_at(metadata, "name", metadata_place));
  wheel.version = text_at(metadata, "version", metadata_place);
  wheel.url = text_at(download, "url", download_place);
  wheel.sha256 = digest_at(download, download_place);
  if (!is_usable_url(wheel.url)) {
    refuse(fmt::format("{}.url is neither http, https nor file: {}", download_place,
                       shown_url(wheel.url)));
  }

  const auto named = parse_wheel_name(url_file_name(wheel.url));
  if (!named) {
    refuse(fmt::format("{}.url names no wheel: {}", download_place, shown_url(wheel.url)));
  }
  if (named->distribution != wheel.distribution) {
    refuse(fmt::format("{}.url names a wheel of {}, not of {}: {}", download_place,
                       named->distribution, text::visible(wheel.distribution, 80),
                       shown_url(wheel.url)));
  }
  return wheel;
}

}  // namespace

std::vector<ReportedWheel> parse_pip_report(std::string_view json) {
  const Json report = Json::parse(json, nullptr, false);
  if (report.is_discarded()) refuse("it is not JSON");
  if (!report.is_object()) refuse("it is not an object");

  // "0" while the format was tried out (pip 22.2), "1" since; a later major may mean anything.
  const std::string version = text_at(report, "version", "report");
  if (version != "1" && version != "0") {
    refuse(fmt::format("its format is version {}, known is 1", text::visible(version, 20)));
  }
  const Json* install = member(report, "install");
  if (!install || !install->is_array()) refuse("report.install is not a list");

  std::vector<ReportedWheel> wheels;
  for (std::size_t i = 0; i < install->size(); ++i)
    wheels.push_back(read_wheel((*install)[i], fmt::format("install[{}]", i)));
  return wheels;
}

std::vector<Version> parse_pip_versions(std::string_view output) {
  constexpr std::string_view label = "Available versions:";
  std::vector<Version> releases;
  for (const auto line : text::lines(output)) {
    const auto shown = text::trimmed(line);
    if (!shown.starts_with(label)) continue;
    for (const auto word : text::split(shown.substr(label.size()), ',')) {
      if (const auto release = toolkit_release(text::trimmed(word))) releases.push_back(*release);
    }
  }
  std::sort(releases.begin(), releases.end());
  releases.erase(std::unique(releases.begin(), releases.end()), releases.end());
  return releases;
}

}  // namespace cudaenv::catalog
