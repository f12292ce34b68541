// What no version of a remote needs: what goes, what stays, and pushes meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>

#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/transfer/ref_index.h"
#include "hub/generation.h"
#include "hub/index_sweep.h"
#include "tests/support/recorded_names.h"
#include "tests/unit/hub/fake_clock.h"
#include "tests/unit/hub/forwarding_transport.h"
#include "tests/unit/hub/remote_care_fixture.h"
namespace strata::hub {
namespace {

namespace fs = std::filesystem;
using test::RemoteCare;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Takes what was just sent for old.
constexpr RemoteGarbageOptions kAllAges{.dryRun = false, .graceSeconds = 0};

class RemoteGarbage : public RemoteCare {
 protected:
  void SetUp() override {
    RemoteCare::SetUp();
    ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"ner"}}, {}));
  }
  RemoteGarbageReport collect(const RemoteGarbageOptions& options) {
    auto report = collectRemoteGarbage(*ours_, remote_, options, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RemoteGarbageReport{});
  }
  std::size_t count() { return sharedObjects(*ours_); }
};

TEST_F(RemoteGarbage, GoesWhenNoVersionNeedsItAndItIsOld) {
  EXPECT_EQ(count(), 8);
  EXPECT_EQ(collect({.dryRun = false}).youngObjects, 2);
  EXPECT_EQ(collect({.graceSeconds = 0}).freed.size(), 2) << "a dry run";
  EXPECT_EQ(count(), 8);
  const RemoteGarbageReport report = collect(kAllAges);
  EXPECT_EQ(report.freed.size(), 2);
  EXPECT_GT(report.freedBytes, 0);
  EXPECT_EQ(count(), 6);
  EXPECT_TRUE(verify().sound());
  EXPECT_TRUE(collect(kAllAges).freed.empty());
  EXPECT_THAT(test::labelsOf(push(*ours_, remote_)->pushed), ElementsAre("ner:v1"));
  EXPECT_TRUE(verify().sound());
}

TEST_F(RemoteGarbage, GoesByTheAgeOfEachObject) {
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"sst2:v2"}}, {}));
  const auto age = [](const fs::path& file, std::chrono::minutes by) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - by);
  };
  const fs::path old = manifestOf("ner");
  const fs::path young = manifestOf("sst2:v2");
  age(old, std::chrono::hours(24) + std::chrono::minutes(1));
  age(young, std::chrono::hours(24) - std::chrono::minutes(1));
  const RemoteGarbageReport report = collect({.dryRun = false});
  ASSERT_EQ(report.freed.size(), 1);
  EXPECT_EQ(toHex(report.freed[0].digest), old.filename().string());
  EXPECT_EQ(report.youngObjects, 3);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
  EXPECT_EQ(collect({.dryRun = false, .graceSeconds = 86'340 - 60}).freed.size(), 1);
  EXPECT_FALSE(fs::exists(young));
}

TEST_F(RemoteGarbage, IncludesWhatPushesLeftHalfWritten) {
  const fs::path old = folder_ / "remote" / "tmp" / "object-0123456789abcdef.tmp";
  const fs::path young = folder_ / "remote" / "tmp" / "object-fedcba9876543210.tmp";
  for (const fs::path& file : {old, young}) test::writeWhole(file, "half of a pack");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(25));
  EXPECT_EQ(collect({}).scratchFiles, 1) << "a dry run";
  EXPECT_TRUE(fs::exists(old));
  EXPECT_EQ(collect(kAllAges).scratchFiles, 1);
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young)) << "somebody may be writing it";
  const auto refused =
      collectRemoteGarbage(*ours_, remote_, {.dryRun = false, .graceSeconds = -1}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
}

TEST_F(RemoteGarbage, IsSaidToBeFreedAlsoAfterAnError) {
  class Breaking final : public test::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    Result<Sweep> sweep(const RefListing& seen, std::span<const Digest> objects,
                        std::stop_token stop) override {
      auto sweep = ForwardingTransport::sweep(seen, objects.first(1), stop);
      if (isFailing) sweep->failure = Error{ErrorCode::Network, "the line broke"};
      isFailing = false;
      return sweep;
    }
    bool isFailing = true;
  };
  Breaking breaking(std::make_unique<FolderTransport>(folder_ / "remote"));
  const auto report = collectRemoteGarbage(*ours_, breaking, kAllAges, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "the line broke; 1 object was freed before");
  EXPECT_EQ(collectRemoteGarbage(*ours_, breaking, kAllAges, {}, {}).value().freed.size(), 1);
}

TEST_F(RemoteGarbage, StaysWhereAManifestNamesAParentThatTheListHides) {
  const RefListing listing = remote_.readRefs({}).value();
  RefPush lie{{{"base/v1", listing.refs.at("base/v1"), kRemovedRef}}, "lie"};
  for (const char* const name : {"sst2/v1", "sst2/v2"}) {
    RemoteVersion version = parseRemoteVersion(name, listing.refs.at(name)).value();
    version.parentDigest.reset();
    lie.updates.push_back({name, listing.refs.at(name), toRefText(version)});
  }
  ASSERT_EQ(remote_.advanceRefs(lie, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(collectRemoteGarbage(*ours_, remote_, kAllAges, {}, {}).error().code,
            ErrorCode::CorruptData);
  EXPECT_EQ(count(), 8);
}

TEST_F(RemoteGarbage, StaysWhileSomethingThereCannotBeRead) {
  flip(manifestOf("sst2:v1"));
  const auto refused = collectRemoteGarbage(*ours_, remote_, kAllAges, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::CorruptData);
  ASSERT_TRUE(push(*ours_, remote_, {.repair = true}));
  const RefPush bad{{{"ner/v7", std::nullopt, R"({"kind":"version","ref":{"a":1}})"}}, "bad"};
  ASSERT_EQ(remote_.advanceRefs(bad, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(collectRemoteGarbage(*ours_, remote_, kAllAges, {}, {}).error().code,
            ErrorCode::CorruptData);
  EXPECT_EQ(count(), 8);
}

TEST_F(RemoteGarbage, StaysWhereAParentOrTheWholeListIsLost) {
  RefListing listing = remote_.readRefs({}).value();
  const RefPush lost{{{"base/v1", listing.refs.at("base/v1"), kRemovedRef}}, "lost"};
  ASSERT_EQ(remote_.advanceRefs(lost, {}).value(), RefOutcome::Advanced);
  EXPECT_EQ(collectRemoteGarbage(*ours_, remote_, kAllAges, {}, {}).error().code,
            ErrorCode::CorruptData);
  for (const auto& file : fs::directory_iterator(folder_ / "remote" / "refs")) fs::remove(file);
  EXPECT_EQ(collectRemoteGarbage(*ours_, remote_, kAllAges, {}, {}).error().code,
            ErrorCode::InvalidArgument);
  EXPECT_EQ(count(), 8);
}

/// Something happens on the remote once a push has found what is there.
class SweptFolder final : public test::ForwardingTransport {
 public:
  explicit SweptFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)) {}
  std::function<void()> afterLook;

  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override {
    auto there = ForwardingTransport::has(objects, stop);
    if (afterLook) std::exchange(afterLook, {})();
    return there;
  }
};

TEST_F(RemoteGarbage, IsSentAgainByAPushThatFoundItThere) {
  SweptFolder swept(folder_ / "remote");
  swept.afterLook = [&] { EXPECT_EQ(collect(kAllAges).freed.size(), 2); };
  const auto pushed = push(*ours_, swept, {.references = {"ner"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(test::labelsOf(pushed->pushed), ElementsAre("ner:v1"));
  EXPECT_EQ(pushed->packCount + pushed->manifestCount, 2);
  EXPECT_TRUE(verify().sound());
}

/// A sweep that begins after a push waited for others, and ends after it looked.
class SlowSweptFolder final : public test::ForwardingTransport {
 public:
  explicit SlowSweptFolder(const fs::path& folder)
      : ForwardingTransport(std::make_unique<FolderTransport>(folder)), place_(folder) {}

  Result<void> awaitSweep(std::stop_token stop) override {
    STRATA_TRY(ForwardingTransport::awaitSweep(stop));
    if (std::exchange(isFirst_, false)) begin();
    return {};
  }
  Result<ObjectsThere> has(std::span<const RemoteObject> objects, std::stop_token stop) override {
    auto there = ForwardingTransport::has(objects, stop);
    if (number_ > 0) end(objects);
    return there;
  }

 private:
  void write(const RefIndex& index) {
    test::writeWhole(place_ / "refs" / generationName(number_), serializeRefIndex(index).value());
  }
  void begin() {
    const RefListing listing = ForwardingTransport::readRefs({}).value();
    number_ = std::stoull(listing.revision) + 1;
    refs_ = listing.refs;
    write({.refs = refs_, .sweepCount = 1, .doomed = {Digest{}}});
  }
  void end(std::span<const RemoteObject> objects) {
    for (const RemoteObject& object : objects) {
      const std::string hex = toHex(object.digest);
      fs::remove(place_ / "objects" / hex.substr(0, 2) / hex);
    }
    ++number_;
    write({.refs = refs_, .sweepCount = 1});
    number_ = 0;
  }

  fs::path place_;
  bool isFirst_ = true;
  std::uint64_t number_ = 0;
  std::map<std::string, RefText> refs_;
};

TEST_F(RemoteGarbage, IsSentAgainByAPushThatLookedWhileItWent) {
  SlowSweptFolder swept(folder_ / "remote");
  ASSERT_TRUE(push(*ours_, swept, {.references = {"ner"}, .withBase = false}));
  EXPECT_EQ(remote_.readRefs({})->endedSweeps, 1);
  EXPECT_TRUE(verify().sound());
}

TEST_F(RemoteGarbage, ProgramsThatDoNotKnowOfItAreRefused) {
  collect(kAllAges);
  const std::string number = remote_.readRefs({})->revision;
  const std::string text =
      test::readWhole(folder_ / "remote" / "refs" / generationName(std::stoull(number)));
  EXPECT_TRUE(text.starts_with(R"({"format":2,)")) << text;
  const RefIndex index = parseRefIndex(text, "index").value();
  EXPECT_EQ(index.sweepCount, 1);
  EXPECT_TRUE(index.doomed.empty());
  for (const char* bad : {R"({"format":2,"refs":{}})", R"({"format":2,"refs":{},"sweep":{}})",
                          R"({"format":2,"refs":{},"sweep":{"count":0,"doomed":[]}})",
                          R"({"format":2,"refs":{},"sweep":{"count":1,"doomed":["x"]}})"}) {
    EXPECT_EQ(parseRefIndex(bad, "index").error().code, ErrorCode::CorruptData) << bad;
  }
}

TEST_F(RemoteGarbage, SaysWhenOthersTookItForDead) {
  const RefListing seen = remote_.readRefs({}).value();
  RefIndex index{.refs = seen.refs};
  const IndexChange change = [&](const auto& edit, const std::stop_token&) {
    edit(index);
    return Result<RefOutcome>(RefOutcome::Advanced);
  };
  const auto erase = [&](const Digest&, const std::stop_token&) {
    index.doomed.clear();
    return Result<void>();
  };
  test::FakeClock clock;
  const Digest digest{};
  const auto swept = sweepIndex({"here", change, erase, clock}, seen, std::span(&digest, 1), {});
  ASSERT_TRUE(swept && swept->failure);
  EXPECT_EQ(swept->failure->code, ErrorCode::Network);
  EXPECT_EQ(swept->erasedCount, 1);
}

TEST_F(RemoteGarbage, ThatIsTakenAwayLateComesBack) {
  const fs::path pack = onlyPackOf(*ours_, "ner");
  test::WorseDisk disk;
  disk.beforeRename = [&](const fs::path& from) {
    if (from != pack) return;
    // The call hangs on a share. Somebody waits, takes the program for dead, and pushes. This
    // function lives on in a variable of its own: it is not to be called again.
    const auto running = std::exchange(disk.beforeRename, {});
    test::FakeClock clock;
    FolderTransport patient(folder_ / "remote", 0, clock);
    const auto pushed = push(*ours_, patient, {.references = {"ner"}});
    ASSERT_TRUE(pushed) << pushed.error().message;
    EXPECT_EQ(pushed->packCount, 0U) << "it found the pack there";
    EXPECT_GE(clock.now(), std::chrono::seconds(90));
  };
  const auto report = collectRemoteGarbage(*ours_, remote_, kAllAges, {}, {});
  ASSERT_FALSE(report);
  EXPECT_FALSE(disk.beforeRename) << "the pack was to go";
  EXPECT_THAT(report.error().message, HasSubstr("took this program for dead; nothing was deleted"));
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(count(), 8);
  EXPECT_TRUE(fs::is_empty(folder_ / "remote" / "tmp"));
}

TEST_F(RemoteGarbage, ThatAProgramWasDeletingWhenItDiedComesBack) {
  const fs::path pack = onlyPackOf(*ours_, "ner");
  const fs::path aside = folder_ / "remote" / "tmp" / (pack.filename().string() + ".doomed");
  fs::rename(pack, aside);
  const auto pushed = push(*ours_, remote_, {.references = {"ner"}});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_EQ(pushed->packCount, 0U);
  EXPECT_FALSE(fs::exists(aside));
  // One that was sent again meanwhile.
  fs::copy(pack, aside);
  collect(kAllAges);
  EXPECT_EQ(count(), 8);
  EXPECT_FALSE(fs::exists(aside));
  EXPECT_TRUE(verify().sound());
}

TEST_F(RemoteGarbage, IsRefusedWherePushersCannotBeTold) {
  class Unsafe final : public test::ForwardingTransport {
   public:
    using ForwardingTransport::ForwardingTransport;
    Result<TransportTraits> probe(std::stop_token) override {
      TransportTraits traits;
      traits.refs = RefSafety::LastWriterWins;
      return traits;
    }
  };
  Unsafe unsafe(std::make_unique<FolderTransport>(folder_ / "remote"));
  EXPECT_EQ(collectRemoteGarbage(*ours_, unsafe, kAllAges, {}, {}).error().code,
            ErrorCode::Unsupported);
  EXPECT_EQ(count(), 8);
}

TEST_F(RemoteGarbage, IsLeftWhereAPushCameFirst) {
  const RefListing before = remote_.readRefs({}).value();
  ASSERT_TRUE(push(*ours_, remote_, {.references = {"ner"}}));
  const Digest digest = ours_->resolve("ner").value().manifestDigest;
  EXPECT_EQ(remote_.sweep(before, std::span(&digest, 1), {})->outcome, RefOutcome::Overtaken);
  EXPECT_TRUE(verify().sound());
}

TEST_F(RemoteGarbage, SweepsThatDiedAreEndedByTheNextPush) {
  const RefListing listing = remote_.readRefs({}).value();
  RefIndex index{.refs = listing.refs, .sweepCount = 1, .doomed = {Digest{}}};
  const auto number = generationOf(generationName(std::stoull(listing.revision) + 1));
  test::writeWhole(folder_ / "remote" / "refs" / generationName(number),
                   serializeRefIndex(index).value());
  test::FakeClock clock;
  std::vector<std::string> told;
  FolderTransport patient(
      folder_ / "remote", 0, clock, [&](std::string_view reason, std::chrono::seconds longest) {
        told.push_back(std::to_string(longest.count()) + " " + std::string(reason));
      });
  ASSERT_TRUE(push(*ours_, patient, {.references = {"ner"}}));
  ASSERT_EQ(told.size(), 1);
  EXPECT_TRUE(told[0].starts_with("90 file://")) << told[0];
  EXPECT_GE(clock.now(), std::chrono::seconds(90));
  EXPECT_TRUE(verify().sound());
  EXPECT_EQ(remote_.readRefs({})->endedSweeps, 1) << "it stays counted";
}

}  // namespace
}  // namespace strata::hub
