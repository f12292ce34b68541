#include "core/quantize/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/memory_model.h"

namespace strata {
namespace {

using test::MemoryModel;

constexpr std::uint64_t kRows = 32;
constexpr std::uint64_t kColumns = 48;

std::string floats(const std::function<float(std::uint64_t row, std::uint64_t column)>& at) {
  std::vector<float> values;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    for (std::uint64_t c = 0; c < kColumns; ++c) values.push_back(at(r, c));
  }
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::unique_ptr<MemoryModel> modelOf(const std::vector<MemoryModel::Weight>& weights) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header", weights, "tail");
  return model;
}

MemoryModel::Weight matrix(const std::string& name, const std::string& words) {
  return {name, ElementType::F32, {kRows, kColumns}, words};
}

float meanOf(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0F) / static_cast<float>(values.size());
}

TEST(Sensitivity, OfGradientsWeighsRowsAndColumns) {
  const auto ones = floats([](auto, auto) { return 1.0F; });
  const auto model = modelOf({matrix("a", ones), matrix("b", ones)});
  const auto squares = floats([](std::uint64_t r, std::uint64_t c) {
    return (r == 3 ? 100.0F : 1.0F) * (c == 5 ? 25.0F : 1.0F);
  });
  const auto gradients = modelOf({matrix("a", squares)});
  const auto found = sensitivityOfGradients(model->description(), gradients->description());
  ASSERT_TRUE(found) << found.error().message;
  const TensorSensitivity& a = (*found)[0];
  ASSERT_EQ(a.rows.size(), kRows);
  ASSERT_EQ(a.columns.size(), kColumns);
  EXPECT_NEAR(meanOf(a.rows), 1, 1e-5);
  EXPECT_NEAR(meanOf(a.columns), 1, 1e-5);
  EXPECT_GT(a.rows[3], 3 * a.rows[4]);
  EXPECT_GT(a.columns[5], 2 * a.columns[6]);
  EXPECT_TRUE(a.gradients.areSquares);
  EXPECT_TRUE((*found)[1].weights().empty());
  EXPECT_EQ((*found)[1].stepFactor, 1);
}

TEST(Sensitivity, OfGradientsSquaresThoseWithSigns) {
  const auto ones = floats([](auto, auto) { return 1.0F; });
  const auto model = modelOf({matrix("a", ones)});
  const auto signs = floats([](std::uint64_t r, std::uint64_t c) {
    return (r == 3 ? 10.0F : 1.0F) * (c % 2 == 0 ? 1.0F : -1.0F);
  });
  const auto squares = floats([](std::uint64_t r, auto) { return r == 3 ? 100.0F : 1.0F; });
  const auto first =
      sensitivityOfGradients(model->description(), modelOf({matrix("a", signs)})->description());
  const auto second =
      sensitivityOfGradients(model->description(), modelOf({matrix("a", squares)})->description());
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->front().gradients.areSquares);
  EXPECT_EQ(first->front().rows, second->front().rows);
}

TEST(Sensitivity, OfGradientsMakesStepsOfImportantTensorsFiner) {
  const auto ones = floats([](auto, auto) { return 1.0F; });
  const auto hundreds = floats([](auto, auto) { return 100.0F; });
  const auto model = modelOf({matrix("a", ones), matrix("b", ones)});
  const auto gradients = modelOf({matrix("a", hundreds), matrix("b", ones)});
  const auto found = sensitivityOfGradients(model->description(), gradients->description());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LT((*found)[0].stepFactor, 0.8);
  EXPECT_GT((*found)[1].stepFactor, 1.25);
}

TEST(Sensitivity, NamesGradientsThatDoNotFit) {
  const auto ones = floats([](auto, auto) { return 1.0F; });
  const auto model = modelOf({matrix("a", ones)});
  const auto other = modelOf({matrix("b", ones)});
  const auto none = sensitivityOfGradients(model->description(), other->description());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::InvalidArgument);
  const auto turned = modelOf({{"a", ElementType::F32, {kColumns, kRows}, ones}});
  const auto wrong = sensitivityOfGradients(model->description(), turned->description());
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("gradients of a have shape 48x32"), std::string::npos)
      << wrong.error().message;
}

}  // namespace
}  // namespace strata
