#include "synthetic_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/digest.h"
#include "core/match/detail/word_math.h"

namespace strata::test {
namespace {

std::vector<std::byte> encode(const std::vector<float>& values, ElementType type) {
  const std::uint32_t wordBytes = wordFormat(type).bytes;
  std::vector<std::byte> bytes(values.size() * wordBytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t word =
        type == ElementType::F64
            ? std::bit_cast<std::uint64_t>(static_cast<double>(values[i]))
            : match::castWord(std::bit_cast<std::uint32_t>(values[i]), ElementType::F32, type);
    std::memcpy(bytes.data() + i * wordBytes, &word, wordBytes);
  }
  return bytes;
}

void expectCovered(const TensorInfo& tensor, const TensorMatch& match) {
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  std::uint64_t row = 0;
  std::uint64_t column = 0;
  for (const PartMatch& part : match.parts) {
    ASSERT_EQ(part.firstRow, row) << tensor.name;
    ASSERT_EQ(part.firstColumn, column) << tensor.name;
    ASSERT_GT(part.rowCount, 0U) << tensor.name;
    ASSERT_GT(part.columnCount, 0U) << tensor.name;
    column += part.columnCount;
    if (column < matrix.columns) continue;
    ASSERT_EQ(column, matrix.columns) << tensor.name;
    column = 0;
    row += part.rowCount;
  }
  EXPECT_EQ(row, matrix.rows) << tensor.name;
  EXPECT_EQ(column, 0U) << tensor.name;
}

}  // namespace

Matrix gaussian(std::uint64_t rows, std::uint64_t columns, unsigned seed, float deviation,
                float mean) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean, deviation);
  Matrix matrix{rows, columns, std::vector<float>(rows * columns)};
  std::generate(matrix.values.begin(), matrix.values.end(), [&] { return normal(random); });
  return matrix;
}

Matrix tuned(const Matrix& matrix, unsigned seed, float relative) {
  double sum = 0;
  double squares = 0;
  for (const float value : matrix.values) {
    sum += value;
    squares += double{value} * value;
  }
  const auto count = static_cast<double>(matrix.values.size());
  const double variance = std::max(squares / count - sum / count * (sum / count), 1e-6);
  const Matrix change = gaussian(matrix.rows, matrix.columns, seed + 1000,
                                 relative * static_cast<float>(std::sqrt(variance)));
  Matrix result = matrix;
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] += change.values[i];
  return result;
}

Matrix transposed(const Matrix& matrix) {
  Matrix result{matrix.columns, matrix.rows, {}};
  for (std::uint64_t column = 0; column < matrix.columns; ++column) {
    for (std::uint64_t row = 0; row < matrix.rows; ++row) {
      result.values.push_back(matrix.at(row, column));
    }
  }
  return result;
}

Matrix rowsOf(const Matrix& matrix, std::uint64_t first, std::uint64_t count) {
  const auto begin = matrix.values.begin() + static_cast<std::ptrdiff_t>(first * matrix.columns);
  return {
      count, matrix.columns, {begin, begin + static_cast<std::ptrdiff_t>(count * matrix.columns)}};
}

Matrix columnsOf(const Matrix& matrix, std::uint64_t first, std::uint64_t count) {
  return transposed(rowsOf(transposed(matrix), first, count));
}

Matrix stackedRows(const std::vector<Matrix>& parts) {
  Matrix result{0, parts.front().columns, {}};
  for (const Matrix& part : parts) {
    result.rows += part.rows;
    result.values.insert(result.values.end(), part.values.begin(), part.values.end());
  }
  return result;
}

Matrix besideColumns(const std::vector<Matrix>& parts) {
  std::vector<Matrix> turned;
  for (const Matrix& part : parts) turned.push_back(transposed(part));
  return transposed(stackedRows(turned));
}

SyntheticWeight weight(std::string name, const Matrix& matrix, ElementType type,
                       std::string place) {
  return {std::move(name), {matrix.rows, matrix.columns}, matrix.values, type, std::move(place)};
}

SyntheticWeight vectorWeight(std::string name, const Matrix& matrix) {
  return {std::move(name), {matrix.values.size()}, matrix.values};
}

SyntheticModel::SyntheticModel(const std::vector<SyntheticWeight>& weights) {
  for (const SyntheticWeight& item : weights) {
    addBytes(item.name, item.type, item.shape, encode(item.values, item.type));
    tensors_.back().place = std::string_view(item.place);
  }
}

void SyntheticModel::addBytes(std::string name, ElementType type,
                              const std::vector<std::uint64_t>& shape,
                              const std::vector<std::byte>& bytes) {
  file_.resize(file_.size() + 24);  // a skeleton between the weights
  tensors_.push_back({.name = std::move(name),
                      .shape = shape,
                      .offset = file_.size(),
                      .byteCount = bytes.size(),
                      .file = 0,
                      .type = type,
                      .kind = TensorKind::Unknown,
                      .place = {}});
  file_.insert(file_.end(), bytes.begin(), bytes.end());
}

ModelDescription SyntheticModel::description() const {
  return {"safetensors",
          {{"model.safetensors", FileKind::Safetensors, FileBytes(file_)}},
          tensors_,
          {}};
}

DescribedParent::DescribedParent(ModelDescription model) : model_(std::move(model)) {
  for (const TensorInfo& tensor : model_.tensors) {
    const auto bytes = bytesOf(model_, tensor);
    tensors_.push_back({tensor.name, wordMatrix(tensor.type, tensor.shape, tensor.byteCount),
                        tensor.type, tensor.file, tensor.offset, xxh3(bytes)});
  }
}

Result<void> DescribedParent::read(std::uint32_t file, std::uint64_t offset,
                                   std::span<std::byte> out) const {
  ++readCount_;
  const auto bytes = model_.files.at(file).bytes.whole();
  if (offset > bytes.size() || out.size() > bytes.size() - offset) {
    return fail(ErrorCode::InvalidArgument, "range passes the end of the file");
  }
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  return {};
}

std::vector<TensorMatch> matchOrFail(const ModelDescription& variant, const ParentModel& parent,
                                     const MatchOptions& options) {
  auto matches = matchModel(variant, parent, options);
  if (!matches) {
    ADD_FAILURE() << matches.error().message;
    return std::vector<TensorMatch>(variant.tensors.size());
  }
  for (std::size_t i = 0; i < matches->size(); ++i) {
    expectCovered(variant.tensors[i], (*matches)[i]);
  }
  return *std::move(matches);
}

std::vector<TensorMatch> matchOrFail(const SyntheticModel& variant, const SyntheticModel& parent,
                                     const MatchOptions& options) {
  return matchOrFail(variant.description(), DescribedParent(parent.description()), options);
}

double meanDifferenceBits(const ModelDescription& variant, std::size_t tensor,
                          const PartMatch& part, const ModelDescription& parent) {
  const TensorInfo& info = variant.tensors[tensor];
  const WordMatrix matrix = wordMatrix(info.type, info.shape, info.byteCount);
  const ParentRectangle& view = part.parent.value();
  const auto words = bytesOf(variant, info);
  const auto parentWords =
      (view.own ? variant : parent).files[view.file].bytes.whole().subspan(view.offset);
  const std::uint64_t width = view.transposed ? part.rowCount : part.columnCount;
  const std::uint64_t stride = view.stride == 0 ? width : view.stride;
  double bits = 0;
  for (std::uint64_t row = 0; row < part.rowCount; ++row) {
    for (std::uint64_t column = 0; column < part.columnCount; ++column) {
      const std::uint64_t index =
          (part.firstRow + row) * matrix.columns + part.firstColumn + column;
      const std::uint64_t at = view.transposed ? column * stride + row : row * stride + column;
      bits += match::differenceBits(match::loadWord(words, index, 4),
                                    match::loadWord(parentWords, at, 4),
                                    wordFormat(ElementType::F32), 0);
    }
  }
  return bits / static_cast<double>(part.rowCount * part.columnCount);
}

}  // namespace strata::test
