#include "core/match/detail/name_path.h"

#include <gtest/gtest.h>

namespace strata::match {
namespace {

double nameToName(std::string_view a, std::string_view b) {
  return NamePath::ofName(a).similarity(NamePath::ofName(b));
}

TEST(NamePath, SeesThroughKnownWrappers) {
  const std::string_view bare = "encoder.layer.0.attention.self.query.weight";
  EXPECT_EQ(nameToName(bare, "bert.encoder.layer.0.attention.self.query.weight"), 1);
  EXPECT_EQ(nameToName(bare, "base_model.model.encoder.layer.0.attention.self.query.weight"), 1);
  EXPECT_EQ(nameToName("module.model." + std::string(bare), bare), 1);
}

TEST(NamePath, TellsUnknownWrappersFromTheSameName) {
  EXPECT_EQ(nameToName("student.encoder.layer.0.weight", "encoder.layer.0.weight"), 0.9);
}

TEST(NamePath, TellsLayersAndRolesApart) {
  const std::string_view name = "encoder.layer.0.output.dense.weight";
  EXPECT_LT(nameToName(name, "encoder.layer.1.output.dense.weight"), 0.6);
  EXPECT_LT(nameToName(name, "encoder.layer.0.output.dense.bias"), 0.6);
  EXPECT_EQ(nameToName("norm.gamma", "norm.weight"), 1);
}

TEST(NamePath, ReadsPlacesInGraphs) {
  const NamePath place = NamePath::ofPlace("/encoder/layer.0/attention/self/query/MatMul:1");
  EXPECT_EQ(place.similarity(NamePath::ofName("encoder.layer.0.attention.self.query.weight")), 1);
  EXPECT_LT(place.similarity(NamePath::ofName("encoder.layer.0.attention.self.key.weight")), 0.6);
}

TEST(NamePath, MistrustsNumberedNames) {
  EXPECT_LT(nameToName("onnx::MatMul_812", "onnx::MatMul_812"), 0.6);
  EXPECT_EQ(nameToName("onnx::MatMul_812", "onnx::MatMul_813"), 0);
  EXPECT_EQ(NamePath::ofName("onnx::MatMul_812").key(), 0U);
  EXPECT_EQ(NamePath::ofPlace("MatMul:1").key(), 0U);
}

TEST(NamePath, TakesAnyText) {
  for (const std::string_view text : {"", ".", "///", "weight", "model", "a..b", "\xFF\xFE"}) {
    const NamePath path = NamePath::ofName(text);
    EXPECT_LE(path.similarity(path), 1) << text;
    EXPECT_LE(NamePath::ofPlace(text).similarity(path), 1) << text;
  }
}

}  // namespace
}  // namespace strata::match
