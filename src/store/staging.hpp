#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "store/layout.hpp"
#include "sys/lock.hpp"

namespace cudaenv::store {

// A scratch folder in the root's staging area, on the root's own filesystem. Alive while this
// object holds its lock; removed with the object unless it was moved away. What a killed process
// leaves behind is swept by the next writer.
class Staging {
 public:
  // `purpose` becomes part of the folder's name and of what a waiter is told.
  Staging(const Layout& layout, const std::string& purpose);
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path lock_file_;
  std::optional<sys::FileLock> lock_;
};

// Removes the staging folders whose owner is gone, and everything in the trash. Returns how many
// it removed. Never waits; what cannot be removed now is left to the next sweep.
std::size_t sweep(const Layout& layout);

// Where locks exclude nobody, only age is left to tell whether somebody works on `path`: whether it
// was last changed a week before `just_written` was, or is gone.
bool is_out_of_use(const std::filesystem::path& path, const std::filesystem::path& just_written);

// Whether there is anything to sweep, or somebody at work. Reads only.
bool has_leftovers(const Layout& layout);

// Whether there is a staging folder of this purpose, of a process that lives or not.
bool has_staging(const Layout& layout, const std::string& purpose);

// Moves a folder into the trash by one rename (it is gone from its place at once, and so it is
// after a power cut), then deletes it. A link is removed itself, never what it leads to.
void discard(const Layout& layout, const std::filesystem::path& folder);

}  // namespace cudaenv::store
