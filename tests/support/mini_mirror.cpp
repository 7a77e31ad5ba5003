#include "support/mini_mirror.hpp"

#include <fstream>

#include <fmt/format.h>

namespace cudaenv::test {
namespace {

MirrorOptions serving(const std::filesystem::path& folder) {
  MirrorOptions options;
  options.root = folder;
  return options;
}

std::vector<BuiltFile> default_files(const MiniMirror::Part& part) {
  const std::string text = part.component + " " + part.version + "\n";
  return {{"LICENSE", "licence of " + text, 0644},
          {"bin/" + part.component,
           "#!/bin/sh\necho '" + part.component + " " + part.version + "'\n", 0755},
          {"include/" + part.component + ".h", "// " + text, 0644},
          {"lib/lib" + part.component + ".so.1", "ELF of " + text + noise(5000, text.size()), 0755},
          {"lib/lib" + part.component + "_static.a", "archive of " + text, 0644}};
}

}  // namespace

MiniMirror::MiniMirror() : server_(serving(folder_.path())) {}

void MiniMirror::add(const std::string& product, const std::string& release, const Part& part) {
  const std::string suffix = part.variant.empty() ? "" : "_" + part.variant;
  const std::string name =
      fmt::format("{}-linux-x86_64-{}{}-archive", part.component, part.version, suffix);
  const std::string path = fmt::format("{}/linux-x86_64/{}.tar.xz", part.component, name);
  const std::string folder = fmt::format("compute/{}/redist", product);
  const auto file = folder_ / (folder + "/" + path);
  std::filesystem::create_directories(file.parent_path());
  auto links = part.links;
  if (part.files.empty())
    links.push_back({"lib/lib" + part.component + ".so", "lib" + part.component + ".so.1"});
  const auto built =
      build_tar_xz(file, name, part.files.empty() ? default_files(part) : part.files, links);
  archives_[part.component] = "/" + folder + "/" + path;

  std::string entry =
      fmt::format(R"({{"relative_path": "{}", "sha256": "{}", "md5": "0", "size": "{}"}})", path,
                  built.sha256, built.size);
  if (!part.variant.empty()) entry = fmt::format(R"({{"{}": {}}})", part.variant, entry);
  entries_[product][release][part.component] = fmt::format(
      R"({{"name": "{}", "license": "CUDA Toolkit", "version": "{}", "linux-x86_64": {}}})",
      part.component, part.version, entry);
}

void MiniMirror::add_minimal(const std::string& release) {
  for (const char* component :
       {"cuda_nvcc", "cuda_cudart", "cuda_cccl", "cuda_nvrtc", "cuda_profiler_api"}) {
    add("cuda", release, {component, release + ".7"});
  }
}

void MiniMirror::publish() {
  for (const auto& [product, releases] : entries_) {
    for (const auto& [release, components] : releases) {
      std::string json =
          fmt::format(R"({{"release_date": "2026-01-02", "release_label": "{}")", release);
      for (const auto& [name, entry] : components)
        json += fmt::format(",\n\"{}\": {}", name, entry);
      const auto file =
          folder_ / fmt::format("compute/{}/redist/redistrib_{}.json", product, release);
      std::ofstream(file, std::ios::binary) << json << "}\n";
    }
  }
}

std::size_t MiniMirror::archive_requests() const {
  std::size_t count = 0;
  for (const auto& request : server_.requests())
    count += request.target.ends_with(".tar.xz") ? 1 : 0;
  return count;
}

}  // namespace cudaenv::test
