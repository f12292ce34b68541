#include "core/store/catalog/tensor_state.h"

#include <gtest/gtest.h>

#include "core/codec/codec.h"

namespace strata {
namespace {

/// A manifest of one tensor that is the parent's.
Manifest withTensor(ElementType type) {
  ManifestTensor tensor;
  tensor.name = "a";
  tensor.type = type;
  tensor.shape = {4};
  ManifestPart& part = tensor.parts.emplace_back();
  part.codec = CodecId::Same;
  part.view = PartView{};
  Manifest manifest;
  manifest.tensors.push_back(tensor);
  return manifest;
}

TEST(TensorState, TellsWhereAnEarlierProgramCountedIntegers) {
  Manifest manifest = withTensor(ElementType::I64);
  manifest.relativeChange = 0.1F;
  EXPECT_TRUE(changeCountsIntegers(manifest));
  manifest.changeLeftOut = 4;
  EXPECT_FALSE(changeCountsIntegers(manifest)) << "left out by this program";
  manifest.changeLeftOut = 0;
  manifest.relativeChange = 0;
  EXPECT_FALSE(changeCountsIntegers(manifest)) << "a program before the figure";
  Manifest floats = withTensor(ElementType::F32);
  floats.relativeChange = 0.1F;
  EXPECT_FALSE(changeCountsIntegers(floats));
  Manifest unlike = withTensor(ElementType::I64);
  unlike.relativeChange = 0.1F;
  unlike.tensors.edit([](std::size_t, ManifestTensor& tensor) { tensor.parts[0] = {}; });
  EXPECT_FALSE(changeCountsIntegers(unlike)) << "no counterpart";
}

}  // namespace
}  // namespace strata
