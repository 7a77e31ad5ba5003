#include "base/url.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace cudaenv;

TEST_CASE("a URL is shown without user, password, query and fragment") {
  CHECK(shown_url("https://host/a/b.tar.xz") == "https://host/a/b.tar.xz");
  CHECK(shown_url("https://me:secret@host:8443/a?token=secret#secret") == "https://host:8443/a");
  CHECK(shown_url("https://secret@host/a") == "https://host/a");
  CHECK(shown_url("http://host?token=secret") == "http://host");
  CHECK(shown_url("file:///srv/mirror/a") == "file:///srv/mirror/a");
  CHECK(shown_url("/srv/mirror/a") == "/srv/mirror/a");
  CHECK(shown_url("http://[::1]:8080/a") == "http://[::1]:8080/a");
}

TEST_CASE("an at sign outside the user part is no secret") {
  CHECK(shown_url("https://host/@scope/pkg@1.0.tgz") == "https://host/@scope/pkg@1.0.tgz");
  CHECK(shown_url("http://host:8080/a@b/c") == "http://host:8080/a@b/c");
  CHECK(shown_url("/srv/a@b/c") == "/srv/a@b/c");
}

TEST_CASE("no spelling of a password survives") {
  for (const char* url : {
           "http://me:se@cret@host/a",       // '@' in the password
           "http://me:cret@@host/a",         //
           "http://me:cret%2Fcret@host/a",   //
           "http://me:cret/cret@host/a",     // '/' in the password, not encoded
           "http://me:cret#cret@host/a",     // '#'
           "http://me:cret?cret@host/a",     // '?'
           "http://me:cret:cret@host:80/a",  //
           "me:cret@host:3128",              // as proxies are written
           "me:cret@host/a",                 //
           "HTTP://me:cret@host/a",          //
           "me:cret@host/x://y",             // "://", but no scheme before it
           "me:cret@host://",                //
       }) {
    CAPTURE(url);
    const std::string shown = shown_url(url);
    CAPTURE(shown);
    CHECK(shown.find("cret") == std::string::npos);
    CHECK(shown.find("host") != std::string::npos);
  }
}

TEST_CASE("control characters in a URL are made visible") {
  CHECK(shown_url("http://host/a\x1b[2J\n") == "http://host/a\\x1B[2J\\n");
}

TEST_CASE("the origin is scheme, host and port") {
  CHECK(url_origin("https://me:se@cret@host:8443/a/b?c") == "https://host:8443");
  CHECK(url_origin("http://host") == "http://host");
  CHECK(url_origin("file:///a") == "file://");
  CHECK(url_origin("/a/b") == "");
  CHECK(url_origin("host/a") == "");
}

TEST_CASE("base and path are joined by exactly one slash") {
  CHECK(url_join("http://host/a", "b/c") == "http://host/a/b/c");
  CHECK(url_join("http://host/a/", "b") == "http://host/a/b");
  CHECK(url_join("http://host/a//", "//b") == "http://host/a/b");
  CHECK(url_join("http://host", "") == "http://host/");
}

TEST_CASE("the file name is the last segment, decoded") {
  CHECK(url_file_name("http://host/a/b.tar.xz") == "b.tar.xz");
  CHECK(url_file_name("http://host/a/b%2Bc.whl?x=/y#/z") == "b+c.whl");
  CHECK(url_file_name("http://host/a/") == "");
  CHECK(url_file_name("http://host") == "");
  CHECK(url_file_name("a/b") == "b");
}

TEST_CASE("only a percent sign with two hexadecimal digits is decoded") {
  CHECK(url_decoded("a%20b%2fc%2F") == "a b/c/");
  CHECK(url_decoded("100%") == "100%");
  CHECK(url_decoded("%4") == "%4");
  CHECK(url_decoded("%zz%41") == "%zzA");
  CHECK(url_decoded("%00") == std::string(1, '\0'));
  CHECK(url_decoded("%%41") == "%A");
}
