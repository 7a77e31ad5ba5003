#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "activate/change.hpp"

namespace cudaenv::test {

// A random environment, and a random way through it: toolkits are activated, switched and left,
// and between that the user edits. Values have all bytes but NUL. The same seed, the same walk.
class ActivationWalk {
 public:
  struct Limits {
    bool empty_elements = true;     // fish writes `.` for one in PATH
    bool starts_with_path = false;  // some shells begin with one of their own where there is none
  };

  ActivationWalk(unsigned seed, Limits limits);

  // Takes a step. What it changes is the answer; `environment` is after it.
  activate::Change step();
  // What somebody else activates or leaves is a step, too.
  void take(const activate::Change& change);

  const activate::Variables& environment() const { return environment_; }

  // What the environment would be had no toolkit ever been activated, kept without the product.
  activate::Variables without_toolkits() const;

  // The toolkit and the options of the last step, if that activated one.
  const std::optional<std::pair<activate::Prefix, activate::Options>>& entered() const {
    return entered_;
  }

  // For a message: the last step in words.
  const std::string& said() const { return said_; }

 private:
  using Elements = std::vector<std::string>;

  unsigned below(unsigned limit);
  std::string element();
  std::string word();
  Elements some_elements();
  activate::Prefix prefix();

  activate::Change enter();
  activate::Change leave();
  activate::Change edit();
  void edit_variable(const std::string& name);
  void edit_list(const std::string& name);
  void set_list(const std::string& name, std::optional<Elements> elements);
  void forget_lone_empties();

  std::mt19937 random_;
  Limits limits_;
  activate::Variables environment_;
  activate::Variables variables_;          // the user's, those that are no lists
  std::map<std::string, Elements> lists_;  // the user's
  std::optional<std::pair<activate::Prefix, activate::Options>> entered_;
  std::string said_;
};

// The colon-separated elements; none for the empty text.
std::vector<std::string> elements_of(std::string_view list);

// The variables that a walk goes through, and with them those that the product keeps.
bool is_walked(std::string_view name);

}  // namespace cudaenv::test
