#include <gtest/gtest.h>

#include "core/quantize/quantizer.h"
#include "core/store/objects/version_chain.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;

constexpr std::size_t kWords = 32 * 16 * 9;

std::unique_ptr<MemoryModel> layer(const std::string& kernel, const std::string& norm) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header",
                 {{"conv.weight", ElementType::F32, {32, 16, 3, 3}, kernel},
                  {"norm.weight", ElementType::F32, {32}, norm}});
  return model;
}

/// A model whose tensors are of other kinds.
class OfKinds final : public ModelSource {
 public:
  OfKinds(const ModelSource& model, TensorKind first, TensorKind second)
      : description_(model.description()) {
    description_.tensors[0].kind = first;
    description_.tensors[1].kind = second;
  }
  const ModelDescription& description() const noexcept override { return description_; }

 private:
  ModelDescription description_;
};

class ConvolutionSteps : public test::StoreFixture {
 protected:
  ConvolutionSteps() {
    const std::string kernel = test::randomFloats(kWords, 1);
    const std::string norm = test::randomFloats(32, 2);
    import("base", *layer(kernel, norm));
    tuned_ = layer(test::tunedFloats(kernel, 0.5, 3), test::tunedFloats(norm, 1, 4));
  }

  std::vector<LossySettings> settingsOf(TensorKind kind, Sensitivity sensitivity) {
    const OfKinds model(*tuned_, kind, TensorKind::Norm);
    auto parent = openVersion(store(), store().catalog().versions()->front().contentDigest);
    EXPECT_TRUE(parent) << parent.error().message;
    const auto quantizer = Quantizer::open(model, *parent, nullptr, 512'000'000);
    EXPECT_TRUE(quantizer) << quantizer.error().message;
    QuantizeSettings wish;
    wish.sensitivity = sensitivity;
    const auto options = (*quantizer)->writeOptions(wish);
    EXPECT_TRUE(options) << options.error().message;
    std::vector<LossySettings> settings;
    for (const auto& choice : options->lossy) settings.push_back(choice->settings);
    return settings;
  }

  std::unique_ptr<MemoryModel> tuned_;
};

TEST_F(ConvolutionSteps, AreHalvedForTheNormsBetween) {
  const double usual = settingsOf(TensorKind::Linear, Sensitivity::Auto)[1].step;
  EXPECT_DOUBLE_EQ(settingsOf(TensorKind::Convolution, Sensitivity::Auto)[1].step, usual / 2);
  EXPECT_DOUBLE_EQ(settingsOf(TensorKind::Convolution, Sensitivity::Rows)[1].step, usual / 2);
  EXPECT_DOUBLE_EQ(settingsOf(TensorKind::Convolution, Sensitivity::None)[1].step, usual);
}

TEST_F(ConvolutionSteps, KeepSumsOfRowsOfConvolutionsAlone) {
  EXPECT_TRUE(settingsOf(TensorKind::Convolution, Sensitivity::Auto)[0].keepsRowSums);
  EXPECT_FALSE(settingsOf(TensorKind::Linear, Sensitivity::Auto)[0].keepsRowSums);
}

}  // namespace
}  // namespace strata
