#pragma once

#include <filesystem>
#include <memory>

#include "install/source.hpp"

namespace cudaenv::install {

// NVIDIA's wheels as they lie in a folder (`pip download` puts them there). Which version belongs
// to which release is told by the cuda-toolkit wheel in the folder, else by the index.
std::unique_ptr<Source> make_wheel_folder_source(const Context& context,
                                                 const std::filesystem::path& folder);

}  // namespace cudaenv::install
