#include "commands/remote.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "catalog/index.hpp"
#include "commands/install_choice.hpp"

namespace cudaenv::commands {
namespace {

bool contains(const std::vector<Version>& versions, const Version& version) {
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

std::string checked_product(const std::string& typed) {
  const std::string name = text::lower(typed.empty() ? "cuda" : typed);
  if (name == "cuda") return name;
  if (const auto* row = catalog::add_on(name)) return row->product;
  auto known = catalog::products();
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  throw with_suggestion(
      Error(ErrorKind::usage,
            fmt::format("`{}` is not a product that cudaenv knows", text::visible(typed))),
      name, known, fmt::format("known are: {}", fmt::join(known, ", ")));
}

std::vector<Version> ask(install::Source& source, const std::string& product,
                         std::vector<std::string>& notes) {
  try {
    return source.remote_releases(product);
  } catch (const Error& error) {
    notes.push_back(fmt::format("{}; showing what the built-in index knows", error.what()));
    return {};
  }
}

}  // namespace

RemoteResult list_remote(const RemoteRequest& request, const Host& host) {
  RemoteResult result;
  result.product = checked_product(request.product);
  const auto context = make_context(request.source, host);
  auto known = catalog::versions(result.product);
  auto versions = known;
  if (context.offline) {
    result.source = "the built-in index";
  } else {
    const auto choice = choose_source(request.source, context, host);
    result.source = choice.source->name();
    result.fell_back = choice.fell_back;
    auto remote = ask(*choice.source, result.product, result.notes);
    // The wheels and a mirror that is trusted lack some releases and have others; what they say
    // is what can be had.
    const bool speaks_for_itself = result.source == "wheels" || trusts_mirror(request.source, host);
    if (speaks_for_itself && !remote.empty()) versions.clear();
    for (auto& version : remote) {
      if (!contains(versions, version)) versions.push_back(std::move(version));
    }
  }
  std::sort(versions.begin(), versions.end());
  const auto inventory = store::Inventory::read(reading_roots(host));
  for (auto& version : versions) {
    const bool installed =
        result.product == "cuda" &&
        std::any_of(inventory.prefixes.begin(), inventory.prefixes.end(),
                    [&](const auto& prefix) { return prefix.receipt.cuda == version; });
    result.releases.push_back({version, contains(known, version), installed});
  }
  return result;
}

UpdateResult update(const InstallRequest& source, const Host& host) {
  const auto context = make_context(source, host);
  if (context.offline) throw Error(ErrorKind::usage, "--offline leaves nothing to update from");
  const auto choice = choose_source(source, context, host);
  UpdateResult result{choice.source->name(), {}, {}};
  std::vector<std::string> products{"cuda"};
  for (const auto& row : catalog::all_add_ons()) products.push_back(row.product);
  for (const auto& product : products) {
    const auto known = choice.source->releases(product);
    const auto index = catalog::versions(product);
    for (const auto& version : choice.source->remote_releases(product)) {
      if (contains(index, version)) continue;
      const bool cached = contains(known, version);
      // The wheels have no manifests to keep: what pip knows is asked at every install.
      if (result.source == "wheels") {
        result.notes.push_back(
            fmt::format("{} {} can be had as wheels: `cudaenv install {} --source wheels`", product,
                        version.text(), version.text()));
      } else if (!cached && choice.source->release(product, version)) {
        result.fetched.push_back(product + " " + version.text());
      }
    }
  }
  return result;
}

}  // namespace cudaenv::commands
