#include "store/receipt.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/spec.hpp"
#include "sys/file.hpp"

namespace cudaenv::store {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::json;
// Keeps the keys as they are added, so that two receipts can be compared line by line.
using OrderedJson = nlohmann::ordered_json;

constexpr int deepest = 32;
constexpr std::uint64_t longest_receipt = 4u << 20;

bool comes_before(const ReceiptComponent& one, const ReceiptComponent& other) {
  return std::tie(one.name, one.product) < std::tie(other.name, other.product);
}

[[noreturn]] void refuse(std::string_view where, std::string why) {
  throw Error(ErrorKind::corrupt, fmt::format("the receipt `{}` is damaged", text::visible(where)))
      .because(std::move(why));
}

// The parser keeps its own stack, yet a value nested a million deep takes a hundred times its
// text in memory. Ours are nested three deep.
bool is_nested_too_deeply(std::string_view json) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// Letters, digits and "._+-", beginning with a letter or digit: no separator, no dots in front.
bool is_word(std::string_view value) {
  return !value.empty() && value.size() <= 100 && text::is_alphanumeric(value[0]) &&
         std::all_of(value.begin(), value.end(), [&](char c) {
           return text::is_alphanumeric(c) ||
                  std::string_view("._+-").find(c) != std::string_view::npos;
         });
}

// One JSON object with the place it has in the receipt, for messages.
class Object {
 public:
  Object(const Json& json, std::string_view where, std::string place)
      : json_(json), where_(where), place_(std::move(place)) {
    if (!json.is_object()) refuse(where, fmt::format("{} is not an object", named("")));
  }

  std::string string(const char* key) const {
    const Json& value = required(key);
    if (!value.is_string()) wrong(key, "a string");
    return value.get<std::string>();
  }

  // Part of a path or of a command line some day.
  std::string word(const char* key) const {
    std::string value = string(key);
    if (!is_word(value)) wrong_name(key, value);
    return value;
  }

  std::string prefix_name(const char* key) const {
    std::string value = string(key);
    if (!is_prefix_name(value)) wrong_name(key, value);
    return value;
  }

  std::uint64_t number(const char* key) const {
    const Json& value = required(key);
    if (!value.is_number_unsigned()) wrong(key, "a whole number");
    return value.get<std::uint64_t>();
  }

  std::vector<std::string> strings(const char* key) const {
    std::vector<std::string> result;
    for (const auto& item : array(key)) {
      if (!item.is_string()) wrong(key, "a list of strings");
      result.push_back(item.get<std::string>());
    }
    return result;
  }

  const Json& array(const char* key) const {
    const Json& value = required(key);
    if (!value.is_array()) wrong(key, "a list");
    return value;
  }

  bool has(const char* key) const { return json_.contains(key); }

  [[noreturn]] void wrong(const char* key, std::string_view wanted) const {
    refuse(where_, fmt::format("{} is not {}", named(key), wanted));
  }

 private:
  std::string named(const char* key) const {
    if (place_.empty()) return *key ? fmt::format("`{}`", key) : "it";
    return *key ? fmt::format("`{}.{}`", place_, key) : fmt::format("`{}`", place_);
  }

  const Json& required(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) refuse(where_, fmt::format("{} is missing", named(key)));
    return *found;
  }

  [[noreturn]] void wrong_name(const char* key, const std::string& value) const {
    refuse(where_,
           fmt::format("{} is `{}`, which is not a name", named(key), text::visible(value, 60)));
  }

  const Json& json_;
  std::string_view where_;
  std::string place_;
};

ReceiptComponent read_component(const Object& object) {
  const auto sha256 = Digest::from_hex(object.string("sha256"));
  if (!sha256) object.wrong("sha256", "64 hexadecimal digits");
  return {.name = object.word("name"),
          .product = object.word("product"),
          .version = object.string("version"),
          .sha256 = *sha256,
          .size = object.number("size"),
          .url = object.string("url"),
          .filter = object.word("filter"),
          .lacks = object.has("lacks") ? object.string("lacks") : "",
          .installed_bytes = object.number("installed_bytes")};
}

std::vector<ReceiptComponent> read_components(const Json& array, std::string_view where) {
  std::vector<ReceiptComponent> components;
  for (const auto& json : array) {
    const std::string place = fmt::format("components[{}]", components.size());
    components.push_back(read_component(Object(json, where, place)));
  }
  std::stable_sort(components.begin(), components.end(), comes_before);
  return components;
}

OrderedJson to_json(const ReceiptComponent& component) {
  OrderedJson json;
  json["name"] = component.name;
  json["product"] = component.product;
  json["version"] = component.version;
  json["sha256"] = component.sha256.hex();
  json["size"] = component.size;
  json["url"] = component.url;
  json["filter"] = component.filter;
  if (!component.lacks.empty()) json["lacks"] = component.lacks;
  json["installed_bytes"] = component.installed_bytes;
  return json;
}

ReceiptProof read_proof(const Object& object) {
  return {.verdict = object.word("verdict"),
          .at = object.string("at"),
          .gpus = object.strings("gpus"),
          .failed = object.strings("failed")};
}

OrderedJson to_json(const ReceiptProof& proof) {
  OrderedJson json;
  json["verdict"] = proof.verdict;
  json["at"] = proof.at;
  json["gpus"] = proof.gpus;
  json["failed"] = proof.failed;
  return json;
}

void check_schema(const Object& object, std::string_view where) {
  const std::uint64_t schema = object.number("schema");
  if (schema == 0) object.wrong("schema", "a number from 1 on");
  if (schema <= static_cast<std::uint64_t>(Receipt::schema)) return;
  throw Error(ErrorKind::corrupt,
              fmt::format("the receipt `{}` was written by a newer cudaenv", text::visible(where)))
      .because(fmt::format("its schema is {}, this cudaenv knows {}", schema, Receipt::schema))
      .help("upgrade cudaenv, or install the toolkit again under another name with `--name`");
}

Json parse(std::string_view json, std::string_view where) {
  if (text::trimmed(json).empty()) refuse(where, "it is empty");
  if (is_nested_too_deeply(json)) refuse(where, "it is nested too deeply");
  try {
    return Json::parse(json);
  } catch (const Json::exception& error) {
    refuse(where, fmt::format("it is not JSON: {}", text::visible(error.what())));
  }
}

// All but the lists.
Receipt read_summary(const Object& object, std::string_view where) {
  check_schema(object, where);
  const auto cuda = Version::parse(object.string("cuda"));
  if (!cuda) object.wrong("cuda", "a version");
  return {.name = object.prefix_name("name"),
          .cuda = *cuda,
          .platform = object.word("platform"),
          .profile = object.word("profile"),
          .source = object.string("source"),
          .installed_at = object.string("installed_at"),
          .installed_by = object.string("installed_by"),
          .eula = object.string("eula"),
          .components = {},
          .lacking = {},
          .requested = {},
          .proof = {}};
}

}  // namespace

const ReceiptComponent* Receipt::find(std::string_view component) const {
  const auto found =
      std::find_if(components.begin(), components.end(),
                   [&](const ReceiptComponent& other) { return other.name == component; });
  return found == components.end() ? nullptr : &*found;
}

std::string write_receipt(const Receipt& receipt) {
  auto sorted = receipt.components;
  std::sort(sorted.begin(), sorted.end(), comes_before);
  OrderedJson json;
  json["schema"] = Receipt::schema;
  json["name"] = receipt.name;
  json["cuda"] = receipt.cuda.text();
  json["platform"] = receipt.platform;
  json["profile"] = receipt.profile;
  json["source"] = receipt.source;
  json["installed_at"] = receipt.installed_at;
  json["installed_by"] = receipt.installed_by;
  json["eula"] = receipt.eula;
  json["components"] = OrderedJson::array();
  for (const auto& component : sorted) json["components"].push_back(to_json(component));
  json["lacking"] = receipt.lacking;
  json["requested"] = receipt.requested;
  if (receipt.proof) json["selftest"] = to_json(*receipt.proof);
  // A mirror's name may hold any bytes; what is not UTF-8 is replaced, not a reason to fail now.
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

Receipt read_receipt(std::string_view json, std::string_view where) {
  const Json root = parse(json, where);
  const Object object(root, where, "");
  Receipt receipt = read_summary(object, where);
  receipt.components = read_components(object.array("components"), where);
  receipt.lacking = object.strings("lacking");
  receipt.requested = object.strings("requested");
  if (const auto found = root.find("selftest"); found != root.end()) {
    receipt.proof = read_proof(Object(*found, where, "selftest"));
  }
  return receipt;
}

Receipt read_receipt_summary(std::string_view json, std::string_view where) {
  const auto read = [&](std::string_view text) {
    const Json root = parse(text, where);
    return read_summary(Object(root, where, ""), where);
  };
  // As write_receipt() lays it out.
  if (const auto end = json.find(",\n  \"components\": ["); end != std::string_view::npos) {
    try {
      return read(std::string(json.substr(0, end)) + "}");
    } catch (const Error&) {
      // Somebody may have put the keys in another order: the whole text decides.
    }
  }
  return read(json);
}

std::optional<std::string> receipt_text(const fs::path& prefix) {
  const fs::path file = receipt_file(prefix);
  const auto folder = sys::stat_link(file.parent_path());
  // A file of that name says which toolkit a project wants.
  if (!folder || folder->kind == sys::Kind::regular) return std::nullopt;
  const auto damaged = [](std::string why) { return Error(ErrorKind::corrupt, std::move(why)); };
  if (folder->kind != sys::Kind::directory) throw damaged("its `.cudaenv` is not a folder");
  const auto stat = sys::stat_link(file);
  if (stat && stat->kind != sys::Kind::regular) throw damaged("its receipt is not a file");
  auto json = stat ? sys::read_if_present(file, longest_receipt) : std::nullopt;
  if (json || !sys::exists(file.parent_path())) return json;
  // It may have been removed and published again since the first look.
  json = sys::read_if_present(file, longest_receipt);
  if (!json) throw damaged("it has lost its receipt");
  return json;
}

std::optional<Receipt> receipt_in(const fs::path& prefix) {
  try {
    const auto json = receipt_text(prefix);
    if (!json) return std::nullopt;
    return read_receipt(*json, receipt_file(prefix).string());
  } catch (const Error& error) {
    Error told = error.under(
        fmt::format("`{}` has no receipt that can be read", text::visible(prefix.string(), 1000)));
    if (!told.advice().empty()) throw told;
    throw std::move(told).help(damaged_receipt_advice(prefix));
  }
}

std::string damaged_receipt_advice(const fs::path& prefix) {
  const std::string folder = prefix.string();
  return fmt::format(
      "cudaenv leaves it as it is; move it away, `mv {} {}`, and install the toolkit again",
      text::shell_quoted(folder), text::shell_quoted(folder + ".old"));
}

fs::path receipt_file(const fs::path& prefix) { return prefix / ".cudaenv" / "receipt.json"; }
fs::path file_list_file(const fs::path& prefix) { return prefix / ".cudaenv" / "files.tsv"; }

}  // namespace cudaenv::store
