#include "support/mini_elf.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>

namespace cudaenv::test {
namespace {

template <typename Entry>
std::size_t append(std::string& bytes, const Entry& entry) {
  const std::size_t at = bytes.size();
  bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  return at;
}

Elf64_Dyn tag(std::int64_t kind, std::uint64_t value) {
  Elf64_Dyn entry{};
  entry.d_tag = kind;
  entry.d_un.d_val = value;
  return entry;
}

Elf64_Shdr section(std::uint32_t kind, std::size_t offset, std::size_t size, std::uint32_t link) {
  Elf64_Shdr entry{};
  entry.sh_type = kind;
  entry.sh_offset = offset;
  entry.sh_size = size;
  entry.sh_link = link;
  return entry;
}

}  // namespace

std::string mini_library(const std::string& soname, const std::string& symbol,
                         std::uint64_t value) {
  std::string names(1, '\0');
  const std::size_t soname_at = names.size();
  names += soname + '\0';
  const std::size_t symbol_at = names.size();
  names += symbol + '\0';

  std::string bytes(sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), '\0');
  const std::size_t names_at = bytes.size();
  bytes += names;
  const std::size_t constant = append(bytes, value);
  Elf64_Sym entry{};
  const std::size_t symbols_at = append(bytes, entry);
  entry.st_name = static_cast<std::uint32_t>(symbol_at);
  entry.st_size = 8;
  entry.st_shndx = 1;
  entry.st_value = constant;
  append(bytes, entry);
  const std::size_t dynamic_at = append(bytes, tag(DT_SONAME, soname_at));
  append(bytes, tag(DT_STRTAB, names_at));
  append(bytes, tag(DT_NULL, 0));
  const std::size_t sections_at = append(bytes, section(SHT_NULL, 0, 0, 0));
  append(bytes, section(SHT_DYNSYM, symbols_at, 2 * sizeof(Elf64_Sym), 2));
  append(bytes, section(SHT_STRTAB, names_at, names.size(), 0));

  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_DYN;
  head.e_machine = EM_X86_64;
  head.e_phoff = sizeof head;
  head.e_phentsize = sizeof(Elf64_Phdr);
  head.e_phnum = 2;
  head.e_shoff = sections_at;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  std::memcpy(bytes.data(), &head, sizeof head);
  Elf64_Phdr segments[2]{};
  segments[0].p_type = PT_LOAD;
  segments[0].p_filesz = bytes.size();
  segments[1].p_type = PT_DYNAMIC;
  segments[1].p_offset = dynamic_at;
  segments[1].p_filesz = 3 * sizeof(Elf64_Dyn);
  std::memcpy(bytes.data() + sizeof head, segments, sizeof segments);
  return bytes;
}

}  // namespace cudaenv::test
