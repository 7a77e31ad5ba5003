#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doctor/checks.hpp"

namespace cudaenv::doctor {
namespace {

using compat::Severity;
using Lines = std::vector<std::string>;

std::string shown(std::string_view path) { return fmt::format("`{}`", text::visible(path, 400)); }

std::string_view stem_of(std::string_view name) { return name.substr(0, name.find(".so")); }

// Every library that was seen, where it lies.
std::vector<const LibraryFile*> all_libraries(const Observed& seen) {
  std::vector<const LibraryFile*> result;
  for (const auto* folders : {&seen.loader.folders, &seen.toolkit_libraries, &seen.wheels}) {
    for (const auto& folder : *folders) {
      for (const auto& file : folder.libraries) result.push_back(&file);
    }
  }
  for (const auto& file : seen.loader.cached) result.push_back(&file);
  return result;
}

// Whether programs ask for a name like this: libcudnn.so.9, libcudart.so.11.0. A file may carry
// more numbers, and those are its own: libcupti.so.2025.3.1 is libcupti.so.13.
bool is_soname(std::string_view name) {
  const auto mark = name.find(".so.");
  return mark != std::string_view::npos && text::split(name.substr(mark + 4), '.').size() <= 2;
}

// A file or link that is called a major which it says it is not.
bool is_forged(const LibraryFile& file) {
  if (!is_soname(file.name)) return false;
  const auto named = soname_major(file.name);
  const auto own = soname_major(file.soname);
  return named && own && *named != *own && stem_of(file.name) == stem_of(file.soname);
}

// The parts of one cuDNN that a program loads together: by name, the winner of each.
using Parts = std::map<std::string, const LibraryFile*>;

Parts loaded_parts(const LoaderFacts& loader, unsigned major) {
  Parts parts;
  for (const auto& name : loader.names("libcudnn")) {
    if (soname_major(name) != major) continue;
    const auto* file = loader.hits(name).front().file;
    if (file->version && file->name == file->soname) parts[name] = file;
  }
  return parts;
}

Lines spelt(const Parts& parts) {
  std::map<std::pair<std::string, std::string>, unsigned> places;
  for (const auto& [name, file] : parts) {
    ++places[{file->version->text(), file->path.substr(0, file->path.rfind('/'))}];
  }
  Lines lines;
  for (const auto& [place, count] : places) {
    lines.push_back(fmt::format("{} of {} in {}", text::counted(count, "part"), place.first,
                                shown(place.second)));
  }
  return lines;
}

void check_mixed(const LoaderFacts& loader, unsigned major, Findings& findings) {
  const auto parts = loaded_parts(loader, major);
  std::set<Version> versions;
  for (const auto& [name, file] : parts) versions.insert(*file->version);
  if (versions.size() < 2) return;
  auto why = spelt(parts);
  why.emplace_back(
      "cuDNN refuses parts of other versions: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH");
  findings.push_back({"cudnn.mixed",
                      Severity::error,
                      fmt::format("programs load a cuDNN {} of parts of different versions", major),
                      std::move(why),
                      {"keep one of these folders on LD_LIBRARY_PATH and in /etc/ld.so.conf.d"}});
}

// A part that a wheel does not bring, which the loader then finds elsewhere.
void check_partial(const Observed& seen, const LoaderFolder& wheel, Findings& findings) {
  std::set<std::string> own;
  std::optional<Version> version;
  for (const auto& file : wheel.libraries) {
    if (!file.name.starts_with("libcudnn")) continue;
    own.insert(file.name);
    if (file.version) version = file.version;
  }
  if (!version) return;
  for (const auto& name : seen.loader.names("libcudnn")) {
    const auto* file = seen.loader.hits(name).front().file;
    const bool foreign = soname_major(name) == version->major() && !own.count(name) &&
                         file->name == file->soname && file->version && file->version != version;
    if (!foreign) continue;
    findings.push_back({"cudnn.partial",
                        Severity::warning,
                        fmt::format("{} of {} is found beside a cuDNN {} that has none", name,
                                    file->version->text(), version->text()),
                        {fmt::format("the wheel's is in {}", shown(wheel.path)),
                         fmt::format("the loader finds {}", shown(file->path)),
                         "cuDNN loads every part that it finds, and refuses other versions"},
                        {"remove the system's cuDNN, or bring it to the wheel's version"}});
    return;
  }
}

}  // namespace

Findings check_sonames(const Observed& seen) {
  Findings findings;
  std::set<std::string> told;
  for (const auto* file : all_libraries(seen)) {
    if (!is_forged(*file) || !told.insert(file->path + file->name).second) continue;
    findings.push_back(
        {"library.forged",
         Severity::error,
         fmt::format("{} in {} is another library: {}", file->name,
                     shown(file->path.substr(0, file->path.rfind('/'))), file->soname),
         {"a new name does not change what is inside: the next major has other functions",
          "programs that ask for it load what crashes them or computes wrongly"},
         {fmt::format("remove it; `cudaenv doctor --library {}` tells which toolkit has it",
                      text::shell_quoted(file->name))}});
  }
  return findings;
}

Findings check_cudnn(const Observed& seen) {
  Findings findings;
  std::set<unsigned> majors;
  for (const auto& name : seen.loader.names("libcudnn")) {
    if (const auto major = soname_major(name)) majors.insert(*major);
  }
  for (const unsigned major : majors) check_mixed(seen.loader, major, findings);
  for (const auto& wheel : seen.wheels) check_partial(seen, wheel, findings);
  if (majors.size() > 1) {
    findings.push_back({"cudnn.several-majors",
                        Severity::note,
                        "the loader finds more than one major of cuDNN",
                        {"they do not stand in for each other: cuDNN 9 has no "
                         "libcudnn_ops_infer.so.8"},
                        {}});
  }
  for (const auto& folder : seen.toolkit_libraries) {
    const auto eight =
        std::find_if(folder.libraries.begin(), folder.libraries.end(), [](const LibraryFile& file) {
          return file.name.starts_with("libcudnn") && soname_major(file.name) == 8u;
        });
    if (eight == folder.libraries.end() || majors.count(8)) continue;
    findings.push_back(
        {"cudnn.not-found",
         Severity::warning,
         fmt::format("the cuDNN 8 in {} is in no folder that the loader searches",
                     shown(folder.path)),
         {"cuDNN 8 finds its own parts through the loader only (9 looks beside itself)"},
         {fmt::format("export LD_LIBRARY_PATH={}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}",
                      text::shell_quoted(folder.path))}});
  }
  return findings;
}

}  // namespace cudaenv::doctor
