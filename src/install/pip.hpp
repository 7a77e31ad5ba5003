#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalog/wheels.hpp"
#include "install/context.hpp"
#include "model/platform.hpp"

namespace cudaenv::install {

// The user's own pip, which knows the index, the credentials and the proxies. Nothing here names
// an index.
class Pip {
 public:
  // CUDAENV_PIP (a command), else the first of python3 and python on PATH whose pip is at least
  // 22.2, else `pip3`. Throws Error(missing) that says what was found, and the way out.
  static Pip find(const Context& context);

  // Resolves requirements without downloading, for a platform; `with_dependencies` also what they
  // require. Nothing where the index has no matching distribution; other refusals are an
  // Error(network) with pip's own last words, credentials removed.
  std::optional<std::vector<catalog::ReportedWheel>> resolve(
      const std::vector<std::string>& requirements, const Platform& platform,
      bool with_dependencies) const;

  // The versions of a distribution that the index has; empty where it has none.
  std::vector<Version> toolkit_versions() const;

  // user:password for a host, as pip's configured index URLs have them; nothing without.
  std::optional<std::string> credentials_for(std::string_view url) const;

 private:
  Pip(const Context& context, std::vector<std::string> command)
      : context_(&context), command_(std::move(command)) {}
  const Context* context_;
  std::vector<std::string> command_;
};

}  // namespace cudaenv::install
