#include "core/archive/write/steps/optimizer_steps.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

#include "tests/support/training_run.h"
#include "tests/support/version_store.h"

namespace strata::test {
namespace {

/// A run after a step, and the version before it.
class OptimizerSteps : public testing::Test {
 protected:
  OptimizerSteps() : before_(run_.snapshot()) {
    parent_ = store_.reader(store_.add(*before_));
    run_.step(3e-5);
    model_ = run_.snapshot();
  }

  std::vector<StepGroup> found() const {
    auto groups = optimizerSteps(model_->description(), *parent_);
    EXPECT_TRUE(groups) << groups.error().message;
    return groups ? *std::move(groups) : std::vector<StepGroup>();
  }

  /// What an optimizer.pt would say.
  OptimizerInfo infoOf(const std::string& param, const std::string& weights) const {
    OptimizerInfo info{.rate = 3e-5, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    info.weightDecay = 0.01;
    info.step = 4;
    info.params = {param};
    info.states = {weights + "."};
    return info;
  }

  TrainingRun run_{{{"body.weight", {200, 300}}, {"body.bias", {200}}}};
  VersionStore store_;
  std::unique_ptr<MemoryModel> before_;
  Reader parent_;
  std::unique_ptr<MemoryModel> model_;
};

TEST_F(OptimizerSteps, AreFoundByNamesAndTheStepOfBothModels) {
  const auto groups = found();
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_NEAR(groups[0].steps.at(0).lr, 3e-5, 1e-10);
  WriteOptions options;
  options.stepGroups = groups;
  const WriteReport report = store_.add(*model_, parent_, options);
  EXPECT_EQ(report.manifest.tensors.front().parts.front().sourceCount(), 3U);
  expectRestores(*store_.reader(report, parent_), *model_);
}

TEST_F(OptimizerSteps, TakeTheSettingsOfEachGroup) {
  model_->description().metadata.clear();
  model_->description().optimizers = {infoOf("0", "body.weight"), infoOf("1", "body.bias")};
  const auto groups = found();
  ASSERT_EQ(groups.size(), 2U);
  for (const StepGroup& group : groups) EXPECT_EQ(group.steps.at(0).lr, 3e-5);
}

/// A rate as a pickle has it.
std::string pickled(double rate) {
  const auto bits = std::bit_cast<std::uint64_t>(rate);
  std::string bytes;
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift & 0xff);
  return bytes;
}

/// The files of a snapshot, with `text` in front of the tensors of the optimizer's.
std::unique_ptr<MemoryModel> withText(const MemoryModel& model, const std::string& text) {
  auto copy = std::make_unique<MemoryModel>();
  const ModelDescription& given = model.description();
  for (std::uint32_t file = 0; file < given.files.size(); ++file) {
    std::vector<MemoryModel::Weight> weights;
    for (const TensorInfo& tensor : given.tensors) {
      if (tensor.file != file) continue;
      const auto bytes = bytesOf(given, tensor);
      weights.push_back({tensor.name,
                         tensor.type,
                         tensor.shape,
                         {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
    }
    copy->addFile(given.files[file].path, file == 0 ? "header" : text, weights);
  }
  for (std::size_t t = 0; t < given.tensors.size(); ++t) {
    copy->description().tensors[t].kind = given.tensors[t].kind;
  }
  return copy;
}

TEST_F(OptimizerSteps, TakeTheRateThatTheParentsFileHasInTheSamePlace) {
  constexpr double kLater = 2.5e-5;
  const auto ratesOf = [&](const std::string& before, const std::string& after) {
    const auto older = withText(*before_, before);
    const auto model = withText(*model_, after);
    const Reader parent = store_.reader(store_.add(*older));
    model->description().optimizers = {infoOf("0", "body.weight"), infoOf("1", "body.bias")};
    for (OptimizerInfo& info : model->description().optimizers) info.rate = kLater;
    const auto groups = optimizerSteps(model->description(), *parent);
    EXPECT_TRUE(groups) << groups.error().message;
    std::vector<double> rates;
    for (const StepGroup& group : *groups) rates.push_back(group.steps.at(0).lr);
    return rates;
  };
  const std::string later = pickled(kLater);
  EXPECT_EQ(ratesOf("lr: " + pickled(3e-5), "lr: " + later), (std::vector<double>{3e-5, 3e-5}));
  // Also behind another number of that size, and not where no number or another one stands: then it
  // is fitted, and known to the last places of f32.
  EXPECT_EQ(ratesOf(pickled(1e-3) + pickled(3e-5), later + later),
            (std::vector<double>{3e-5, 3e-5}));
  const std::pair<std::string, std::string> others[] = {{"lr: " + pickled(7e-5), "lr: " + later},
                                                        {"lr: " + pickled(-1), "lr: " + later},
                                                        {"no", "lr: " + later},
                                                        {"lr: " + pickled(3e-5), "none"}};
  for (const auto& [before, after] : others) {
    const auto fitted = ratesOf(before, after);
    ASSERT_EQ(fitted.size(), 2U) << before;
    for (const double rate : fitted) EXPECT_NEAR(rate, 3e-5, 1e-10) << before;
  }
}

TEST_F(OptimizerSteps, AreNoneOfAModelThatIsNotLater) {
  model_->description().metadata = before_->description().metadata;
  EXPECT_TRUE(found().empty());
}

TEST_F(OptimizerSteps, AreNoneWithoutMoments) {
  std::erase_if(model_->description().tensors,
                [](const TensorInfo& tensor) { return tensor.file != 0; });
  EXPECT_TRUE(found().empty());
  model_->description().metadata.clear();
  EXPECT_TRUE(found().empty());
}

TEST_F(OptimizerSteps, SurviveWhatTheyDoNotUnderstand) {
  model_->description().metadata = {{"step", "many"}};
  EXPECT_LE(found().size(), 2U);
  model_->description().optimizers = {OptimizerInfo{}, infoOf("x", "nothing")};
  EXPECT_TRUE(found().empty());
}

/// A gradient that is small beside the moment leaves little to tell.
TEST(FirstMoment, IsCodedByWhatIsLeftOfTheOneBefore) {
  const std::string before = randomFloats(6000, 1);
  std::string after = before;
  for (std::size_t i = 0; i < after.size(); i += 4) {
    float value = 0;
    std::memcpy(&value, &before[i], 4);
    value = 0.9F * value * (1 + static_cast<float>(i % 7) * 0x1p-18F);
    std::memcpy(&after[i], &value, 4);
  }
  MemoryModel base;
  MemoryModel model;
  base.addFile("a", "h", {{"m", ElementType::F32, {60, 100}, before}});
  model.addFile("a", "h", {{"m", ElementType::F32, {60, 100}, after}});
  VersionStore store;
  const Reader parent = store.reader(store.add(base));
  WriteOptions options;
  options.effort = Effort::Fast;  // which looks for no decay
  options.stepGroups = {{.firstMoment = 0, .steps = {AdamStep{}}}};
  const WriteReport report = store.add(model, parent, options);
  EXPECT_EQ(codecsOf(report, "m"), "integer");
  EXPECT_EQ(report.manifest.formatVersion, kPlainManifestVersion) << "one source is as before";
  EXPECT_LT(storedBytes(report.manifest.tensors[0]), after.size() / 4);
  expectRestores(*store.reader(report, parent), model);
}

}  // namespace
}  // namespace strata::test
