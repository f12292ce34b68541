#include "onnx_io/array_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/store/objects/probe.h"
#include "onnx_io/model_reader.h"
#include "tests/support/model_checks.h"
#include "tests/support/temp_folder.h"

namespace strata {
namespace {

constexpr std::uint64_t kTooMany = std::numeric_limits<std::uint64_t>::max() / 2;

std::span<const std::byte> asBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

std::string allOf(const ModelSource& model) {
  const FileBytes& file = model.description().files.at(0).bytes;
  std::string text(file.size(), '\0');
  file.copy(0, std::as_writable_bytes(std::span(text)));
  return text;
}

/// What the arrays of a model's tensors are, each in memory of its own.
std::vector<ModelArray> arraysOf(const ModelDescription& model, std::vector<std::string>& memory) {
  std::vector<ModelArray> arrays;
  memory.reserve(model.tensors.size());
  for (const TensorInfo& tensor : model.tensors) {
    memory.emplace_back(test::tensorText(model, tensor));
    arrays.push_back({tensor.name, tensor.type, tensor.shape, asBytes(memory.back())});
  }
  return arrays;
}

void expectAlike(const ModelDescription& a, const ModelDescription& b) {
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
    EXPECT_EQ(a.tensors[i].type, b.tensors[i].type);
    EXPECT_EQ(a.tensors[i].shape, b.tensors[i].shape);
    EXPECT_EQ(a.tensors[i].offset, b.tensors[i].offset);
    EXPECT_EQ(a.tensors[i].byteCount, b.tensors[i].byteCount);
    EXPECT_EQ(a.tensors[i].kind, b.tensors[i].kind) << a.tensors[i].name;
    EXPECT_EQ(test::tensorText(a, a.tensors[i]), test::tensorText(b, b.tensors[i]));
  }
}

TEST(ArrayModel, IsTheFileThatItsTensorsWereReadFrom) {
  for (const char* const name : {"base.safetensors", "rotated-bf16.safetensors"}) {
    const auto file = openModel(std::filesystem::path(STRATA_EXAMPLES) / name);
    ASSERT_TRUE(file) << file.error().message;
    const ModelDescription& read = (*file)->description();
    std::vector<std::string> memory;
    const auto made =
        modelOfArrays(arraysOf(read, memory), {.fileName = name, .metadata = read.metadata});
    ASSERT_TRUE(made) << made.error().message;
    expectAlike((*made)->description(), read);
    EXPECT_TRUE(allOf(**made) == allOf(**file)) << name;
    EXPECT_EQ(probeModel((*made)->description()), probeModel(read));
    EXPECT_EQ(hashModel(**made).value(), hashModel(**file).value());
  }
}

TEST(ArrayModel, IsReadBackAsItWasGiven) {
  const std::vector<ModelArray> arrays{
      {"a \"quoted\" \\ name\n", ElementType::U8, {3}, asBytes("abc")},
      {"scalar", ElementType::F16, {}, asBytes("xy")},
      {"none", ElementType::F32, {0, 7}, {}},
      {"layer.0.attention.q.weight", ElementType::F32, {2, 1}, asBytes("12345678")},
      {"half bytes", ElementType::F4E2M1, {2, 3}, asBytes("123")}};
  const auto made = modelOfArrays(arrays, {.metadata = {{"format", "pt"}, {"by", "\u00e9"}}});
  ASSERT_TRUE(made) << made.error().message;
  const test::TempFolder folder;
  const auto path = folder / "model.safetensors";
  std::ofstream(path, std::ios::binary) << allOf(**made);
  const auto file = openModel(path);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ((*file)->description().tensors.size(), 4U);
  EXPECT_TRUE((*file)->description().oddTensors.empty());
  expectAlike((*made)->description(), (*file)->description());
}

TEST(ArrayModel, ReadsTheArraysWhereTheyAre) {
  const std::string words(1 << 20, 'w');
  const auto made = modelOfArrays({{"w", ElementType::F32, {1 << 18}, asBytes(words)}});
  ASSERT_TRUE(made) << made.error().message;
  const ModelDescription& model = (*made)->description();
  EXPECT_EQ(static_cast<const void*>(bytesOf(model, model.tensors[0]).data()), words.data());
}

TEST(ArrayModel, RefusesWhatNoFileCouldHold) {
  const auto problem = [](std::vector<ModelArray> arrays, ArrayModelOptions options = {}) {
    const auto made = modelOfArrays(arrays, options);
    if (made) return std::string("was taken");
    EXPECT_EQ(made.error().code, ErrorCode::InvalidArgument);
    return made.error().message;
  };
  const auto good = asBytes("1234");
  EXPECT_EQ(problem({{"w", ElementType::F32, {2}, good}}),
            "array \"w\": 4 bytes, where f32 [2] has 8");
  EXPECT_EQ(
      problem({{"w", ElementType::F32, {kTooMany, 16}, good}}),
      "array \"w\": 4 bytes, where f32 [9223372036854775807, 16] has no whole number of bytes");
  EXPECT_EQ(problem({{"w", ElementType::F4E2M1, {3}, asBytes("12")}}),
            "array \"w\": 2 bytes, where f4e2m1 [3] has no whole number of bytes");
  EXPECT_EQ(problem({{"w", ElementType::Bytes, {4}, good}}),
            "array \"w\": safetensors files have no type bytes");
  EXPECT_EQ(problem({{"w", ElementType::F32, {1}, good}, {"w", ElementType::F32, {1}, good}}),
            "array \"w\": is there twice");
  for (const std::string& name :
       {std::string("__metadata__"), std::string("\xff"), std::string(1025, 'n')}) {
    EXPECT_NE(problem({{name, ElementType::F32, {1}, good}}).find("is no name"), std::string::npos);
  }
  const ModelArray array{"w", ElementType::F32, {1}, good};
  EXPECT_EQ(problem({array}, {.metadata = {{"k", "1"}, {"k", "2"}}}), "metadata has \"k\" twice");
  EXPECT_EQ(problem({array}, {.metadata = {{"k", "\xff"}}}), "metadata is no UTF-8");
  for (const char* const name : {"", "a/b", "..", "/a"}) {
    EXPECT_NE(problem({array}, {.fileName = name}).find("is no name of a file"), std::string::npos);
  }
}

TEST(FileBytes, ReadsAcrossItsRuns) {
  const FileBytes file({asBytes("ab"), {}, asBytes("cde"), asBytes("f")});
  EXPECT_EQ(file.size(), 6U);
  const std::string whole = "abcdef";
  for (std::size_t from = 0; from <= whole.size(); ++from) {
    for (std::size_t end = from; end <= whole.size(); ++end) {
      std::string copied(end - from, '-');
      file.copy(from, std::as_writable_bytes(std::span(copied)));
      EXPECT_EQ(copied, whole.substr(from, end - from));
      std::string walked;
      file.forEachRun(from, end, [&](std::span<const std::byte> run) {
        walked.append(reinterpret_cast<const char*>(run.data()), run.size());
      });
      EXPECT_EQ(walked, copied);
    }
  }
  EXPECT_EQ(static_cast<char>(file.of(3, 2)[1]), 'e');
  EXPECT_TRUE(FileBytes(std::vector<std::span<const std::byte>>{}).empty());
}

}  // namespace
}  // namespace strata
