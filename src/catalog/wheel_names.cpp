#include <algorithm>

#include "base/text.hpp"
#include "catalog/components.hpp"
#include "catalog/wheels.hpp"

namespace cudaenv::catalog {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), text::is_digit);
}

bool all_of_word(std::string_view text, std::string_view others) {
  const auto fits = [&](char c) {
    return text::is_alphanumeric(c) || others.find(c) != std::string_view::npos;
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

// "manylinux1", "manylinux2014", "manylinux_2_27", "linux": for glibc, so musllinux is none.
bool is_glibc_tag(std::string_view tag) {
  if (tag == "linux" || tag == "manylinux1" || tag == "manylinux2010" || tag == "manylinux2014")
    return true;
  constexpr std::string_view perennial = "manylinux_";
  if (!tag.starts_with(perennial)) return false;
  const auto numbers = text::split(tag.substr(perennial.size()), '_');
  return numbers.size() == 2 && all_digits(numbers[0]) && all_digits(numbers[1]);
}

bool tag_fits(std::string_view tag, const Platform& platform) {
  struct Row {
    std::string_view platform;
    std::string_view machine;
  };
  static constexpr Row linux_rows[] = {
      {"linux-x86_64", "_x86_64"}, {"linux-sbsa", "_aarch64"}, {"linux-ppc64le", "_ppc64le"}};

  if (tag == "any") return true;
  if (platform.name() == "windows-x86_64") return tag == "win_amd64";
  if (platform.name() == "windows-arm64") return tag == "win_arm64";
  for (const Row& row : linux_rows) {
    if (platform.name() != row.platform || !tag.ends_with(row.machine)) continue;
    if (is_glibc_tag(tag.substr(0, tag.size() - row.machine.size()))) return true;
  }
  return false;
}

// Without "-cu12"; the text as it is where it has no such end.
std::string_view without_cuda_suffix(std::string_view distribution) {
  const auto dash = distribution.rfind("-cu");
  if (dash == std::string_view::npos) return distribution;
  return all_digits(distribution.substr(dash + 3)) ? distribution.substr(0, dash) : distribution;
}

const ComponentInfo* info_by_any_name(std::string_view component) {
  for (const ComponentInfo& info : all_components()) {
    if (info.name == component) return &info;
    for (const std::string& former : info.former_names)
      if (former == component) return &info;
  }
  return nullptr;
}

}  // namespace

bool WheelName::fits(const Platform& platform) const {
  return std::any_of(tags.begin(), tags.end(),
                     [&](const std::string& tag) { return tag_fits(tag, platform); });
}

std::optional<WheelName> parse_wheel_name(std::string_view file_name) {
  constexpr std::string_view suffix = ".whl";
  if (!file_name.ends_with(suffix)) return std::nullopt;
  file_name.remove_suffix(suffix.size());

  // name-version[-build]-python-abi-platform; dashes within a part are written '_'.
  const auto parts = text::split(file_name, '-');
  if (parts.size() != 5 && parts.size() != 6) return std::nullopt;
  if (!all_of_word(parts[0], "._") || !all_of_word(parts[1], "._+!")) return std::nullopt;
  if (!text::is_digit(parts[1].front())) return std::nullopt;
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (!all_of_word(parts[i], "._")) return std::nullopt;
  }
  if (parts.size() == 6 && !text::is_digit(parts[2].front())) return std::nullopt;

  WheelName name{normalised_distribution(parts[0]), std::string(parts[1]), {}};
  for (const auto tag : text::split(parts.back(), '.')) {
    if (!all_of_word(tag, "_")) return std::nullopt;
    name.tags.emplace_back(tag);
  }
  return name;
}

std::string normalised_distribution(std::string_view name) {
  std::string result;
  for (const char c : text::lower(name)) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (!separator) {
      result += c;
    } else if (result.empty() || result.back() != '-') {
      result += '-';
    }
  }
  return result;
}

std::optional<std::string> wheel_of(std::string_view component, unsigned cuda_major) {
  const std::string suffix = "-cu" + std::to_string(cuda_major);
  if (const ComponentInfo* info = info_by_any_name(component)) {
    if (info->wheel.empty()) return std::nullopt;
    return cuda_major >= 13 ? info->wheel : info->wheel + suffix;
  }
  for (const AddOn& add_on : all_add_ons()) {
    if (add_on.component == component && !add_on.wheel.empty()) return add_on.wheel + suffix;
  }
  return std::nullopt;
}

std::optional<std::string> component_of_wheel(std::string_view distribution) {
  const std::string name = normalised_distribution(distribution);
  const std::string_view base = without_cuda_suffix(name);
  if (base.empty()) return std::nullopt;
  for (const ComponentInfo& info : all_components())
    if (info.wheel == base) return info.name;
  if (base == name) return std::nullopt;  // an add-on's wheel always says for which CUDA it is
  for (const AddOn& add_on : all_add_ons())
    if (add_on.wheel == base) return add_on.component;
  return std::nullopt;
}

std::optional<Version> wheel_component_version(std::string_view version) {
  version = version.substr(0, version.find('+'));  // a local label: "+cu12"
  const auto post = version.find(".post");
  if (post != std::string_view::npos) {
    if (!all_digits(version.substr(post + 5))) return std::nullopt;
    version = version.substr(0, post);
  }
  return Version::parse(version);
}

std::optional<Version> toolkit_release(std::string_view version) {
  const auto number = wheel_component_version(version);
  if (!number) return std::nullopt;
  const std::size_t count = number->parts().size();
  if (count != 3 && count != 4) return std::nullopt;
  return number->first(3);
}

}  // namespace cudaenv::catalog
