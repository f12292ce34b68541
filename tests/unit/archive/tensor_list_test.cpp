#include "core/archive/tensor_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace strata::test {
namespace {

/// With something in each field.
ManifestTensor fullTensor() {
  ManifestTensor tensor;
  tensor.name = "layers.0.\xff weight";  // not UTF-8: a list keeps it all the same
  tensor.shape = {4, 0, std::uint64_t{1} << 40};
  tensor.offset = 1'000'000;
  tensor.checksum = 77;
  tensor.parentName = std::string_view("other");
  tensor.unknown = std::string_view("\xf8\x06\x01", 3);
  tensor.file = 3;
  tensor.changed = 0.5F;
  tensor.relativeChange = 0.25F;
  tensor.relativeError = 1;
  tensor.type = ElementType::F32;
  tensor.kind = TensorKind::Head;
  ManifestPart& part = tensor.parts.emplace_back();
  part.rowCount = 2;
  part.firstColumn = 5;
  part.columnCount = 6;
  part.view = PartView{.offset = 12, .stride = 9, .file = 1, .own = true, .transposed = true};
  part.view->type = ElementType::BF16;
  part.furtherViews.append({{.offset = 40, .type = ElementType::F32}});
  part.section = PackSection{.offset = 16, .byteCount = 7, .pack = 2};
  part.codec = CodecId::Integer;
  tensor.parts.emplace_back();
  return tensor;
}

ManifestTensor numbered(std::size_t number) {
  ManifestTensor tensor;
  tensor.name = "t" + std::to_string(number);
  tensor.shape = {number};
  tensor.parts.resize(number % 3);
  return tensor;
}

TEST(TensorList, GivesTensorsAsTheyWere) {
  const TensorList list{fullTensor(), ManifestTensor(), fullTensor()};
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0], fullTensor());
  EXPECT_EQ(list[1], ManifestTensor());
  EXPECT_EQ(list.front().parts[0].source(1).offset, 40U);
  EXPECT_EQ(list.nameOf(0), fullTensor().name);
  EXPECT_EQ(list.nameOf(1), "");
  ManifestTensor used = fullTensor();
  list.read(1, used);
  EXPECT_EQ(used, ManifestTensor()) << "nothing is left of the one before";
}

TEST(TensorList, HoldsManyInOrder) {
  TensorList list;
  for (std::size_t i = 0; i < 5000; ++i) list.push_back(numbered(i));
  std::size_t number = 0;
  for (const ManifestTensor& tensor : list) {
    ASSERT_EQ(tensor, numbered(number)) << number;
    ASSERT_EQ(list.nameOf(number), tensor.name);
    ++number;
  }
  EXPECT_EQ(number, 5000U);
  const auto found = std::ranges::find(list, std::string("t4321"), &ManifestTensor::name);
  ASSERT_NE(found, list.end());
  EXPECT_EQ(*found, numbered(4321));
}

TEST(TensorList, KeepsWhatAnEditMakesOfIt) {
  TensorList list;
  for (std::size_t i = 0; i < 3000; ++i) list.push_back(numbered(i));
  const TensorList before = list;
  list.edit([](std::size_t i, ManifestTensor& tensor) {
    if (i == 2000) tensor.name += " and more";
  });
  EXPECT_NE(list, before);
  EXPECT_EQ(list[2000].name, "t2000 and more");
  EXPECT_EQ(list[2999], numbered(2999));
  list.edit([](std::size_t i, ManifestTensor& tensor) { tensor.name = "t" + std::to_string(i); });
  EXPECT_EQ(list, before);
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(list, TensorList());
}

}  // namespace
}  // namespace strata::test
