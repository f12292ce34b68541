#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/transfer/remote_config.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata::hub {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

class LostRefs : public test::ExchangeFixture {
 protected:
  /// What "hub" lists is kept.
  std::unique_ptr<Store> makePushedStore() {
    auto store = makeFullStore("ours");
    RemoteList remotes;
    remotes.remotes.push_back({.name = "hub", .url = remote_.url()});
    EXPECT_TRUE(remotes.save(store->folder()));
    EXPECT_TRUE(push(*store, remote_, {.keptAs = "hub"}));
    return store;
  }

  /// sst2:v3 is sst2:v1 again.
  std::unique_ptr<Store> makeRolledBack(const std::vector<std::string>& tags) {
    auto store = makeStore("ours");
    importBase(*store);
    add(*store, "sst2", 11);
    add(*store, "sst2", 12);
    add(*store, "sst2", 11, tags);
    EXPECT_TRUE(store->resolve("sst2:v3"));
    RemoteList remotes;
    remotes.remotes.push_back({.name = "hub", .url = remote_.url()});
    EXPECT_TRUE(remotes.save(store->folder()));
    EXPECT_TRUE(push(*store, remote_, {.keptAs = "hub"}));
    return store;
  }

  static void expectThirdIsBack(Store& store, const RecoverReport& recovered) {
    EXPECT_THAT(recovered.named, ElementsAre("sst2:v3"));
    EXPECT_EQ(store.resolve("sst2:prod")->label(), "sst2:v3");
    EXPECT_EQ(store.resolve("sst2:v3")->contentDigest, store.resolve("sst2:v1")->contentDigest);
    expectSound(store);
    EXPECT_THAT(recoverVersions(store, {})->named, IsEmpty());
  }

  static void loseCatalog(std::unique_ptr<Store>& store) {
    const fs::path folder = store->folder();
    store.reset();
    for (const char* end : {"", "-wal", "-shm"}) {
      fs::remove(folder / (std::string("catalog.sqlite") + end));
    }
    ASSERT_TRUE(rebuildCatalog(folder, {}, {}));
    store = std::move(Store::open(folder)).value();
  }
};

TEST_F(LostRefs, ComeBackUnderTheNumbersThatARemoteListed) {
  auto ours = makePushedStore();
  const Digest content = ours->resolve("sst2:v2")->contentDigest;
  for (const std::uint32_t number : {1U, 2U}) {
    ASSERT_TRUE(fs::remove(ours->refs().versionPath("sst2", number)));
  }
  loseCatalog(ours);
  const auto recovered = recoverVersions(*ours, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_THAT(recovered->named, ::testing::UnorderedElementsAre("sst2:v1", "sst2:v2"));
  expectSound(*ours);
  EXPECT_EQ(ours->resolve("sst2:prod")->contentDigest, content);
  EXPECT_THAT(push(*ours, remote_, {.keptAs = "hub"})->failed, IsEmpty());
}

TEST_F(LostRefs, SoDoTheNumbersOfRefsThatCannotBeRead) {
  auto ours = makePushedStore();
  const Digest content = ours->resolve("sst2:v2")->contentDigest;
  const fs::path ref = ours->refs().versionPath("sst2", 2);
  test::writeWhole(ref, "{");
  loseCatalog(ours);
  const auto recovered = recoverVersions(*ours, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_THAT(recovered->named, ElementsAre("sst2:v2"));
  EXPECT_THAT(recovered->setAside, ElementsAre(fs::path(ref.string() + ".damaged")));
  EXPECT_EQ(ours->resolve("sst2:prod")->contentDigest, content);
  expectSound(*ours);
  const auto again = recoverVersions(*ours, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(again->named, IsEmpty());
  const auto pushed = push(*ours, remote_, {.keptAs = "hub"});
  ASSERT_TRUE(pushed) << pushed.error().message;
  EXPECT_THAT(pushed->pushed, IsEmpty());
  EXPECT_THAT(pushed->failed, IsEmpty());
}

/// As a repair leaves it that is killed between the two.
TEST_F(LostRefs, SoDoThoseOfRefsThatWereSetAside) {
  auto ours = makePushedStore();
  const fs::path ref = ours->refs().versionPath("sst2", 2);
  fs::rename(ref, ref.string() + ".damaged");
  loseCatalog(ours);
  const auto recovered = recoverVersions(*ours, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_THAT(recovered->named, ElementsAre("sst2:v2"));
  expectSound(*ours);
}

/// A model that was gone back to: another version has its content still.
TEST_F(LostRefs, SoDoesAVersionWhoseContentAnotherHas) {
  auto ours = makeRolledBack({"prod"});
  const fs::path ref = ours->refs().versionPath("sst2", 3);
  test::writeWhole(ref, "{");
  loseCatalog(ours);
  const auto recovered = recoverVersions(*ours, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  EXPECT_THAT(recovered->setAside, ElementsAre(fs::path(ref.string() + ".damaged")));
  expectThirdIsBack(*ours, *recovered);
}

TEST_F(LostRefs, SoDoesOneThatOnlyATagTellsOf) {
  auto ours = makeRolledBack({"prod"});
  fs::remove(ours->refs().versionPath("sst2", 3));
  loseCatalog(ours);
  const auto recovered = recoverVersions(*ours, {});
  ASSERT_TRUE(recovered) << recovered.error().message;
  expectThirdIsBack(*ours, *recovered);
}

/// So a pull does not come first and give it another number.
TEST_F(LostRefs, AVersionThatARepairBringsBackIsDamage) {
  for (const bool isSetAside : {true, false}) {
    SCOPED_TRACE(isSetAside);
    auto ours = makeRolledBack({"prod"});
    const fs::path ref = ours->refs().versionPath("sst2", 3);
    isSetAside ? fs::rename(ref, ref.string() + ".damaged") : void(fs::remove(ref));
    loseCatalog(ours);
    const auto report = verifyStore(*ours, {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(report->damagedVersions, ElementsAre("sst2:v3"));
    const auto recovered = recoverVersions(*ours, {});
    ASSERT_TRUE(recovered) << recovered.error().message;
    expectThirdIsBack(*ours, *recovered);
    ours.reset();
    fs::remove_all(folder_ / "ours");
  }
}

/// A number that nothing here tells of is left to a pull.
TEST_F(LostRefs, NoOtherNumberOfTheListIsTaken) {
  auto ours = makeRolledBack({});
  fs::remove(ours->refs().versionPath("sst2", 3));
  loseCatalog(ours);
  EXPECT_THAT(recoverVersions(*ours, {})->named, IsEmpty());
  EXPECT_FALSE(ours->resolve("sst2:v3"));
}

}  // namespace
}  // namespace strata::hub
