#include <gtest/gtest.h>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/tags.h"
#include "core/ops/versions/trash.h"
#include "tests/unit/ops/missing_ref.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::MissingRef;
using Labels = std::vector<std::string>;

/// Catalogs that are old or damaged while a command deletes.
class WrongCatalog : public MissingRef {
 protected:
  WrongCatalog() {
    import("other", *other_);
    add("ner", *ner_, "base");
    add("old", *test::makeTuned(*base_, 30), "base");
    add("older", *test::makeTuned(*base_, 31), "base");
    EXPECT_TRUE(removeVersions(store(), {.references = {"old"}}).has_value());
  }

  fs::path catalogFile() const { return storeFolder() / "catalog.sqlite"; }

  const std::unique_ptr<test::MemoryModel> other_ = test::makeModel(60);
  const std::unique_ptr<test::MemoryModel> ner_ = test::makeTuned(*base_, 20);
};

TEST_F(WrongCatalog, NeverRemovesAnotherVersionThanTheNewest) {
  store_.reset();
  const std::string before = test::readWhole(catalogFile());
  reopen();
  const auto second = test::makeTuned(*base_, 40);
  add("sst2", *second, "base");
  store_.reset();
  test::writeWhole(catalogFile(), before);
  reopen();
  for (const bool now : {false, true}) {
    const auto removed = removeVersions(store(), {.references = {"sst2"}, .now = now});
    ASSERT_FALSE(removed);
    EXPECT_EQ(removed.error().code, ErrorCode::CorruptData);
  }
  EXPECT_FALSE(addTag(store(), {.reference = "sst2", .tag = "best"}));
  store_.reset();
  ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {}));
  reopen();
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *second));
}

TEST_F(WrongCatalog, IsWrittenAnewWhereATableIsNoLongerWhatItWas) {
  store_.reset();
  const std::string sound = test::readWhole(catalogFile());
  const std::string table = "CREATE TABLE manifests(";
  const std::size_t begin = sound.find(table);
  ASSERT_NE(begin, std::string::npos);
  for (const std::string_view word : {"manifests(", "same_tensors", "BLOB", "relative_change"}) {
    std::string damaged = sound;
    damaged[damaged.find(word, begin) + 1] ^= 2;
    test::writeWhole(catalogFile(), damaged);
    const auto written = rebuildCatalog(storeFolder(), {}, {});
    ASSERT_TRUE(written) << word << ": " << written.error().message;
    reopen();
    EXPECT_TRUE(comesBack("sst2:v1", *tuned_)) << word;
    EXPECT_TRUE(verify().damages.empty()) << word;
    store_.reset();
  }
}

TEST_F(WrongCatalog, DeletesNothingThatLives) {
  store_.reset();
  const std::string sound = test::readWhole(catalogFile());
  const fs::path template_ = folder_ / "template";
  fs::copy(storeFolder(), template_, fs::copy_options::recursive);
  constexpr std::size_t kFlips = 30;
  const std::size_t step = sound.size() * 8 / kFlips | 1;
  std::size_t opened = 0;
  for (std::size_t bit = 3; bit < sound.size() * 8; bit += step) {
    fs::remove_all(storeFolder());
    fs::copy(template_, storeFolder(), fs::copy_options::recursive);
    std::string damaged = sound;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    test::writeWhole(catalogFile(), damaged);
    if (auto one = Store::open(storeFolder())) {
      ++opened;
      // Whatever they answer.
      static_cast<void>(removeVersions(**one, {.references = {"older"}, .now = true}).has_value());
      static_cast<void>(emptyTrash(**one, {}).has_value());
      static_cast<void>(
          collectGarbage(**one, {.dryRun = false, .unnamedToo = true}, {}).has_value());
    }
    // One that seems to be of a newer program is not written over.
    if (!rebuildCatalog(storeFolder(), {}, {})) fs::remove(catalogFile());
    ASSERT_TRUE(rebuildCatalog(storeFolder(), {}, {})) << "bit " << bit;
    reopen();
    EXPECT_TRUE(comesBack("base", *base_)) << "bit " << bit;
    EXPECT_TRUE(comesBack("sst2:v1", *tuned_)) << "bit " << bit;
    EXPECT_TRUE(comesBack("ner:v1", *ner_)) << "bit " << bit;
    EXPECT_TRUE(comesBack("other", *other_)) << "bit " << bit;
    store_.reset();
  }
  EXPECT_GT(opened, kFlips / 2);
}

}  // namespace
}  // namespace strata
