#pragma once

#include <string>
#include <string_view>

#include "catalog/manifest.hpp"

namespace cudaenv::test {

// One archive's entry as NVIDIA writes it.
std::string entry(std::string_view path, std::string_view size = R"("12")");

// A component with a version and whatever `rest` adds: R"("linux-x86_64": {...})".
std::string component(std::string_view version, std::string_view rest);

// A manifest with one component, cuda_nvcc, for one platform, whose entry is `archive`.
std::string with_archive(std::string_view archive);

Release parse(std::string_view json, std::string_view version = "12.1.1");

// Why a manifest was refused, causes included; fails the test where it was taken.
std::string refusal(std::string_view json, std::string_view version = "12.1.1");

const PlatformArchives& archives(const Release& release, std::string_view component,
                                 std::string_view platform);

}  // namespace cudaenv::test
