#include "support/mirror_server_rules.hpp"

#include <functional>
#include <map>
#include <stdexcept>

#include "base/text.hpp"

namespace cudaenv::test {
namespace {

std::uint64_t number(const std::string& argument) {
  const auto value = text::parse_unsigned(argument);
  if (!value) throw std::invalid_argument("a rule needs a number instead of \"" + argument + "\"");
  return *value;
}

std::string web_page(const std::string& size) {
  std::string page = "<!DOCTYPE html><html><body>blocked</body></html>\n";
  if (!size.empty()) page.resize(number(size), ' ');
  return page;
}

void set_status(const std::string& argument, MirrorPlan& plan) {
  const auto colon = argument.find(':');
  plan.status = static_cast<int>(number(argument.substr(0, colon)));
  if (colon != std::string::npos) plan.retry_after = argument.substr(colon + 1);
}

using Effect = std::function<void(const std::string&, MirrorPlan&)>;

const std::map<std::string, Effect>& effects() {
  using Text = const std::string&;
  using Plan = MirrorPlan&;
  static const std::map<std::string, Effect> table{
      {"ignore_range", [](Text, Plan plan) { plan.ignore_range = true; }},
      {"ignore_if_range", [](Text, Plan plan) { plan.ignore_if_range = true; }},
      {"wrong_range", [](Text, Plan plan) { plan.wrong_range = true; }},
      {"not_satisfiable", [](Text, Plan plan) { plan.not_satisfiable = true; }},
      {"no_validators", [](Text, Plan plan) { plan.validators = false; }},
      {"stall_head", [](Text, Plan plan) { plan.stall_head = true; }},
      {"reset", [](Text, Plan plan) { plan.reset = true; }},
      {"endless_head", [](Text, Plan plan) { plan.endless_head = true; }},
      {"endless", [](Text, Plan plan) { plan.endless = true; }},
      {"chunked", [](Text, Plan plan) { plan.chunked = true; }},
      {"cut", [](Text text, Plan plan) { plan.cut = number(text); }},
      {"stall", [](Text text, Plan plan) { plan.stall = number(text); }},
      {"flip", [](Text text, Plan plan) { plan.flip = number(text); }},
      {"delay", [](Text text, Plan plan) { plan.delay_ms = number(text); }},
      {"trickle_head",
       [](Text text, Plan plan) {
         plan.endless_head = true;
         plan.head_pause_ms = number(text);
       }},
      {"trickle", [](Text text, Plan plan) { plan.trickle_ms = number(text); }},
      {"longer",
       [](Text text, Plan plan) { plan.longer = static_cast<std::int64_t>(number(text)); }},
      {"shorter",
       [](Text text, Plan plan) { plan.longer = -static_cast<std::int64_t>(number(text)); }},
      {"type", [](Text text, Plan plan) { plan.type = text; }},
      {"encoding",
       [](Text text, Plan plan) {
         plan.encoding = text;
         plan.flip = 0;
       }},
      {"then", [](Text text, Plan plan) { plan.then = text; }},
      {"redirect", [](Text text, Plan plan) { plan.redirect = text; }},
      {"html", [](Text text, Plan plan) { plan.page = web_page(text); }},
      {"status", set_status},
  };
  return table;
}

bool covers(const std::string& pattern, const std::string& path) {
  if (!pattern.ends_with('*')) return pattern == path;
  return path.starts_with(pattern.substr(0, pattern.size() - 1));
}

}  // namespace

void MirrorRules::add(const std::string& path, const std::string& text) {
  Rule rule;
  rule.path = path;
  std::string rest = text;
  const auto star = rest.find('*');
  if (star != std::string::npos && text::parse_unsigned(rest.substr(0, star))) {
    rule.left = number(rest.substr(0, star));
    rest.erase(0, star + 1);
  }
  const auto colon = rest.find(':');
  rule.name = rest.substr(0, colon);
  if (colon != std::string::npos) rule.argument = rest.substr(colon + 1);
  const bool by_chance = rule.name == "flaky" || rule.name == "shaky";
  if (!by_chance && rule.name != "auth") {
    const auto effect = effects().find(rule.name);
    if (effect == effects().end()) throw std::invalid_argument("there is no rule \"" + text + "\"");
    MirrorPlan trial;
    effect->second(rule.argument, trial);
  }
  if (by_chance) {
    const auto seed = rule.argument.find(':');
    if (seed != std::string::npos) {
      random_.seed(static_cast<std::uint32_t>(number(rule.argument.substr(seed + 1))));
    }
  }
  rules_.push_back(std::move(rule));
}

MirrorPlan MirrorRules::plan(const HttpRequest& request) {
  MirrorPlan plan;
  for (auto& rule : rules_) {
    if (!covers(rule.path, request.path) || rule.left == 0u) continue;
    if (rule.left) --*rule.left;
    apply(rule, request, plan);
  }
  return plan;
}

void MirrorRules::shake(MirrorPlan& plan) {
  switch (random_() % 3) {
    case 0:
      plan.status = 503;
      break;
    case 1:
      plan.reset = true;
      break;
    default:
      plan.cut = random_() % 20'000;
  }
}

void MirrorRules::apply(const Rule& rule, const HttpRequest& request, MirrorPlan& plan) {
  if (rule.name == "flaky" || rule.name == "shaky") {
    const bool fails = std::uniform_real_distribution<>(0, 1)(random_) < std::stod(rule.argument);
    if (fails && rule.name == "flaky") plan.status = 500;
    if (fails && rule.name == "shaky") shake(plan);
  } else if (rule.name == "auth") {
    if (request.header("authorization") != "Basic " + base64(rule.argument)) {
      plan.status = 401;
      plan.authenticate = "Basic realm=\"test\"";
    }
  } else {
    effects().at(rule.name)(rule.argument, plan);
  }
}

}  // namespace cudaenv::test
