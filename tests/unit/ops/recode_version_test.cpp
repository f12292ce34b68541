#include "core/ops/versions/recode_version.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/ops/care/collect_garbage.h"
#include "core/ops/care/recover_versions.h"
#include "core/ops/care/verify_store.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/import_base.h"
#include "core/ops/versions/remove_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/lineage_order.h"
#include "core/store/store_writer.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using Outcome = RecodeReport::Outcome;
using Labels = std::vector<std::string>;

/// A model that was added against a base that is none of its own, and its true base.
class RecodeVersion : public test::StoreFixture {
 protected:
  RecodeVersion() : base_(test::makeModel(1)), tuned_(test::makeTuned(*base_, 10)) {
    import("base", *base_);
    import("other", *other_);
    AddOptions options{.name = "sst2"};
    options.baseChoice = BaseChoice::Reference;
    options.base = "other";
    options.tags = {"prod"};
    options.note = "a note";
    add(*tuned_, options);
  }

  VersionEntry entry(const std::string& reference) {
    const auto found = store().resolve(reference);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(VersionEntry{});
  }

  std::vector<Digest> objectsOf(const std::string& reference) {
    std::vector<Digest> digests;
    const auto objects = store().catalog().objectsOf(entry(reference).manifestDigest);
    for (const CatalogObject& object : objects.value()) digests.push_back(object.digest);
    return digests;
  }

  RecodeReport recode(const RecodeOptions& options) {
    const auto report = recodeVersion(store(), options, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RecodeReport{});
  }

  RecodeReport recode(const std::string& reference, const std::string& base, bool force = false) {
    return recode({.reference = reference,
                   .baseChoice = RecodeBase::Reference,
                   .base = base,
                   .force = force});
  }

  ErrorCode refusal(const RecodeOptions& options) {
    const auto report = recodeVersion(store(), options, {}, {});
    EXPECT_FALSE(report);
    return report ? ErrorCode::Internal : report.error().code;
  }

  void expectSound() {
    VerifyOptions options;
    options.level = VerifyOptions::Level::Rebuild;
    const auto report = verifyStore(store(), options, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    for (const Damage& damage : report->damages) ADD_FAILURE() << damage.path << damage.reason;
    EXPECT_EQ(test::entryCount(storeFolder() / "tmp"), 0U);
    EXPECT_TRUE(comesBack("base", *base_));
  }

  /// Nothing is left of a model that was deleted for good.
  void expectNothingLeft() {
    const auto recovered = recoverVersions(store(), {});
    ASSERT_TRUE(recovered) << recovered.error().message;
    EXPECT_EQ(recovered->named, Labels{});
    EXPECT_EQ(bytesOnDisk(), objectBytes());
    expectSound();
  }

  std::uint64_t objectBytes() { return store().catalog().totals().value().objectBytes; }

  const std::unique_ptr<test::MemoryModel> base_, tuned_, other_ = test::makeModel(500);
};

TEST_F(RecodeVersion, GoesForGoodWithItsFormerCoding) {
  recode("sst2", "base");
  const auto removed = removeVersions(store(), {.references = {"sst2:v1"}, .now = true});
  ASSERT_TRUE(removed) << removed.error().message;
  expectNothingLeft();
}

TEST_F(RecodeVersion, GoesWithItsFormerCodingWhenTheTrashIsEmptied) {
  recode("sst2", "base");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v1"}}));
  const std::uint64_t before = bytesOnDisk();
  const auto emptied = emptyTrash(store(), {});
  ASSERT_TRUE(emptied) << emptied.error().message;
  EXPECT_EQ(emptied->freedBytes, before - bytesOnDisk());
  expectNothingLeft();
}

TEST_F(RecodeVersion, LeavesItsFormerCodingWhileItsContentStays) {
  add("copy", *tuned_);
  const Digest former = entry("sst2").manifestDigest;
  recode("sst2", "base");
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v1"}, .now = true}));
  EXPECT_TRUE(store().objects().byteCount(former));
  EXPECT_TRUE(comesBack("copy", *tuned_));
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  EXPECT_TRUE(comesBack("copy", *tuned_));
  EXPECT_FALSE(store().objects().byteCount(former));
  expectNothingLeft();
}

TEST_F(RecodeVersion, GoesWithItsFormerCodingAfterADeletionThatWasKilled) {
  const std::vector<Digest> former = objectsOf("sst2");
  recode("sst2", "base");
  const std::vector<Digest> latter = objectsOf("sst2");
  std::vector<Digest> all = former;
  all.insert(all.end(), latter.begin(), latter.end());
  ASSERT_TRUE(removeVersions(store(), {.references = {"sst2:v1"}}));
  store_.reset();
  for (std::size_t deleted = 0; deleted <= all.size(); ++deleted) {
    SCOPED_TRACE(deleted);
    const std::filesystem::path copy = folder_ / ("copy" + std::to_string(deleted));
    std::filesystem::copy(storeFolder(), copy, std::filesystem::copy_options::recursive);
    ASSERT_TRUE(RefFolder(copy).markGoing("sst2", 1));
    test::writeWhole(copy / "lock", "1\nhost\n0\nstrata remove\n");
    store_ = Store::open(copy).value();
    for (std::size_t i = 0; i < deleted; ++i) ASSERT_TRUE(store().objects().remove(all[i]));
    ASSERT_TRUE(store().lock("test"));
    EXPECT_TRUE(store().catalog().versions(Place::Trash)->empty());
    ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
    const auto recovered = recoverVersions(store(), {});
    ASSERT_TRUE(recovered) << recovered.error().message;
    EXPECT_EQ(recovered->named, Labels{});
    for (const Digest& object : all) EXPECT_FALSE(store().objects().byteCount(object));
    EXPECT_TRUE(comesBack("base", *base_));
  }
}

TEST_F(RecodeVersion, TakesABetterBaseAndKeepsAllElse) {
  const VersionEntry before = entry("sst2");
  const std::uint64_t bytes = objectBytes();
  const RecodeReport report = recode("sst2:prod", "base");
  EXPECT_EQ(report.outcome, Outcome::Recoded);
  EXPECT_EQ(report.parentLabel, "base:v1");
  EXPECT_EQ(report.formerParentLabel, "other:v1");
  EXPECT_EQ(report.along, Labels{});
  EXPECT_LT(report.bytesAfter, report.bytesBefore / 2);
  const VersionEntry after = entry("sst2:prod");
  EXPECT_EQ(after.label(), before.label());
  EXPECT_EQ(after.contentDigest, before.contentDigest);
  EXPECT_EQ(after.note, "a note");
  EXPECT_EQ(after.addedAt, before.addedAt);
  EXPECT_EQ(after.storedBytes, report.bytesAfter);
  EXPECT_EQ(objectBytes(), bytes - report.bytesBefore + report.bytesAfter);
  EXPECT_TRUE(store().objects().byteCount(before.manifestDigest));  // for undo
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  EXPECT_FALSE(store().objects().byteCount(before.manifestDigest));
  EXPECT_TRUE(comesBack("sst2", *tuned_));
  expectSound();
}

TEST_F(RecodeVersion, FindsTheBaseItself) {
  const RecodeReport report = recode({.reference = "sst2", .baseChoice = RecodeBase::Auto});
  EXPECT_EQ(report.parentLabel, "base:v1");
  EXPECT_EQ(recode({.reference = "sst2", .baseChoice = RecodeBase::Auto}).outcome,
            Outcome::Unchanged);
  EXPECT_TRUE(comesBack("sst2", *tuned_));
}

TEST_F(RecodeVersion, LeavesWhatWouldBecomeLarger) {
  recode("sst2", "base");
  const VersionEntry before = entry("sst2");
  EXPECT_EQ(recode("sst2", "other").outcome, Outcome::NotSmaller);
  EXPECT_EQ(entry("sst2").manifestDigest, before.manifestDigest);
  EXPECT_EQ(recode("sst2", "other", true).outcome, Outcome::Recoded);
  EXPECT_EQ(entry("sst2").parentDigest, entry("other").contentDigest);
  expectSound();
}

/// What is unlike it is no base for it, even where that saves some bytes.
TEST_F(RecodeVersion, LeavesABaseThatIsUnlikeTheOneNamed) {
  const auto raw = test::randomFloats(4096, 77);
  test::MemoryModel model;
  model.addFile("m.safetensors", "h", {{"w", ElementType::F32, {64, 64}, raw}}, "t");
  AddOptions options;
  options.name = "raw";
  options.baseChoice = BaseChoice::None;
  options.codec = "raw";
  add(model, options);
  const RecodeReport report = recode("raw", "other");
  EXPECT_TRUE(report.isUnlikeBase);
  EXPECT_EQ(report.outcome, Outcome::NotSmaller);
  EXPECT_FALSE(entry("raw").parentDigest);
  EXPECT_EQ(recode("raw", "other", true).outcome, Outcome::Recoded);
  EXPECT_TRUE(entry("raw").parentDigest);
  EXPECT_FALSE(*canBecomeBase(store(), "raw", entry("other").contentDigest) &&
               *canBecomeBase(store(), "other", entry("raw").contentDigest));
  EXPECT_FALSE(*canBecomeBase(store(), "raw", entry("other").contentDigest));
  EXPECT_TRUE(*canBecomeBase(store(), "other", entry("raw").contentDigest));
}

TEST_F(RecodeVersion, WritesNothingInADryRun) {
  const VersionEntry before = entry("sst2");
  const RecodeReport report = recode(
      {.reference = "sst2", .baseChoice = RecodeBase::Reference, .base = "base", .dryRun = true});
  EXPECT_EQ(report.outcome, Outcome::Recoded);
  EXPECT_LT(report.bytesAfter, report.bytesBefore);
  EXPECT_EQ(entry("sst2").manifestDigest, before.manifestDigest);
}

TEST_F(RecodeVersion, TakesVersionsOfTheSameObjectsAlong) {
  add("copy", *tuned_);
  add("gone", *tuned_);
  ASSERT_TRUE(removeVersions(store(), {.references = {"gone"}}));
  const VersionEntry before = entry("sst2");
  EXPECT_EQ(recode("sst2", "base").along, (Labels{"copy:v1", "gone:v1"}));
  EXPECT_EQ(entry("copy").manifestDigest, entry("sst2").manifestDigest);
  ASSERT_TRUE(collectGarbage(store(), {.dryRun = false}, {}));
  EXPECT_FALSE(store().objects().byteCount(before.manifestDigest));
  ASSERT_TRUE(restoreFromTrash(store(), {"gone:v1"}));
  EXPECT_TRUE(comesBack("gone", *tuned_));
  expectSound();
}

TEST_F(RecodeVersion, LeavesDifferencesToItAsTheyAre) {
  recode("sst2", "base");
  const auto next = test::makeTuned(*tuned_, 20, 0.01);
  AddOptions options{.name = "sst2"};
  options.chain = ChainPolicy::Always;
  add(*next, options);
  const VersionEntry child = entry("sst2:v2");
  ASSERT_EQ(child.parentDigest, entry("sst2:v1").contentDigest);
  // The base of both comes to stand on another one, and their parent on nothing.
  ASSERT_EQ(recode("base", "other", true).outcome, Outcome::Recoded);
  EXPECT_TRUE(comesBack("sst2:v2", *next));
  EXPECT_EQ(recode({.reference = "sst2:v1", .baseChoice = RecodeBase::None, .force = true}).outcome,
            Outcome::Recoded);
  EXPECT_TRUE(entry("sst2:v1").isBase());
  EXPECT_EQ(entry("sst2:v2").manifestDigest, child.manifestDigest);
  reopen();
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  EXPECT_TRUE(comesBack("sst2:v2", *next));
  expectSound();
}

TEST_F(RecodeVersion, NeverStandsOnItself) {
  recode("sst2", "base");
  const auto onto = [](const std::string& reference, const std::string& base) {
    return RecodeOptions{
        .reference = reference, .baseChoice = RecodeBase::Reference, .base = base, .force = true};
  };
  EXPECT_EQ(refusal(onto("base", "sst2")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(onto("sst2", "sst2:v1")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(onto("sst2", "nosuch")), ErrorCode::NotFound);
  EXPECT_EQ(refusal({.reference = "nosuch"}), ErrorCode::NotFound);
  expectSound();
}

TEST_F(RecodeVersion, KeepsWhatALossyVersionRestoresTo) {
  AddOptions options{.name = "small"};
  options.baseChoice = BaseChoice::Reference;
  options.base = "base";
  options.quantize = QuantizeSettings{};
  options.quantizeText = "a = 1\n";
  add(*tuned_, options);
  const VersionEntry before = entry("small");
  ASSERT_TRUE(before.lossy);
  const std::string bytes = test::restoredBytes(store(), "small").value_or("not restored");
  const Manifest former =
      readManifest(store(), before.manifestDigest, before.contentDigest).value();
  const RecodeReport report =
      recode({.reference = "small", .baseChoice = RecodeBase::None, .force = true});
  EXPECT_EQ(report.outcome, Outcome::Recoded);
  const VersionEntry after = entry("small");
  EXPECT_TRUE(after.lossy);
  EXPECT_TRUE(after.isBase());
  EXPECT_EQ(after.contentDigest, before.contentDigest);
  EXPECT_EQ(test::restoredBytes(store(), "small").value_or(""), bytes);
  const Manifest manifest =
      readManifest(store(), after.manifestDigest, after.contentDigest).value();
  EXPECT_EQ(manifest.settings, "a = 1\n");
  EXPECT_EQ(manifest.originalDigest, former.originalDigest);
  EXPECT_EQ(manifest.relativeError, former.relativeError);
  expectSound();
}

TEST_F(RecodeVersion, MakesALossyVersionOfItsContentAndStays) {
  recode("sst2", "base");
  const VersionEntry before = entry("sst2:v1");
  TuneOptions tune;
  const auto done = recodeLossy(store(), "sst2:v1", {.note = "smaller"}, tune, {}, {}, {});
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_TRUE(done->added);
  EXPECT_EQ(done->added->version.label(), "sst2:v2");
  EXPECT_TRUE(done->added->version.lossy);
  EXPECT_EQ(done->added->parentLabel, "base:v1");
  EXPECT_EQ(entry("sst2:v1").manifestDigest, before.manifestDigest);
  EXPECT_TRUE(comesBack("sst2:v1", *tuned_));
  const auto ofBase = recodeLossy(store(), "base", {}, tune, {}, {}, {});
  ASSERT_FALSE(ofBase);
  EXPECT_EQ(ofBase.error().code, ErrorCode::InvalidArgument);
}

TEST_F(RecodeVersion, CodesARawBaseSmaller) {
  const auto model = test::makeModel(70);
  ASSERT_TRUE(importBase(store(), *model, {.name = "raw", .raw = true}, {}, {}));
  const RecodeReport report = recode({.reference = "raw"});
  EXPECT_EQ(report.outcome, Outcome::Recoded);
  EXPECT_LT(report.bytesAfter, report.bytesBefore);
  EXPECT_TRUE(comesBack("raw", *model));
}

TEST_F(RecodeVersion, DeletesLinesInTheOrderThatTheyHaveNow) {
  recode("sst2", "base");
  recode("base", "other", true);  // its manifest says depth 1, that of sst2 as well
  std::vector<VersionEntry> versions{entry("other"), entry("base"), entry("sst2")};
  sortDifferencesFirst(versions);
  EXPECT_EQ(versions.front().name, "sst2");
  EXPECT_EQ(versions.back().name, "other");
}

/// A base with names, and what an exporter makes of its fine-tune: weights without names, which the
/// graph alone leads to.
class RecodeOfAGraph : public test::StoreFixture {
 protected:
  RecodeOfAGraph() {
    std::vector<test::MemoryModel::Weight> named, numbered;
    for (unsigned i = 0; i < kLayers; ++i) {
      const std::string words = test::randomFloats(kSide * kSide, i);
      named.push_back({nameOf(i), ElementType::F32, {kSide, kSide}, words});
      numbered.push_back({"onnx::MatMul_" + std::to_string(900 + i),
                          ElementType::F32,
                          {kSide, kSide},
                          farFrom(words, 100 + i)});
      places_.push_back("/encoder/layer." + std::to_string(i) + "/fc/MatMul:1");
    }
    base_.addFile("base.safetensors", "header", named);
    tuned_.addFile("tuned.onnx", "graph", numbered);
    tuned_.setPlaces(places_);
    import("base", base_);
    added_ = add("tuned", tuned_, "base").version.storedBytes;
  }

  static std::string nameOf(unsigned i) {
    return "encoder.layer." + std::to_string(i) + ".fc.weight";
  }

  /// Changed by a third of its size, so that nothing but its place tells what it comes from.
  static std::string farFrom(const std::string& words, unsigned seed) {
    const std::string noise = test::randomFloats(kSide * kSide, seed);
    std::string out = words;
    for (std::size_t i = 0; i < out.size(); i += sizeof(float)) {
      float word = 0;
      float change = 0;
      std::memcpy(&word, &words[i], sizeof word);
      std::memcpy(&change, &noise[i], sizeof change);
      word += 0.3F * change;
      std::memcpy(&out[i], &word, sizeof word);
    }
    return out;
  }

  std::uint64_t recoded(const ModelOpener& reader) {
    const auto report = recodeVersion(
        store(), {.reference = "tuned", .force = true, .dryRun = true, .reader = reader}, {}, {});
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->bytesAfter : 0;
  }

  static constexpr unsigned kLayers = 24;
  static constexpr std::uint64_t kSide = 64;
  test::MemoryModel base_, tuned_{"onnx"};
  std::vector<std::string> places_;
  std::uint64_t added_ = 0;
};

TEST_F(RecodeOfAGraph, ReadsTheGraphAnew) {
  const auto reader =
      [&](const std::filesystem::path& path) -> Result<std::unique_ptr<ModelSource>> {
    EXPECT_EQ(path.filename(), "tuned.onnx");
    EXPECT_EQ(test::readWhole(path), tuned_.bytesOf(0));
    auto model = std::make_unique<test::MemoryModel>("onnx");
    std::vector<test::MemoryModel::Weight> weights;
    for (unsigned i = 0; i < kLayers; ++i) {
      weights.push_back(
          {"any", ElementType::F32, {kSide, kSide}, std::string(4 * kSide * kSide, 0)});
    }
    model->addFile("tuned.onnx", "graph", weights);
    model->setPlaces(places_);
    return model;
  };
  EXPECT_EQ(recoded(reader), added_);
  EXPECT_GT(recoded({}), added_);
}

TEST_F(RecodeOfAGraph, GoesByNamesWhereTheGraphCannotBeRead) {
  const auto reader = [](const std::filesystem::path&) -> Result<std::unique_ptr<ModelSource>> {
    return fail(ErrorCode::Unsupported, "no model");
  };
  EXPECT_EQ(recoded(reader), recoded({}));
}

}  // namespace
}  // namespace strata
