// Downloads by https, from a server on loopback: what is followed, what is resumed, and what is refused.
#include "agent/https_download.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "http/http_server.h"

namespace drover::agent {
namespace {

using base::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Got {
  std::vector<std::uint64_t> begun;
  std::string bytes;
  std::optional<base::Result<void>> result;
};

class Downloading : public ::testing::Test {
 protected:
  void serve(http::Answerer answerer, bool speaks_tls = true) {
    http::HttpServerOptions options;
    options.speaks_tls = speaks_tls;
    auto opened =
        http::HttpServer::open(loop, options,
                               [this, answerer = std::move(answerer)](const http::HttpRequest& request,
                                                                      const std::shared_ptr<http::Exchange>& exchange) {
                                 asked.push_back(request.target);
                                 ranges.emplace_back(request.header("Range"));
                                 answerer(request, exchange);
                               });
    ASSERT_TRUE(opened) << opened.error().message;
    server = std::move(*opened);
  }
  std::string url(const std::string& path) const { return fmt::format("https://127.0.0.1:{}{}", server->port(), path); }

  Got get(const std::string& from, std::uint64_t first = 0, const std::string& ca = "ours") {
    Got got;
    HttpsDownloads downloads(loop, environment, ca == "ours" ? server->certificate() : ca);
    const auto handle =
        downloads.get({.url = from, .from = first},
                      {.begin =
                           [&](std::uint64_t at) {
                             got.begun.push_back(at);
                             return base::Result<void>();
                           },
                       .piece =
                           [&](std::string_view piece) {
                             got.bytes += piece;
                             return refuses_bytes ? base::fault(Fault::Kind::Refused, "enough") : base::Result<void>();
                           },
                       .done =
                           [&](base::Result<void> result) {
                             got.result = std::move(result);
                             loop.stop();
                           }});
    loop.run();
    return got;
  }
  static http::HttpReply redirect(const std::string& to, int code = 302) {
    return {.code = code, .content_type = "text/plain", .body = "moved", .headers = {{"Location", to}}};
  }

  kube::AsioLoop loop;
  std::unique_ptr<http::HttpServer> server;
  Environment environment;
  std::vector<std::string> asked;
  std::vector<std::string> ranges;
  bool refuses_bytes = false;
};

TEST_F(Downloading, BringsAFileInPieces) {
  const std::string file(300000, 'x');
  serve([&](const auto&, const auto& exchange) { exchange->reply({.body = file}); });
  const auto got = get(url("/a/b?token=1"));
  ASSERT_TRUE(got.result && *got.result) << (*got.result).error().message;
  EXPECT_EQ(got.bytes, file);
  EXPECT_THAT(got.begun, ElementsAre(0U));
  EXPECT_THAT(asked, ElementsAre("/a/b?token=1"));
}

TEST_F(Downloading, BringsAFileOfNoBytes) {
  serve([&](const auto&, const auto& exchange) { exchange->reply({}); });
  EXPECT_THAT(get(url("/a")).begun, ElementsAre(0U));
}

TEST_F(Downloading, FollowsRedirectsToHttps) {
  serve([&](const http::HttpRequest& request, const auto& exchange) {
    if (request.target == "/1") return exchange->reply(redirect(url("/2?signed=yes")));
    if (request.target == "/2?signed=yes") return exchange->reply(redirect("/3", 307));
    exchange->reply({.body = "here"});
  });
  const auto got = get(url("/1"), 0);
  EXPECT_EQ(got.bytes, "here") << "and nothing of the answers on the way";
  EXPECT_THAT(asked, ElementsAre("/1", "/2?signed=yes", "/3"));
}

TEST_F(Downloading, RefusesARedirectToHttpOrAFile) {
  for (const char* to : {"http://127.0.0.1/x?secret=1", "file:///etc/passwd", "//example.com/x", "", "ftp://a/b"}) {
    serve([&](const auto&, const auto& exchange) { exchange->reply(redirect(to)); });
    const auto got = get(url("/1"));
    ASSERT_TRUE(got.result && !*got.result) << to;
    EXPECT_EQ(got.result->error().kind, Fault::Kind::Refused);
    EXPECT_THAT(got.result->error().message, HasSubstr("only https"));
    EXPECT_THAT(got.result->error().message, ::testing::Not(HasSubstr("secret")));
    EXPECT_EQ(got.bytes, "");
  }
}

TEST_F(Downloading, GivesUpOnRedirectsWithoutEnd) {
  serve([&](const auto&, const auto& exchange) { exchange->reply(redirect("/again")); });
  const auto got = get(url("/1"));
  EXPECT_THAT(got.result->error().message, HasSubstr("without end"));
  EXPECT_EQ(asked.size(), 6U);
}

TEST_F(Downloading, GoesOnWhereItStopped) {
  serve([&](const auto&, const auto& exchange) {
    exchange->reply({.code = 206, .body = "rest", .headers = {{"Content-Range", "bytes 100-103/104"}}});
  });
  const auto got = get(url("/1"), 100);
  EXPECT_THAT(got.begun, ElementsAre(100U));
  EXPECT_EQ(got.bytes, "rest");
  EXPECT_THAT(ranges, ElementsAre("bytes=100-"));
}

TEST_F(Downloading, BeginsAtTheBeginningWhereTheServerDoes) {
  serve([&](const http::HttpRequest& request, const auto& exchange) {
    if (!request.header("Range").empty() && request.target == "/416") return exchange->reply({.code = 416});
    exchange->reply({.body = "whole"});
  });
  EXPECT_THAT(get(url("/200"), 100).begun, ElementsAre(0U));
  const auto after = get(url("/416"), 100);
  EXPECT_THAT(after.begun, ElementsAre(0U));
  EXPECT_EQ(after.bytes, "whole");
}

TEST_F(Downloading, RefusesOtherBytesThanItAskedFor) {
  serve([&](const auto&, const auto& exchange) {
    exchange->reply({.code = 206, .body = "rest", .headers = {{"Content-Range", "bytes 90-103/104"}}});
  });
  const auto got = get(url("/1"), 100);
  EXPECT_EQ(got.result->error().kind, Fault::Kind::Refused);
  EXPECT_EQ(got.bytes, "");
}

TEST_F(Downloading, SaysThatABrokenConnectionMayBeTriedAgain) {
  serve([&](const auto&, const auto& exchange) {
    exchange->begin({});
    exchange->send("half");
    exchange->on_drained([exchange] { exchange->hang_up(); });
  });
  const auto got = get(url("/1"));
  EXPECT_EQ(got.bytes, "half");
  ASSERT_TRUE(got.result && !*got.result);
  EXPECT_EQ(got.result->error().kind, Fault::Kind::Unreachable);
}

TEST_F(Downloading, TellsApartWhatHelpsToTryAgain) {
  const std::vector<std::pair<int, Fault::Kind>> answers = {
      {404, Fault::Kind::NotFound},   {410, Fault::Kind::NotFound}, {401, Fault::Kind::Forbidden},
      {403, Fault::Kind::Forbidden},  {400, Fault::Kind::Refused},  {429, Fault::Kind::Unreachable},
      {503, Fault::Kind::Unreachable}};
  for (const auto& [code, kind] : answers) {
    serve(
        [&, its_code = code](const auto&, const auto& exchange) { exchange->reply({.code = its_code, .body = "x"}); });
    const auto got = get(url("/1"));
    EXPECT_EQ(got.result->error().kind, kind) << code;
    EXPECT_EQ(got.bytes, "");
  }
}

TEST_F(Downloading, RefusesAServerThatTheSystemDoesNotTrust) {
  serve([&](const auto&, const auto& exchange) { exchange->reply({.body = "x"}); });
  const auto got = get(url("/1"), 0, "");
  EXPECT_EQ(got.result->error().kind, Fault::Kind::Unreachable);
  EXPECT_THAT(got.result->error().message, HasSubstr("certificate"));
  EXPECT_EQ(got.bytes, "");
}

TEST_F(Downloading, RefusesAServerWithAnotherName) {
  serve([&](const auto&, const auto& exchange) { exchange->reply({.body = "x"}); });
  const auto got = get(fmt::format("https://127.0.0.2:{}/1", server->port()));
  EXPECT_FALSE(*got.result);
}

TEST_F(Downloading, RefusesAFileInAnotherEncoding) {
  serve([&](const auto&, const auto& exchange) {
    exchange->reply({.body = "x", .headers = {{"Content-Encoding", "gzip"}}});
  });
  EXPECT_EQ(get(url("/1")).result->error().kind, Fault::Kind::Refused);
}

TEST_F(Downloading, EndsWhereTheTakerRefuses) {
  refuses_bytes = true;
  serve([&](const auto&, const auto& exchange) { exchange->reply({.body = "x"}); });
  EXPECT_EQ(get(url("/1")).result->error().message, "enough");
}

TEST_F(Downloading, CallsNothingAfterItWasLetGoOf) {
  serve([&](const auto&, const auto& exchange) { exchange->reply({.body = "x"}); });
  HttpsDownloads downloads(loop, environment, server->certificate());
  bool was_called = false;
  auto handle = downloads.get({.url = url("/1")}, {.begin =
                                                       [&](std::uint64_t) {
                                                         was_called = true;
                                                         return base::Result<void>();
                                                       },
                                                   .piece = [](std::string_view) { return base::Result<void>(); },
                                                   .done = [&](const base::Result<void>&) { was_called = true; }});
  handle.reset();
  loop.post([&] { loop.post([&] { loop.stop(); }); });
  loop.run();
  EXPECT_FALSE(was_called);
}

TEST_F(Downloading, GoesThroughTheProxyThatTheEnvironmentNames) {
  serve([&](const http::HttpRequest& request,
            const auto& exchange) { exchange->reply({.code = request.method == "CONNECT" ? 403 : 500}); },
        false);
  environment = {{"HTTPS_PROXY", fmt::format("http://me:hunter2@127.0.0.1:{}", server->port())}};
  const auto got = get("https://example.com/x", 0, "");
  ASSERT_TRUE(got.result && !*got.result);
  EXPECT_THAT(got.result->error().message, HasSubstr("through the proxy 127.0.0.1"));
  EXPECT_THAT(got.result->error().message, ::testing::Not(HasSubstr("hunter2")));
}

TEST(DownloadPlace, IsHttpsOnlyWithoutAUser) {
  const auto place = download_place("https://Example.com/a/b?c=d&e#sha256=1");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->host, "example.com");
  EXPECT_EQ(place->port, "443");
  EXPECT_EQ(place->target, "/a/b?c=d&e");
  EXPECT_EQ(download_place("https://a:8443")->target, "/");
  for (const char* text : {"http://a/b", "https://", "https://u@a/b", "https://u:p@a/b", "a/b", "https://a/b?c d",
                           "https://a:0/b", "https://a/b\r\nX: y"})
    EXPECT_FALSE(download_place(text)) << text;
}

TEST(Proxy, IsTheOneOfTheEnvironmentButForItsExceptions) {
  const DownloadPlace place{.host = "github.com", .port = "443", .target = "/"};
  EXPECT_EQ(proxy_for({}, place), "");
  EXPECT_EQ(proxy_for({{"HTTPS_PROXY", "http://p:1"}}, place), "http://p:1");
  EXPECT_EQ(proxy_for({{"HTTPS_PROXY", "http://p:1"}, {"https_proxy", "q:2"}}, place), "http://q:2");
  EXPECT_EQ(proxy_for({{"HTTP_PROXY", "http://p:1"}}, place), "");
  for (const char* list :
       {"github.com", "a, github.com ,b", "*", ".com", "com", "*.com", "GITHUB.com", "github.com:443"})
    EXPECT_EQ(proxy_for({{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", list}}, place), "") << list;
  for (const char* list : {"", "hub.com", "api.github.com", ".github.com.", "github.com:80", ","})
    EXPECT_EQ(proxy_for({{"HTTPS_PROXY", "http://p:1"}, {"NO_PROXY", list}}, place), "http://p:1") << list;
}

TEST(ContentRange, NamesItsFirstByte) {
  EXPECT_EQ(first_byte_of("bytes 100-499/500"), 100U);
  for (const char* text : {"", "bytes */500", "100-499/500", "bytes -1-2/3", "bytes x-2/3"})
    EXPECT_EQ(first_byte_of(text), std::nullopt) << text;
}

}  // namespace
}  // namespace drover::agent
