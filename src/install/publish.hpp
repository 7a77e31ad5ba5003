#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "install/context.hpp"
#include "install/plan.hpp"
#include "store/layout.hpp"
#include "store/receipt.hpp"

namespace cudaenv::install {

// How the licence of NVIDIA's files was accepted, for the receipt.
enum class Eula { flag, variable, terminal, notice };

struct PublishRequest {
  Eula eula = Eula::notice;
  bool set_default = false;  // move the default link to the prefix
  bool force = false;        // a default link, and files in the prefix, that are not ours may go
  bool may_default = true;   // becomes the default where there is none
};

struct Published {
  store::Receipt receipt;
  std::filesystem::path prefix;
  bool replaced = false;     // there was one of that name
  bool default_set = false;  // the default link leads to it now, because it was asked for or absent
  std::string shared_how;    // "hard links", "reflinks", "copies"
};

// Puts the prefix of a supplied plan together in a staging folder, from the store's files, and
// publishes it by one rename: receipt last, everything synced first, root lock held for moments.
// A prefix of that name is swapped in one step and deleted afterwards. Nothing, and nothing done,
// where that prefix is no longer the one of the plan: somebody else was faster, plan again.
std::optional<Published> publish(const Context& context, const store::Layout& layout,
                                 const Plan& plan, const PublishRequest& request);

// Of the staging folder that publish() works in until its links are made.
std::string staging_purpose(const Plan& plan);

// Brings minor links and default link of an installed prefix to what publish() makes of them. True
// if the default link leads to it now and did not before.
bool settle_links(const Context& context, const store::Layout& layout,
                  const std::filesystem::path& prefix, const PublishRequest& request);

}  // namespace cudaenv::install
