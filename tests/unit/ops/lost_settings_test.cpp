#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/versions/init_store.h"
#include "core/store/store_location.h"
#include "core/store/store_settings.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// A store whose `store.toml` is lost or damaged, and all else is sound.
class LostSettings : public test::StoreFixture {
 protected:
  LostSettings() : base_(test::makeModel(1)) {
    import("base", *base_);
    id_ = store().id();
    store_.reset();
  }

  fs::path file() const { return storeFolder() / "store.toml"; }

  /// Each command says that it is damage, and what it advises mends it.
  void expectMended() {
    const auto refuses = [](const auto& result) {
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().code, ErrorCode::CorruptData) << result.error().message;
      EXPECT_NE(result.error().message.find("\"strata verify --repair\""), std::string::npos)
          << result.error().message;
    };
    EXPECT_TRUE(Store::isStore(storeFolder()));
    refuses(Store::open(storeFolder()));
    refuses(rebuildCatalog(storeFolder(), {}, {}));
    refuses(initStore({.folder = storeFolder()}));
    EXPECT_FALSE(Store::create(storeFolder() / ".strata"));
    EXPECT_EQ(storeAround(storeFolder() / "refs" / "x"), storeFolder());
    const auto mended = mendSettings(storeFolder(), {});
    ASSERT_TRUE(mended) << mended.error().message;
    EXPECT_TRUE(*mended);
    EXPECT_FALSE(*mendSettings(storeFolder(), {})) << "once";
    reopen();
    EXPECT_TRUE(comesBack("base:v1", *base_));
    EXPECT_TRUE(verifyStore(store(), {}, {}, {})->sound());
  }

  const std::unique_ptr<test::MemoryModel> base_;
  std::string id_;
};

TEST_F(LostSettings, AreWrittenAnewWhereTheyAreMissing) {
  fs::remove(file());
  expectMended();
  EXPECT_EQ(store().id().size(), id_.size());
  EXPECT_NE(store().id(), id_) << "nothing says it any more";
}

TEST_F(LostSettings, AreWrittenAnewWhereTheyAreEmpty) {
  test::writeWhole(file(), "");
  expectMended();
  EXPECT_EQ(test::readWhole(file().string() + ".damaged"), "");
}

TEST_F(LostSettings, KeepTheIdThatADamagedTextStillSays) {
  std::string text = test::readWhole(file());
  text[text.find("format")] ^= 0x08;
  test::writeWhole(file(), text);
  expectMended();
  EXPECT_EQ(store().id(), id_);
  EXPECT_EQ(test::readWhole(file().string() + ".damaged"), text);
}

TEST_F(LostSettings, AFolderInTheirPlaceIsSetAside) {
  fs::remove(file());
  fs::create_directory(file());
  test::writeWhole(file() / "mine", "precious");
  expectMended();
  EXPECT_EQ(test::readWhole(fs::path(file().string() + ".damaged") / "mine"), "precious");
}

TEST_F(LostSettings, ThoseOfANewerProgramAreLeftAlone) {
  const std::string text = "format = 99\nid = \"" + id_ + "\"\n";
  test::writeWhole(file(), text);
  EXPECT_EQ(mendSettings(storeFolder(), {}).error().code, ErrorCode::FormatTooNew);
  EXPECT_EQ(test::readWhole(file()), text);
}

TEST_F(LostSettings, AListOfRemotesThatCannotBeReadIsNamed) {
  const fs::path list = storeFolder() / "remotes.toml";
  test::writeWhole(list, "[[[");
  reopen();
  const auto report = verifyStore(store(), {}, {}, {});
  ASSERT_TRUE(report);
  ASSERT_EQ(report->damages.size(), 1U);
  EXPECT_EQ(report->damages[0].kind, Damage::Kind::Place);
  EXPECT_EQ(report->damages[0].path, list);
  ASSERT_TRUE(recoverVersions(store(), {})) << "has nothing to do with it";
  fs::remove(list);
  EXPECT_TRUE(verifyStore(store(), {}, {}, {})->sound()) << "as the advice says";
}

/// What an interrupted creation leaves, a remote, and what other programs have.
TEST_F(LostSettings, NoOtherFolderIsAStore) {
  const fs::path other = folder_ / "other";
  for (const char* const name : {"objects", "refs", "trash", "tmp"}) {
    fs::create_directories(other / name);
  }
  EXPECT_FALSE(Store::isStore(other));
  EXPECT_TRUE(Store::create(other)) << "goes on";
  const fs::path repository = folder_ / "repository";
  fs::create_directories(repository / "objects" / "ab");
  fs::create_directories(repository / "refs" / "heads");
  EXPECT_FALSE(Store::isStore(repository));
  EXPECT_EQ(mendSettings(repository, {}).error().code, ErrorCode::NoStore);
  fs::remove(file());
  test::writeWhole(storeFolder() / "strata.json", "{}");
  EXPECT_FALSE(Store::isStore(storeFolder()));
}

}  // namespace
}  // namespace strata
