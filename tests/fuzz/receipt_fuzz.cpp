// What lies in a prefix: its receipt and its list of files, edited by hand or damaged.
#include "fuzz/fuzz.hpp"
#include "store/file_list.hpp"
#include "store/receipt.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;
using fuzz::result_of;

void try_receipt(std::string_view input) {
  const auto summary = result_of([&] { return store::read_receipt_summary(input, "the receipt"); });
  const auto receipt = result_of([&] { return store::read_receipt(input, "the receipt"); });
  if (!receipt) return;
  expect(summary.has_value(), "a receipt that can be read has a summary");
  const std::string written = store::write_receipt(*receipt);
  const auto again = store::read_receipt(written, "the copy");
  expect(store::write_receipt(again) == written, "a receipt comes back as it was written");
  const auto short_one = store::read_receipt_summary(written, "the copy");
  expect(short_one.name == again.name && short_one.cuda == again.cuda &&
             short_one.platform == again.platform && short_one.source == again.source,
         "a summary says what the receipt says");
}

void try_file_list(std::string_view input) {
  const auto files = result_of([&] { return store::read_file_list(input, "the list"); });
  if (!files) return;
  for (const auto& file : *files) {
    expect(!file.path.starts_with('/') && file.path.find("../") != 0, "a path is relative");
    expect(file.mode <= 0777, "no setuid");
  }
  const auto again = store::read_file_list(store::write_file_list(*files), "the copy");
  expect(again == *files, "a list comes back as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  try_receipt(input);
  try_file_list(input);
  return 0;
}
