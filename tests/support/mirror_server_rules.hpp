#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/http_message.hpp"

namespace cudaenv::test {

// How one request is to be answered: what the rules have said so far.
struct MirrorPlan {
  bool ignore_range = false;
  bool ignore_if_range = false;
  bool wrong_range = false;
  bool not_satisfiable = false;
  bool validators = true;
  bool stall_head = false;
  std::uint64_t delay_ms = 0;
  bool reset = false;
  bool endless_head = false;
  std::uint64_t head_pause_ms = 0;  // between the lines of an endless head
  bool endless = false;
  bool chunked = false;
  std::optional<std::uint64_t> cut;
  std::optional<std::uint64_t> stall;
  std::optional<std::uint64_t> flip;
  std::optional<std::uint64_t> trickle_ms;
  std::int64_t longer = 0;  // below 0: shorter
  std::string type;
  std::string encoding;
  std::string then;
  std::string redirect;
  std::optional<std::string> page;  // answers with this web page
  int status = 0;                   // not 0: answers with this error
  std::string retry_after;
  std::string authenticate;  // not empty: goes with a 401
};

// The rules of a MirrorServer, in the order they were given.
class MirrorRules {
 public:
  // See MirrorServer::rule().
  void add(const std::string& path, const std::string& text);

  // Uses up one of each counted rule that applies.
  MirrorPlan plan(const HttpRequest& request);

 private:
  struct Rule {
    std::string path;
    std::string name;
    std::string argument;
    std::optional<std::uint64_t> left;  // nothing: always
  };

  void shake(MirrorPlan& plan);
  void apply(const Rule& rule, const HttpRequest& request, MirrorPlan& plan);

  std::vector<Rule> rules_;
  std::mt19937 random_{1};
};

}  // namespace cudaenv::test
