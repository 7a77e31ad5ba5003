#include "install/publish.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "install/assemble.hpp"
#include "install/foreign.hpp"
#include "install/merge.hpp"
#include "store/links.hpp"
#include "store/staging.hpp"
#include "store/store.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::install {
namespace {

namespace fs = std::filesystem;

std::vector<Piece> pieces_of(const store::ComponentStore& store, const Plan& plan) {
  std::vector<Piece> pieces;
  for (const auto& part : plan.parts) {
    auto entry = store.find(part.offer.sha256, std::string(name_of(part.filter)));
    if (!entry) {
      throw Error(ErrorKind::busy,
                  fmt::format("{} has left the store meanwhile", part.offer.component))
          .help("run the command again");
    }
    // A wider entry may serve a narrower wish.
    auto& files = entry->files;
    files.erase(std::remove_if(files.begin(), files.end(),
                               [&](const store::ListedFile& file) {
                                 return !catalog::takes(part.filter, part.offer.component,
                                                        file.path);
                               }),
                files.end());
    pieces.push_back({part.offer.component, part.offer.version, entry->tree, std::move(files)});
  }
  return pieces;
}

std::string_view word_of(Eula eula) {
  switch (eula) {
    case Eula::flag:
      return "flag";
    case Eula::variable:
      return "variable";
    case Eula::terminal:
      return "terminal";
    case Eula::notice:
      return "notice";
  }
  return "notice";
}

std::vector<std::string> sorted_union(std::vector<std::string> a,
                                      const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  return a;
}

// The wider of what the prefix was and what was asked for now.
std::string profile_of(const Plan& plan) {
  static const std::vector<std::string> order{"custom", "minimal", "runtime", "dev", "full"};
  const auto rank = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), name) - order.begin();
  };
  const std::string asked =
      plan.wish.profile ? std::string(catalog::name_of(*plan.wish.profile)) : "custom";
  if (!plan.present || plan.wish.exactly) return asked;
  return rank(plan.present->profile) > rank(asked) ? plan.present->profile : asked;
}

store::Receipt receipt_of(const Context& context, const Plan& plan, const Assembled& assembled,
                          const PublishRequest& request) {
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& file : assembled.files) bytes[file.component] += file.size;
  store::Receipt receipt{plan.wish.prefix,
                         plan.wish.cuda,
                         plan.wish.platform.name(),
                         profile_of(plan),
                         plan.source,
                         sys::now_utc(),
                         "cudaenv " + context.version,
                         std::string(word_of(request.eula)),
                         {},
                         plan.lacking,
                         plan.wish.components,
                         std::nullopt};
  if (plan.present && !plan.wish.exactly) {
    receipt.requested = sorted_union(receipt.requested, plan.present->requested);
  }
  for (const auto& part : plan.parts) {
    const Offer& offer = part.offer;
    receipt.components.push_back(
        {offer.component, offer.product, offer.version, offer.sha256, offer.size,
         shown_url(offer.urls.empty() ? "" : offer.urls.front()),
         std::string(install::name_of(part.filter)), offer.lacks, bytes[offer.component]});
  }
  return receipt;
}

// Whether the prefix is still as it was when the plan was made; what is made anew `exactly` does
// not depend on it.
bool is_as_planned(const Plan& plan, const fs::path& prefix) {
  if (plan.wish.exactly) return true;
  const auto now = store::receipt_in(prefix);
  if (!now || !plan.present) return !now && !plan.present;
  return store::write_receipt(*now) == store::write_receipt(*plan.present);
}

// Swaps or moves the staged folder into place. True when there was one of that name.
bool put_in_place(const store::Layout& layout, const fs::path& staged, const fs::path& prefix) {
  refuse_foreign_folder(prefix);
  if (sys::rename_new(staged, prefix)) return false;
  if (sys::exchange(staged, prefix)) {
    sys::sync_directory(prefix.parent_path());
    store::discard(layout, staged);
    return true;
  }
  // Without RENAME_EXCHANGE the prefix is away for a moment; the old tree stays until the new one
  // is there.
  const fs::path old = sys::unused_sibling(staged);
  sys::rename(prefix, old);
  try {
    sys::rename(staged, prefix);
  } catch (const Error&) {
    sys::rename(old, prefix);
    throw;
  }
  sys::sync_directory(prefix.parent_path());
  store::discard(layout, old);
  return true;
}

// The default link moves when asked, and is made where there is none at all.
bool update_default(const store::Layout& layout, const fs::path& prefix,
                    const PublishRequest& request) {
  const store::PrefixLink link(layout.default_link());
  const bool is_free = link.state() == store::PrefixLink::State::absent;
  if (!request.set_default && !(request.may_default && is_free)) return false;
  link.point_to(prefix, request.force);
  return true;
}

}  // namespace

std::string staging_purpose(const Plan& plan) { return "prefix-" + plan.wish.prefix; }

std::optional<Published> publish(const Context& context, const store::Layout& layout,
                                 const Plan& plan, const PublishRequest& request) {
  const fs::path prefix = layout.prefix(plan.wish.prefix);
  refuse_foreign_folder(prefix);
  if (plan.present && !request.force) {
    refuse_foreign_files(prefix, "lose them with --force");
  }
  const store::ComponentStore store(layout);
  store::Staging staging(layout, staging_purpose(plan));
  const fs::path staged = staging.path() / "prefix";
  sys::create_directory(staged);

  const auto placements = merge(pieces_of(store, plan), plan.wish.cuda, plan.wish.platform);
  context.progress.step(
      fmt::format("putting {} together", text::counted(placements.size(), "file")));
  const auto assembled = assemble(placements, staged, context.interrupt);
  Published published{receipt_of(context, plan, assembled, request), prefix, false, false,
                      assembled.shared_how};

  // The receipt makes it a prefix, so it comes last, after all else is on the disk.
  sys::create_directory(store::receipt_file(staged).parent_path());
  sys::write_atomically(store::file_list_file(staged), store::write_file_list(assembled.files),
                        0644, false);
  sys::sync_filesystem(staged);
  sys::write_atomically(store::receipt_file(staged), store::write_receipt(published.receipt));

  const auto lock = store::lock_root(layout, context.lock_wait());
  context.interrupt.check();
  if (!is_as_planned(plan, prefix)) return std::nullopt;
  published.replaced = put_in_place(layout, staged, prefix);
  sys::sync_directory(prefix.parent_path());
  store::refresh_minor_links(layout);
  published.default_set = update_default(layout, prefix, request);
  return published;
}

bool settle_links(const Context& context, const store::Layout& layout, const fs::path& prefix,
                  const PublishRequest& request) {
  const auto lock = store::lock_root(layout, context.lock_wait());
  // Gone again: then there is nothing to lead to.
  if (!sys::exists(store::receipt_file(prefix))) return false;
  store::refresh_minor_links(layout);
  return update_default(layout, prefix, request);
}

}  // namespace cudaenv::install
