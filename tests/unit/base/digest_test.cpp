#include "base/digest.hpp"

#include <string>

#include <doctest/doctest.h>

using cudaenv::Digest;

namespace {
const std::string abc_hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const std::string abc_base64url = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
}  // namespace

TEST_CASE("a digest is read from either case of hexadecimal and written in lower case") {
  std::string upper = abc_hex;
  for (char& c : upper) {
    if (c >= 'a' && c <= 'f') c = static_cast<char>(c - 'a' + 'A');
  }
  REQUIRE(Digest::from_hex(abc_hex));
  CHECK(Digest::from_hex(abc_hex)->hex() == abc_hex);
  CHECK(Digest::from_hex(upper) == Digest::from_hex(abc_hex));
}

TEST_CASE("anything but 64 hexadecimal digits is no digest") {
  CHECK_FALSE(Digest::from_hex(""));
  CHECK_FALSE(Digest::from_hex(abc_hex.substr(1)));
  CHECK_FALSE(Digest::from_hex(abc_hex + "0"));
  CHECK_FALSE(Digest::from_hex("g" + abc_hex.substr(1)));
  CHECK_FALSE(Digest::from_hex(" " + abc_hex.substr(1)));
  CHECK_FALSE(Digest::from_hex("0x" + abc_hex.substr(2)));
  CHECK_FALSE(Digest::from_hex(abc_hex.substr(0, 63) + std::string(1, '\0')));
}

TEST_CASE("a digest in a wheel's spelling is the same digest") {
  REQUIRE(Digest::from_base64url(abc_base64url));
  CHECK(Digest::from_base64url(abc_base64url)->hex() == abc_hex);
}

TEST_CASE("base64url that is padded, of the other alphabet or ambiguous is refused") {
  CHECK_FALSE(Digest::from_base64url(""));
  CHECK_FALSE(Digest::from_base64url(abc_base64url + "="));
  CHECK_FALSE(Digest::from_base64url(abc_base64url.substr(1)));
  std::string standard = abc_base64url;
  standard[standard.find('-')] = '+';
  CHECK_FALSE(Digest::from_base64url(standard));
  // The last digit carries two bits that no byte has; '1' differs from '0' in them alone.
  std::string ambiguous = abc_base64url;
  ambiguous.back() = '1';
  CHECK_FALSE(Digest::from_base64url(ambiguous));
}

TEST_CASE("digests are ordered by their bytes") {
  CHECK(*Digest::from_hex(std::string(64, '0')) < *Digest::from_hex(std::string(64, 'f')));
  CHECK(*Digest::from_hex(abc_hex) != *Digest::from_hex(std::string(64, 'f')));
}
