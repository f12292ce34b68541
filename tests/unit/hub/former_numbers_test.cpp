#include <gtest/gtest.h>

#include <filesystem>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/rename_versions.h"
#include "tests/support/model_checks.h"
#include "tests/unit/hub/exchange_fixture.h"

namespace strata {
namespace {

/// A number that was used here is never given to another content.
class FormerNumbers : public test::ExchangeFixture {
 protected:
  void SetUp() override {
    // The remote's sst2:v1 and sst2:v2 are other models than those here.
    ASSERT_TRUE(push(*theirs_, remote_));
    importBase(*ours_);
    add(*ours_, "sst2", 51);
    add(*ours_, "sst2", 52);
  }

  void deleteForGood(const std::string& reference) const {
    ASSERT_TRUE(removeVersions(*ours_, {.references = {reference}, .now = true}));
  }

  std::vector<PullReport::Item> pullOne(const std::string& reference) {
    const auto pulled = pull(*ours_, remote_, {.references = {reference}});
    EXPECT_TRUE(pulled) << pulled.error().message;
    return pulled ? pulled->pulled : std::vector<PullReport::Item>();
  }

  const std::unique_ptr<Store> theirs_ = makeFullStore("theirs");
  const std::unique_ptr<Store> ours_ = makeStore("ours");
};

TEST_F(FormerNumbers, AreNotGivenToOtherContentByAPull) {
  deleteForGood("sst2:v1");
  const auto items = pullOne("sst2:v1");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].version.label(), "sst2:v3");
  EXPECT_EQ(items[0].remoteNumber, 1U);
}

TEST_F(FormerNumbers, AreKnownWithoutTheCatalog) {
  deleteForGood("sst2:v1");
  std::filesystem::remove(ours_->folder() / "catalog.sqlite");
  ASSERT_TRUE(rebuildCatalog(ours_->folder(), {}, {}));
  const auto opened = Store::open(ours_->folder());
  ASSERT_TRUE(opened);
  const auto pulled = pull(**opened, remote_, {.references = {"sst2:v1"}});
  ASSERT_TRUE(pulled) << pulled.error().message;
  ASSERT_EQ(pulled->pulled.size(), 1U);
  EXPECT_EQ(pulled->pulled[0].version.label(), "sst2:v3");
}

TEST_F(FormerNumbers, ComeBackWithTheSameContent) {
  deleteForGood("sst2");
  deleteForGood("sst2");
  // Numbers that were never used here are those of the remote.
  ASSERT_TRUE(push(*theirs_, remote_));
  add(*theirs_, "sst2", 53);
  ASSERT_TRUE(push(*theirs_, remote_));
  ASSERT_EQ(pullOne("sst2:v3").size(), 1U);
  EXPECT_EQ(ours_->resolve("sst2").value().label(), "sst2:v3");
  deleteForGood("sst2:v3");
  const auto items = pullOne("sst2:v3");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].version.label(), "sst2:v3");
  expectSound(*ours_);
}

TEST_F(FormerNumbers, StandForWhatWasRenamed) {
  ASSERT_TRUE(renameVersions(*ours_, {.name = "sst2", .newName = "mood"}));
  const auto items = pullOne("sst2:v2");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].version.label(), "sst2:v3");
}

TEST_F(FormerNumbers, AreTakenForUsedWhereTheirNoteWasDamaged) {
  deleteForGood("sst2:v1");
  const auto note = ours_->refs().lastNumberPath("sst2");
  test::writeWhole(note, "cut");
  ASSERT_TRUE(recoverVersions(*ours_, {}));
  const auto items = pullOne("sst2:v1");
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].version.label(), "sst2:v3");
}

}  // namespace
}  // namespace strata
