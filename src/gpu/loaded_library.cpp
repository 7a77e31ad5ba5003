#include "gpu/loaded_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <memory>

#include <climits>
#include <fmt/format.h>

#include "base/text.hpp"

namespace cudaenv::gpu {
namespace {

constexpr std::size_t longest_value = 256;

}  // namespace

LoadedLibrary::LoadedLibrary(std::initializer_list<const char*> names,
                             const sys::ChildReport& report)
    : report_(report) {
  std::string why;
  for (const char* name : names) {
    announce("dlopen");
    handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (handle_) break;
    const char* message = ::dlerror();
    // The loader's own words: "cannot open shared object file" means that there is none.
    if (message &&
        (why.empty() || std::string_view(message).find("No such file") == std::string_view::npos)) {
      why = message;
    }
  }
  if (!handle_) {
    tell(why.find("No such file") != std::string::npos ? "absent" : "unusable", why);
    return;
  }
  link_map* map = nullptr;
  if (::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(map->l_name, nullptr),
                                                         &std::free);
  report_.line("file\t" + text::visible(real ? real.get() : map->l_name, PATH_MAX));
}

bool LoadedLibrary::has(const char* name) const { return address(name) != nullptr; }

void LoadedLibrary::tell(std::string_view key, std::string_view value) const {
  report_.line(fmt::format("{}\t{}", key, text::visible(value, longest_value)));
}

void LoadedLibrary::tell(std::string_view key, long long value) const {
  report_.line(fmt::format("{}\t{}", key, value));
}

void* LoadedLibrary::address(const char* name) const {
  return handle_ ? ::dlsym(handle_, name) : nullptr;
}

void LoadedLibrary::announce(const char* name) const {
  report_.line(fmt::format("call\t{}", name));
}

}  // namespace cudaenv::gpu
