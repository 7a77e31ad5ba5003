#include "compat/driver.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compat/gpu.hpp"

namespace cudaenv::compat {
namespace {

// From here on a driver runs every toolkit of its CUDA major.
// Source: NVIDIA's compatibility guide, "Minor Version Compatibility".
constexpr unsigned first_with_floor = 11;

enum class Forward { open, closed, unknown };

// Whether NVIDIA's compat libcuda accepts these GPUs: data-centre ones and Jetson, and of the RTX
// cards only selected servers' ones, which their names do not tell.
Forward forward_for(const Tables& tables, const std::vector<GpuFacts>& gpus) {
  if (gpus.empty()) return Forward::unknown;
  Forward result = Forward::open;
  for (const auto& gpu : gpus) {
    const auto* row = tables.gpu(gpu.name);
    if (row && row->kind == "geforce") return Forward::closed;
    if (!row || (row->kind != "data center" && row->kind != "jetson")) result = Forward::unknown;
  }
  return result;
}

// The package for this toolkit on the driver's branch; empty where NVIDIA lists none.
std::string forward_package(const Tables& tables, const Version& toolkit, const Version& driver) {
  for (const auto& row : tables.forward) {
    if (!toolkit.starts_with(row.cuda)) continue;
    const bool listed = std::any_of(row.branches.begin(), row.branches.end(),
                                    [&](const auto& b) { return b.major() == driver.major(); });
    if (listed) return fmt::format("cuda-compat-{}-{}", row.cuda.major(), row.cuda.minor());
  }
  return {};
}

// The release that came with exactly this driver: guides often name it as another's requirement.
const ToolkitRow* release_with(const Tables& tables, const Version& driver) {
  for (const auto& row : tables.toolkits) {
    if (row.driver == driver || row.bundled == driver) return &row;
  }
  return nullptr;
}

class Judge {
 public:
  Judge(const Tables& tables, const Version& toolkit, const DriverFacts& driver,
        const std::vector<GpuFacts>& gpus)
      : tables_(tables), toolkit_(toolkit), facts_(driver), gpus_(gpus) {}

  DriverVerdict judge();

 private:
  void read_figures();
  bool is_native() const;
  bool is_above_floor() const;
  void say_unknown(std::string seen, std::string why);
  void say_native();
  void say_minor_version();
  void say_forward();
  void say_none();
  void say_compat_library();

  std::string name() const { return fmt::format("CUDA {}", toolkit_.text()); }
  std::vector<std::string> figures() const;
  std::vector<std::string> ways_out() const;

  const Tables& tables_;
  const Version& toolkit_;
  const DriverFacts& facts_;
  const std::vector<GpuFacts>& gpus_;
  const ToolkitRow* row_ = nullptr;
  std::optional<Version> version_;
  DriverVerdict verdict_;
};

DriverVerdict Judge::judge() {
  read_figures();
  if (!version_ && !verdict_.ceiling) {
    say_unknown("the driver's version is not known", "");
  } else if (!row_ && !is_native()) {
    say_unknown(fmt::format("{} is not in the tables", name()),
                fmt::format("they are of {}", tables_.date));
  } else if (is_native()) {
    say_native();
  } else if (is_above_floor()) {
    say_minor_version();
  } else if (!verdict_.package.empty() && forward_for(tables_, gpus_) == Forward::open) {
    say_forward();
  } else {
    say_none();
  }
  if (facts_.compat_library) say_compat_library();
  return std::move(verdict_);
}

void Judge::read_figures() {
  version_ = facts_.version();
  row_ = tables_.toolkit(toolkit_);
  if (row_) {
    verdict_.toolkit_driver = row_->driver;
    verdict_.floor = row_->floor;
  }
  // A compat library in front says what it can, not what the driver can.
  if (facts_.cuda && !facts_.compat_library) {
    verdict_.ceiling = facts_.cuda->first(2);
  } else if (version_) {
    if (const auto* branch = tables_.driver(*version_)) verdict_.ceiling = branch->cuda;
  }
  if (version_) verdict_.package = forward_package(tables_, toolkit_, *version_);
}

bool Judge::is_native() const {
  if (!verdict_.ceiling || *verdict_.ceiling < toolkit_.first(2)) return false;
  if (!row_ || !row_->driver || !version_) return true;
  if (*version_ >= *row_->driver) return true;
  // The branch's first drivers are older than what an update was tested with, and do as well;
  // before 11 the toolkit's driver is the least, and the least of a major binds its first minor.
  return row_->floor && *version_ >= *row_->floor;
}

bool Judge::is_above_floor() const {
  if (toolkit_.major() < first_with_floor) return false;
  if (version_ && row_ && row_->floor) return *version_ >= *row_->floor;
  return verdict_.ceiling && verdict_.ceiling->major() >= toolkit_.major();
}

std::vector<std::string> Judge::figures() const {
  std::vector<std::string> lines;
  if (row_ && row_->driver) {
    lines.push_back(fmt::format("NVIDIA built and tested {} with driver {}", row_->release.text(),
                                row_->driver->text()));
  }
  if (row_ && row_->floor) {
    lines.push_back(
        fmt::format("the least driver for CUDA {}.x is {}", toolkit_.major(), row_->floor->text()));
  } else if (toolkit_.major() < first_with_floor) {
    lines.push_back(
        "before CUDA 11 that driver is the least: there is no minor-version compatibility");
  }
  if (version_ && row_) {
    const auto* other = release_with(tables_, *version_);
    if (other && other->release.first(2) != toolkit_.first(2)) {
      lines.push_back(
          fmt::format("driver {} is the one of CUDA {}", version_->text(), other->release.text()));
    }
  }
  return lines;
}

void Judge::say_unknown(std::string seen, std::string why) {
  verdict_.support = DriverSupport::unknown;
  Finding finding{"driver.unknown", Severity::note, std::move(seen), {}, {}};
  if (!why.empty()) finding.why.push_back(std::move(why));
  verdict_.findings.push_back(std::move(finding));
}

void Judge::say_native() {
  verdict_.support = DriverSupport::native;
  if (!version_ || !row_ || !row_->driver || *version_ >= *row_->driver) return;
  verdict_.findings.push_back(
      {"driver.older-than-bundled",
       Severity::note,
       fmt::format("driver {} is older than the one of {}, and runs it in full", version_->text(),
                   name()),
       figures(),
       {}});
}

void Judge::say_minor_version() {
  verdict_.support = DriverSupport::minor_version;
  Finding finding{"driver.minor-version",
                  Severity::note,
                  version_
                      ? fmt::format("driver {} runs {} by minor-version compatibility",
                                    version_->text(), name())
                      : fmt::format("the driver runs {} by minor-version compatibility", name()),
                  figures(),
                  {}};
  if (verdict_.ceiling) {
    finding.why.push_back(fmt::format(
        "the driver's own CUDA is {}: PTX of a newer compiler is not taken (error 222), and calls "
        "that came later are missing (error 36)",
        verdict_.ceiling->text()));
  }
  finding.help.emplace_back("compile for the GPU itself, with -arch=native or -arch=sm_NN");
  if (row_ && row_->driver) {
    finding.help.push_back(
        fmt::format("for all of it update the driver to {} or later", row_->driver->text()));
  }
  if (!verdict_.package.empty() && forward_for(tables_, gpus_) == Forward::open) {
    finding.help.push_back(
        fmt::format("or install NVIDIA's package {} for forward compatibility", verdict_.package));
  }
  verdict_.findings.push_back(std::move(finding));
}

std::vector<std::string> Judge::ways_out() const {
  std::vector<std::string> lines;
  const auto& least = row_ && row_->floor ? row_->floor : row_ ? row_->driver : std::nullopt;
  if (least) lines.push_back(fmt::format("update the driver to {} or later", least->text()));
  if (const auto fits = newest_toolkit(tables_, facts_, false)) {
    lines.push_back(fmt::format("or take CUDA {}, the newest that this driver runs", fits->text()));
  }
  return lines;
}

void Judge::say_forward() {
  verdict_.support = DriverSupport::forward_compat;
  Finding finding{"driver.forward-compat",
                  Severity::warning,
                  fmt::format("driver {} runs {} only by forward compatibility",
                              version_ ? version_->text() : "", name()),
                  figures(),
                  {}};
  finding.help.push_back(fmt::format(
      "install NVIDIA's package {} and put its folder first in LD_LIBRARY_PATH", verdict_.package));
  for (auto& line : ways_out()) finding.help.push_back(std::move(line));
  verdict_.findings.push_back(std::move(finding));
}

void Judge::say_none() {
  verdict_.support = DriverSupport::none;
  Finding finding{"driver.too-old", Severity::error,
                  version_ ? fmt::format("driver {} is too old for {}", version_->text(), name())
                           : fmt::format("the driver is too old for {}", name()),
                  figures(), ways_out()};
  if (!verdict_.package.empty()) {
    const bool closed = forward_for(tables_, gpus_) == Forward::closed;
    finding.why.push_back(
        closed ? fmt::format("forward compatibility ({}) is not open to GeForce (error 804)",
                             verdict_.package)
               : fmt::format("forward compatibility ({}) is open to data-centre GPUs, Jetson and "
                             "selected RTX servers only",
                             verdict_.package));
    if (!closed) {
      finding.help.push_back(fmt::format("on a data-centre GPU install {}", verdict_.package));
    }
  }
  verdict_.findings.push_back(std::move(finding));
}

void Judge::say_compat_library() {
  if (forward_for(tables_, gpus_) != Forward::closed) return;
  verdict_.findings.push_back(
      {"driver.compat-not-open",
       Severity::error,
       "a forward-compatibility libcuda is in front of the driver's own",
       {"it serves data-centre GPUs only: here every program ends with error 804"},
       {"take the `compat` folder out of LD_LIBRARY_PATH and the loader's configuration"}});
}

}  // namespace

std::string_view name_of(DriverSupport support) {
  switch (support) {
    case DriverSupport::native:
      return "native";
    case DriverSupport::minor_version:
      return "minor-version";
    case DriverSupport::forward_compat:
      return "forward-compat";
    case DriverSupport::none:
      return "none";
    case DriverSupport::unknown:
      return "unknown";
  }
  return "unknown";
}

DriverVerdict judge_driver(const Tables& tables, const Version& toolkit, const DriverFacts& driver,
                           const std::vector<GpuFacts>& gpus) {
  return Judge(tables, toolkit, driver, gpus).judge();
}

std::optional<Version> newest_toolkit(const Tables& tables, const DriverFacts& driver,
                                      bool natively) {
  const auto version = driver.version();
  std::optional<Version> ceiling;
  if (driver.cuda && !driver.compat_library) {
    ceiling = driver.cuda->first(2);
  } else if (version) {
    if (const auto* branch = tables.driver(*version)) ceiling = branch->cuda;
  }
  for (auto row = tables.toolkits.rbegin(); row != tables.toolkits.rend(); ++row) {
    const bool native = ceiling && row->release.first(2) <= *ceiling &&
                        (!version || !row->driver || *version >= *row->driver ||
                         (row->floor && *version >= *row->floor));
    const bool at_all = !natively && row->floor && version && *version >= *row->floor;
    if (native || at_all) return row->release;
  }
  return std::nullopt;
}

}  // namespace cudaenv::compat
