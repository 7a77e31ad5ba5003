#include "archive/budget.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace cudaenv::archive {
namespace {

constexpr std::uint64_t ratio_is_free_below = 64u << 20;

// A header, an extended header, both padded, and the padding of the file.
constexpr std::uint64_t decoded_per_entry = 4096;

std::uint64_t multiplied(std::uint64_t one, std::uint64_t other) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(one, other, &product) ? std::numeric_limits<std::uint64_t>::max()
                                                      : product;
}

std::uint64_t added(std::uint64_t one, std::uint64_t other) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(one, other, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

}  // namespace

Budget::Budget(const Limits& limits, std::uint64_t packed_size)
    : limits_(limits),
      most_by_ratio_(added(multiplied(limits.ratio, packed_size), ratio_is_free_below)),
      most_decoded_(added(added(limits.bytes, ratio_is_free_below),
                          multiplied(limits.entries, decoded_per_entry))) {}

void Budget::add_entry() {
  if (++entries_ <= limits_.entries) return;
  throw Error(ErrorKind::corrupt,
              fmt::format("the archive has more than {} entries", limits_.entries));
}

void Budget::add_name(std::uint64_t count) {
  name_bytes_ = added(name_bytes_, count);
  if (name_bytes_ <= limits_.names) return;
  throw Error(ErrorKind::corrupt, fmt::format("the names in the archive take more than {}",
                                              text::bytes(limits_.names)));
}

void Budget::add_bytes(std::uint64_t count) {
  bytes_ = added(bytes_, count);
  if (bytes_ > limits_.bytes) {
    throw Error(ErrorKind::corrupt,
                fmt::format("the archive unpacks to more than {}", text::bytes(limits_.bytes)));
  }
  if (bytes_ > most_by_ratio_) {
    throw Error(ErrorKind::corrupt,
                fmt::format("the archive unpacks to more than {} times its size", limits_.ratio));
  }
}

void Budget::add_decoded(std::uint64_t count) {
  decoded_ = added(decoded_, count);
  if (decoded_ > most_decoded_ || decoded_ > most_by_ratio_) {
    throw Error(ErrorKind::corrupt,
                fmt::format("the archive unpacks to more than {} or {} times its size",
                            text::bytes(limits_.bytes), limits_.ratio));
  }
}

}  // namespace cudaenv::archive
