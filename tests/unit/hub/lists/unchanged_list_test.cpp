// A remote that is asked again and lists the same.
#include <gtest/gtest.h>

#include <memory>

#include "core/ops/exchange/fetch_remote.h"
#include "tests/unit/hub/exchange_fixture.h"
#include "tests/unit/hub/forwarding_transport.h"

namespace strata::hub {
namespace {

class CountingReads final : public test::ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  Result<RefListing> readRefs(std::stop_token stop) override {
    ++count;
    return ForwardingTransport::readRefs(stop);
  }
  unsigned count = 0;
};

class UnchangedList : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    ours_ = makeFullStore("ours");
    ASSERT_TRUE(push(*ours_, remote_, {.keptAs = "hub"}));
  }
  /// That it has to read the list `reads` times so far.
  FetchReport fetch(unsigned reads, const FetchOptions& options = {}) {
    const auto report = fetchRemote(*ours_, counting_, "hub", {}, options);
    EXPECT_TRUE(report) << report.error().message;
    EXPECT_EQ(counting_.count, reads);
    return report.value_or(FetchReport{});
  }
  FetchedListing kept() { return readFetched(ours_->folder(), "hub").value().value(); }

  std::unique_ptr<Store> ours_;
  CountingReads counting_{std::make_unique<FolderTransport>(folder_ / "remote")};
};

TEST_F(UnchangedList, IsNotRead) {
  fetch(1);
  const FetchedListing before = kept();
  ASSERT_TRUE(before.counts);
  const FetchReport again = fetch(1);
  const RemoteLibrary library = RemoteLibrary::from(before.listing);
  EXPECT_GT(library.versions.size(), 0U);
  EXPECT_EQ(again.versionCount, library.versions.size());
  EXPECT_EQ(again.tagCount, library.tags.size());
  EXPECT_TRUE(again.newVersions.empty());
  EXPECT_EQ(kept().listing.refs, before.listing.refs);
  EXPECT_EQ(kept().listing.pages.size(), before.listing.pages.size());
  EXPECT_GE(kept().fetchedAt, before.fetchedAt);
  fetch(2, {.acceptOlder = true});
}

TEST_F(UnchangedList, IsReadOnceOthersPushed) {
  fetch(1);
  const FetchReport before = fetch(1);
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  add(*theirs, "more", 7);
  ASSERT_TRUE(push(*theirs, remote_));
  const FetchReport grown = fetch(2);
  EXPECT_EQ(grown.newVersions.size(), 1U);
  EXPECT_EQ(grown.versionCount, before.versionCount + 1);
  EXPECT_TRUE(fetch(2).newVersions.empty());
}

TEST_F(UnchangedList, IsReadWhereWhatIsKeptIsDamaged) {
  fetch(1);
  const auto file = ours_->folder() / "remotes/hub.json";
  const std::string sound = test::readWhole(file);
  test::writeWhole(file, sound.substr(0, sound.size() - 1));
  EXPECT_FALSE(fetch(2).problems.empty());
  EXPECT_TRUE(fetch(3).problems.empty()) << "it was written anew";
  fetch(3);
}

TEST_F(UnchangedList, IsReadWhereWhatWasAgreedOnIsLost) {
  fetch(1);
  std::filesystem::remove(ours_->folder() / "remotes/hub.tags");
  EXPECT_FALSE(fetch(2).problems.empty());
  EXPECT_TRUE(fetch(3).problems.empty());
  fetch(3);
}

TEST_F(UnchangedList, IsReadWhereItLostItsFolder) {
  fetch(1);
  std::filesystem::rename(folder_ / "remote", folder_ / "away");
  const auto report = fetchRemote(*ours_, counting_, "hub", {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::NotFound);
}

/// A version whose ref cannot be read is told of each time.
TEST_F(UnchangedList, IsReadEachTimeWhereSomethingOfItIsToBeSaid) {
  const RefUpdate odd{"odd/v1", std::nullopt, R"({"kind":"version"})"};
  ASSERT_EQ(remote_.advanceRefs({{odd}, "push"}, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(fetch(1).problems.size(), 1U);
  EXPECT_EQ(fetch(2).problems.size(), 1U);
}

}  // namespace
}  // namespace strata::hub
