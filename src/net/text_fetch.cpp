#include "net/text_fetch.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "net/proxy.hpp"
#include "net/response_check.hpp"
#include "net/retry.hpp"

namespace cudaenv::net {

using std::chrono::milliseconds;

// Keeps a body in memory, as long as it is not too long.
class TextFetch::TextReceiver final : public Receiver {
 public:
  explicit TextReceiver(std::uint64_t limit) : limit_(limit) {}

  bool on_head(const ResponseHead& head) override {
    head_ = head;
    return head.status == 200;
  }
  bool on_body(std::string_view bytes) override {
    too_long_ = bytes.size() > limit_ - body_.size();
    if (!too_long_) body_ += bytes;
    return !too_long_;
  }

  const ResponseHead& head() const { return head_; }
  bool too_long() const { return too_long_; }
  std::string& body() { return body_; }

 private:
  std::uint64_t limit_;
  ResponseHead head_;
  std::string body_;
  bool too_long_ = false;
};

namespace {

// The receiver of an exchange that was left by an exception must not be called again.
struct CancelAtEnd {
  explicit CancelAtEnd(Transport& used) : transport(used) {}
  CancelAtEnd(const CancelAtEnd&) = delete;
  CancelAtEnd& operator=(const CancelAtEnd&) = delete;
  ~CancelAtEnd() { transport.cancel_all(); }
  Transport& transport;
};

}  // namespace

struct TextFetch::Answer {
  std::optional<Failure> failure;  // nothing: `body` is the text
  std::string body;
  std::string why;
  std::string help;
  std::string url;  // that answered
  std::optional<milliseconds> retry_after;
  bool final = false;  // asking again would change nothing
};

TextFetch::TextFetch(const Options& options, const Interrupt& interrupt, Transport& transport)
    : options_(options), interrupt_(interrupt), transport_(transport) {}

TextOutcome TextFetch::run(const TextRequest& request) {
  const auto begun = std::chrono::steady_clock::now();
  const RetryRule rule = retry_rule(options_);
  std::vector<Answer> answers(request.urls.size());
  while (true) {
    bool hopeful = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].final) continue;
      answers[i] = ask_patiently(request, request.urls[i]);
      if (!answers[i].failure) {
        return {TextOutcome::Kind::found, std::move(answers[i].body), answers[i].url, {}};
      }
      hopeful = hopeful || !answers[i].final;
    }
    const auto passed = std::chrono::steady_clock::now() - begun;
    if (!hopeful || !request.patient || passed >= options_.patience) break;
    pause(round_delay(rule, 0.5));
  }
  return judged(request, answers);
}

// What it means that no URL had it.
TextOutcome TextFetch::judged(const TextRequest& request, const std::vector<Answer>& answers) {
  Error error(ErrorKind::network, fmt::format("cannot read {}", request.what));
  TextOutcome outcome;
  bool failed = false;
  for (const auto& answer : answers) {
    const bool names_url = answer.why.find(answer.url) != std::string::npos;
    const std::string line = names_url ? answer.why : fmt::format("{}: {}", answer.url, answer.why);
    error = std::move(error).because(line);
    if (!answer.help.empty()) error = std::move(error).help(answer.help);
    outcome.url = answer.url;
    outcome.why += (outcome.why.empty() ? "" : "; ") + line;
    if (answer.failure == Failure::absent) outcome.kind = TextOutcome::Kind::absent;
    failed = failed || (answer.failure != Failure::absent && answer.failure != Failure::connect);
  }
  if (!failed) return outcome;
  throw std::move(error).help(
      "check http_proxy, https_proxy and no_proxy, or name another source with --mirror");
}

TextFetch::Answer TextFetch::ask_patiently(const TextRequest& request, const std::string& url) {
  RetryRule rule = retry_rule(options_);
  if (!request.patient) rule.attempts = 1;
  unsigned wrong = 0;
  for (unsigned number = 1;; ++number) {
    Answer answer = ask_once(request, url, wrong > 0);
    if (!answer.failure) return answer;
    if (answer.failure == Failure::wrong_content) ++wrong;
    const bool is_wrong = answer.failure == Failure::wrong_content;
    const Attempt attempt{*answer.failure, is_wrong ? wrong : number, answer.retry_after};
    // Whoever asks for a text has other ways where a host can't be reached, and wants to know soon.
    const bool lost = answer.failure == Failure::connect;
    const auto delay = lost ? std::nullopt : retry_delay(attempt, rule, 0.5);
    answer.final = lost || !worth_another_round(attempt, rule);
    if (!delay) return answer;
    pause(*delay);
  }
}

TextFetch::Answer TextFetch::ask_once(const TextRequest& request, const std::string& url,
                                      bool past_caches) {
  TextReceiver receiver(request.limit);
  Get get;
  get.url = url;
  get.past_caches = past_caches;
  get.connect_limit =
      request.connect_limit.count() > 0 ? request.connect_limit : options_.connect_limit;
  get.stall_limit = options_.stall_limit;
  const CancelAtEnd cancel(transport_);
  transport_.start(0, get, receiver);
  std::vector<std::pair<Transport::Id, Result>> finished;
  while (finished.empty()) {
    interrupt_.check();
    finished = transport_.poll(milliseconds(100));
  }
  return judge_answer(request, url, finished.front().second, receiver);
}

TextFetch::Answer TextFetch::judge_answer(const TextRequest& request, const std::string& url,
                                          const Result& result, TextReceiver& receiver) const {
  const ResponseHead& head = receiver.head();
  Answer answer;
  answer.url = head.url.empty() ? shown_url(url) : head.url;
  answer.why = result.why;
  answer.help = result.help;
  const auto fail = [&](Failure failure, std::string why) {
    answer.failure = failure;
    answer.why = std::move(why);
    return std::move(answer);
  };
  if (result.ending == Ending::connect) return fail(Failure::connect, result.why);
  if (result.ending == Ending::refused) return fail(Failure::refused, result.why);
  if (result.ending == Ending::broken) return fail(Failure::interrupted, result.why);
  if (head.status != 200) {
    answer.retry_after = retry_after_of(head);
    answer.help = status_advice(head.status);
    return fail(status_failure(head.status),
                status_text(head.status) + wait_complaint(head, options_.longest_delay));
  }
  if (receiver.too_long()) {
    return fail(Failure::refused, fmt::format("it is longer than {}", text::bytes(request.limit)));
  }
  if (!request.html_allowed && looks_like_html(receiver.body(), head.content_type)) {
    std::string why =
        html_complaint(text::counted(receiver.body().size(), "byte"), shown_url(url), head.url);
    const std::string proxy = shown_proxy(url, options_.environment);
    if (!proxy.empty()) why += fmt::format("; the proxy in use is {}", proxy);
    return fail(Failure::wrong_content, std::move(why));
  }
  if (const std::string encoding = encoding_complaint(head); !encoding.empty()) {
    return fail(Failure::wrong_content, "it is not readable as it is" + encoding);
  }
  answer.body = std::move(receiver.body());
  return answer;
}

void TextFetch::pause(milliseconds delay) {
  const auto end = std::chrono::steady_clock::now() + delay;
  while (true) {
    interrupt_.check();
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    transport_.poll(left);
  }
}

}  // namespace cudaenv::net
