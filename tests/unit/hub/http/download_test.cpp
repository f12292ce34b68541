#include "hub/http/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fault_server.h"
#include "tests/unit/hub/fake_clock.h"

namespace strata::hub {
namespace {

using test::FakeClock;
using test::FaultReply;
using test::FaultServer;
using test::SeenRequest;

const std::string kBody = [] {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}();

class TextSink final : public ObjectSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  Result<void> restart() override {
    text.clear();
    ++restarts;
    return {};
  }
  std::string text;
  int restarts = 0;
};

/// What an honest server says to a range.
FaultReply partOf(const SeenRequest& request) {
  const auto range = request.headers.find("range");
  if (range == request.headers.end()) return {.body = kBody};
  const std::size_t first = std::stoul(range->second.substr(6));
  return {.status = 206,
          .headers = {{"Content-Range", "bytes " + std::to_string(first) + "-" +
                                            std::to_string(kBody.size() - 1) + "/" +
                                            std::to_string(kBody.size())}},
          .body = kBody.substr(first)};
}

class DownloadTest : public ::testing::Test {
 protected:
  Result<HttpResponse> get(FaultServer& server, std::uint64_t firstByte = 0) {
    HttpSettings settings;
    settings.clock = &clock;
    HttpClient client(settings);
    Download job;
    job.request.url = server.url();
    job.byteCount = kBody.size();
    job.firstByte = firstByte;
    job.sink = &sink;
    return download(client, job, {}, [this](std::int64_t bytes) { metered += bytes; });
  }

  FakeClock clock;
  TextSink sink;
  std::int64_t metered = 0;
};

TEST_F(DownloadTest, TakesARangeThatComesWithStatus200) {
  std::size_t shift = 0;
  FaultServer server([&](const SeenRequest& request) {
    FaultReply reply = partOf(request);
    if (shift > 0) reply.headers = {{"Content-Range", "bytes 1-9/20000"}};
    reply.status = 200;
    return reply;
  });
  sink.text = kBody.substr(0, 5000);
  const auto done = get(server, 5000);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(sink.text, kBody);
  EXPECT_EQ(sink.restarts, 0);
  shift = 1;
  const auto other = get(server, 5000);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::CorruptData);
}

TEST_F(DownloadTest, EndsWhereBytesOnlyTrickle) {
  unsigned calls = 0;
  FaultServer server([&](const SeenRequest& request) {
    FaultReply reply = partOf(request);
    reply.cutAfter = 1;
    clock.sleep(std::chrono::seconds(29), {});  // as long as no transfer counts as stalled
    ++calls;
    return reply;
  });
  const auto got = get(server);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::Network);
  EXPECT_EQ(calls, RetryPolicy{}.tries);
  EXPECT_EQ(sink.text, kBody.substr(0, calls)) << "what came is kept";
}

TEST_F(DownloadTest, GoesOnWhereTheLineBroke) {
  int calls = 0;
  FaultServer server([&](const SeenRequest& request) {
    FaultReply reply = partOf(request);
    if (++calls < 8) reply.cutAfter = 1500;
    return reply;
  });
  const auto got = get(server);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(sink.text, kBody);
  EXPECT_EQ(sink.restarts, 0);
  EXPECT_EQ(metered, static_cast<std::int64_t>(kBody.size()));
}

TEST_F(DownloadTest, AsksOnlyForWhatIsMissing) {
  FaultServer server(partOf);
  sink.text = kBody.substr(0, 7000);
  ASSERT_TRUE(get(server, 7000));
  EXPECT_EQ(sink.text, kBody);
  EXPECT_EQ(server.seen().at(0).headers.at("range"), "bytes=7000-");
}

TEST_F(DownloadTest, StartsOverWhereRangesAreIgnored) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.body = kBody}; });
  sink.text = "old";
  ASSERT_TRUE(get(server, 3));
  EXPECT_EQ(sink.text, kBody);
  EXPECT_EQ(sink.restarts, 1);
}

TEST_F(DownloadTest, StartsOverWhereTheRangeIsRefused) {
  int calls = 0;
  FaultServer server([&](const SeenRequest&) {
    return ++calls == 1 ? FaultReply{.status = 416} : FaultReply{.body = kBody};
  });
  sink.text = "old";
  ASSERT_TRUE(get(server, 3));
  EXPECT_EQ(sink.text, kBody);
}

TEST_F(DownloadTest, RefusesARangeThatWasNotAskedFor) {
  FaultServer server([](const SeenRequest&) {
    return FaultReply{
        .status = 206, .headers = {{"Content-Range", "bytes 1-9/20000"}}, .body = "x"};
  });
  const auto got = get(server, 3);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::CorruptData);
  EXPECT_TRUE(sink.text.empty());
}

TEST_F(DownloadTest, RefusesAnotherLengthBeforeTheFirstByte) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.body = kBody + "!"}; });
  const auto got = get(server);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::CorruptData);
  EXPECT_TRUE(sink.text.empty());
}

TEST_F(DownloadTest, GivesUpAfterSixTriesWithoutProgress) {
  FaultServer server([](const SeenRequest&) { return FaultReply{.isSilent = true}; });
  const auto got = get(server);
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::Network);
  EXPECT_EQ(server.seen().size(), 6);
}

TEST_F(DownloadTest, GoesOnFromWhereATokenRanOut) {
  int calls = 0;
  FaultServer server([&](const SeenRequest& request) {
    if (++calls == 2) return FaultReply{.status = 401};
    FaultReply reply = partOf(request);
    if (calls == 1) reply.cutAfter = 1500;
    return reply;
  });
  HttpSettings settings;
  settings.clock = &clock;
  HttpClient client(settings);
  Download job{.request = {.url = server.url()}, .byteCount = kBody.size(), .sink = &sink};
  const auto meter = [this](std::int64_t bytes) { metered += bytes; };
  const auto refused = download(client, job, {}, meter);
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_EQ(refused->head.status, 401);
  EXPECT_EQ(job.firstByte, 1500U);
  const auto rest = download(client, job, {}, meter);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(sink.text, kBody);
  EXPECT_EQ(sink.restarts, 0);
  EXPECT_EQ(metered, static_cast<std::int64_t>(kBody.size()));
}

TEST_F(DownloadTest, RetriesServerErrorsAndReturnsOthers) {
  int calls = 0;
  FaultServer server([&](const SeenRequest& request) {
    return ++calls < 3 ? FaultReply{.status = 502} : partOf(request);
  });
  ASSERT_TRUE(get(server));
  EXPECT_EQ(sink.text, kBody);
  FaultServer gone([](const SeenRequest&) { return FaultReply{.status = 404, .body = "gone"}; });
  sink.text.clear();
  const auto got = get(gone);
  ASSERT_TRUE(got);
  EXPECT_EQ(got->head.status, 404);
  EXPECT_EQ(gone.seen().size(), 1);
  EXPECT_TRUE(sink.text.empty());
}

}  // namespace
}  // namespace strata::hub
