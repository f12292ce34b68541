#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <future>
#include <thread>

#include "hub/serve/byte_range.h"
#include "hub/serve/connection_threads.h"
#include "hub/serve/decode_threads.h"
#include "hub/serve/host_rule.h"
#include "hub/serve/piece_cache.h"
#include "hub/serve/url_path.h"
#include "hub/serve/waiting_room.h"

namespace strata::hub {
namespace {

std::string rangeText(std::string_view header, std::uint64_t fileBytes) {
  const AskedRange asked = readRange(header, fileBytes);
  if (asked.kind == AskedRange::Kind::Whole) return "whole";
  if (asked.kind == AskedRange::Kind::Unsatisfiable) return "none";
  return std::to_string(asked.range.firstByte) + "+" + std::to_string(asked.range.byteCount);
}

TEST(ByteRange, FollowsTheStandard) {
  EXPECT_EQ(rangeText("bytes=0-0", 10), "0+1");
  EXPECT_EQ(rangeText("bytes=3-", 10), "3+7");
  EXPECT_EQ(rangeText("Bytes=3-", 10), "3+7");
  EXPECT_EQ(rangeText("bytes=3-99", 10), "3+7");
  EXPECT_EQ(rangeText("bytes=-3", 10), "7+3");
  EXPECT_EQ(rangeText("bytes=-99", 10), "0+10");
  EXPECT_EQ(rangeText("bytes=10-", 10), "none");
  EXPECT_EQ(rangeText("bytes=-0", 10), "none");
  EXPECT_EQ(rangeText("bytes=0-", 0), "none");
  EXPECT_EQ(rangeText("bytes=18446744073709551615-", 10), "none");
  EXPECT_EQ(rangeText("bytes=0-99999999999999999999999", 10), "0+10");
}

TEST(ByteRange, IgnoresWhatItDoesNotUnderstand) {
  for (const char* const header : {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=a-b",
                                   "bytes=1-2,4-5", "lines=1-2", "bytes= 1-2", "bytes=+1-2"}) {
    EXPECT_EQ(rangeText(header, 10), "whole") << header;
  }
}

TEST(UrlPath, DecodesEachSegmentOnItsOwn) {
  const auto url = readUrlPath("/a/refs%2Fpr%2F1/b%20c?x=1&y=a+b%26&z");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->segments, (std::vector<std::string>{"a", "refs/pr/1", "b c"}));
  EXPECT_EQ(url->value("y"), "a b&");
  EXPECT_EQ(url->value("none"), "");
  EXPECT_EQ(url->joined(1), "refs/pr/1/b c");
  for (const char* const broken : {"/%", "/%4", "/%zz", "/%00", "/a?x=%"}) {
    EXPECT_FALSE(readUrlPath(broken)) << broken;
  }
}

TEST(HostRule, KnowsLoopbackNamesAndThoseItWasTold) {
  const HostRule plain("127.0.0.1", {});
  EXPECT_TRUE(plain.allows(""));
  EXPECT_TRUE(plain.allows("LocalHost.:8321"));
  EXPECT_TRUE(plain.allows("[::1]:8321"));
  EXPECT_FALSE(plain.allows("rebound.example:8321"));
  EXPECT_FALSE(plain.allows("127.0.0.1.example"));
  EXPECT_FALSE(plain.allows("10.0.0.7"));
  const HostRule named("127.0.0.1", {"Models.Lab"});
  EXPECT_TRUE(named.allows("models.lab:443"));
  EXPECT_FALSE(named.allows("models.lab.example"));
}

TEST(HostRule, TakesAnyNameBeyondLoopbackUntilOneIsGiven) {
  EXPECT_TRUE(HostRule("0.0.0.0", {}).allows("anything.example"));
  const HostRule named("192.168.1.5", {"models.lab"});
  EXPECT_TRUE(named.allows("192.168.1.5:80"));
  EXPECT_TRUE(named.allows("localhost"));
  EXPECT_FALSE(named.allows("anything.example"));
}

TEST(PieceCache, DecodesOnceAndForgetsTheOldest) {
  PieceCache cache(100);
  int decoded = 0;
  const auto get = [&](std::uint32_t piece) {
    return cache.get({{}, 0, piece}, 40, [&](std::span<std::byte> out) -> Result<void> {
      ++decoded;
      out[0] = std::byte(piece);
      return {};
    });
  };
  EXPECT_EQ((*get(1))->data()[0], std::byte(1));
  EXPECT_EQ((*get(1))->data()[0], std::byte(1));
  EXPECT_EQ(decoded, 1);
  ASSERT_TRUE(get(2));
  ASSERT_TRUE(get(3));
  EXPECT_FALSE(cache.knows({{}, 0, 1}));
  EXPECT_TRUE(cache.find({{}, 0, 3}));
  EXPECT_EQ(decoded, 3);
}

TEST(PieceCache, TakesTheMemoryOfWhatItForgetsUnlessAClientStillSendsIt) {
  PieceCache cache(100'000);
  const auto get = [&](std::uint32_t piece, std::uint64_t byteCount) {
    return *cache.get({{}, 0, piece}, byteCount, [&](std::span<std::byte> out) -> Result<void> {
      std::fill(out.begin(), out.end(), std::byte(piece));
      return {};
    });
  };
  const PieceCache::Piece sent = get(1, 40'000);
  const std::byte* const second = get(2, 40'000)->data();
  get(3, 40'000);  // forgets 1, which has its client
  EXPECT_EQ(get(4, 36'000)->data(), second);
  EXPECT_EQ(cache.find({{}, 0, 4})->size(), 36'000U);
  EXPECT_NE(get(5, 9'000)->data(), sent->data()) << "a quarter at most is wasted";
  for (const auto& [number, piece] : {std::pair{1U, sent}, {3U, cache.find({{}, 0, 3})}}) {
    ASSERT_NE(piece, nullptr);
    EXPECT_EQ(std::count(piece->data(), piece->data() + piece->size(), std::byte(number)), 40'000);
  }
}

TEST(PieceCache, TriesAgainAfterAFailure) {
  PieceCache cache(100);
  const PieceKey key{{}, 1, 1};
  const auto failing = [](std::span<std::byte>) -> Result<void> {
    return fail(ErrorCode::CorruptData, "damaged");
  };
  EXPECT_EQ(cache.get(key, 10, failing).error().message, "damaged");
  EXPECT_FALSE(cache.knows(key));
  EXPECT_TRUE(cache.get(key, 10, [](std::span<std::byte>) -> Result<void> { return {}; }));
}

TEST(PieceCache, LetsOthersWaitForThePieceInTheMaking) {
  PieceCache cache(1000);
  std::atomic<int> decoded{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (std::uint32_t piece = 0; piece < 20; ++piece) {
        ASSERT_TRUE(cache.get({{}, 0, piece}, 10, [&](std::span<std::byte>) -> Result<void> {
          ++decoded;
          return {};
        }));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(decoded, 20);
}

/// Both ends of a connection; the server's is closed by whoever gets it.
struct Line {
  Line() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  ~Line() { ::close(client()); }
  int client() const { return ends[0]; }
  int server() const { return ends[1]; }
  void send(std::string_view text) const {
    EXPECT_EQ(::send(client(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  bool isClosed() const {
    char byte = 0;
    return ::recv(client(), &byte, 1, MSG_DONTWAIT) == 0;
  }
  std::array<int, 2> ends{};
};

TEST(WaitingRoom, IsLeftWithAWholeHead) {
  const Line slow;
  const Line fast;
  std::array<std::promise<int>, 2> left;
  std::size_t count = 0;
  WaitingRoom room(8, [&](const Connection& one) { left.at(count++).set_value(one.socket); });
  room.enter({slow.server(), "a"});
  room.enter({fast.server(), "b"});
  slow.send("GET / HTTP/1.1\r\nHost: x");
  fast.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(left[0].get_future().get(), fast.server());
  slow.send("\r\n\r\n");
  EXPECT_EQ(left[1].get_future().get(), slow.server());
  ::close(fast.server());
  ::close(slow.server());
}

TEST(WaitingRoom, ClosesTheOldestOfTheAddressWithTheMost) {
  const Line other;
  const std::array<Line, 3> many;
  WaitingRoom room(3, [](const Connection&) {});
  room.enter({other.server(), "b"});
  for (const Line& line : many) room.enter({line.server(), "a"});
  EXPECT_TRUE(many[0].isClosed());
  EXPECT_FALSE(many[1].isClosed());
  EXPECT_FALSE(other.isClosed());
  room.close();
  EXPECT_TRUE(other.isClosed());
}

TEST(ConnectionThreads, LeaveSomeToOtherAddresses) {
  std::promise<void> end;
  const std::shared_future<void> ended = end.get_future().share();
  std::promise<void> served;
  ConnectionThreads threads(4, [&](const Connection& one) {
    if (one.address == "b") return served.set_value();
    ended.wait();
  });
  for (int i = 0; i < 9; ++i) threads.enqueue({-1, "a"});
  threads.enqueue({-1, "b"});
  served.get_future().wait();
  EXPECT_TRUE(threads.isShort());
  end.set_value();
  threads.shutdown();
  EXPECT_FALSE(threads.isShort());
}

TEST(DecodeThreads, WaitForWhatIsWantedAndDropTooMuch) {
  std::atomic<int> offered{0};
  int ran = 0;
  {
    DecodeThreads threads(1);
    for (int i = 0; i < 100; ++i) threads.offer([&] { ++offered; });
    for (int i = 0; i < 10; ++i) threads.run([&] { ++ran; });
  }
  EXPECT_EQ(ran, 10);
  EXPECT_GT(offered, 0);
}

}  // namespace
}  // namespace strata::hub
