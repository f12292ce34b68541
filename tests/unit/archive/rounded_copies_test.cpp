#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "core/archive/detail/manifest_message.h"
#include "core/archive/write/steps/optimizer_steps.h"
#include "tests/support/training_run.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

const std::vector<TrainingRun::Layer> kLayers{{"body.weight", {200, 300}}, {"body.bias", {200}}};

bool isRounded(const WriteReport& report, const std::string& name) {
  const auto& tensors = report.manifest.tensors;
  const auto found = std::ranges::find(tensors, name, &ManifestTensor::name);
  if (found == tensors.end()) return false;
  return std::ranges::all_of(found->parts, [](const ManifestPart& part) {
    return part.codec == CodecId::Same && part.view && part.view->own &&
           part.view->type == ElementType::F32;
  });
}

/// Snapshots with weights of 16 bits beside the f32 words that the optimizer works on.
class MixedRun : public testing::TestWithParam<ElementType> {
 protected:
  MixedRun() : before_(run_.mixedSnapshot(GetParam())) {
    parent_ = store_.reader(store_.add(*before_));
  }

  WriteReport storeNext(bool withSteps) {
    run_.step(3e-5);
    model_ = run_.mixedSnapshot(GetParam());
    WriteOptions options;
    if (withSteps) groups_ = optimizerSteps(model_->description(), *parent_).value();
    options.stepGroups = groups_;
    return store_.add(*model_, parent_, options);
  }

  TrainingRun run_{kLayers};
  VersionStore store_;
  std::unique_ptr<MemoryModel> before_;
  std::unique_ptr<MemoryModel> model_;
  std::vector<StepGroup> groups_;
  Reader parent_;
};

TEST_P(MixedRun, TakesLittleMoreThanItsFirstMoments) {
  const WriteReport report = storeNext(true);
  EXPECT_EQ(groups_.size(), 2U);
  EXPECT_EQ(report.manifest.formatVersion, kManySourcesManifestVersion);
  std::uint64_t rest = 0;
  for (const ManifestTensor& tensor : report.manifest.tensors) {
    if (!tensor.name.ends_with(".exp_avg")) rest += storedBytes(tensor);
  }
  EXPECT_LT(rest, run_.stateBytes() / 50);
  for (const auto& layer : kLayers) EXPECT_TRUE(isRounded(report, layer.name)) << layer.name;
  expectRestores(*store_.reader(report, parent_), *model_);
}

TEST_P(MixedRun, TakesNoWeightsWhereNoStepIsKnown) {
  const WriteReport report = storeNext(false);
  EXPECT_EQ(report.manifest.formatVersion, kManifestVersion) << "its views lie behind";
  for (const auto& layer : kLayers) EXPECT_TRUE(isRounded(report, layer.name)) << layer.name;
  expectRestores(*store_.reader(report, parent_), *model_);
}

TEST_P(MixedRun, IsReadThroughManySteps) {
  for (int i = 0; i < 4; ++i) {
    const WriteReport report = storeNext(true);
    parent_ = store_.reader(report, parent_);
    expectRestores(*parent_, *model_);
  }
}

TEST_P(MixedRun, TakesAnOldVersionWhereTheMastersComeFirst) {
  // As DeepSpeed names its files: "bf16_zero_..." and "mp_rank_...".
  const auto reordered = [&] {
    auto model = run_.mixedSnapshot(GetParam());
    MemoryModel out;
    for (const std::size_t f : {std::size_t{1}, std::size_t{0}}) {
      std::vector<MemoryModel::Weight> weights;
      const std::string bytes = model->bytesOf(f);
      for (const TensorInfo& tensor : model->description().tensors) {
        if (tensor.file != f) continue;
        weights.push_back({tensor.name, tensor.type, tensor.shape,
                           bytes.substr(tensor.offset, tensor.byteCount)});
      }
      out.addFile(f == 1 ? "a_optimizer" : "model", "h", weights);
    }
    return out;
  };
  const MemoryModel first = reordered();
  const Reader parent = store_.reader(store_.add(first));
  run_.step();
  const MemoryModel second = reordered();
  const WriteReport report = store_.add(second, parent);
  EXPECT_EQ(report.manifest.formatVersion, kPlainManifestVersion);
  EXPECT_TRUE(isRounded(report, "body.weight"));
  expectRestores(*store_.reader(report, parent), second);
}

TEST_P(MixedRun, IsLossyWithoutThem) {
  run_.step();
  model_ = run_.mixedSnapshot(GetParam());
  WriteOptions options;
  options.lossy.resize(model_->description().tensors.size());
  options.lossy[2] = LossyChoice{};
  const WriteReport report = store_.add(*model_, parent_, options);
  EXPECT_FALSE(isRounded(report, "body.weight"));
}

INSTANTIATE_TEST_SUITE_P(Types, MixedRun, testing::Values(ElementType::BF16, ElementType::F16));

/// A manifest of an earlier version may not look behind.
TEST(RoundedCopies, NeedTheVersionThatHasThem) {
  TrainingRun run(kLayers);
  VersionStore store;
  const auto before = run.mixedSnapshot(ElementType::BF16);
  const Reader parent = store.reader(store.add(*before));
  run.step();
  const auto model = run.mixedSnapshot(ElementType::BF16);
  Manifest manifest = store.add(*model, parent).manifest;
  const std::string sound = serializeManifest(manifest).value();
  EXPECT_TRUE(parseManifest(std::as_bytes(std::span(sound))));
  manifest.formatVersion = 1;
  const std::string message = encodeMessage(manifest, Offsets::AsTheyAre).value();
  const std::string object = objectOf(message, 1).value();
  const auto parsed = parseManifest(std::as_bytes(std::span(object)));
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, ErrorCode::CorruptData);
  EXPECT_NE(parsed.error().message.find("behind its tensor"), std::string::npos);
}

}  // namespace
}  // namespace strata::test
