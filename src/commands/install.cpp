#include "commands/install.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "base/text.hpp"
#include "catalog/index.hpp"
#include "commands/choose_toolkit.hpp"
#include "commands/install_choice.hpp"
#include "commands/lacks.hpp"
#include "commands/store_use.hpp"
#include "commands/wait.hpp"
#include "install/foreign.hpp"
#include "install/store_check.hpp"
#include "install/supply.hpp"
#include "store/links.hpp"
#include "store/staging.hpp"
#include "sys/file.hpp"
#include "sys/machine.hpp"

namespace cudaenv::commands {
namespace {

// Whether the toolkit is for a machine of another kind than this one.
bool is_for_elsewhere(const InstallRequest& request, const Version& cuda) {
  const auto machine = sys::this_machine();
  const auto here = platform_of(machine.name, machine.jetson, cuda.major());
  return !request.platform.empty() && (!here || here->name() != request.platform);
}

std::string prefix_name(const InstallRequest& request, const Version& cuda) {
  if (request.name.empty() && is_for_elsewhere(request, cuda)) {
    return fmt::format("{}-{}", store::plain_name(cuda),
                       choose_platform(request.platform, cuda).name());
  }
  return request.name.empty() ? store::plain_name(cuda) : store::prefix_folder(request.name);
}

// The components in the release's own words; an unknown one is an error with a suggestion.
// With `may_lack` one that other releases have is taken as it is.
std::vector<std::string> resolved_components(const std::vector<std::string>& typed,
                                             const Release& release, bool may_lack = false) {
  std::vector<std::string> result;
  for (const auto& list : typed) {
    for (const auto piece : text::split(list, ',')) {
      const std::string name(text::trimmed(piece));
      if (name.empty()) continue;
      if (const auto found = catalog::find_component(name, release)) {
        result.push_back(*found);
        continue;
      }
      if (may_lack && catalog::component_info(name)) {
        result.push_back(name);
        continue;
      }
      std::vector<std::string> known;
      for (const auto& component : release.components) known.push_back(component.name);
      throw with_suggestion(
          Error(ErrorKind::usage, fmt::format("CUDA {} has no component `{}`",
                                              release.version.text(), text::visible(name))),
          name, known, fmt::format("it has: {}", fmt::join(known, ", ")));
    }
  }
  return result;
}

std::optional<catalog::Profile> chosen_profile(const InstallRequest& request, const Host& host) {
  const std::string name = !request.profile.empty()
                               ? request.profile
                               : host.environment.non_empty("CUDAENV_PROFILE").value_or("");
  // Components that are named alone are wanted alone.
  if (request.profile.empty() && !request.components.empty()) return std::nullopt;
  if (name.empty()) return catalog::Profile::dev;
  if (const auto profile = catalog::parse_profile(name)) return profile;
  const std::vector<std::string> known{"minimal", "runtime", "dev", "full"};
  throw with_suggestion(
      Error(ErrorKind::usage, fmt::format("`{}` is not a profile", text::visible(name))), name,
      known, "profiles are `minimal`, `runtime`, `dev` and `full`");
}

install::Wish wish_for(const InstallRequest& request, const Release& release, const Host& host) {
  install::Wish wish{release.version,
                     prefix_name(request, release.version),
                     choose_platform(request.platform, release.version),
                     chosen_profile(request, host),
                     {},
                     {},
                     request.no_static,
                     {},
                     {},
                     request.force};
  wish.components = resolved_components(request.components, release);
  wish.without = resolved_components(request.without, release, true);
  for (const auto& typed : request.with)
    wish.add_ons.push_back(install::AddOnRequest::parse(typed));
  return wish;
}

// The request with the toolkit and cuDNN that the framework wants, in place of the framework; of
// what can be had. Nothing where none of that will do: the chooser's answer says why.
std::optional<InstallRequest> for_framework(InstallRequest request, ToolkitChooser& chooser,
                                            std::vector<Version> cuda,
                                            const std::vector<Version>& cudnn) {
  request.framework.clear();
  const Spec spec = Spec::parse(request.spec);
  std::erase_if(cuda, [&](const Version& version) { return !spec.accepts(version); });
  // That there is no such release is said as for every install.
  if (cuda.empty()) return request;
  const auto& answer = chooser.choose(cuda, cudnn);
  if (!answer.toolkit) return std::nullopt;
  request.spec = answer.toolkit->text();
  bool named = false;
  for (const auto& with : request.with) {
    const auto add_on = install::AddOnRequest::parse(with);
    if (add_on.name != "cudnn") continue;
    named = true;
    if (add_on.version) chooser.judge_cudnn(*add_on.version);
  }
  if (answer.cudnn && !named) request.with.push_back("cudnn@" + answer.cudnn->first(3).text());
  return request;
}

// Whether what is installed covers the request, by the index alone: then nobody is asked.
std::optional<PreparedInstall> already_there(const InstallRequest& asked,
                                             const store::Layout& layout, ToolkitChooser& chooser,
                                             const Host& host) {
  if (asked.force) return std::nullopt;
  const auto known_request =
      asked.framework.empty()
          ? std::optional(asked)
          : for_framework(asked, chooser, catalog::versions("cuda"), catalog::versions("cudnn"));
  if (!known_request) return std::nullopt;
  const auto& request = *known_request;
  const Spec spec = Spec::parse(request.spec);
  const bool is_auto = std::holds_alternative<Spec::Auto>(spec.value());
  auto known = catalog::versions("cuda");
  std::optional<Version> version =
      is_auto ? chooser.choose(known).toolkit : install::newest_match(spec, known);
  // A release newer than the index, in full.
  if (const auto* partial = std::get_if<Spec::Partial>(&spec.value());
      !version && partial && partial->version.parts().size() >= 3) {
    version = partial->version;
  }
  if (!version) return std::nullopt;
  const auto present = store::receipt_in(layout.prefix(prefix_name(request, *version)));
  if (!present) return std::nullopt;
  const auto release = catalog::load("cuda", *version);
  if (!release) return std::nullopt;
  const auto wish = wish_for(request, *release, host);
  if (!install::covers(*present, wish, *release)) return std::nullopt;
  install::Plan plan{wish, present->source, {}, {}, {}, present, false};
  return PreparedInstall{layout, plan, {}, std::nullopt, "", true, layout.prefix(wish.prefix),
                         request};
}

std::string command_for(const InstallRequest& request) {
  std::string command = "cudaenv install " + text::shell_quoted(request.spec);
  if (!request.source.empty()) command += " --source " + text::shell_quoted(request.source);
  if (!request.profile.empty()) command += " --profile " + request.profile;
  for (const auto& with : request.with) command += " --with " + text::shell_quoted(with);
  if (!request.name.empty()) command += " --name " + text::shell_quoted(request.name);
  return command;
}

// What the wheels do give where they lack a compiler.
void offer_alternative(PreparedInstall& prepared) {
  const auto& plan = prepared.plan;
  if (plan.unusable.empty() || plan.source != "wheels") return;
  if (plan.wish.profile == catalog::Profile::runtime) return;
  InstallRequest other = prepared.request;
  other.source = prepared.request.source.empty() ? "wheels" : prepared.request.source;
  other.profile = "runtime";
  prepared.alternative_command = command_for(other);
  prepared.alternative = std::move(other);
}

std::vector<std::pair<std::string, std::string>> lacks_of(const std::vector<install::Part>& parts) {
  std::vector<std::pair<std::string, std::string>> lacks;
  for (const auto& part : parts) lacks.emplace_back(part.offer.component, part.offer.lacks);
  return lacks;
}

void add_notes(PreparedInstall& prepared, bool fell_back) {
  const auto& plan = prepared.plan;
  if (fell_back) {
    prepared.notes.push_back(
        "NVIDIA's host does not answer: taking NVIDIA's Python wheels (--source wheels)");
  }
  const std::string source = plan.source == "wheels" ? "the wheels have" : plan.source + " has";
  if (!plan.lacking.empty()) {
    prepared.notes.push_back(fmt::format("{} no {}", source, fmt::join(plan.lacking, ", ")));
  }
  for (auto& line : lack_lines(lacks_of(plan.parts))) prepared.notes.push_back(std::move(line));
}

// Takes the framework out of the request and puts what it wants of this source into it.
install::Plan planned(InstallRequest& request, const store::Layout& layout,
                      const SourceChoice& choice, ToolkitChooser& chooser, const Host& host) {
  try {
    if (!request.framework.empty()) {
      auto chosen = for_framework(request, chooser, choice.source->releases("cuda"),
                                  choice.source->releases("cudnn"));
      if (!chosen) throw no_toolkit_error(*chooser.answer());
      request = std::move(*chosen);
    }
    const Release release = choose_release(Spec::parse(request.spec), *choice.source, chooser);
    return install::make_plan(layout, *choice.source, release, wish_for(request, release, host));
  } catch (const Error& error) {
    // `auto` has tried both: the user hears of both.
    if (!choice.fell_back || error.kind() != ErrorKind::network) throw;
    throw error.under("no source can be reached: neither NVIDIA's host nor a Python index")
        .help(
            "name a mirror of NVIDIA's host with --mirror, or a folder of wheels with --source "
            "wheels:DIR");
  }
}

install::PublishRequest publish_request(const PreparedInstall& prepared, install::Eula eula) {
  install::PublishRequest request{eula, prepared.request.set_default, prepared.request.force};
  request.may_default = !is_for_elsewhere(prepared.request, prepared.plan.wish.cuda);
  return request;
}

std::optional<install::Published> carry_out(const PreparedInstall& prepared, install::Plan& plan,
                                            install::Eula eula, const Host& host) {
  const auto context = make_context(prepared.request, host);
  sys::create_directories(prepared.layout.root());
  sys::create_directories(prepared.layout.state());
  const auto in_use = use_store(prepared.layout, host);
  store::sweep(prepared.layout);
  // What the plan counted on may have been collected before the store was locked.
  install::look_again(plan, prepared.layout);
  if (plan.wish.exactly) install::drop_damaged(context, prepared.layout, plan);
  install::check_space(plan, prepared.layout);
  install::supply(context, prepared.layout, plan);
  return install::publish(context, prepared.layout, plan, publish_request(prepared, eula));
}

// Nothing where the prefix is another by now than the one that was planned for.
std::optional<install::Published> install_once(const PreparedInstall& prepared, install::Eula eula,
                                               const Host& host) {
  auto plan = prepared.plan;
  install::refuse_foreign_folder(prepared.prefix);
  if (plan.present && !prepared.request.force) {
    install::refuse_foreign_files(prepared.prefix, "lose them with --force");
  }
  try {
    return carry_out(prepared, plan, eula, host);
  } catch (const Error& error) {
    // The check of the space is an estimate, and others write to the same disk.
    if (error.kind() != ErrorKind::full) throw;
    throw Error(error).because(install::still_needed(plan, prepared.layout));
  }
}

// The prefix as somebody else has just made it, with the links that were asked for.
install::Published already_published(const PreparedInstall& prepared, install::Eula eula,
                                     const Host& host) {
  const auto context = make_context(prepared.request, host);
  const bool default_set = install::settle_links(context, prepared.layout, prepared.prefix,
                                                 publish_request(prepared, eula));
  return {*prepared.plan.present, prepared.prefix, false, default_set, ""};
}

void make_missing_minor_link(const PreparedInstall& prepared, const Host& host) {
  const auto& layout = prepared.layout;
  const auto& cuda = prepared.plan.wish.cuda;
  if (prepared.prefix.filename() != store::plain_name(cuda)) return;
  if (sys::exists(layout.minor_link(cuda)) || !sys::can_write(layout.root())) return;
  const auto lock = lock_root(layout, host);
  store::refresh_minor_links(layout);
}

}  // namespace

PreparedInstall prepare_install(const InstallRequest& asked, const Host& host) {
  ToolkitChooser chooser(host, asked.framework);
  InstallRequest request = asked;
  if (!asked.framework.empty() && asked.spec.empty()) request.spec = "auto";
  const Spec spec = Spec::parse(request.spec);
  if (std::holds_alternative<Spec::Name>(spec.value()) ||
      std::holds_alternative<Spec::System>(spec.value())) {
    throw Error(ErrorKind::usage, fmt::format("`{}` is not a version that can be installed",
                                              text::visible(request.spec)))
        .help("name a release, such as `cudaenv install 12.1`, and the prefix with --name");
  }
  const auto layout = writing_root(host, request.system);
  const auto context = make_context(request, host);
  if (auto done = already_there(request, layout, chooser, host)) {
    if (chooser.answer()) done->notes = reasons_for(*chooser.answer());
    return std::move(*done);
  }

  auto choice = choose_source(request, context, host);
  install::Plan plan = planned(request, layout, choice, chooser, host);
  const auto prefix = layout.prefix(plan.wish.prefix);
  PreparedInstall prepared{layout, std::move(plan), {}, std::nullopt, "", false, prefix, request};
  prepared.already = !prepared.plan.changes;
  if (chooser.answer()) prepared.notes = reasons_for(*chooser.answer());
  add_notes(prepared, choice.fell_back);
  offer_alternative(prepared);
  return prepared;
}

bool is_for_elsewhere(const PreparedInstall& prepared) {
  return is_for_elsewhere(prepared.request, prepared.plan.wish.cuda);
}

Error unusable_error(const PreparedInstall& prepared) {
  const auto& plan = prepared.plan;
  Error error(ErrorKind::missing,
              fmt::format("{} cannot give CUDA {} with the profile `{}`", plan.source,
                          plan.wish.cuda.text(),
                          plan.wish.profile ? catalog::name_of(*plan.wish.profile) : "custom"));
  for (const auto& line : plan.unusable) error = std::move(error).because(line);
  if (prepared.alternative) {
    error = std::move(error).help(fmt::format("what it has runs programs and frameworks: `{}`",
                                              prepared.alternative_command));
  }
  if (plan.source == "wheels") {
    error = std::move(error).help(
        "a compiler needs NVIDIA's host or a mirror of it: `--source nvidia` or `--mirror URL`");
  } else {
    error = std::move(error).help(
        "take what there is by name with `--component`, or leave parts out with `--without`");
  }
  return error;
}

install::Published run_install(const PreparedInstall& prepared, install::Eula eula,
                               const Host& host) {
  if (!prepared.plan.unusable.empty()) throw unusable_error(prepared);
  return while_doing(fmt::format("cannot install CUDA {}", prepared.plan.wish.cuda.text()), [&] {
    if (auto published = install_once(prepared, eula, host)) return std::move(*published);
    // Whoever was faster may have brought all of it, or a part, or taken the prefix away.
    while (true) {
      const auto again = prepare_install(prepared.request, host);
      if (!again.plan.unusable.empty()) throw unusable_error(again);
      if (again.already) return already_published(again, eula, host);
      if (auto published = install_once(again, eula, host)) return std::move(*published);
    }
  });
}

bool finish_install(const PreparedInstall& prepared, const Host& host) {
  const auto& layout = prepared.layout;
  make_missing_minor_link(prepared, host);
  if (!store::has_leftovers(layout) || !sys::can_write(layout.state())) return false;
  const std::string purpose = install::staging_purpose(prepared.plan);
  const bool begun = store::has_staging(layout, purpose);
  store::sweep(layout);
  // What is still there has an owner, who will finish it.
  if (!begun || store::has_staging(layout, purpose)) return false;
  return install::settle_links(make_context(prepared.request, host), layout, prepared.prefix,
                               publish_request(prepared, install::Eula::notice));
}

}  // namespace cudaenv::commands
