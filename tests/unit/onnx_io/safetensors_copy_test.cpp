#include "onnx_io/safetensors/safetensors_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/model_folder.h"
#include "tests/support/onnx_wire_encoder.h"

namespace strata {
namespace {

using test::tensorNamed;
using test::tensorText;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TextSink final : public ByteSink {
 public:
  Result<void> append(std::span<const std::byte> bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  std::string text;
};

class SafetensorsCopy : public ::testing::Test {
 protected:
  /// Copies a file of tests/data/pytorch and opens the copy.
  void copy(const std::string& name, const TensorChoice& choice = {}) {
    const auto done = tryCopy(name, choice);
    ASSERT_TRUE(done) << done.error().message;
    report_ = *done;
    EXPECT_EQ(report_.byteCount, sink_.text.size());
    folder_.write("copy.safetensors", sink_.text);
    auto opened = openModel(folder_.path() / "copy.safetensors");
    ASSERT_TRUE(opened) << opened.error().message;
    copy_ = *std::move(opened);
  }

  Result<ConvertedTensors> tryCopy(const std::string& name, const TensorChoice& choice = {}) {
    const auto path = std::filesystem::path(STRATA_TEST_DATA) / "pytorch" / name;
    auto opened = openModel(path);
    EXPECT_TRUE(opened) << opened.error().message;
    sink_.text.clear();
    return copyAsSafetensors((*opened)->description(), choice, sink_);
  }

  template <typename Word>
  std::vector<Word> words(std::string_view name) {
    const ModelDescription& model = copy_->description();
    const TensorInfo* const tensor = tensorNamed(model, name);
    EXPECT_NE(tensor, nullptr) << name;
    if (tensor == nullptr) return {};
    std::vector<Word> out(tensor->byteCount / sizeof(Word));
    std::memcpy(out.data(), tensorText(model, *tensor).data(), out.size() * sizeof(Word));
    return out;
  }
  std::vector<std::uint64_t> shape(std::string_view name) {
    const TensorInfo* const tensor = tensorNamed(copy_->description(), name);
    return tensor == nullptr ? Shape() : tensor->shape;
  }

  test::ModelFolder folder_;
  std::vector<std::string> leftOut() const {
    std::vector<std::string> lines;
    for (const LeftOutTensor& one : report_.leftOut) lines.push_back(one.text());
    return lines;
  }

  TextSink sink_;
  ConvertedTensors report_;
  std::unique_ptr<ModelSource> copy_;
};

TEST_F(SafetensorsCopy, HasTheWeightsOfPyTorch) {
  for (const char* const version : {"1.13/", "2.15/"}) {
    SCOPED_TRACE(version);
    copy(std::string(version) + "weights.pt");
    EXPECT_EQ(report_.tensorCount, 4U);
    EXPECT_THAT(leftOut(), IsEmpty());
    EXPECT_THAT(shape("0.weight"), ElementsAre(4, 3));
    EXPECT_EQ(words<float>("0.weight")[11], 11.0F);
    EXPECT_THAT(words<float>("1.bias"), ElementsAre(300, 301, 302, 303));
    ASSERT_FALSE(copy_->description().metadata.empty());
    EXPECT_EQ(copy_->description().metadata[0].second, "pt");
  }
}

TEST_F(SafetensorsCopy, ShowsViewsInTheirOwnShapes) {
  copy("2.15/views.pt");
  EXPECT_THAT(shape("turned"), ElementsAre(6, 4));
  EXPECT_EQ(words<float>("turned")[1], 6.0F) << "row 0, column 1 of the transposed";
  EXPECT_THAT(shape("columns"), ElementsAre(4, 2));
  EXPECT_THAT(words<float>("columns"), ElementsAre(1, 2, 7, 8, 13, 14, 19, 20));
  EXPECT_THAT(words<float>("middle"), ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_THAT(shape("images"), ElementsAre(1, 3, 4, 4));
  std::vector<float> counted(48);
  for (std::size_t i = 0; i < counted.size(); ++i) counted[i] = static_cast<float>(i);
  EXPECT_EQ(words<float>("images"), counted);
  EXPECT_THAT(words<std::int64_t>("high"), ElementsAre(4, 5, 6, 7, 8, 9));
  EXPECT_THAT(shape("again"), ElementsAre(5, 1)) << "each name of a shared storage";
  EXPECT_THAT(words<float>("tied"), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(words<float>("scalar"), ElementsAre(7));
  EXPECT_THAT(words<float>("list.1.deep"), ElementsAre(0, 0));
  EXPECT_THAT(leftOut(), Contains(HasSubstr("expanded: its elements share places")));
  EXPECT_THAT(sink_.text, HasSubstr(R"("none":{"dtype":"F32","shape":[0,3])"));
}

TEST_F(SafetensorsCopy, LeavesOutWhatTheOptimizerKeeps) {
  copy("1.13/run.ckpt");
  EXPECT_THAT(sink_.text, HasSubstr("exp_avg"));
  copy("1.13/run.ckpt", {.weightsOnly = true});
  EXPECT_THAT(sink_.text, Not(HasSubstr("exp_avg")));
  EXPECT_EQ(report_.tensorCount, 4U);
}

TEST_F(SafetensorsCopy, TurnsArraysOfFortranRound) {
  copy("2.15/arrays.npz");
  EXPECT_THAT(shape("columns"), ElementsAre(2, 3));
  EXPECT_THAT(words<double>("columns"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(words<float>("whole"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(leftOut(), Contains(HasSubstr("turned")));
  EXPECT_THAT(leftOut(), Contains(HasSubstr("text")));
  // Wide words come first: each begins at a multiple of its own.
  for (const TensorInfo& tensor : copy_->description().tensors) {
    if (tensor.type == ElementType::Bytes) continue;
    EXPECT_EQ(tensor.offset % (bitsPerElement(tensor.type) / 8), 0U) << tensor.name;
  }
}

TEST_F(SafetensorsCopy, TakesTheTensorsThatAreAskedFor) {
  copy("1.13/weights.pt", {.globs = {"0.*"}});
  EXPECT_EQ(report_.tensorCount, 2U);
  const auto none = tryCopy("1.13/weights.pt", {.globs = {"9.*"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::InvalidArgument);
}

TEST_F(SafetensorsCopy, RefusesWhatCannotBeTold) {
  const auto compressed = tryCopy("2.15/compressed.npz");
  ASSERT_FALSE(compressed);
  EXPECT_EQ(compressed.error().code, ErrorCode::Unsupported);
  EXPECT_THAT(compressed.error().message, HasSubstr("is compressed"));
  const auto parts = tryCopy("2.15/dcp");
  ASSERT_FALSE(parts);
  EXPECT_THAT(parts.error().message, HasSubstr(".distcp: its tensors are parts"));
  const auto old = tryCopy("1.13/old.pt");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, ErrorCode::InvalidArgument);
}

TEST_F(SafetensorsCopy, JoinsTheFilesOfAModel) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  const std::string other = R"({"b":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}})";
  folder_.write("model/a.safetensors", test::safetensorsFile(header, "abcd"));
  folder_.write("model/b.safetensors", test::safetensorsFile(other, "efgh"));
  const auto opened = openModel(folder_.path() / "model");
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_TRUE(copyAsSafetensors((*opened)->description(), {}, sink_));
  EXPECT_TRUE(sink_.text.ends_with("abcdefgh"));
  folder_.write("model/b.safetensors", test::safetensorsFile(header, "efgh"));
  const auto twice = openModel(folder_.path() / "model");
  ASSERT_TRUE(twice);
  const auto refused = copyAsSafetensors((*twice)->description(), {}, sink_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("\"a\": is there twice"));
}

}  // namespace
}  // namespace strata
