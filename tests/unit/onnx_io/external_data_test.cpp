#include <gtest/gtest.h>

#include <filesystem>

#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::checkTiles;
using test::floatBytes;
using test::kInitializerField;
using test::onnxExternalTensor;
using test::onnxModel;
using test::tensorNamed;
using test::tensorText;
using test::WireMessage;

using Entries = std::vector<std::pair<std::string, std::string>>;

class ExternalData : public ::testing::Test {
 protected:
  /// Adds an initializer of 4 floats to the model.
  void add(std::string_view name, const Entries& entries) {
    graph_.message(kInitializerField, onnxExternalTensor(name, 1, {2, 2}, entries));
  }
  Result<std::unique_ptr<ModelSource>> tryOpen() {
    return folder_.open("model.onnx", onnxModel(graph_).text());
  }
  const ModelDescription& open() {
    auto opened = tryOpen();
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) model_ = std::move(*opened);
    EXPECT_TRUE(checkTiles(model_->description()));
    return model_->description();
  }
  void expectError(ErrorCode code, std::string_view part) {
    const auto opened = tryOpen();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code) << opened.error().message;
    EXPECT_NE(opened.error().message.find(part), std::string::npos) << opened.error().message;
    EXPECT_TRUE(opened.error().message.starts_with("model.onnx: graph: initializer 0: w: "))
        << opened.error().message;
  }

  test::ModelFolder folder_;
  WireMessage graph_;
  std::unique_ptr<ModelSource> model_;
};

TEST_F(ExternalData, FindsRangesInSeveralFiles) {
  folder_.write("b.bin", "pad!" + floatBytes(4) + floatBytes(4, 10) + "tail");
  folder_.write("sub/a.bin", floatBytes(4, 20));
  add("first", {{"location", "b.bin"}, {"offset", "4"}, {"length", "16"}});
  add("second", {{"location", "./b.bin"}, {"offset", "20"}, {"length", "16"}});
  add("third", {{"location", "sub//a.bin"}});
  const auto& model = open();
  ASSERT_EQ(model.files.size(), 3U);
  EXPECT_EQ(model.files[0].path, "b.bin");
  EXPECT_EQ(model.files[0].kind, FileKind::ExternalData);
  EXPECT_EQ(model.files[1].path, "model.onnx");
  EXPECT_EQ(model.files[1].kind, FileKind::Onnx);
  EXPECT_EQ(model.files[2].path, "sub/a.bin");
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "first")), floatBytes(4));
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "second")), floatBytes(4, 10));
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "third")), floatBytes(4, 20));
  EXPECT_EQ(test::skeletonBytes(model, 0), 8U);
}

TEST_F(ExternalData, TakesTheLengthFromTypeAndShapeWhereNoneIsGiven) {
  folder_.write("w.bin", floatBytes(9));
  add("w", {{"location", "w.bin"}, {"offset", "8"}});
  const auto& model = open();
  EXPECT_EQ(tensorText(model, *tensorNamed(model, "w")), floatBytes(4, 3));
}

TEST_F(ExternalData, GivesARangeThatIsSharedOneEntry) {
  folder_.write("w.bin", floatBytes(4));
  add("tied", {{"location", "w.bin"}});
  add("again", {{"location", "w.bin"}, {"offset", "0"}, {"length", "16"}});
  const auto& model = open();
  ASSERT_EQ(model.tensors.size(), 1U);
  EXPECT_EQ(model.tensors[0].name, "tied");
}

TEST_F(ExternalData, KeepsTheRestOfARangeThatOverlapsAsBytes) {
  folder_.write("w.bin", floatBytes(6));
  add("w", {{"location", "w.bin"}});
  add("late", {{"location", "w.bin"}, {"offset", "8"}});
  const auto& model = open();
  ASSERT_EQ(model.tensors.size(), 2U);
  EXPECT_EQ(tensorNamed(model, "late#2")->type, ElementType::Bytes);
  EXPECT_EQ(tensorNamed(model, "late#2")->offset, 16U);
}

TEST_F(ExternalData, MakesLargeUnreferencedRangesOpaque) {
  folder_.write("w.bin", floatBytes(4) + std::string(40 << 20, 'u') + floatBytes(4));
  add("w", {{"location", "w.bin"}});
  const auto& model = open();
  ASSERT_EQ(model.tensors.size(), 4U);
  EXPECT_EQ(tensorNamed(model, "w.bin@16")->byteCount, 16U << 20);
}

TEST_F(ExternalData, LooksAtKnownKeysOnly) {
  folder_.write("w.bin", floatBytes(4));
  add("w",
      {{"location", "w.bin"}, {"__class__", "x"}, {"prepacked_0", "1|2|3"}, {"checksum", "0"}});
  EXPECT_EQ(open().tensors.size(), 1U);
}

TEST_F(ExternalData, IgnoresItWhereTheLocationIsDefault) {
  graph_.message(kInitializerField,
                 onnxExternalTensor("w", 1, {2, 2}, {{"location", "/etc/passwd"}})
                     .varint(14, 0)
                     .bytes(9, floatBytes(4)));
  EXPECT_EQ(open().files.size(), 1U);
  EXPECT_EQ(open().tensors.size(), 1U);
}

TEST_F(ExternalData, NamesAFileThatIsMissing) {
  add("w", {{"location", "gone.bin"}});
  expectError(ErrorCode::NotFound, "gone.bin");
}

TEST_F(ExternalData, RefusesPathsOutOfTheFolder) {
  for (const std::string location : {"../w.bin", "sub/../../w.bin", "/etc/passwd", "..", "", ".",
                                     "sub\\..\\..\\w.bin", "w\xFF.bin"}) {
    graph_ = WireMessage();
    add("w", {{"location", location}});
    expectError(ErrorCode::CorruptData, location.empty() ? "no location" : "names '");
  }
  graph_ = WireMessage();
  add("w", {{"location", std::string("w\0.bin", 6)}});
  expectError(ErrorCode::CorruptData, "names '");
}

TEST_F(ExternalData, RefusesLinksOutOfTheFolder) {
  test::ModelFolder other;
  std::filesystem::create_symlink(other.write("secret", floatBytes(4)), folder_.path() / "w.bin");
  std::filesystem::create_directory_symlink(other.path(), folder_.path() / "sub");
  add("w", {{"location", "w.bin"}});
  expectError(ErrorCode::CorruptData, "expected a place inside the model's folder");
  graph_ = WireMessage();
  add("w", {{"location", "sub/secret"}});
  expectError(ErrorCode::CorruptData, "expected a place inside the model's folder");
}

TEST_F(ExternalData, FollowsLinksInsideTheFolder) {
  folder_.write("data/real.bin", floatBytes(4));
  std::filesystem::create_symlink("data/real.bin", folder_.path() / "w.bin");
  add("w", {{"location", "w.bin"}});
  const auto& model = open();
  EXPECT_EQ(model.files[1].path, "w.bin");
  EXPECT_EQ(tensorText(model, model.tensors[0]), floatBytes(4));
}

TEST_F(ExternalData, RefusesFoldersAndLoops) {
  std::filesystem::create_directory(folder_.path() / "sub");
  std::filesystem::create_symlink("loop", folder_.path() / "loop");
  add("w", {{"location", "sub"}});
  expectError(ErrorCode::Unsupported, "is a folder");
  graph_ = WireMessage();
  add("w", {{"location", "loop"}});
  expectError(ErrorCode::CorruptData, "loop");
}

TEST_F(ExternalData, RefusesRangesOutsideTheFile) {
  folder_.write("w.bin", floatBytes(4));
  const Entries::value_type location{"location", "w.bin"};
  for (const Entries& range : {Entries{{"offset", "17"}},
                               {{"offset", "4"}},
                               {{"length", "17"}},
                               {{"offset", "1"}, {"length", "18446744073709551615"}},
                               {{"offset", "18446744073709551615"}, {"length", "2"}}}) {
    graph_ = WireMessage();
    Entries entries{location};
    entries.insert(entries.end(), range.begin(), range.end());
    add("w", entries);
    expectError(ErrorCode::CorruptData, "the file has 16 bytes");
  }
}

TEST_F(ExternalData, RefusesNumbersThatAreNone) {
  folder_.write("w.bin", floatBytes(4));
  for (const std::string number : {"-1", "", "1e3", "0x10", "18446744073709551616", " 4"}) {
    graph_ = WireMessage();
    add("w", {{"location", "w.bin"}, {"offset", number}});
    const auto opened = tryOpen();
    ASSERT_FALSE(opened) << number;
    EXPECT_EQ(opened.error().code, ErrorCode::CorruptData);
    EXPECT_NE(opened.error().message.find("offset is '" + number), std::string::npos);
  }
}

TEST_F(ExternalData, KeepsARangeOfAnotherLengthAsBytes) {
  folder_.write("w.bin", floatBytes(4));
  add("w", {{"location", "w.bin"}, {"length", "12"}});
  const auto& model = open();
  EXPECT_EQ(tensorNamed(model, "w")->type, ElementType::Bytes);
  EXPECT_EQ(model.oddTensors, std::vector<std::string>{"w: 12 bytes, where f32 2x2 has 16"});
}

TEST_F(ExternalData, MayLieInTheModelFileItself) {
  add("w", {{"location", "model.onnx"}, {"length", "16"}});
  EXPECT_EQ(open().files.size(), 1U);
  EXPECT_EQ(open().files[0].kind, FileKind::Onnx);
}

}  // namespace
}  // namespace strata
