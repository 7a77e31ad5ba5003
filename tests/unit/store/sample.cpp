#include "unit/store/sample.hpp"

#include <fstream>

#include "sys/sha256.hpp"

namespace cudaenv::test {

namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& path, const std::string& content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

Version version(const std::string& text) { return Version::parse(text).value(); }

Digest digest_of(const std::string& text) { return sys::sha256(text); }

store::Receipt sample_receipt(const std::string& name, const std::string& cuda) {
  store::Receipt receipt{.name = name,
                         .cuda = version(cuda),
                         .platform = "linux-x86_64",
                         .profile = "dev",
                         .source = "nvidia",
                         .installed_at = "2026-11-30T07:15:00Z",
                         .installed_by = "cudaenv 0.1.0",
                         .eula = "flag",
                         .components = {},
                         .lacking = {"cuda_gdb"},
                         .requested = {},
                         .proof = {}};
  for (const char* component : {"cuda_cudart", "cuda_nvcc", "libcublas"}) {
    receipt.components.push_back(
        {.name = component,
         .product = "cuda",
         .version = cuda + ".105",
         .sha256 = digest_of(name + component),
         .size = 12345678,
         .url = std::string("https://developer.example/compute/cuda/redist/") + component,
         .filter = "all",
         .lacks = "",
         .installed_bytes = 98765432});
  }
  return receipt;
}

fs::path make_prefix(const store::Layout& layout, const std::string& name, const std::string& cuda,
                     const std::string& folder) {
  const fs::path prefix = layout.root() / (folder.empty() ? name : folder);
  write_file(prefix / "bin/nvcc", name);
  write_file(store::receipt_file(prefix), store::write_receipt(sample_receipt(name, cuda)));
  return prefix;
}

std::vector<store::ListedFile> make_staged(const fs::path& staged, const std::string& content) {
  write_file(staged / "tree/bin/tool", content);
  fs::create_symlink("tool", staged / "tree/bin/alias");
  return {{.kind = store::ListedFile::Kind::file,
           .path = "bin/tool",
           .mode = 0755,
           .size = content.size(),
           .sha256 = digest_of(content),
           .target = "",
           .component = "cuda_nvcc"},
          {.kind = store::ListedFile::Kind::symlink,
           .path = "bin/alias",
           .sha256 = {},
           .target = "tool",
           .component = "cuda_nvcc"}};
}

std::string report(const Error& error) {
  std::string text = error.message() + "\n";
  for (const auto& cause : error.causes()) text += "  " + cause + "\n";
  for (const auto& advice : error.advice()) text += "help: " + advice + "\n";
  return text;
}

std::string report(const Error& error, const fs::path& folder) {
  std::string text = report(error);
  const std::string name = folder.string();
  for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
    text.replace(at, name.size(), "DIR");
  }
  return text;
}

}  // namespace cudaenv::test
