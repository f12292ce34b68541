#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/ops/care/rebuild_catalog.h"
#include "core/ops/versions/operation_history.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/operation.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/refs/ref_renumber.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/killed_change.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::begin;
using test::KilledChange;
using test::Step;
using test::write;

/// run:v1 and run:v2 become run:v3 and run:v4, broken off after each step.
class KilledRenumbering : public KilledChange {
 protected:
  static constexpr const char* kBefore = "base:v1 run:v1(t10) run:v2(t20) | ";
  static constexpr const char* kAfter = "base:v1 run:v3(t10) run:v4(t20) | ";

  void SetUp() override {
    const VersionRef refs[] = {ref(1), ref(2)};
    const auto planned = planRenumbering(store().refs(), {{"run", refs[0].contentDigest, 1, 3},
                                                          {"run", refs[1].contentDigest, 2, 4}});
    ASSERT_TRUE(planned) << planned.error().message;
    change_ = *planned;
    Operation operation = makeOperation("renumber", "run");
    addSteps(operation, store().refs(), change_);
    change_.operation = serializeOperation(operation);
    // A step before the change, which alone changes nothing.
    ASSERT_TRUE(keepNumbers(store().refs(), "run", 4,
                            {{1, refs[0].contentDigest}, {2, refs[1].contentDigest}}));
    for (const VersionRef& one : change_.versions) {
      const auto manifest = readManifest(store(), one.manifestDigest, one.contentDigest);
      ASSERT_TRUE(manifest) << manifest.error().message;
      summaries_.push_back(summarize(*manifest, one.manifestDigest, store().objects()));
    }
  }

  Step inCatalog() const {
    return [this](const RefFolder&, Catalog& catalog) -> Result<void> {
      for (std::size_t i = 0; i < summaries_.size(); ++i) {
        STRATA_TRY(catalog.eraseVersion("run", change_.renumbered[i].number));
        STRATA_TRY(catalog.putVersion(change_.versions[i], summaries_[i]));
        STRATA_TRY(catalog.putTag(change_.tags[i]));
      }
      return {};
    };
  }

  std::vector<Step> placed() const {
    std::vector<Step> steps;
    for (const TagRef& tag : change_.tags) {
      steps.push_back([tag](const RefFolder& refs, Catalog&) { return refs.writeTag(tag); });
    }
    for (const VersionRef& one : change_.versions) steps.push_back(write(one));
    for (const std::uint32_t number : {1U, 2U}) steps.push_back(erase(number, Place::Live));
    return steps;
  }

  RefChange change_;
  std::vector<ManifestSummary> summaries_;
};

TEST_F(KilledRenumbering, IsDoneOrNotBeforeTheCatalogKnows) {
  std::vector<Step> steps = placed();
  steps.insert(steps.begin(), begin(change_));
  finishesAfterEach(steps, kBefore, kAfter);
}

TEST_F(KilledRenumbering, IsDoneOrNotOnceTheCatalogKnows) {
  std::vector<Step> steps = placed();
  steps.insert(steps.begin(), {begin(change_), inCatalog()});
  finishesAfterEach(steps, kBefore, kAfter);
  const auto settled = Store::open(folder_ / "copy3");
  ASSERT_TRUE(settled);
  const auto undone = undoOperation(**settled, {});
  ASSERT_TRUE(undone) << undone.error().message;
  EXPECT_EQ(undone->operation.kind, "renumber");
  EXPECT_EQ(listed(**settled), kBefore);
  expectSound(**settled, VerifyOptions::Level::Rebuild);
}

/// What is half done is no damage to who reads meanwhile.
TEST_F(KilledRenumbering, ReadersFindEveryVersionMeanwhile) {
  std::vector<Step> steps = placed();
  steps.insert(steps.begin(), {begin(change_), inCatalog()});
  test::writeWhole(storeFolder() / "lock", "1\nhost\n0\nstrata push\n");
  const std::vector<std::string> newer{"run:v3", "run:v4", "run", "run:t10", "base"};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    SCOPED_TRACE("after step " + std::to_string(i + 1));
    {
      const auto catalog = Catalog::openForWriting(storeFolder() / "catalog.sqlite");
      ASSERT_TRUE(catalog);
      ASSERT_TRUE(steps[i](RefFolder(storeFolder()), **catalog));
    }
    const auto store = Store::open(storeFolder());
    ASSERT_TRUE(store);
    const std::vector<std::string> older{"run:v1", "run:v2", "run", "run:t20", "base"};
    for (const std::string& reference : i == 0 ? older : newer) {
      const auto found = (*store)->resolveChecked(reference);
      EXPECT_TRUE(found) << found.error().message;
    }
  }
}

TEST_F(KilledRenumbering, ACatalogThatIsWrittenAnewFindsItDone) {
  ASSERT_TRUE(store().refs().writeChange(change_));
  store_.reset();
  const auto rebuilt = rebuildCatalog(storeFolder(), {}, {});
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  EXPECT_TRUE(rebuilt->problems.empty());
  reopen();
  EXPECT_EQ(listed(store()), kAfter);
  expectSound(store(), VerifyOptions::Level::Rebuild);
}

/// Nothing is lost with a ref that goes: the change has to have the version under another number.
TEST_F(KilledRenumbering, AChangeThatWouldLoseAVersionIsRefused) {
  RefChange hostile = change_;
  hostile.versions[1].contentDigest = hostile.versions[0].contentDigest;
  EXPECT_FALSE(parseRefChange(serializeRefChange(hostile)));
  hostile = change_;
  hostile.versions.pop_back();
  EXPECT_FALSE(parseRefChange(serializeRefChange(hostile)));
  hostile = change_;
  hostile.versions[0].number = 1;
  EXPECT_FALSE(parseRefChange(serializeRefChange(hostile)));
  EXPECT_TRUE(parseRefChange(serializeRefChange(change_)));
}

}  // namespace
}  // namespace strata
