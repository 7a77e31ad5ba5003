// What lies in a stranger's folder: `.cudaenv` and `.cudaenv.lock`.
#include <algorithm>

#include "base/text.hpp"
#include "catalog/lock_file.hpp"
#include "catalog/project.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace cudaenv;
using catalog::Project;
using fuzz::expect;
using fuzz::result_of;

bool is_visible(const std::string& line) { return text::visible(line, line.size() + 1) == line; }

void judge(const Project& project, std::string_view input) {
  const auto lines = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) + 1;
  expect(project.line >= 1 && project.line <= lines, "the line that names the toolkit is there");
  expect(project.cuda.text().find('/') == std::string::npos, "a project names no path");
  expect(is_visible(project.cuda.text()), "a spec is made of visible characters");
  const Spec again = Spec::parse(project.cuda.text());
  expect(again.value().index() == project.cuda.value().index(), "a spec means the same again");
  expect(!std::holds_alternative<Spec::Auto>(again.value()) &&
             !std::holds_alternative<Spec::System>(again.value()),
         "a project asks for the same on each machine");
  for (const auto& library : project.libraries) {
    expect(catalog::add_on(library.name) != nullptr, "a library is one of the table");
  }
  for (const auto& line : project.odd) {
    expect(!line.empty() && line.size() < 1000 && is_visible(line), "what was odd can be shown");
  }
}

bool say_the_same(const Project& one, const Project& other) {
  const auto asked = catalog::asked_of(one);
  const auto others = catalog::asked_of(other);
  return asked.profile == others.profile && asked.libraries == others.libraries &&
         one.framework == other.framework && one.ld_path == other.ld_path &&
         one.odd.size() == other.odd.size();
}

void try_project(std::string_view input) {
  const auto project = result_of([&] { return catalog::parse_project(input, "/p/.cudaenv"); });
  const Spec wanted = Spec::parse(">=12.1,<13");
  const auto edited = result_of([&] { return catalog::with_cuda(input, "/p/.cudaenv", wanted); });
  if (!project) return;
  judge(*project, input);
  expect(edited.has_value(), "what can be read can be edited");
  const auto after = catalog::parse_project(*edited, "/p/.cudaenv");
  expect(after.cuda.text() == wanted.text(), "an edit puts the spec in");
  expect(say_the_same(after, *project), "an edit leaves all else");
  expect(catalog::with_cuda(*edited, "/p/.cudaenv", wanted) == *edited, "an edit is made once");
}

void try_lock(std::string_view input) {
  const auto lock = result_of([&] { return catalog::read_lock(input, "/p/.cudaenv.lock"); });
  if (!lock) return;
  const std::string written = catalog::write_lock(*lock);
  const auto again = catalog::read_lock(written, "the copy");
  expect(again.asked == lock->asked, "a lock keeps what was asked for");
  expect(catalog::write_lock(again) == written, "a lock comes back as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  try_project(input);
  try_lock(input);
  return 0;
}
