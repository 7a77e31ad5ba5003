#include "catalog/index.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "catalog/rules.hpp"
#include "embedded/manifests.hpp"

namespace cudaenv::catalog {
namespace {

namespace files = embedded::manifests;

constexpr std::string_view schema = "1";
constexpr std::string_view folder = "redist/";
constexpr std::string_view suffix = ".tsv";
constexpr std::string_view digests_file = "redist/manifest_digests.tsv";
constexpr std::string_view no_variant = "-";

// The path that NVIDIA nearly always uses; only other ones are written down.
std::string usual_path(const Component& component, const Platform& platform,
                       std::string_view variant) {
  const std::string kind = variant.empty() ? "" : fmt::format("_{}", variant);
  return fmt::format("{0}/{1}/{0}-{1}-{2}{3}-archive.{4}", component.name, platform.name(),
                     component.version.text(), kind, platform.is_windows() ? "zip" : "tar.xz");
}

std::string archive_line(const Component& component, const Platform& platform,
                         std::string_view variant, const Archive& archive) {
  std::string line =
      fmt::format("{}\t{}\t{}\t{}", platform.name(), variant.empty() ? no_variant : variant,
                  archive.size, archive.sha256.hex());
  if (archive.path != usual_path(component, platform, variant)) line += "\t" + archive.path;
  return line + "\n";
}

class IndexReader {
 public:
  IndexReader(std::string_view text, std::string_view where)
      : lines_(text::lines(text)), where_(where) {}

  Release read();

 private:
  using Fields = std::vector<std::string_view>;

  Release read_head(const Fields& fields) const;
  Component read_component(const Fields& fields) const;
  void read_archive(const Fields& fields, Component& component) const;

  Version version(std::string_view text) const {
    const auto read = Version::parse(text);
    if (!read) refuse(fmt::format("`{}` is not a version", text::visible(text, 60)));
    return *read;
  }

  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(ErrorKind::corrupt, fmt::format("{} is damaged", text::visible(where_, 300)))
        .because(fmt::format("line {}: {}", line_ + 1, why));
  }

  std::vector<std::string_view> lines_;
  std::string_view where_;
  std::size_t line_ = 0;
};

Release IndexReader::read() {
  if (lines_.empty()) refuse("it is empty");
  Release release = read_head(text::split(lines_[0], '\t'));
  for (line_ = 1; line_ < lines_.size(); ++line_) {
    const Fields fields = text::split(lines_[line_], '\t');
    if (fields[0] == "component") {
      Component component = read_component(fields);
      // find() searches by halving.
      if (!release.components.empty() && release.components.back().name >= component.name) {
        refuse("components are not in order");
      }
      release.components.push_back(std::move(component));
    } else if (release.components.empty()) {
      refuse("an archive before the first component");
    } else {
      read_archive(fields, release.components.back());
    }
  }
  return release;
}

Release IndexReader::read_head(const Fields& fields) const {
  if (fields[0] != "release") refuse("it does not begin with `release`");
  if (fields.size() != 5) refuse("a release has five fields");
  if (fields[1] != schema) {
    refuse(fmt::format("schema `{}` is not known", text::visible(fields[1], 20)));
  }
  if (!is_plain_name(fields[2])) refuse("the product is not a plain name");
  if (!fields[4].empty() && !is_date(fields[4])) refuse("the date is not a date");
  return {std::string(fields[2]), version(fields[3]), std::string(fields[4]), {}};
}

Component IndexReader::read_component(const Fields& fields) const {
  if (fields.size() != 4) refuse("a component has four fields");
  if (!is_plain_name(fields[1])) refuse("the component is not a plain name");
  if (text::visible(fields[3]) != fields[3]) refuse("the licence is not fit to show");
  return {std::string(fields[1]), version(fields[2]), std::string(fields[3]), {}};
}

void IndexReader::read_archive(const Fields& fields, Component& component) const {
  if (fields.size() != 4 && fields.size() != 5) refuse("an archive has four or five fields");
  const auto platform = Platform::parse(fields[0]);
  if (!platform) refuse(fmt::format("`{}` is not a platform", text::visible(fields[0], 60)));
  const std::string_view variant = fields[1] == no_variant ? std::string_view{} : fields[1];
  if (fields[1] != no_variant && !is_plain_name(variant)) refuse("the variant is no plain name");
  const auto size = parse_size(fields[2]);
  if (!size) refuse("the size is not a plausible count of bytes");
  const auto digest = Digest::from_hex(fields[3]);
  if (!digest) refuse("the SHA-256 is not 64 hexadecimal digits");
  std::string path =
      fields.size() == 5 ? std::string(fields[4]) : usual_path(component, *platform, variant);
  if (!is_safe_path(path)) refuse("the path is not a plain relative path");

  auto& archives = component.platforms[*platform];
  Archive archive{std::move(path), *digest, *size};
  const bool fresh = variant.empty()
                         ? !std::exchange(archives.plain, archive).has_value()
                         : archives.variants.emplace(variant, std::move(archive)).second;
  if (!fresh) refuse("the same platform and variant twice");
}

// Names like "redist/cuda/12.1.1.tsv", in parts; nothing for other files.
struct IndexName {
  std::string_view product;
  Version version;
};
std::optional<IndexName> index_name(std::string_view name) {
  if (!name.starts_with(folder) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(folder.size());
  name.remove_suffix(suffix.size());
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto version = Version::parse(name.substr(slash + 1));
  if (!version) return std::nullopt;
  return IndexName{name.substr(0, slash), *version};
}

}  // namespace

std::vector<std::string> products() {
  std::vector<std::string> found;
  for (std::size_t i = files::lower_bound(folder); i < files::count(); ++i) {
    const auto name = index_name(files::at(i).name);
    if (name && (found.empty() || found.back() != name->product)) {
      found.emplace_back(name->product);
    }
  }
  return found;
}

std::vector<Version> versions(std::string_view product) {
  std::vector<Version> found;
  const std::string prefix = fmt::format("{}{}/", folder, product);
  for (std::size_t i = files::lower_bound(prefix); i < files::count(); ++i) {
    const std::string_view file = files::at(i).name;
    if (!file.starts_with(prefix)) break;
    if (const auto name = index_name(file)) found.push_back(name->version);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<Release> load(std::string_view product, const Version& version) {
  for (const auto& known : versions(product)) {
    if (known != version) continue;
    // By the text of the known one: 24.3 finds 24.03.
    const std::string name = fmt::format("{}{}/{}{}", folder, product, known.text(), suffix);
    return read_index_text(files::find(name).value(), "the built-in " + name);
  }
  return std::nullopt;
}

std::optional<Digest> manifest_digest(std::string_view product, const Version& version) {
  for (const auto line : text::lines(files::find(digests_file).value_or(""))) {
    const auto fields = text::split(line, '\t');
    if (fields.size() != 3 || fields[0] != product) continue;
    if (Version::parse(fields[1]) == version) return Digest::from_hex(fields[2]);
  }
  return std::nullopt;
}

std::string write_index_text(const Release& release) {
  std::string text = fmt::format("release\t{}\t{}\t{}\t{}\n", schema, release.product,
                                 release.version.text(), release.date);
  for (const auto& component : release.components) {
    text += fmt::format("component\t{}\t{}\t{}\n", component.name, component.version.text(),
                        component.license);
    for (const auto& [platform, archives] : component.platforms) {
      if (archives.plain) text += archive_line(component, platform, {}, *archives.plain);
      for (const auto& [variant, archive] : archives.variants) {
        text += archive_line(component, platform, variant, archive);
      }
    }
  }
  return text;
}

Release read_index_text(std::string_view text, std::string_view where) {
  return IndexReader(text, where).read();
}

}  // namespace cudaenv::catalog
