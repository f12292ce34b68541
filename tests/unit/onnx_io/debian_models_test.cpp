// Models that others made, and one that is larger than protobuf takes.
#include <gtest/gtest.h>

#include <filesystem>

#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::encodeVarint;
using test::WireMessage;

namespace fs = std::filesystem;

TEST(DebianModels, AllOpenAndTile) {
  const fs::path root = "/usr/share/libonnx-testdata";
  if (!fs::exists(root)) GTEST_SKIP() << "install libonnx-testdata to run this test";
  int modelCount = 0;
  std::size_t tensorCount = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".onnx") continue;
    const auto opened = openModel(entry.path());
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_TRUE(test::checkTiles((*opened)->description())) << entry.path();
    tensorCount += (*opened)->description().tensors.size();
    ++modelCount;
  }
  EXPECT_GE(modelCount, 1072);
  EXPECT_GE(tensorCount, 100U);
}

/// A graph whose one weight has `byteCount` bytes, up to the first of them: the file's end is left
/// to be a hole.
std::string startOfLargeModel(std::uint64_t byteCount) {
  const std::string tensor =
      WireMessage().varint(1, byteCount / 4).varint(2, 1).bytes(8, "w").text() +
      encodeVarint(9 << 3 | 2) + encodeVarint(byteCount);
  const std::string graph =
      encodeVarint(5 << 3 | 2) + encodeVarint(tensor.size() + byteCount) + tensor;
  return WireMessage().varint(1, 8).text() + encodeVarint(7 << 3 | 2) +
         encodeVarint(graph.size() + byteCount) + graph;
}

TEST(LargeModel, IsReadPastTwoAndFourGigabytes) {
  for (const std::uint64_t byteCount : {std::uint64_t{3} << 30, std::uint64_t{5} << 30}) {
    test::ModelFolder folder;
    const std::string start = startOfLargeModel(byteCount);
    const auto path = folder.write("large.onnx", start);
    fs::resize_file(path, start.size() + byteCount);  // sparse: takes no room on the disk
    const auto opened = openModel(path);
    ASSERT_TRUE(opened) << opened.error().message;
    const auto& model = (*opened)->description();
    EXPECT_TRUE(test::checkTiles(model));
    ASSERT_EQ(model.tensors.size(), 1U);
    EXPECT_EQ(model.tensors[0].type, ElementType::F32);
    EXPECT_EQ(model.tensors[0].byteCount, byteCount);
  }
}

}  // namespace
}  // namespace strata
