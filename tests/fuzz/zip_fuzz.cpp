// Wheels and other zips: central directory, local headers, deflate streams, RECORD.
#include "archive/record.hpp"
#include "archive/zip_file.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/unpacking.hpp"

namespace {

using namespace cudaenv;
using fuzz::expect;
using fuzz::result_of;

archive::ZipMember member(std::string name) {
  archive::ZipMember made;
  made.name = std::move(name);
  made.size = 3;
  return made;
}

void try_record(std::string_view text) {
  const std::vector<archive::ZipMember> members{member("a/b.so"), member("a/c,d.so"),
                                                member("x-1.dist-info/RECORD")};
  const auto rows = result_of([&] { return read_record(text, members.back(), members); });
  if (rows) expect(rows->size() == 2, "each member but RECORD has its row");
}

void expect_refusal_is_corrupt(const std::function<void()>& unpack) {
  try {
    unpack();
  } catch (const Error& error) {
    fuzz::expect_presentable(error);
    expect(error.kind() == ErrorKind::corrupt, "what is wrong is said to be the archive");
  }
}

void try_zip(std::string_view bytes) {
  const fuzz::Unpacking unpacking(bytes);
  const auto names = result_of([&] { return archive::list_zip(unpacking.archive(), ""); });
  if (!names) return;
  for (const auto& name : *names) {
    const auto content =
        result_of([&] { return archive::read_zip_member(unpacking.archive(), name, 64 << 10); });
    expect(!content || content->has_value(), "a member that is listed is found");
  }
  const auto request = unpacking.request();
  expect_refusal_is_corrupt(
      [&] { unpacking.expect_as_told(archive::unpack(request, NoInterrupt())); });
  unpacking.expect_harmless();
  unpacking.clear();
  expect_refusal_is_corrupt(
      [&] { unpacking.expect_as_told(archive::unpack_wheel(request, NoInterrupt())); });
  unpacking.expect_harmless();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  try_record(input);
  try_zip(input);
  return 0;
}
