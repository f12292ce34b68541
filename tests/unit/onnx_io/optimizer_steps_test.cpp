#include "onnx_io/optimizer_steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "onnx_io/model_reader.h"

namespace strata {
namespace {

class OptimizerSteps : public testing::TestWithParam<std::string> {
 protected:
  static std::unique_ptr<ModelSource> opened(const std::string& name) {
    const auto path = std::filesystem::path(STRATA_TEST_DATA) / "pytorch" / GetParam() / name;
    auto model = openModel(path);
    EXPECT_TRUE(model) << model.error().message;
    return model ? std::move(*model) : nullptr;
  }
};

TEST_P(OptimizerSteps, HaveTheSettingsOfTheirGroup) {
  const auto model = opened("run.ckpt");
  ASSERT_NE(model, nullptr);
  const auto lists = optimizerSettings(model->description());
  ASSERT_EQ(lists.size(), 2U);
  EXPECT_EQ(lists[0].settings.rates, std::vector<double>{0.5});
  EXPECT_EQ(lists[0].settings.beta1, 0.75);
  EXPECT_EQ(lists[0].settings.beta2, 0.875);
  EXPECT_EQ(lists[0].settings.eps, 0x1p-20);
  EXPECT_EQ(lists[0].settings.weightDecay, 0.125);
  EXPECT_EQ(lists[0].settings.step, 2U);
  EXPECT_EQ(lists[1].settings.rates, std::vector<double>{0.25});
  EXPECT_EQ(lists[1].settings.weightDecay, 0.0);
}

TEST_P(OptimizerSteps, TieTheTensorsOfEachWeight) {
  const auto model = opened("run.ckpt");
  ASSERT_NE(model, nullptr);
  const auto& tensors = model->description().tensors;
  const auto nameOf = [&](std::uint32_t tensor) { return tensors[tensor].name; };
  std::vector<std::string> found;
  for (const OptimizerSettings& list : optimizerSettings(model->description())) {
    ASSERT_TRUE(list.stepTensor);
    EXPECT_TRUE(nameOf(*list.stepTensor).ends_with(".step"));
    for (const OptimizerPair& pair : list.pairs) {
      ASSERT_TRUE(pair.secondMoment);
      found.push_back(nameOf(pair.weights) + " " + nameOf(pair.firstMoment));
      EXPECT_EQ(nameOf(*pair.secondMoment), nameOf(pair.firstMoment) + "_sq");
    }
  }
  std::sort(found.begin(), found.end());
  const std::string state = " optimizer_states.0.state.";
  EXPECT_EQ(found, (std::vector<std::string>{"state_dict.0.bias" + state + "1.exp_avg",
                                             "state_dict.0.weight" + state + "0.exp_avg",
                                             "state_dict.1.bias" + state + "3.exp_avg",
                                             "state_dict.1.weight" + state + "2.exp_avg"}));
}

TEST_P(OptimizerSteps, AreNoneOfWeightsAlone) {
  const auto model = opened("weights.pt");
  ASSERT_NE(model, nullptr);
  EXPECT_TRUE(optimizerSettings(model->description()).empty());
}

INSTANTIATE_TEST_SUITE_P(Release, OptimizerSteps, testing::Values("1.13", "2.15"),
                         [](const auto& row) {
                           return std::string(row.index == 0 ? "OfDebian" : "Newest");
                         });

}  // namespace
}  // namespace strata
