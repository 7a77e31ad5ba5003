#include "activate/record.hpp"

#include <doctest/doctest.h>

using namespace cudaenv::activate;

TEST_CASE("what was changed is remembered whatever the bytes") {
  std::string bytes;
  for (int i = 1; i < 256; ++i) bytes += static_cast<char>(i);
  const Record record{{{"A", std::nullopt, bytes}, {"B", "", ""}, {"_c1", bytes, "x"}},
                      {{"PATH", true, {{bytes, 0}, {"/x,y", 12}}}, {"L", false, {}}}};
  const std::string text = encoded(record);
  CHECK(decoded(text) == record);
  CHECK(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "%+,-./:_") == std::string::npos);
  CHECK(decoded(encoded({})) == Record{});
}

TEST_CASE("text that is no such memory is told from one") {
  for (const char* text : {"",
                           "0",
                           "1:",
                           "1:X,A,-,b",
                           "1:V,A,-",
                           "1:V,A,-,b,c",
                           "1:V,A,x,b",
                           "1:V,1A,-,b",
                           "1:V,A;B,-,b",
                           "1:V,,-,b",
                           "1:V,A,-,%0",
                           "1:V,A,-,%00",
                           "1:V,A,-,%zz",
                           "1:V,A,+%,b",
                           "1:L,A",
                           "1:L,A,-,b",
                           "1:L,A,x,b,0",
                           "1:L,A,-,b,-1",
                           "1:L,A,-,b,0,c",
                           "1:L,A,-,%,0"}) {
    CAPTURE(text);
    CHECK_FALSE(decoded(text));
  }
}
