#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compat/explain.hpp"

namespace cudaenv::compat {
namespace {

// A longer line is taken in pieces.
constexpr std::size_t longest_piece = 1 << 13;
// The flow is cut when it is longer.
constexpr std::size_t longest_flow = 1 << 16;
constexpr std::size_t longest_shown = 240;
// Within so many bytes of a flow two texts belong to one message.
constexpr std::uint64_t nearby = 60;

}  // namespace

// Half of the bytes of a log that was written as UTF-16 are NUL; without them it is ASCII.
void LogReader::feed(std::string_view bytes) {
  if (bytes.find('\0') == std::string_view::npos) return cut(bytes);
  std::string plain(bytes);
  std::erase(plain, '\0');
  cut(plain);
}

void LogReader::cut(std::string_view bytes) {
  while (!bytes.empty()) {
    // A progress bar's \r begins a line too, but none that is counted.
    const auto end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    const auto room = longest_piece - piece_.size();
    const auto taken = std::min(end, room);
    piece_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (taken < end) {
      end_piece(false);
    } else if (!bytes.empty()) {
      end_piece(true);
      if (bytes.front() == '\n') ++number_;
      bytes.remove_prefix(1);
    }
  }
}

std::vector<Explanation> LogReader::finish() {
  end_piece(true);
  resolve(true);
  drop_general();
  std::stable_partition(found_.begin(), found_.end(),
                        [](const Explanation& each) { return !each.error->general; });
  return std::move(found_);
}

// "failed call to cuInit: CUDA_ERROR_NO_DEVICE": the second one is what happened.
void LogReader::drop_general() {
  const auto says_more = [&](std::size_t one, std::size_t other) {
    const bool near =
        places_[one] < places_[other] + nearby && places_[other] < places_[one] + nearby;
    if (!near || !found_[one].error->general) return false;
    return !found_[other].error->general || (found_[other].code && !found_[one].code);
  };
  std::vector<Explanation> kept;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    bool told = false;
    for (std::size_t j = 0; j < found_.size(); ++j) told = told || says_more(i, j);
    if (!told) kept.push_back(found_[i]);
  }
  found_ = std::move(kept);
}

void LogReader::end_piece(bool whole_line) {
  const std::size_t before = flow_.size();
  std::string plain = without_escapes(piece_);
  append(flow_, plain, begins_);
  if (flow_.size() > before) {
    lines_.push_back({before, number_, std::move(plain)});
    scan(before);
  }
  piece_.clear();
  begins_ = whole_line;
  resolve(false);
  if (flow_.size() > longest_flow) forget();
}

void LogReader::scan(std::size_t from) {
  for (std::size_t i = from; i < flow_.size(); ++i) {
    state_ = texts_.finder_.next(state_, flow_.text[i]);
    for (const auto& hit : texts_.finder_.hits(state_)) {
      candidates_.push_back({i + 1 - hit.length, hit.word});
    }
  }
}

// Judges the beginnings that were found, as soon as what may follow them is there.
void LogReader::resolve(bool all) {
  std::size_t done = 0;
  for (; done < candidates_.size(); ++done) {
    const Candidate& candidate = candidates_[done];
    if (!all && flow_.size() - candidate.at < Phrase::longest) break;
    const auto match = texts_.entries_[candidate.entry].phrase.match(flow_, candidate.at);
    if (match) take(candidate, *match);
  }
  candidates_.erase(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(done));
}

void LogReader::take(const Candidate& candidate, const Phrase::Match& match) {
  const auto& entry = texts_.entries_[candidate.entry];
  const bool is_name = entry.code != nullptr;
  const bool is_number = entry.family != nullptr;
  if ((is_name || is_number) && !flow_.boundary(candidate.at)) return;
  if (is_name && !flow_.boundary(match.end)) return;
  const CodeRow* code = entry.code;
  const ErrorRow* error = entry.error;
  if (is_number) {
    code = texts_.numbered(*entry.family, match.caught.back());
    if (!code) return;
    error = texts_.tables_.error(code->error);
  }
  // One message often has a number, a name and words, each of which is found.
  const std::uint64_t times = ++times_[{candidate.entry, error}];
  const std::pair said{match.caught.size(), match.end - candidate.at};
  if (const auto known = by_error_.find(error->id); known != by_error_.end()) {
    Explanation& first = found_[known->second];
    const bool same_place = places_[known->second] == dropped_ + candidate.at;
    if (same_place && !is_number && said > said_[known->second]) {
      // Two phrases of one error: the one that catches more, else the longer one, says more.
      const auto fuller = explanation(*error, first.code, match.caught);
      first.causes = fuller.causes;
      first.help = fuller.help;
      said_[known->second] = said;
    }
    first.times = std::max(first.times, times);
    if (!first.code) first.code = code;
    return;
  }
  by_error_.emplace(error->id, found_.size());
  found_.push_back(
      explanation(*error, code, is_number ? std::vector<std::string>{} : match.caught));
  places_.push_back(dropped_ + candidate.at);
  said_.push_back(is_number ? std::pair<std::size_t, std::size_t>{} : said);
  const Line& line = line_at(candidate.at);
  found_.back().line = line.number;
  found_.back().shown = text::visible(text::trimmed(line.text), longest_shown);
}

// Drops what no candidate needs any more.
void LogReader::forget() {
  std::size_t keep = flow_.size() - Phrase::longest;
  for (const auto& candidate : candidates_) keep = std::min(keep, candidate.at);
  if (keep == 0) return;
  --keep;  // the byte before a candidate tells whether it begins a word
  flow_.erase_front(keep);
  dropped_ += keep;
  for (auto& candidate : candidates_) candidate.at -= keep;
  const auto first = std::find_if(lines_.rbegin(), lines_.rend(),
                                  [&](const Line& line) { return line.at <= keep; });
  if (first != lines_.rend()) lines_.erase(lines_.begin(), std::prev(first.base()));
  for (auto& line : lines_) line.at -= std::min(line.at, keep);
}

const LogReader::Line& LogReader::line_at(std::size_t at) const {
  const auto after =
      std::upper_bound(lines_.begin(), lines_.end(), at,
                       [](std::size_t place, const Line& line) { return place < line.at; });
  return after == lines_.begin() ? lines_.front() : *std::prev(after);
}

}  // namespace cudaenv::compat
