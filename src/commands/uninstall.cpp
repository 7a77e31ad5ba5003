#include "commands/uninstall.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "commands/install_choice.hpp"
#include "commands/store_use.hpp"
#include "commands/wait.hpp"
#include "install/foreign.hpp"
#include "install/publish.hpp"
#include "store/links.hpp"
#include "store/staging.hpp"
#include "sys/file.hpp"

namespace cudaenv::commands {
namespace {

// `uninstall 12.1.1`, typed a second time, must not take another prefix that holds the same
// release: one with a name of its own goes by that name only.
void refuse_other_name(const store::InstalledPrefix& prefix, const std::string& typed) {
  const auto& receipt = prefix.receipt;
  const std::string short_name = store::short_name(receipt);
  if (store::has_plain_name(receipt)) return;
  if (typed == receipt.name || typed == short_name) return;
  throw Error(ErrorKind::missing,
              fmt::format("no installed toolkit is called `{}`", text::visible(typed)))
      .because(fmt::format("`{}` is CUDA {}, under a name of its own", prefix.path.string(),
                           receipt.cuda.text()))
      .help(fmt::format("remove that one with `cudaenv uninstall {}`", short_name));
}

// True when the default link led to the prefix and was removed.
bool release_default(const store::InstalledPrefix& prefix, bool force) {
  const auto leads_to = default_prefix(prefix.layout);
  if (!leads_to || *leads_to != sys::canonical(prefix.path)) return false;
  const store::PrefixLink link(prefix.layout.default_link());
  if (!force) {
    throw Error(ErrorKind::busy,
                fmt::format("{} is the default: `{}` leads to it", prefix.receipt.name,
                            prefix.layout.default_link().string()))
        .help(
            "make another one the default with `cudaenv default VERSION`, or take the link away "
            "with `cudaenv default --unset`")
        .help("or remove both with --force");
  }
  link.remove(true);
  return true;
}

// Without one component; false where the prefix was changed meanwhile. `force`: whatever files of
// others it holds.
bool publish_without(const std::string& component, const store::InstalledPrefix& prefix, bool force,
                     const Host& host) {
  InstallRequest unchanged;
  const auto context = make_context(unchanged, host);
  const auto in_use = use_store(prefix.layout, host);
  const auto source = install::make_nvidia_source(context, {});
  const auto platform = Platform::parse(prefix.receipt.platform);
  install::Wish wish{prefix.receipt.cuda,
                     prefix.path.filename().string(),
                     *platform,
                     std::nullopt,
                     {},
                     {},
                     false,
                     {},
                     {component},
                     false};
  const Release release{"cuda", prefix.receipt.cuda, "", {}};
  const auto plan = install::make_plan(prefix.layout, *source, release, wish);
  install::PublishRequest publish_request;
  publish_request.force = force;
  return install::publish(context, prefix.layout, plan, publish_request).has_value();
}

UninstallResult remove_add_on(const UninstallRequest& request, const Host& host) {
  const auto add_on = install::AddOnRequest::parse(request.spec);
  const auto& row = *catalog::add_on(add_on.name);
  const auto prefix = installed_prefix(host, request.from);
  const auto* has = prefix.receipt.find(row.component);
  if (!has) {
    throw Error(ErrorKind::missing, fmt::format("{} has no {}", prefix.receipt.name, row.name));
  }
  while (!publish_without(row.component, prefix, request.force, host)) {
  }
  return {prefix.receipt.name, prefix.path, row.name, false, collect(prefix.layout, false).bytes};
}

UninstallResult remove_prefix(const UninstallRequest& request, const Host& host) {
  const auto prefix = installed_prefix(host, request.spec);
  refuse_other_name(prefix, request.spec);
  if (!request.force) {
    install::refuse_foreign_files(prefix.path, "remove all with --force");
  }
  const auto lock = lock_root(prefix.layout, host);
  if (!sys::exists(store::receipt_file(prefix.path))) {
    throw Error(ErrorKind::missing, fmt::format("{} has just been removed", prefix.receipt.name));
  }
  UninstallResult result{prefix.receipt.name, prefix.path, "", false, 0};
  result.default_removed = release_default(prefix, request.force);
  // The links go first: they must never lead nowhere.
  store::refresh_minor_links(prefix.layout, prefix.path.filename().string());
  store::discard(prefix.layout, prefix.path);
  // Where an install is under way nothing is collected; the next uninstall or `gc` does.
  result.freed_bytes = collect(prefix.layout, false).bytes;
  return result;
}

}  // namespace

UninstallResult uninstall(const UninstallRequest& request, const Host& host) {
  if (request.spec.empty()) throw Error(ErrorKind::usage, "nothing to uninstall was named");
  return request.from.empty() ? remove_prefix(request, host) : remove_add_on(request, host);
}

}  // namespace cudaenv::commands
