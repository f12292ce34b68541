// Where requests may be led, and what of a secret goes along.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/http/http_failure.h"
#include "tests/support/fault_server.h"
#include "tests/unit/hub/http/http_client_fixture.h"

namespace strata::hub {
namespace {

using test::FaultReply;
using test::FaultServer;
using test::SeenRequest;
using ::testing::HasSubstr;
using ::testing::Not;

class HttpSecretsTest : public HttpClientFixture {};

TEST_F(HttpSecretsTest, KeepsTheTokenOnItsOwnOriginOnly) {
  std::string other;
  FaultServer server([&](const SeenRequest& request) {
    if (request.target == "/a") return FaultReply{.status = 307, .headers = {{"Location", "/b"}}};
    if (request.target == "/b") return FaultReply{.status = 302, .headers = {{"Location", other}}};
    return FaultReply{.body = "stored"};
  });
  other = server.otherUrl("/c");
  HttpRequest request;
  request.url = server.url("/a");
  request.authorization = "Bearer secret-token";
  const auto answer = client().send(request, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "stored");
  ASSERT_EQ(answer->redirects.size(), 2);
  const auto seen = server.seen();
  EXPECT_EQ(seen.at(1).headers.count("authorization"), 1);
  EXPECT_EQ(seen.at(2).headers.count("authorization"), 0);
}

TEST_F(HttpSecretsTest, KeepsSignaturesAndLentKeysOnTheirOwnOriginOnly) {
  std::string other;
  FaultServer server([&](const SeenRequest& request) {
    if (request.target == "/a") return FaultReply{.status = 307, .headers = {{"Location", other}}};
    return FaultReply{.body = "stored"};
  });
  other = server.otherUrl("/b");
  HttpRequest request;
  request.url = server.url("/a");
  request.aws = AwsSignature{
      .region = "r", .accessKey = "key", .secretKey = "secret", .sessionToken = "lent-token"};
  const auto answer = client().send(request, {});
  ASSERT_TRUE(answer) << answer.error().message;
  const auto seen = server.seen();
  ASSERT_EQ(seen.size(), 2);
  EXPECT_EQ(seen.at(0).headers.at("x-amz-security-token"), "lent-token");
  EXPECT_THAT(seen.at(0).headers.at("authorization"), HasSubstr("x-amz-security-token"));
  EXPECT_EQ(seen.at(1).headers.count("authorization"), 0);
  EXPECT_EQ(seen.at(1).headers.count("x-amz-security-token"), 0);
}

TEST_F(HttpSecretsTest, AnswersARedirectToAnotherOriginWhereAsked) {
  FaultServer server([&](const SeenRequest&) {
    return FaultReply{.status = 302, .headers = {{"Location", "http://localhost:1/x"}}};
  });
  HttpRequest request;
  request.url = server.url();
  request.redirects = Redirects::SameOrigin;
  const auto answer = client().send(request, {});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->head.status, 302);
}

TEST_F(HttpSecretsTest, RefusesRedirectsThatLeadAstray) {
  for (const char* target : {"file:///etc/passwd", "ftp://127.0.0.1/x", "http://example.org/x"}) {
    FaultServer server([&](const SeenRequest&) {
      return FaultReply{.status = 302, .headers = {{"Location", target}}};
    });
    const auto answer = fetch(server.url());
    ASSERT_FALSE(answer) << target;
    EXPECT_EQ(answer.error().code, ErrorCode::CorruptData) << answer.error().message;
  }
}

TEST_F(HttpSecretsTest, EndsARedirectLoop) {
  FaultServer server([&](const SeenRequest&) {
    return FaultReply{.status = 302, .headers = {{"Location", "/again"}}};
  });
  const auto answer = fetch(server.url());
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("redirects"));
  EXPECT_LE(server.seen().size(), 11);
}

TEST_F(HttpSecretsTest, CutsSecretsFromTheWordsOfAServer) {
  FaultServer server([](const SeenRequest& request) {
    return FaultReply{
        .status = 403,
        .body = "{\"error\":\"no: " + request.headers.at("authorization") + " or secret-token\"}"};
  });
  HttpRequest request;
  request.url = server.url();
  request.authorization = "Bearer secret-token";
  const auto answer = client().send(request, {});
  ASSERT_TRUE(answer);
  const Error error = failureOf(client(), *answer, "asking");
  EXPECT_EQ(error.code, ErrorCode::LoginRequired);
  EXPECT_THAT(error.message, HasSubstr("403 Forbidden (response from 127.0.0.1)"));
  EXPECT_THAT(error.message, Not(HasSubstr("secret-token")));
}

TEST_F(HttpSecretsTest, NamesTheProxyThatRefusesAndNotItsPassword) {
  FaultServer proxy([](const SeenRequest&) { return FaultReply{.status = 407}; });
  const std::string place = proxy.url().substr(7, proxy.url().rfind('/') - 7);
  settings.plainHttp = true;
  const auto told = [&](const std::string& url) {
    settings.proxy = url;
    settings.clock = &clock;
    HttpClient behind(settings);
    const auto answer = behind.send({.url = "http://hub.example/"}, {});
    return answer ? failureOf(behind, *answer, "asking") : answer.error();
  };
  const Error refused = told("http://bob:s3cret@" + place);
  EXPECT_EQ(refused.code, ErrorCode::Network);
  EXPECT_EQ(refused.message,
            "asking: the proxy " + place +
                " (the setting proxy) refuses the user and password that it was given (407 Proxy "
                "Authentication Required); they stand in its URL, as in "
                "STRATA_PROXY=http://USER:PASSWORD@" +
                place);
  EXPECT_THAT(told("http://" + place).message, HasSubstr("wants a user and a password"));
  for (const char* broken : {"ftp://bob:s3cret@127.0.0.1:1", "http://bob:s3cret@[1:1"}) {
    const Error error = told(broken);
    EXPECT_EQ(error.code, ErrorCode::Network);
    EXPECT_THAT(error.message, Not(HasSubstr("s3cret"))) << broken;
  }
}

/// The environment's proxy, and no exception from it, while one lives.
class ProxyOfTheEnvironment {
 public:
  explicit ProxyOfTheEnvironment(const std::string& url) {
    ::setenv("http_proxy", url.c_str(), 1);
    ::setenv("no_proxy", "", 1);
  }
  ~ProxyOfTheEnvironment() {
    ::unsetenv("http_proxy");
    ::unsetenv("no_proxy");
  }
  ProxyOfTheEnvironment(const ProxyOfTheEnvironment&) = delete;
  ProxyOfTheEnvironment& operator=(const ProxyOfTheEnvironment&) = delete;
};

TEST_F(HttpSecretsTest, IsNotSentIntoAPrivateNetworkByAPublicServer) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.body = "x"}; });
  const ProxyOfTheEnvironment proxy(server.url());
  settings.plainHttp = true;
  ASSERT_TRUE(fetch("http://hub.example/"));
  const auto astray = fetch(server.url("/inside"));
  ASSERT_FALSE(astray);
  EXPECT_EQ(astray.error().code, ErrorCode::CorruptData);
  EXPECT_THAT(astray.error().message, HasSubstr("private address"));
  EXPECT_EQ(server.seen().size(), 1U);
  HttpClient atHome(settings);
  ASSERT_TRUE(atHome.send({.url = server.url()}, {})) << "this machine's own server";
  ASSERT_TRUE(atHome.send({.url = "http://hub.example/"}, {}));
  EXPECT_TRUE(atHome.send({.url = server.url()}, {}));
}

TEST_F(HttpSecretsTest, SendsNoHeaderThatGoesOnInAnother) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.body = "x"}; });
  for (const std::string& broken :
       {std::string("a\r\nX-Evil: 1"), std::string("a\nb"), std::string("a\0b", 3)}) {
    for (const bool isName : {false, true}) {
      HttpRequest request{.url = server.url()};
      request.headers.add(isName ? broken : "X-Word", isName ? "word" : broken);
      const auto sent = client().send(request, {});
      ASSERT_FALSE(sent);
      EXPECT_EQ(sent.error().code, ErrorCode::CorruptData);
    }
  }
  EXPECT_FALSE(client().send({.url = server.url(), .authorization = "Bearer a\nb"}, {}));
  EXPECT_TRUE(server.seen().empty());
}

}  // namespace
}  // namespace strata::hub
