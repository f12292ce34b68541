// Signatures of versions lie beside a remote's list, not in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/exchange/collect_remote_garbage.h"
#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/remove_remote_versions.h"
#include "core/transfer/remote_library.h"
#include "tests/unit/hub/remote_care_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::labelsOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ListedSignatures : public test::RemoteCare {
 protected:
  RemoteLibrary library() { return RemoteLibrary::from(remote_.readRefs({}).value()); }
  /// Of the newest version of a name.
  fs::path signaturesOf(const std::string& name) {
    return remotePath(library().named(name).back().signature->object.digest);
  }
  void expectSignaturesOf(const Store& store) const {
    const std::vector<VersionEntry> versions = store.catalog().versions().value();
    for (const VersionEntry& version : versions) {
      const std::string kept = store.catalog().signatureOf(version.name, version.number).value();
      EXPECT_FALSE(kept.empty()) << version.label();
      EXPECT_EQ(kept, ours_->catalog().signatureOf(version.name, version.number).value());
    }
  }
};

TEST_F(ListedSignatures, AreOneObjectOfAPushAndComeWithAPull) {
  const RemoteLibrary listed = library();
  for (const RemoteVersion& version : listed.versions) {
    ASSERT_TRUE(version.signature) << version.ref.label();
    EXPECT_TRUE(version.ref.signature.empty());
    EXPECT_EQ(version.signature->object.digest, listed.versions[0].signature->object.digest);
  }
  for (const bool lazy : {false, true}) {
    const auto theirs = makeStore(lazy ? "lazy" : "whole");
    ASSERT_TRUE(pull(*theirs, remote_, {.lazy = lazy}));
    expectSignaturesOf(*theirs);
  }
}

TEST_F(ListedSignatures, LeaveAListThatAnEarlierProgramWroteWithTheNextPush) {
  RefPush old{.updates = {}, .summary = "as before"};
  const RefListing listing = remote_.readRefs({}).value();
  const std::vector<VersionEntry> versions = ours_->catalog().versions().value();
  for (const VersionEntry& entry : versions) {
    const RemoteVersion version = describeVersion(*ours_, entry).value();
    const std::string name = refNameOf(version.ref);
    old.updates.push_back({name, listing.refs.at(name), toRefText(version)});
  }
  ASSERT_EQ(remote_.advanceRefs(old, {}).value(), RefOutcome::Advanced);
  EXPECT_FALSE(library().versions[0].ref.signature.empty());
  const auto before = makeStore("before");
  ASSERT_TRUE(pull(*before, remote_));
  expectSignaturesOf(*before);
  EXPECT_TRUE(push(*ours_, remote_)->pushed.empty());
  EXPECT_FALSE(library().versions[0].signature) << "nobody pushes for that alone";
  add(*ours_, "ner", 77);
  const auto pushed = push(*ours_, remote_);
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(labelsOf(pushed->pushed), ElementsAre("ner:v2"));
  EXPECT_THAT(pushed->mended, IsEmpty());
  const RemoteLibrary moved = library();
  for (const RemoteVersion& version : moved.versions) EXPECT_TRUE(version.signature);
  const auto after = makeStore("after");
  ASSERT_TRUE(pull(*after, remote_));
  expectSignaturesOf(*after);
  EXPECT_TRUE(verify().sound());
}

TEST_F(ListedSignatures, AreReportedAndMendedWhateverBecameOfThem) {
  for (int kind = 0; kind < 4; ++kind) {
    damage(signaturesOf("sst2"), kind);
    const RemoteVerifyReport report = verify();
    ASSERT_EQ(report.damages.size(), 1) << kind;
    EXPECT_EQ(report.damages[0].kind, RemoteDamage::Kind::Signatures);
    const auto theirs = makeStore("theirs" + std::to_string(kind));
    const auto pulled = pull(*theirs, remote_);
    ASSERT_TRUE(pulled) << pulled.error().message;
    EXPECT_EQ(pulled->pulled.size(), 4) << "they can be restored all the same";
    EXPECT_THAT(pulled->problems, ElementsAre(HasSubstr("are not found as bases")));
    const auto without = push(*theirs, remote_, {.repair = true});
    ASSERT_TRUE(without) << without.error().message;
    EXPECT_EQ(without->failed.size(), 4) << "that store never had them";
    const auto mended = push(*ours_, remote_, {.repair = true});
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_THAT(mended->failed, IsEmpty());
    EXPECT_THAT(mended->mended, ElementsAre("base:v1", "ner:v1", "sst2:v1", "sst2:v2"));
    EXPECT_TRUE(verify().sound()) << kind;
  }
}

TEST_F(ListedSignatures, AreMendedWithoutThoseOfVersionsThatWereRemoved) {
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"ner"}}, {}));
  fs::remove(signaturesOf("sst2"));
  ASSERT_TRUE(push(*ours_, remote_, {.repair = true}));
  EXPECT_TRUE(verify().sound());
  const auto theirs = makeStore("theirs");
  ASSERT_TRUE(pull(*theirs, remote_));
  expectSignaturesOf(*theirs);
}

TEST_F(ListedSignatures, StayWhileAVersionNeedsThem) {
  const fs::path first = signaturesOf("sst2");
  add(*ours_, "sst2", 78);
  ASSERT_TRUE(push(*ours_, remote_));
  const fs::path second = signaturesOf("sst2");
  EXPECT_NE(first, second);
  ASSERT_TRUE(removeRemoteVersions(*ours_, remote_, {.references = {"sst2:v3"}}, {}));
  ASSERT_TRUE(collectRemoteGarbage(*ours_, remote_, {.dryRun = false, .graceSeconds = 0}, {}, {}));
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(second));
  EXPECT_TRUE(verify().sound());
}

TEST_F(ListedSignatures, AreNotTakenFromPlacesThatCannotBe) {
  const RemoteVersion version = library().versions[0];
  const auto isRead = [&](SignaturePlace place) {
    RemoteVersion changed = version;
    changed.signature = place;
    return parseRemoteVersion(refNameOf(version.ref), toRefText(changed)).has_value();
  };
  const RemoteObject object = version.signature->object;
  EXPECT_TRUE(isRead({object, 0, object.byteCount}));
  EXPECT_FALSE(isRead({object, 1, object.byteCount}));
  EXPECT_FALSE(isRead({object, object.byteCount + 1, 0}));
  EXPECT_FALSE(isRead({object, 1, ~std::uint64_t{0}}));
  EXPECT_FALSE(isRead({{object.digest, std::uint64_t{1} << 40U, object.kind}, 0, 1}));
}

/// Two versions may name one object and give it different sizes: what comes has one of them.
TEST_F(ListedSignatures, AreNotTakenBeyondTheirObject) {
  RemoteVersion version = library().named("sst2").back();
  const std::string name = refNameOf(version.ref);
  const RefText before = toRefText(version);
  const std::uint64_t byteCount = version.signature->object.byteCount;
  version.signature->object.byteCount = byteCount + 1000;
  version.signature->firstByte = byteCount + 500;
  RefPush push{.updates = {}, .summary = "a lie"};
  push.updates.push_back({name, before, toRefText(version)});
  ASSERT_EQ(remote_.advanceRefs(push, {}).value(), RefOutcome::Advanced);
  const auto theirs = makeStore("theirs");
  const auto pulled = pull(*theirs, remote_);
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_EQ(pulled->pulled.size(), 4);
}

}  // namespace
}  // namespace strata
