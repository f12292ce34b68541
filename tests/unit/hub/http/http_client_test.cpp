#include "hub/http/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/http/http_failure.h"
#include "tests/support/fault_server.h"
#include "tests/unit/hub/http/http_client_fixture.h"

namespace strata::hub {
namespace {

using test::FakeClock;
using test::FaultReply;
using test::FaultServer;
using test::SeenRequest;
using ::testing::HasSubstr;
using ::testing::Not;

class HttpClientTest : public HttpClientFixture {};

TEST_F(HttpClientTest, GivesStatusHeadersAndBody) {
  FaultServer server([](const SeenRequest&) {
    return FaultReply{.headers = {{"X-Word", "one"}}, .body = "hello"};
  });
  const auto answer = fetch(server.url("/a"));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->head.status, 200);
  EXPECT_EQ(answer->head.headers.value("x-word"), "one");
  EXPECT_EQ(answer->body, "hello");
  EXPECT_EQ(server.seen().at(0).target, "/a");
}

TEST_F(HttpClientTest, KeepsTheConnectionForTheNextRequest) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.body = "x"}; });
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(fetch(server.url()));
  EXPECT_EQ(server.connectionCount(), 1);
}

TEST_F(HttpClientTest, KeepsAllTransfersTogetherBelowARate) {
  constexpr std::size_t kBytes = 300'000;
  FaultServer server(
      [](const SeenRequest&) { return FaultReply{.body = std::string(kBytes, 'x')}; });
  settings.bytesPerSecond = 100'000;
  const auto begun = clock.now();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(fetch(server.url()));
  const auto taken = clock.now() - begun;
  EXPECT_GE(taken.count(), 5900);
  EXPECT_LE(taken.count(), 6100);
}

TEST_F(HttpClientTest, RetriesServerErrorsWithGrowingWaits) {
  int calls = 0;
  FaultServer server([&](const SeenRequest&) {
    return ++calls < 4 ? FaultReply{.status = 503} : FaultReply{.body = "at last"};
  });
  const auto answer = fetch(server.url());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "at last");
  const auto sleeps = clock.sleeps();
  ASSERT_EQ(sleeps.size(), 3);
  EXPECT_LE(sleeps[0].count(), 500);
  EXPECT_LE(sleeps[1].count(), 1000);
  EXPECT_LE(sleeps[2].count(), 2000);
}

TEST_F(HttpClientTest, GivesTheLastAnswerOnceTriesAreUsedUp) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.status = 500, .body = "sorry"}; });
  const auto answer = fetch(server.url());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 500);
  EXPECT_EQ(server.seen().size(), 6);
  EXPECT_EQ(failureOf(client(), *answer, "asking").code, ErrorCode::Network);
  EXPECT_THAT(failureOf(client(), *answer, "asking").message, HasSubstr("sorry"));
}

TEST_F(HttpClientTest, DoesNotRetryOtherErrors) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.status = 404}; });
  const auto answer = fetch(server.url());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->head.status, 404);
  EXPECT_EQ(server.seen().size(), 1);
}

TEST_F(HttpClientTest, WaitsAsLongAsTheServerAsks) {
  int calls = 0;
  FaultServer server([&](const SeenRequest&) {
    ++calls;
    if (calls == 1) return FaultReply{.status = 429, .headers = {{"Retry-After", "7"}}};
    if (calls == 2) {
      return FaultReply{.status = 429,
                        .headers = {{"RateLimit", "\"api\";r=0;t=55"}, {"Retry-After", "1"}}};
    }
    return FaultReply{};
  });
  ASSERT_TRUE(fetch(server.url()));
  using std::chrono::seconds;
  EXPECT_THAT(clock.sleeps(), ::testing::ElementsAre(seconds(7), seconds(56)));
}

TEST_F(HttpClientTest, RetriesAServerThatHangsUp) {
  int calls = 0;
  FaultServer server([&](const SeenRequest&) {
    return ++calls < 3 ? FaultReply{.isSilent = true} : FaultReply{.body = "here"};
  });
  const auto answer = fetch(server.url());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body, "here");
}

TEST_F(HttpClientTest, SaysHowOftenItTriedAtAClosedPort) {
  std::string url;
  {
    url = FaultServer([](const SeenRequest&) { return FaultReply{}; }).url();
  }
  const auto answer = fetch(url);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Network);
  EXPECT_THAT(answer.error().message, HasSubstr("after 6 tries"));
}

TEST_F(HttpClientTest, RewindsABodyThatIsSentAgain) {
  class Letters final : public ObjectSource {
   public:
    std::uint64_t byteCount() const noexcept override { return 26; }
    Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::byte('a' + offset + i);
      return {};
    }
  };
  int calls = 0;
  FaultServer server(
      [&](const SeenRequest&) { return FaultReply{.status = ++calls < 3 ? 500 : 200}; });
  const Letters letters;
  std::int64_t metered = 0;
  HttpRequest request{.method = "PUT", .url = server.url()};
  request.body = HttpBody{.source = &letters, .firstByte = 3, .byteCount = 10};
  request.meter = [&](std::int64_t bytes) { metered += bytes; };
  const auto answer = client().send(request, {});
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(server.seen().size(), 3);
  for (const SeenRequest& seen : server.seen()) EXPECT_EQ(seen.body, "defghijklm");
  EXPECT_EQ(metered, 10) << "what was refused is no progress";
}

TEST_F(HttpClientTest, CutsAStalledAnswer) {
  FakeClock fast(HttpClock::Milliseconds(20'000));
  settings.clock = &fast;
  settings.retry.tries = 1;
  FaultServer server([](const SeenRequest&) {
    return FaultReply{.body = std::string(5000, 'x'), .cutAfter = 2000, .stalls = true};
  });
  HttpClient impatient(settings);
  HttpRequest request;
  request.url = server.url();
  const auto answer = impatient.send(request, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Network);
  EXPECT_THAT(answer.error().message, HasSubstr("stalled"));
}

TEST_F(HttpClientTest, WaitsTwiceForAServerThatSaysNothing) {
  FakeClock fast(HttpClock::Milliseconds(20'000));
  settings.clock = &fast;
  FaultServer server([](const SeenRequest&) { return FaultReply{.isMute = true}; });
  HttpClient patient(settings);
  HttpRequest request;
  request.url = server.url();
  const auto answer = patient.send(request, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Network);
  EXPECT_THAT(answer.error().message, HasSubstr("no answer for 120 s (after 2 tries)"));
  EXPECT_EQ(server.seen().size(), 2);
}

TEST_F(HttpClientTest, CutsAnAnswerThatTrickles) {
  FakeClock fast(HttpClock::Milliseconds(20'000));
  settings.clock = &fast;
  settings.retry.tries = 1;
  FaultServer server(
      [](const SeenRequest&) { return FaultReply{.announcedBytes = 100'000, .trickles = true}; });
  HttpClient impatient(settings);
  HttpRequest request;
  request.url = server.url();
  const auto answer = impatient.send(request, {});
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("transfer.least"));
}

TEST(HttpSettings, ExpectNoMoreThanTheyAllow) {
  HttpSettings settings;
  EXPECT_EQ(settings.leastRate(), 1000U);
  settings.bytesPerSecond = 4000;
  settings.parallel = 4;
  EXPECT_EQ(settings.leastRate(), 500U);
  settings.bytesPerSecond = 100'000;
  EXPECT_EQ(settings.leastRate(), 1000U);
}

TEST_F(HttpClientTest, RefusesAnAnswerAboveItsLimit) {
  std::optional<std::size_t> announced;
  FaultServer server([&](const SeenRequest&) {
    return FaultReply{.body = std::string(100'000, 'x'), .announcedBytes = announced};
  });
  HttpRequest request;
  request.url = server.url();
  request.maxBodyBytes = 1000;
  for (const auto said : {std::optional<std::size_t>(), std::optional<std::size_t>(1U << 30U)}) {
    announced = said;
    const auto answer = client().send(request, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::CorruptData);
    EXPECT_THAT(answer.error().message, HasSubstr("longer than 1000 bytes"));
  }
}

TEST_F(HttpClientTest, KeepsTheFirstPartOfALongError) {
  FaultServer server([](const SeenRequest&) {
    return FaultReply{.status = 400, .body = std::string(5'000'000, 'x')};
  });
  const auto answer = fetch(server.url());
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->body.size(), 65536);
}

TEST_F(HttpClientTest, SaysWhatToDoAboutAServersTrouble) {
  int status = 0;
  FaultServer server([&](const SeenRequest&) { return FaultReply{.status = status}; });
  const auto told = [&](int now) {
    status = now;
    const auto answer = fetch(server.url());
    return answer ? failureOf(client(), *answer, "asking") : answer.error();
  };
  EXPECT_THAT(told(429).message,
              HasSubstr("429 Too Many Requests (response from 127.0.0.1); wait"));
  EXPECT_THAT(told(503).message, HasSubstr("try again later"));
  EXPECT_THAT(told(409).message, HasSubstr("try again"));
  EXPECT_THAT(told(507).message, HasSubstr("no space left"));
  EXPECT_EQ(told(507).code, ErrorCode::Network) << "it is not this disk that is full";
  EXPECT_EQ(told(418).message, "asking: 418 (response from 127.0.0.1)");
}

TEST_F(HttpClientTest, AsksNobodyOffline) {
  FaultServer server([](const SeenRequest&) { return FaultReply{}; });
  settings.offline = true;
  const auto answer = fetch(server.url());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Network);
  EXPECT_TRUE(server.seen().empty());
}

TEST_F(HttpClientTest, RefusesPlainHttpAndCredentialsInUrls) {
  for (const char* url : {"http://example.org/", "https://user:word@example.org/", "file:///x"}) {
    const auto answer = fetch(url);
    ASSERT_FALSE(answer) << url;
    EXPECT_EQ(answer.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(answer.error().message, Not(HasSubstr("word@")));
  }
}

TEST_F(HttpClientTest, StopsWhenAskedTo) {
  FaultServer server(
      [](const SeenRequest&) { return FaultReply{.announcedBytes = 10, .stalls = true}; });
  std::stop_source stop;
  HttpRequest request;
  request.url = server.url();
  request.onHead = [&](const HttpHead&) -> Result<void> {
    stop.request_stop();
    return {};
  };
  const auto answer = client().send(request, stop.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Cancelled);
}

}  // namespace
}  // namespace strata::hub
