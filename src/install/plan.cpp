#include "install/plan.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/suggest.hpp"
#include "base/text.hpp"
#include "store/store.hpp"
#include "sys/file.hpp"

namespace cudaenv::install {
namespace {

using catalog::Filter;

// How much an archive grows when unpacked, and how many bytes its files have on average; measured
// over the components of 13.0: tar.xz of cuBLAS 1.9, of nvcc 3.3; wheels 2.6. On the safe side.
constexpr std::uint64_t growth_archive = 4;
constexpr std::uint64_t growth_wheel = 3;
constexpr std::uint64_t bytes_per_file = 20'000;

// The wider of two filters: what serves both wishes.
Filter wider(Filter a, Filter b) { return std::min(a, b); }

struct Want {
  Filter filter = Filter::all;
  bool essential = false;
};
using Wants = std::map<std::string, Want>;  // by component

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The components that the wish itself asks for, and what the release lacks of them.
Wants wanted_components(const Wish& wish, const Release& release, Plan& plan) {
  Wants wants;
  if (wish.profile) {
    const auto resolution = catalog::resolve_profile(*wish.profile, release, wish.platform);
    const Filter filter = catalog::filter_of(*wish.profile, wish.no_static);
    for (const auto& wanted : resolution.components) {
      wants[wanted.component] = {filter, wanted.essential};
    }
    plan.lacking = resolution.lacking;
    for (const auto& name : resolution.lacking_essential) {
      if (!contains(wish.without, name)) {
        plan.unusable.push_back(
            fmt::format("{}: not in this release for {}", name, wish.platform.name()));
      }
    }
  }
  for (const auto& name : wish.without) {
    wants.erase(name);
    plan.lacking.erase(std::remove(plan.lacking.begin(), plan.lacking.end(), name),
                       plan.lacking.end());
  }
  // What is named is taken whole, and is what the user came for.
  const Filter named = wish.no_static ? Filter::no_static : Filter::all;
  for (const auto& name : wish.components) wants[name] = {named, true};
  return wants;
}

std::uint64_t list_bytes(const store::ComponentStore::Entry& entry) {
  std::uint64_t bytes = 0;
  for (const auto& file : entry.files) bytes += file.size;
  return bytes;
}

// The part, with what the store knows of it.
Part make_part(const store::ComponentStore& store, Offer offer, Filter filter) {
  Part part{std::move(offer), filter};
  if (const auto entry = store.find(part.offer.sha256, std::string(name_of(filter)))) {
    part.stored = true;
    part.disk_bytes = list_bytes(*entry);
    part.disk_files = entry->files.size();
  } else {
    const auto growth = part.offer.form == Form::wheel ? growth_wheel : growth_archive;
    part.disk_bytes = part.offer.size * growth;
    part.disk_files = part.disk_bytes / bytes_per_file + 20;
  }
  return part;
}

Offer offer_of(const store::ReceiptComponent& component) {
  Offer offer{component.name, component.product, component.version, component.sha256,
              component.size, {component.url},   component.name};
  offer.lacks = component.lacks;
  return offer;
}

// Keeps what the prefix has as far as the store still has its files; widens it where asked.
void keep_present(const store::ComponentStore& store, const store::Receipt& present,
                  const Wish& wish, Wants& wants, std::map<std::string, Part>& parts) {
  for (const auto& component : present.components) {
    if (contains(wish.drop, component.name)) continue;
    const bool replaced =
        std::any_of(wish.add_ons.begin(), wish.add_ons.end(), [&](const AddOnRequest& request) {
          return catalog::add_on(request.name)->component == component.name;
        });
    if (replaced) continue;
    const Filter has = parse_filter(component.filter).value_or(Filter::all);
    const auto want = wants.find(component.name);
    const Filter filter = want == wants.end() ? has : wider(has, want->second.filter);
    Part part = make_part(store, offer_of(component), filter);
    if (part.stored) {
      parts.emplace(component.name, std::move(part));
      if (want != wants.end()) wants.erase(want);
    } else if (component.product == "cuda") {
      wants.emplace(component.name, Want{filter, true});
    }
  }
}

void ask_source(Source& source, const Release& release, const Wish& wish,
                const store::ComponentStore& store, const Wants& wants, Plan& plan,
                std::map<std::string, Part>& parts) {
  if (wants.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, want] : wants) names.push_back(name);
  Offers offers = source.offers(release, wish.platform, names);
  for (const auto& name : offers.missing) {
    if (!wants.at(name).essential) {
      plan.lacking.push_back(name);
    } else {
      plan.unusable.push_back(
          fmt::format("{}: {} has none for {}", name, source.name(), wish.platform.name()));
    }
  }
  for (auto& offer : offers.found) {
    const Want& want = wants.at(offer.component);
    // A component that was named is wanted as it is; in a profile it has a job to do.
    if (offer.unusable && want.essential && !contains(wish.components, offer.component)) {
      plan.unusable.push_back(fmt::format("{}: {}", offer.component, offer.lacks));
    }
    const std::string name = offer.component;
    parts.emplace(name, make_part(store, std::move(offer), want.filter));
  }
}

void add_add_ons(Source& source, const Wish& wish, const store::ComponentStore& store,
                 std::map<std::string, Part>& parts) {
  for (const auto& request : wish.add_ons) {
    const auto& row = *catalog::add_on(request.name);
    auto offer = source.add_on(row, request.version, wish.cuda, wish.platform);
    if (!offer) {
      throw Error(ErrorKind::missing,
                  fmt::format("there is no {}{} for CUDA {} on {}", request.name,
                              request.version ? " " + request.version->text() : "",
                              wish.cuda.text(), wish.platform.name()))
          .because(fmt::format("asked {}", source.name()))
          .help(fmt::format("see the versions with `cudaenv list --remote {}`", request.name));
    }
    const Filter filter = wish.profile == catalog::Profile::runtime ? Filter::runtime_only
                          : wish.no_static                          ? Filter::no_static
                                                                    : Filter::all;
    parts.insert_or_assign(offer->component, make_part(store, *offer, filter));
  }
}

bool same_parts(const store::Receipt& present, const std::vector<Part>& parts) {
  if (present.components.size() != parts.size()) return false;
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    const auto* has = present.find(part.offer.component);
    return has && has->sha256 == part.offer.sha256 && has->filter == name_of(part.filter);
  });
}

// A prefix is widened, never turned into another toolkit behind its user's back.
void refuse_other_toolkit(const store::Receipt& present, const Wish& wish) {
  if (wish.exactly) return;
  if (present.cuda == wish.cuda && present.platform == wish.platform.name()) return;
  throw Error(ErrorKind::usage,
              fmt::format("the prefix `{}` is there and is another toolkit", wish.prefix))
      .because(fmt::format("it is CUDA {} for {}, asked for is CUDA {} for {}", present.cuda.text(),
                           present.platform, wish.cuda.text(), wish.platform.name()))
      .help("choose another --name, or replace it with --force");
}

}  // namespace

AddOnRequest AddOnRequest::parse(const std::string& typed) {
  const auto at = typed.find('@');
  AddOnRequest request{text::lower(text::trimmed(typed.substr(0, at))), std::nullopt};
  if (!catalog::add_on(request.name)) {
    std::vector<std::string> known;
    for (const auto& row : catalog::all_add_ons()) known.push_back(row.name);
    throw with_suggestion(
        Error(ErrorKind::usage,
              fmt::format("`{}` is not a library that cudaenv knows", text::visible(request.name))),
        request.name, known, fmt::format("known are: {}", fmt::join(known, ", ")));
  }
  if (at == std::string::npos) return request;
  const std::string version(text::trimmed(typed.substr(at + 1)));
  if (version == "latest") return request;
  request.version = Version::parse(version);
  if (!request.version) {
    throw Error(ErrorKind::usage, fmt::format("`{}` in `{}` is not a version",
                                              text::visible(version), text::visible(typed)))
        .help(fmt::format("write it like `{}@9.1`", request.name));
  }
  return request;
}

std::uint64_t Plan::fetch_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& part : parts) bytes += part.stored ? 0 : part.offer.size;
  return bytes;
}

std::size_t Plan::fetch_count() const {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const Part& part) { return !part.stored; }));
}

std::uint64_t Plan::fresh_disk_bytes() const {
  std::uint64_t bytes = 0;
  // The archive lies beside what is unpacked from it until that is complete.
  for (const auto& part : parts) bytes += part.stored ? 0 : part.disk_bytes + part.offer.size;
  return bytes;
}

std::uint64_t Plan::fresh_files() const {
  std::uint64_t files = 0;
  // A prefix is made of hard links, which take no inode; folders and a few copies do.
  for (const auto& part : parts) files += part.stored ? part.disk_files / 10 : part.disk_files;
  return files + 50;
}

bool covers(const store::Receipt& present, const Wish& wish, const Release& release) {
  if (wish.exactly || !wish.drop.empty()) return false;
  if (!(present.cuda == wish.cuda) || present.platform != wish.platform.name()) return false;
  for (const auto& request : wish.add_ons) {
    const auto* has = present.find(catalog::add_on(request.name)->component);
    const auto version = has ? Version::parse(has->version) : std::nullopt;
    if (!version || (request.version && !version->starts_with(*request.version))) return false;
  }
  Plan unused{wish, "", {}, {}, {}, {}};
  const Wants wants = wanted_components(wish, release, unused);
  return std::all_of(wants.begin(), wants.end(), [&](const auto& entry) {
    const auto* has = present.find(entry.first);
    // An extra that the source did not have then is not missed now.
    if (!has) return !entry.second.essential && contains(present.lacking, entry.first);
    const auto filter = parse_filter(has->filter);
    return filter && wider(*filter, entry.second.filter) == *filter;
  });
}

Plan make_plan(const store::Layout& layout, Source& source, const Release& release,
               const Wish& wish) {
  Plan plan{wish, source.name(), {}, {}, {}, {}};
  plan.present = store::receipt_in(layout.prefix(wish.prefix));
  if (plan.present) refuse_other_toolkit(*plan.present, wish);
  const store::ComponentStore store(layout);
  std::map<std::string, Part> parts;
  Wants wants = wanted_components(wish, release, plan);
  if (plan.present && !wish.exactly) keep_present(store, *plan.present, wish, wants, parts);
  ask_source(source, release, wish, store, wants, plan, parts);
  add_add_ons(source, wish, store, parts);
  for (auto& [name, part] : parts) plan.parts.push_back(std::move(part));
  std::sort(plan.lacking.begin(), plan.lacking.end());
  plan.changes = !plan.present || wish.exactly || !same_parts(*plan.present, plan.parts);
  return plan;
}

void check_space(const Plan& plan, const store::Layout& layout) {
  const sys::Space space = sys::free_space(layout.state());
  const std::uint64_t bytes = plan.fresh_disk_bytes();
  const std::string where = layout.root().string();
  if (space.bytes < bytes) {
    throw Error(ErrorKind::system, fmt::format("there is not enough space in `{}`", where))
        .because(fmt::format("needed about {}, free {}: {} are missing", text::bytes(bytes),
                             text::bytes(space.bytes), text::bytes(bytes - space.bytes)))
        .help(
            "free some (`cudaenv gc` removes what no prefix uses), take a smaller --profile, or "
            "name another root with CUDAENV_ROOT");
  }
  if (space.inodes && *space.inodes < plan.fresh_files()) {
    throw Error(ErrorKind::system, fmt::format("there are not enough inodes in `{}`", where))
        .because(fmt::format("needed about {}, free {}: {} are missing", plan.fresh_files(),
                             *space.inodes, plan.fresh_files() - *space.inodes))
        .help("remove some files there, or name another root with CUDAENV_ROOT");
  }
}

void look_again(Plan& plan, const store::Layout& layout) {
  const store::ComponentStore store(layout);
  for (auto& part : plan.parts) {
    part.stored = store.contains(part.offer.sha256, std::string(name_of(part.filter)));
  }
}

std::string still_needed(Plan plan, const store::Layout& layout) {
  look_again(plan, layout);
  const sys::Space space = sys::free_space(layout.state());
  std::string line = fmt::format(
      "still needed are about {} and {}; free are {}", text::bytes(plan.fresh_disk_bytes()),
      text::counted(plan.fresh_files(), "inode"), text::bytes(space.bytes));
  if (space.inodes) line += fmt::format(" and {}", text::counted(*space.inodes, "inode"));
  return line;
}

std::string_view name_of(Filter filter) {
  switch (filter) {
    case Filter::all:
      return "all";
    case Filter::no_static:
      return "no_static";
    case Filter::runtime_only:
      return "runtime_only";
  }
  return "all";
}

std::optional<Filter> parse_filter(std::string_view name) {
  for (const Filter filter : {Filter::all, Filter::no_static, Filter::runtime_only}) {
    if (name_of(filter) == name) return filter;
  }
  return std::nullopt;
}

}  // namespace cudaenv::install
