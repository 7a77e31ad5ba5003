#include "install/assemble.hpp"

#include <unordered_set>

#include "sys/file.hpp"
#include "sys/sha256.hpp"

namespace cudaenv::install {
namespace {

namespace fs = std::filesystem;

class Assembler {
 public:
  Assembler(const fs::path& folder, const Interrupt& interrupt)
      : folder_(folder), interrupt_(interrupt) {}

  Assembled run(const std::vector<Placement>& placements) {
    Assembled result;
    result.files.reserve(placements.size());
    for (const auto& placement : placements) {
      interrupt_.check();
      result.files.push_back(placement.file);
      place(placement, result.files.back());
    }
    result.shared_how = way_ == Way::reflink ? "reflinks"
                        : way_ == Way::link  ? "hard links"
                                             : "copies";
    return result;
  }

 private:
  enum class Way { reflink, link, copy };

  void place(const Placement& placement, store::ListedFile& file) {
    const fs::path path = folder_ / file.path;
    make_folder(path.parent_path());
    switch (placement.how) {
      case Placement::How::share:
        return share(placement, path);
      case Placement::How::copy:
        return sys::copy_file(placement.from, path, file.mode);
      case Placement::How::link:
        return sys::create_symlink(file.target, path);
      case Placement::How::text:
        return write(placement.content, path, file);
      case Placement::How::rewrite:
        return write(relocated_pc(sys::read_file(placement.from), file.path), path, file);
    }
  }

  // The filesystem is asked once: what it cannot do for one file it cannot do for the next.
  void share(const Placement& placement, const fs::path& path) {
    const unsigned mode = placement.file.mode;
    if (way_ == Way::reflink &&
        sys::reflink(placement.from, path, mode) == sys::LinkOutcome::unsupported) {
      way_ = Way::link;
    }
    if (way_ == Way::reflink) return;
    if (way_ == Way::link && sys::stat_link(placement.from)->mode == mode) {
      if (sys::hard_link(placement.from, path) == sys::LinkOutcome::linked) return;
      way_ = Way::copy;
    }
    sys::copy_file(placement.from, path, mode);
  }

  void write(const std::string& content, const fs::path& path, store::ListedFile& file) {
    const sys::Fd fd = sys::create_file(path, file.mode);
    sys::write_all(fd.get(), content, path);
    file.size = content.size();
    file.sha256 = sys::sha256(content);
  }

  void make_folder(const fs::path& path) {
    if (made_.insert(path.string()).second) sys::create_directories(path);
  }

  fs::path folder_;
  const Interrupt& interrupt_;
  Way way_ = Way::reflink;
  std::unordered_set<std::string> made_;
};

}  // namespace

Assembled assemble(const std::vector<Placement>& placements, const fs::path& folder,
                   const Interrupt& interrupt) {
  return Assembler(folder, interrupt).run(placements);
}

}  // namespace cudaenv::install
