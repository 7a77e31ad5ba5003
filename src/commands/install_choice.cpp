#include "commands/install_choice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "catalog/index.hpp"
#include "commands/wait.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

std::vector<std::string> list_variable(const Host& host, const char* name) {
  std::vector<std::string> result;
  std::string value = host.environment.get(name).value_or("");
  std::replace(value.begin(), value.end(), ' ', ',');
  for (const auto part : text::split(value, ',')) {
    if (!text::trimmed(part).empty()) result.emplace_back(text::trimmed(part));
  }
  return result;
}

std::string checked_mirror(const std::string& url) {
  for (const std::string_view scheme : {"http://", "https://", "file:///"}) {
    if (url.starts_with(scheme) && url.size() > scheme.size()) return url;
  }
  throw Error(ErrorKind::usage, fmt::format("`{}` is not the URL of a mirror", shown_url(url)))
      .help("a mirror begins with http://, https:// or file:///");
}

install::MirrorOptions mirror_options(const InstallRequest& request, const Host& host) {
  install::MirrorOptions options;
  options.mirrors =
      request.mirrors.empty() ? list_variable(host, "CUDAENV_MIRROR") : request.mirrors;
  for (auto& mirror : options.mirrors) mirror = checked_mirror(mirror);
  options.trust = trusts_mirror(request, host);
  if (options.trust && options.mirrors.empty()) {
    throw Error(ErrorKind::usage, "--trust-mirror needs a mirror")
        .help("name one with --mirror URL");
  }
  return options;
}

std::string names_of(const std::vector<Version>& versions) {
  std::vector<std::string> names;
  for (const auto& version : versions) names.push_back(version.text());
  return text::join(names, ", ");
}

[[noreturn]] void no_release(const Spec& spec, std::vector<Version> candidates,
                             const std::string& source) {
  Error error(ErrorKind::missing,
              fmt::format("there is no CUDA release `{}`", text::visible(spec.text())));
  const auto* partial = std::get_if<Spec::Partial>(&spec.value());
  if (partial && partial->version.major() == 11 && partial->version.parts().size() > 1 &&
      partial->version.minor() <= 3) {
    error = std::move(error).because(
        "NVIDIA publishes CUDA 11.0 to 11.3 without the manifests that say what they are made of");
  } else if (partial && partial->version.major() < 11) {
    error = std::move(error).because("the oldest release with manifests is 11.4.2");
  } else {
    error = std::move(error).because(fmt::format("asked {} and the built-in index", source));
  }
  // The neighbours of what was typed say more than forty numbers.
  std::vector<Version> near;
  for (const auto& version : candidates) {
    if (partial && version.major() == partial->version.major()) near.push_back(version);
  }
  if (near.empty()) near = candidates;
  if (near.size() > 12) near.erase(near.begin(), near.end() - 12);
  if (!near.empty()) error = std::move(error).help(fmt::format("there are: {}", names_of(near)));
  throw std::move(error).help("see all with `cudaenv list --remote`");
}

}  // namespace

install::Context make_context(const InstallRequest& request, const Host& host) {
  const unsigned processors = sys::this_machine().processors;
  const auto jobs =
      request.jobs > 0 ? request.jobs : number_variable(host, "CUDAENV_JOBS", processors, 1024);
  auto cache = host.environment.non_empty("CUDAENV_CACHE_DIR");
  install::Context context{
      host.environment,
      host.interrupt,
      host.progress,
      [&host](const Interrupt& interrupt) {
        net::Options options;
        options.environment = host.environment;
        options.ca_bundle = host.environment.get("CUDAENV_CA_BUNDLE").value_or("");
        options.user_agent = "cudaenv/" + host.version;
        options.connect_limit =
            std::chrono::seconds(number_variable(host, "CUDAENV_CONNECT_TIMEOUT", 10, 3600));
        options.stall_limit =
            std::chrono::seconds(number_variable(host, "CUDAENV_STALL_TIMEOUT", 30, 3600));
        if (host.environment.non_empty("CUDAENV_ATTEMPTS")) {
          options.attempts =
              static_cast<unsigned>(number_variable(host, "CUDAENV_ATTEMPTS", 1, 1000));
          options.patience = std::chrono::milliseconds(0);
        }
        return host.make_downloader(options, host.progress, interrupt);
      },
      cache ? std::filesystem::path(*cache)
            : host.environment.xdg("XDG_CACHE_HOME", ".cache") / "cudaenv",
      static_cast<unsigned>(jobs),
      lock_timeout(host),
      request.offline || host.environment.is_on("CUDAENV_OFFLINE"),
      host.version};
  return context;
}

bool trusts_mirror(const InstallRequest& request, const Host& host) {
  return request.trust_mirror || host.environment.is_on("CUDAENV_TRUST_MIRROR");
}

SourceChoice choose_source(const InstallRequest& request, const install::Context& context,
                           const Host& host) {
  const std::string source = !request.source.empty()
                                 ? request.source
                                 : host.environment.non_empty("CUDAENV_SOURCE").value_or("auto");
  if (source == "wheels" || source.starts_with("wheels:")) {
    const std::string folder = source == "wheels" ? "" : source.substr(7);
    return {install::make_wheel_source(context, folder)};
  }
  const auto mirrors = mirror_options(request, host);
  if (source == "nvidia") return {install::make_nvidia_source(context, mirrors)};
  if (source != "auto") {
    throw Error(ErrorKind::usage, fmt::format("`{}` is not a source", text::visible(source)))
        .help("sources are `nvidia`, `wheels`, `wheels:DIR` and `auto`");
  }
  // Who names a mirror means it.
  if (!mirrors.mirrors.empty() || context.offline || install::nvidia_reachable(context)) {
    return {install::make_nvidia_source(context, mirrors)};
  }
  return {install::make_wheel_source(context, ""), true};
}

Platform choose_platform(const std::string& named, const Version& cuda) {
  if (!named.empty()) {
    if (const auto platform = Platform::parse(named)) return *platform;
    throw with_suggestion(
        Error(ErrorKind::usage, fmt::format("`{}` is not a platform", text::visible(named))), named,
        Platform::all(), fmt::format("platforms are: {}", fmt::join(Platform::all(), ", ")));
  }
  const auto machine = sys::this_machine();
  if (const auto platform = platform_of(machine.name, machine.jetson, cuda.major()))
    return *platform;
  throw Error(ErrorKind::missing, fmt::format("NVIDIA has no toolkit for `{}`", machine.name))
      .help("install for another machine with --platform");
}

Release choose_release(const Spec& spec, install::Source& source, ToolkitChooser& chooser) {
  const auto* partial = std::get_if<Spec::Partial>(&spec.value());
  // A release in full needs no list.
  if (partial && partial->version.parts().size() >= 3) {
    if (auto release = source.release("cuda", partial->version)) return *release;
    no_release(spec, catalog::versions("cuda"), source.name());
  }
  const auto candidates = source.releases("cuda");
  const bool is_auto = std::holds_alternative<Spec::Auto>(spec.value());
  const auto version =
      is_auto ? chooser.choose(candidates).toolkit : install::newest_match(spec, candidates);
  if (is_auto && !version) throw no_toolkit_error(*chooser.answer());
  if (version) {
    if (auto release = source.release("cuda", *version)) return *release;
  }
  no_release(spec, candidates, source.name());
}

}  // namespace cudaenv::commands
