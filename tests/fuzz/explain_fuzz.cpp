// Logs of strangers, and what people type to have explained.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "compat/explain.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;

const compat::ErrorTexts& texts() {
  static const compat::ErrorTexts known(compat::builtin_tables());
  return known;
}

std::vector<compat::Explanation> read_in_pieces(std::string_view log, std::size_t piece) {
  compat::LogReader reader(texts());
  for (std::size_t at = 0; at < log.size(); at += piece) reader.feed(log.substr(at, piece));
  return reader.finish();
}

void expect_told_well(const std::vector<compat::Explanation>& found) {
  for (const auto& one : found) {
    expect(one.error != nullptr, "what is told has a row");
    expect(one.causes.size() == one.error->causes.size(), "each cause is told");
    expect(one.shown.size() <= 300, "a line is cut");
    expect(text::visible(one.shown, 1000) == one.shown, "a line is fit to show");
    for (const auto& cause : one.causes) {
      expect(text::visible(cause, 4000) == cause, "a cause is fit to show");
    }
    expect(one.times >= 1, "what is told was seen");
  }
}

void expect_same(const std::vector<compat::Explanation>& one,
                 const std::vector<compat::Explanation>& other) {
  expect(one.size() == other.size(), "pieces do not matter");
  for (std::size_t i = 0; i < one.size(); ++i) {
    expect(one[i].error == other[i].error && one[i].line == other[i].line &&
               one[i].times == other[i].times && one[i].shown == other[i].shown &&
               one[i].causes == other[i].causes,
           "pieces do not matter");
  }
}

// The first line is a phrase, the rest what it is looked for in.
void try_phrase(std::string_view input) {
  const auto end = std::min(input.find('\n'), input.size());
  const auto phrase = compat::Phrase::parse(input.substr(0, end));
  if (!phrase) return;
  const auto flow = compat::Flow::of(input.substr(std::min(end + 1, input.size())));
  expect(flow.gaps.size() == flow.text.size(), "each byte of a flow has its gap");
  for (std::size_t at = 0; at < flow.size() && at < 300; ++at) {
    if (const auto match = phrase->match(flow, at)) {
      expect(match->end > at && match->end <= flow.size(), "a match lies in its text");
      expect(match->end - at <= compat::Phrase::longest + input.size(), "a match is bounded");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  const auto whole = read_in_pieces(input, std::max<std::size_t>(input.size(), 1));
  expect_told_well(whole);
  expect_same(whole, read_in_pieces(input, 1));
  expect_same(whole, read_in_pieces(input, 7));
  expect_told_well(texts().of_code(input));
  static_cast<void>(texts().close_name(input.substr(0, 80)));
  try_phrase(input);
  return 0;
}
