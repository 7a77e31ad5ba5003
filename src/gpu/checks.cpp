#include "gpu/checks.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <signal.h>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::gpu {
namespace {

using Clock = std::chrono::steady_clock;

// "begin TAB name", and "end TAB name TAB verdict TAB microseconds TAB detail", where it failed
// also TAB layer TAB code TAB name TAB what.
constexpr std::size_t longest_field = 2000;

std::string field(std::string_view value) { return text::visible(value, longest_field); }

std::string end_line(const Check& check) {
  std::string line = fmt::format("end\t{}\t{}\t{}\t{}", field(check.name), name_of(check.verdict),
                                 static_cast<long>(check.milliseconds * 1000), field(check.detail));
  if (check.failure) {
    line += fmt::format("\t{}\t{}\t{}\t{}", name_of(check.failure->layer), check.failure->code,
                        field(check.failure->name), field(check.failure->what));
  }
  return line;
}

Verdict verdict_of(std::string_view name) {
  if (name == name_of(Verdict::passed)) return Verdict::passed;
  return name == name_of(Verdict::skipped) ? Verdict::skipped : Verdict::failed;
}

Check read_end(const std::vector<std::string_view>& fields) {
  Check check;
  check.name = fields[1];
  check.verdict = verdict_of(fields[2]);
  check.milliseconds = static_cast<double>(text::parse_unsigned(fields[3]).value_or(0)) / 1000;
  check.detail = fields[4];
  if (fields.size() == 9) {
    check.failure = Failure{parse_layer(fields[5]).value_or(Layer::driver),
                            std::atoi(std::string(fields[6]).c_str()), std::string(fields[7]),
                            std::string(fields[8])};
  }
  return check;
}

// The last line of what a library printed before it died says most.
std::string last_words(const std::string& said) {
  const auto trimmed = text::trimmed(said);
  if (trimmed.empty()) return "";
  return fmt::format("; it printed: {}", text::visible(text::lines(trimmed).back(), 300));
}

Failure failure_of(const sys::ChildOutcome& outcome, std::chrono::milliseconds limit) {
  using End = sys::ChildOutcome::End;
  const std::string words = last_words(outcome.said);
  if (outcome.end == End::timed_out) {
    return {Layer::hang, 0, "",
            fmt::format("no answer within {:.3g} s{}", static_cast<double>(limit.count()) / 1000,
                        words)};
  }
  if (outcome.end == End::crashed) {
    const char* name = ::sigabbrev_np(outcome.signal);
    return {Layer::crash, outcome.signal, name ? fmt::format("SIG{}", name) : "",
            fmt::format("the process was killed by signal {}{}", outcome.signal, words)};
  }
  return {Layer::crash, outcome.status, "",
          fmt::format("the process ended with status {} in the middle{}", outcome.status, words)};
}

}  // namespace

Check done_check(const std::string& name, const std::function<std::string()>& work) {
  Check check{name, Verdict::passed, 0, "", std::nullopt};
  const auto start = Clock::now();
  try {
    check.detail = work();
  } catch (const CheckFailed& failed) {
    check.verdict = Verdict::failed;
    check.failure = failed.failure;
  } catch (const CheckSkipped& skipped) {
    check.verdict = Verdict::skipped;
    check.detail = skipped.why;
  }
  check.milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return check;
}

bool Checks::run(const std::string& name, const std::function<std::string()>& work) {
  report_.line("begin\t" + field(name));
  if (plant_ == Plant::crash) ::raise(SIGSEGV);
  const Check check = done_check(name, [&] {
    try {
      return work();
    } catch (const Error& error) {
      throw CheckFailed({Layer::library, 0, "", error.what()});
    }
  });
  report_.line(end_line(check));
  return check.verdict != Verdict::failed;
}

std::vector<Check> read_checks(const sys::ChildOutcome& outcome, std::chrono::milliseconds limit) {
  std::vector<Check> checks;
  std::string open;
  for (const auto& line : outcome.lines) {
    const auto fields = text::split(line, '\t');
    if (fields.size() == 2 && fields[0] == "begin") open = fields[1];
    if (fields.size() < 5 || fields[0] != "end") continue;
    checks.push_back(read_end(fields));
    open.clear();
  }
  if (!outcome.done()) {
    auto failure = failure_of(outcome, limit);
    // What hangs had all the time that was left.
    double milliseconds = failure.layer == Layer::hang ? static_cast<double>(limit.count()) : 0;
    for (const auto& check : checks) milliseconds -= check.milliseconds;
    checks.push_back({open.empty() ? "process" : open, Verdict::failed, std::max(milliseconds, 0.0),
                      "", std::move(failure)});
  }
  return checks;
}

}  // namespace cudaenv::gpu
