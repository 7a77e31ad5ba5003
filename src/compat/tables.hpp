#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compat/constraint.hpp"
#include "model/arithmetic.hpp"
#include "model/facts.hpp"
#include "model/version.hpp"

// What NVIDIA and the frameworks say works together: rows of facts, each with its source. Driver
// figures are those of Linux. docs/compat.md describes the text form.
namespace cudaenv::compat {

// A release of the toolkit. Two different figures are often confused: `driver` is what NVIDIA built
// and tested it with and what its installer brought; `floor` is the least on which it runs at all,
// with what minor-version compatibility leaves out.
struct ToolkitRow {
  Version release;
  std::string date;                // ISO; empty: not known
  std::optional<Version> driver;   // "550.54.14"; a branch alone, "610", from 13.3 on
  std::optional<Version> bundled;  // in NVIDIA's runfile, where known
  std::optional<Version> floor;    // nothing before CUDA 11: there `driver` is the least
  std::string note;
  std::string source;
};

struct DriverRow {
  Version branch;                             // "535"
  Version cuda;                               // the newest CUDA that it runs natively
  std::string kind;                           // "LTSB", "PB", "NFB"; empty: not known
  std::string date;                           // ISO or year and month; empty: not known
  std::string until;                          // end of life, likewise
  std::optional<Version> newest;              // build seen
  ComputeCapability oldest_gpu;               // what it still drives
  std::vector<ComputeCapability> first_with;  // what no older branch drives
  std::string source;
};

// NVIDIA's cuda-compat-X-Y package: a newer libcuda over an older kernel driver, for data-centre
// GPUs, Jetson and selected NGC-Ready RTX cards.
struct ForwardRow {
  Version cuda;                       // "12.9"
  std::optional<Version> built_from;  // branch, where known
  std::vector<Version> branches;      // on which it works
  std::string source;
};

// What nvcc of a minor compiles for.
struct ArchitectureRow {
  Version cuda;
  std::vector<ComputeCapability> compiled;    // ascending
  std::vector<ComputeCapability> deprecated;  // still there, with a warning
  std::string source;
};

struct GpuRow {
  std::string name;  // "NVIDIA H200", "GeForce RTX 4090"
  ComputeCapability capability;
  std::string architecture;  // "Hopper"
  std::string kind;          // "data center", "rtx pro", "geforce", "jetson"
  std::string source;
};

// The host compilers that crt/host_config.h of a minor lets pass.
struct CompilerRow {
  Version cuda;
  std::string family;  // "gcc" or "clang"
  std::optional<Version> least;
  Version most;          // compared on as many numbers as it has: 13 lets 13.3 pass
  std::string disputed;  // another figure that a source has; empty: none
  std::string source;
};

// From this glibc on the headers of these toolkits do not compile.
struct GlibcRow {
  Version glibc;
  Constraint cuda;
  std::string what;
  std::string source;
};

struct CudnnRow {
  Version release;      // "8.9.7.29"
  unsigned cuda_major;  // it is built for
  std::vector<Version>
      minors;   // that NVIDIA's support matrix lists; empty: the major is known only
  bool listed;  // false: between two matrices that agree
  std::optional<Version> driver;  // the least
  ComputeCapability least;
  ComputeCapability most;
  std::string source;
};

struct NcclRow {
  Version release;
  std::vector<Version> builds;   // CUDA minors that binaries were seen for; may be partial
  std::vector<unsigned> majors;  // of CUDA; empty: not known
  std::string source;
};

// Whether a framework's usual package brings CUDA itself.
enum class Shipped {
  bundled,  // everything inside or as packages of its own: a driver is enough
  extra,    // an extra of the package does; without it a toolkit is needed
  system,   // takes the toolkit (and cuDNN, where it has one) of the machine
  source,   // a build from source on the machine's toolkit
};
std::string_view name_of(Shipped shipped);

struct FrameworkRow {
  std::string name;    // "pytorch"
  Constraint version;  // the versions of the framework
  std::string label;   // as its project says it: "2.1", "0.4.31-0.5.x"
  std::optional<Constraint> cuda;
  std::optional<Constraint> cudnn;
  std::optional<Constraint> python;
  std::optional<Version> driver;  // the least
  bool driver_stated;             // by the project; false: the floor of the CUDA major
  std::optional<ComputeCapability> least_gpu;
  Shipped shipped;
  std::string status;      // "stable", "experimental", "tested configuration", ...
  std::string confidence;  // "high", "medium", "low"
  std::string note;
  std::string source;
};

// How a framework is installed: `{version}` is what was asked for ("2.1.*"), `{cu}` "118",
// `{major}` "11".
struct RecipeRow {
  std::string name;
  Constraint version;
  Constraint cuda;
  std::string command;
  std::string source;
};

// Which library file names belong to which toolkits.
struct SonameRow {
  std::string soname;  // "libcudart.so.12"
  Constraint cuda;
  std::string component;
  std::string wheel;  // empty: none known
  std::string source;
};

// What an error means: `explain` tells it. Marks such as {1} in `causes` and `help` stand for what
// the phrase caught.
struct ErrorRow {
  std::string id;     // "no-device"
  std::string layer;  // "driver", "loader", "build", ...: where it goes wrong
  bool general;       // says little by itself: another error nearby says more
  std::string title;  // the text as it is known
  std::vector<std::string> causes;
  std::vector<std::string> findings;  // ids of what doctor finds on a machine where it happens
  std::vector<std::string> help;
  std::string source;
};

// A text that programs print with an error; compat/phrase.hpp says how it is written.
struct PhraseRow {
  std::string error;  // the id
  std::string text;
  std::string source;
};

// How programs print an error: its number, "CUDA failure {number}", or what the library itself
// says of it, "CUDA error: {words}". Both alone would be in many a text that is about other things.
struct ContextRow {
  std::string family;
  std::string text;
  std::string source;

  static constexpr std::string_view words_place = "{words}";
  static bool takes_words(std::string_view text) {
    return text.find(words_place) != std::string_view::npos;
  }
};

// A number and name of a library's errors.
struct CodeRow {
  std::string family;  // "runtime" (cudaError_t), "driver" (CUresult), "nvrtc", "cudnn", "xid", ...
  unsigned number;
  std::string name;
  std::string error;  // the id
  std::string words;  // as the library itself describes it; empty: it does not
  std::string source;
};

// What the units of a chip do for each clock and multiprocessor.
struct RateRow {
  ComputeCapability capability;
  std::string word;  // only where the GPU's name has it, "GeForce"; empty: the others
  ByArithmetic operations;
  std::string source;
};

// What a board is sold as: its maker's figures, products without sparsity.
struct BoardRow {
  std::string name;              // as drivers spell it, "NVIDIA A100-SXM4-80GB"
  std::optional<double> memory;  // GB/s
  ByArithmetic tflops;
  std::optional<unsigned> pcie_generation;
  std::optional<unsigned> pcie_lanes;
  std::optional<double> nvlink;  // GB/s, all links and both directions together
  std::string source;
};

// What such a board was seen to reach.
struct MeasuredRow {
  std::string board;
  std::string figure;  // as `cudaenv bench` names it
  std::string unit;
  double value;
  std::string source;
};

struct Tables {
  std::string date;                  // of the newest table in it, ISO
  std::vector<ToolkitRow> toolkits;  // ascending, as are the others by their version
  std::vector<DriverRow> drivers;
  std::vector<ForwardRow> forward;
  std::vector<ArchitectureRow> architectures;
  std::vector<GpuRow> gpus;
  std::vector<CompilerRow> compilers;
  std::vector<GlibcRow> glibc;
  std::vector<CudnnRow> cudnn;
  std::vector<NcclRow> nccl;
  std::vector<FrameworkRow> frameworks;  // by name, then as written: the newest version first
  std::vector<RecipeRow> recipes;        // the first that fits holds
  std::vector<SonameRow> sonames;
  std::vector<ErrorRow> errors;  // by id
  std::vector<PhraseRow> phrases;
  std::vector<ContextRow> contexts;
  std::vector<CodeRow> codes;  // by family, then by number
  std::vector<RateRow> rates;
  std::vector<BoardRow> boards;       // as written, newer tables first
  std::vector<MeasuredRow> measured;  // likewise

  // The release's row: that of exactly this release, or of the newest with these first numbers.
  const ToolkitRow* toolkit(const Version& release) const;
  // The branch that a driver belongs to; between two branches the older one, above the newest it.
  const DriverRow* driver(const Version& version) const;
  const ArchitectureRow* architecture(const Version& toolkit) const;
  const CompilerRow* compiler(const Version& toolkit, std::string_view family) const;
  // By its name as drivers spell it ("NVIDIA H200", "Tesla V100-SXM2-16GB", "H100 PCIe").
  const GpuRow* gpu(std::string_view name) const;
  // Of a GPU with this name; of one whose name says nothing where no row has a word of it.
  const RateRow* rate(ComputeCapability capability, std::string_view name) const;
  // Of exactly this name: a "RTX 3090 Ti" is another board than a "RTX 3090".
  const BoardRow* board(std::string_view name) const;

  // Nothing where there is no such row.
  const ErrorRow* error(std::string_view id) const;
  const CodeRow* code(std::string_view family, unsigned number) const;

  // The last and the first toolkit minor that compiles for a capability.
  std::optional<Version> last_with(ComputeCapability capability) const;
  std::optional<Version> first_with(ComputeCapability capability) const;
};

// Adds the rows of `text`, whose date it returns; one with the key of a row that is there takes its
// place. Throws Error(corrupt) that names `where` and the line, also for two rows with one key.
std::string overlay(Tables& tables, std::string_view text, std::string_view where);

// The tables that are compiled into the program.
const Tables& builtin_tables();
// Of these all but the errors of explain, which are half of the work.
const Tables& builtin_rules();
// Of these the frameworks alone: a fifth of the work, for what a shell's prompt waits for.
const Tables& builtin_frameworks();

}  // namespace cudaenv::compat
