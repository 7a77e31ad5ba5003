// What a hook keeps from prompt to prompt.
#include "activate/hook.hpp"

#include <doctest/doctest.h>

using namespace cudaenv;
using activate::decoded_state;
using activate::HookState;
using activate::Shell;

TEST_CASE("a hook's state comes back from the word that it is") {
  const HookState state{HookState::Seen::project,
                        activate::fingerprint("a"),
                        activate::fingerprint("b"),
                        {activate::fingerprint("c"), activate::fingerprint("d")}};
  CHECK(decoded_state(encoded(state)) == state);
  CHECK(decoded_state(encoded(HookState{})) == HookState{});
  CHECK(encoded(state).find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyz.,") ==
        std::string::npos);
}

TEST_CASE("a word that is no hook's state means a new shell") {
  for (const char* text : {"", "x", "...", "q...", "p.1.2", "p.$(x).;.`y`", "m.\n.\n.\n"}) {
    INFO(text);
    const auto state = decoded_state(text);
    CHECK(state.applied.empty());
    CHECK(state.said.empty());
  }
}

TEST_CASE("a hook's state does not grow for ever") {
  HookState state;
  for (int i = 0; i < 1000; ++i) state.said.push_back(activate::fingerprint(std::to_string(i)));
  CHECK(encoded(state).size() < 1000);
  CHECK(decoded_state(encoded(state)).said.back() == state.said.back());
}

TEST_CASE("the watch of shells that evaluate no code is JSON") {
  activate::Watch watch;
  watch.no_file = {".cudaenv", "/p/\"q\"/.cudaenv"};
  watch.file = activate::WatchedFile{"../.cudaenv", "12.1\n"};
  watch.present = {"/r/cuda-12.1.1"};
  CHECK(hook_code({}, watch, {}, Shell::nushell) ==
        "{\"change\": {\"set\": {}, \"unset\": [], \"added\": {}, \"removed\": {}}\n, \"watch\": "
        "{\"file\": \"../.cudaenv\", \"text\": \"12.1\\u000a\", \"no_file\": [\".cudaenv\", "
        "\"/p/\\\"q\\\"/.cudaenv\"], \"present\": [\"/r/cuda-12.1.1\"], \"absent\": [], "
        "\"state\": \"n...\"}}\n");
  watch.file->text = "\xFF";
  CHECK(hook_code({}, watch, {}, Shell::elvish).find("\"text\": null") != std::string::npos);
}
