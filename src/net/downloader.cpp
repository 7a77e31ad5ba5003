#include "net/downloader.hpp"

#include <map>
#include <random>

#include "net/fetch_run.hpp"
#include "net/size_probe.hpp"
#include "net/text_fetch.hpp"
#include "net/transport.hpp"

namespace cudaenv::net {
namespace {

// Texts have a transport of their own, so that one can be asked for from within on_done.
class CurlDownloader final : public Downloader {
 public:
  CurlDownloader(const Options& options, Progress& progress, const Interrupt& interrupt)
      : options_(options),
        progress_(progress),
        interrupt_(interrupt),
        files_(options_),
        texts_(options_) {}

  void fetch(const std::vector<Request>& requests,
             const std::function<void(std::size_t)>& on_done) override {
    std::map<std::string, unsigned> unreached;
    const TransferContext context{options_, progress_, interrupt_, unreached, random_};
    FetchRun(requests, context, files_).all(on_done);
  }

  TextOutcome fetch_text(const TextRequest& request) override {
    return TextFetch(options_, interrupt_, texts_).run(request);
  }

  std::vector<std::optional<std::uint64_t>> sizes(const std::vector<std::string>& urls) override {
    return probe_sizes(urls, options_, interrupt_, texts_);
  }

 private:
  Options options_;
  Progress& progress_;
  const Interrupt& interrupt_;
  std::minstd_rand random_{std::random_device{}()};
  Transport files_;
  Transport texts_;
};

}  // namespace

std::unique_ptr<Downloader> make_curl_downloader(const Options& options, Progress& progress,
                                                 const Interrupt& interrupt) {
  return std::make_unique<CurlDownloader>(options, progress, interrupt);
}

}  // namespace cudaenv::net
