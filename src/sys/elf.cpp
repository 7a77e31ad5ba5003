#include "sys/elf.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <unistd.h>

namespace cudaenv::sys {
namespace {

constexpr std::size_t most_headers = 256;
constexpr std::size_t most_table = 8u << 20;  // of dynamic symbols or their names
constexpr std::size_t longest_name = 4096;
constexpr std::size_t most_needed = 256;

template <typename Entry>
std::optional<Entry> entry_at(const ReadAt& file, std::uint64_t offset) {
  const std::string bytes = file(offset, sizeof(Entry));
  if (bytes.size() != sizeof(Entry)) return std::nullopt;
  Entry entry;
  std::memcpy(&entry, bytes.data(), sizeof entry);
  return entry;
}

// The whole entries among what a table of `count` should have.
template <typename Entry>
std::vector<Entry> entries(const ReadAt& file, std::uint64_t offset, std::size_t count) {
  const std::string bytes = file(offset, count * sizeof(Entry));
  std::vector<Entry> result(std::min(count, bytes.size() / sizeof(Entry)));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(Entry));
  return result;
}

std::optional<Elf64_Ehdr> header(const ReadAt& file) {
  const auto header = entry_at<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return std::nullopt;
  }
  return header;
}

std::vector<Elf64_Phdr> segments(const ReadAt& file, const Elf64_Ehdr& header) {
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return {};
  return entries<Elf64_Phdr>(file, header.e_phoff,
                             std::min<std::size_t>(header.e_phnum, most_headers));
}

// Where in the file an address of the loaded library lies.
std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments,
                                         std::uint64_t address) {
  for (const auto& segment : segments) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const std::uint64_t within = address - segment.p_vaddr;
    if (within < segment.p_filesz) return segment.p_offset + within;
  }
  return std::nullopt;
}

std::string name_at(const ReadAt& file, std::uint64_t offset) {
  std::string bytes = file(offset, longest_name);
  const auto end = bytes.find('\0');
  if (end == std::string::npos) return {};
  bytes.resize(end);
  return bytes;
}

}  // namespace

ReadAt read_at(int fd) {
  return [fd](std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size && offset <= INT64_MAX - size) {
      const ssize_t got =
          ::pread(fd, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  };
}

std::optional<SharedLibrary> shared_library(const ReadAt& file) {
  const auto head = header(file);
  if (!head) return std::nullopt;
  const auto loaded = segments(file, *head);
  const auto dynamic = std::find_if(loaded.begin(), loaded.end(), [](const Elf64_Phdr& segment) {
    return segment.p_type == PT_DYNAMIC;
  });
  if (dynamic == loaded.end()) return std::nullopt;
  const auto tags = entries<Elf64_Dyn>(
      file, dynamic->p_offset,
      std::min<std::size_t>(dynamic->p_filesz / sizeof(Elf64_Dyn), 16 * most_headers));
  std::optional<std::uint64_t> names;
  for (const auto& tag : tags) {
    if (tag.d_tag == DT_STRTAB) names = file_offset(loaded, tag.d_un.d_ptr);
  }
  if (!names) return std::nullopt;
  SharedLibrary library;
  library.machine = head->e_machine;
  std::string old_run_path;
  for (const auto& tag : tags) {
    if (tag.d_tag == DT_NULL) break;
    if (tag.d_un.d_val > most_table) continue;
    const auto text = [&] { return name_at(file, *names + tag.d_un.d_val); };
    if (tag.d_tag == DT_SONAME) library.soname = text();
    if (tag.d_tag == DT_NEEDED && library.needed.size() < most_needed) {
      library.needed.push_back(text());
    }
    if (tag.d_tag == DT_RUNPATH) library.run_path = text();
    if (tag.d_tag == DT_RPATH) old_run_path = text();
  }
  if (library.run_path.empty()) library.run_path = std::move(old_run_path);
  return library;
}

std::optional<std::uint64_t> symbol_constant(const ReadAt& file,
                                             const std::function<bool(std::string_view)>& accepts) {
  const auto head = header(file);
  if (!head || head->e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
  const auto sections =
      entries<Elf64_Shdr>(file, head->e_shoff, std::min<std::size_t>(head->e_shnum, most_headers));
  const auto symbols = std::find_if(sections.begin(), sections.end(), [](const auto& section) {
    return section.sh_type == SHT_DYNSYM;
  });
  if (symbols == sections.end() || symbols->sh_link >= sections.size()) return std::nullopt;
  const auto& strings = sections[symbols->sh_link];
  const std::string names = file(strings.sh_offset, std::min(strings.sh_size, most_table));
  const auto table = entries<Elf64_Sym>(file, symbols->sh_offset,
                                        std::min(symbols->sh_size, most_table) / sizeof(Elf64_Sym));
  for (const auto& symbol : table) {
    if (symbol.st_name >= names.size() || symbol.st_size != 8 || symbol.st_shndx == SHN_UNDEF) {
      continue;
    }
    const auto end = names.find('\0', symbol.st_name);
    if (end == std::string::npos ||
        !accepts(std::string_view(names).substr(symbol.st_name, end - symbol.st_name))) {
      continue;
    }
    const auto offset = file_offset(segments(file, *head), symbol.st_value);
    if (offset) return entry_at<std::uint64_t>(file, *offset);
  }
  return std::nullopt;
}

}  // namespace cudaenv::sys
