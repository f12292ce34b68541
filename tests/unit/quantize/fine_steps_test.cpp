#include <gtest/gtest.h>

#include "core/quantize/quantizer.h"
#include "core/store/objects/version_chain.h"
#include "tests/unit/ops/store_fixture.h"

namespace strata {
namespace {

using test::MemoryModel;

constexpr std::size_t kRows = 96;
constexpr std::size_t kColumns = 64;

std::unique_ptr<MemoryModel> modelOf(const std::string& words) {
  auto model = std::make_unique<MemoryModel>();
  model->addFile("model.safetensors", "header",
                 {{"weight", ElementType::F32, {kRows, kColumns}, words}});
  return model;
}

/// A model whose only tensor is of a kind.
class OfKind final : public ModelSource {
 public:
  OfKind(const ModelSource& model, TensorKind kind) : description_(model.description()) {
    description_.tensors[0].kind = kind;
  }
  const ModelDescription& description() const noexcept override { return description_; }

 private:
  ModelDescription description_;
};

class FineSteps : public test::StoreFixture, public testing::WithParamInterface<TensorKind> {};

/// Of embeddings low rank alone is kept at usual steps, and patterns have some words each. Neither
/// may hold up steps that are to be fine.
TEST_P(FineSteps, ComeAsNearAsIsWished) {
  const std::string words = test::randomFloats(kRows * kColumns, 1);
  import("base", *modelOf(words));
  const auto tuned = modelOf(test::tunedFloats(words, 1, 2));
  const OfKind model(*tuned, GetParam());
  const auto parent = openVersion(store(), store().catalog().versions()->front().contentDigest);
  ASSERT_TRUE(parent) << parent.error().message;
  const auto quantizer = Quantizer::open(model, *parent, nullptr, 512'000'000);
  ASSERT_TRUE(quantizer) << quantizer.error().message;
  double most = 0.2;
  for (const double scale : {0.15, 0.05, 0.01}) {
    const auto made = (*quantizer)->make({.rules = {}, .stepScale = scale}, {}, {});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_LT(made->relativeError, most) << "steps x" << scale;
    most = made->relativeError / 2;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FineSteps,
                         testing::Values(TensorKind::Embedding, TensorKind::Linear,
                                         TensorKind::Convolution, TensorKind::Head),
                         [](const auto& one) { return std::string(name(one.param)); });

}  // namespace
}  // namespace strata
