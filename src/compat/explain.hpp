#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compat/phrase.hpp"
#include "compat/phrase_finder.hpp"
#include "compat/tables.hpp"

namespace cudaenv::compat {

// An error that was recognised. Rows are of the tables that the ErrorTexts were made of.
struct Explanation {
  const ErrorRow* error;
  const CodeRow* code = nullptr;  // where a number or a name of it was met
  std::vector<std::string> causes;
  std::vector<std::string> help;
  std::uint64_t line = 0;   // of the log, from 1; 0: not of a log
  std::string shown;        // that line, fit to show
  std::uint64_t times = 1;  // how often it stands there, in the same form
};

// With what a phrase caught filled in for {1}, {2}, ...
Explanation explanation(const ErrorRow& error, const CodeRow* code,
                        const std::vector<std::string>& caught);

// Every text, name and number form of the tables, ready to be found.
class ErrorTexts {
 public:
  explicit ErrorTexts(const Tables& tables);

  // What a number or a name of an error means: "35", "0x23", "cudaErrorNoDevice", "xid 79". The
  // CUDA runtime's and the driver's own come first, one for each error; nothing for other words.
  std::vector<Explanation> of_code(std::string_view word) const;
  // What a piece of a message or name can mean, as people type it: "initialization error",
  // "SystemNotReady". Nothing where it is short, or stands in texts of more than a few errors.
  std::vector<Explanation> of_piece(std::string_view piece) const;
  // The known name that is closest to a word; empty where none is close.
  std::string close_name(std::string_view word) const;

 private:
  friend class LogReader;
  struct Entry {
    Phrase phrase;
    const ErrorRow* error;      // null: the error is that of the number
    const CodeRow* code;        // of a name or its words, else null
    const std::string* family;  // of a number, else null
  };
  std::vector<const CodeRow*> codes_by_likelihood() const;
  void add_worded(const ContextRow& context);
  // Digits that stand where a family's number is expected; null for one that is not known.
  const CodeRow* numbered(const std::string& family, const std::string& digits) const;

  const Tables& tables_;
  std::vector<Entry> entries_;
  PhraseFinder finder_;
};

// Recognises errors in a log of any length, in pieces as they come. Remembers one line of each.
class LogReader {
 public:
  explicit LogReader(const ErrorTexts& texts) : texts_(texts) {}

  void feed(std::string_view bytes);
  // What was recognised, in the order in which it first came; what says little by itself last, and
  // not at all where the same message says more. Call it once, at the end.
  std::vector<Explanation> finish();

 private:
  struct Line {
    std::size_t at;  // where it begins in the flow
    std::uint64_t number;
    std::string text;
  };
  struct Candidate {
    std::size_t at;
    std::uint32_t entry;
  };
  void cut(std::string_view bytes);
  void end_piece(bool whole_line);
  void scan(std::size_t from);
  void resolve(bool all);
  void take(const Candidate& candidate, const Phrase::Match& match);
  void forget();
  void drop_general();
  const Line& line_at(std::size_t at) const;

  const ErrorTexts& texts_;
  std::string piece_;  // of a line, not yet in the flow
  bool begins_ = true;
  std::uint64_t number_ = 1;
  Flow flow_;
  std::uint64_t dropped_ = 0;  // bytes of the flow that are forgotten
  std::vector<Line> lines_;    // that the flow holds
  PhraseFinder::State state_ = PhraseFinder::start;
  std::vector<Candidate> candidates_;
  std::vector<Explanation> found_;
  std::vector<std::uint64_t> places_;  // in all of the flow, of each that was found
  // How many places its phrase caught, and how long it was.
  std::vector<std::pair<std::size_t, std::size_t>> said_;
  std::map<std::string_view, std::size_t> by_error_;
  std::map<std::pair<std::uint32_t, const ErrorRow*>, std::uint64_t> times_;  // of each phrase
};

}  // namespace cudaenv::compat
