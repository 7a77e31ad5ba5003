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

TEST_CASE("a password whose end was cut off is not shown as a port") {
  CHECK(shown_url("http://me:cret") == "http://me");
  CHECK(shown_url("http://me:cret/a") == "http://me/a");
  CHECK(shown_url("http://[::1]:80/a") == "http://[::1]:80/a");
  CHECK(shown_url("http://[::1]/a") == "http://[::1]/a");
  CHECK(shown_url("http://host:/a") == "http://host:/a");
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

TEST_CASE("a token in a mirror's URL goes along with every path below it") {
  CHECK(url_join("https://host/m?token=a/b", "x/y") == "https://host/m/x/y?token=a/b");
  CHECK(url_join("https://host/?t=1", "") == "https://host/?t=1");
  CHECK(url_join("http://me:pa?ss@host/m", "x") == "http://me:pa?ss@host/m/x");
  CHECK(url_join("file:///what?", "x") == "file:///what?/x");
}

TEST_CASE("a sentence loses the secrets of the URLs in it, and nothing else") {
  CHECK(without_secrets("see https://docs/a?b, or `cudaenv list`") ==
        "see https://docs/a or `cudaenv list`");
  CHECK(without_secrets("`http://me:cret@host/a` 'http://x/?cret' (ftp://a:cret@b)") ==
        "`http://host/a` 'http://x/' (ftp://b)");
  CHECK(without_secrets("http://me:cret@one/a,http://two:80,http://me:cr,cret@three") ==
        "http://one/a,http://two:80,http://three");
  CHECK(without_secrets("a b\nc: /d@e") == "a b\nc: /d@e");
  CHECK(without_secrets("--mirror=http://me:cret@host") == "--mirror=http://host");
}
