#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "net/downloader.hpp"
#include "net/transport.hpp"

namespace cudaenv::net {

// Downloader::fetch_text(), on a transport of its own.
class TextFetch {
 public:
  TextFetch(const Options& options, const Interrupt& interrupt, Transport& transport);

  TextOutcome run(const TextRequest& request);

 private:
  struct Answer;
  class TextReceiver;

  Answer ask_patiently(const TextRequest& request, const std::string& url);
  static TextOutcome judged(const TextRequest& request, const std::vector<Answer>& answers);
  Answer ask_once(const TextRequest& request, const std::string& url, bool past_caches);
  Answer judge_answer(const TextRequest& request, const std::string& url, const Result& result,
                      TextReceiver& receiver) const;
  void pause(std::chrono::milliseconds delay);

  const Options& options_;
  const Interrupt& interrupt_;
  Transport& transport_;
};

}  // namespace cudaenv::net
