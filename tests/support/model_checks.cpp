#include "tests/support/model_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "core/checked_math.h"
#include "onnx_io/span_tiling.h"
#include "onnx_io/utf8.h"

namespace strata::test {
namespace {

using ::testing::AssertionFailure;
using ::testing::AssertionResult;
using ::testing::AssertionSuccess;

std::optional<std::uint64_t> wantedBytes(const TensorInfo& tensor) {
  std::uint64_t count = 1;
  for (const std::uint64_t dim : tensor.shape) {
    const auto product = checkedMultiply(count, dim);
    if (!product) return std::nullopt;
    count = *product;
  }
  return bytesOfElements(tensor.type, count);
}

AssertionResult checkFiles(const ModelDescription& description) {
  for (std::size_t index = 0; index < description.files.size(); ++index) {
    const std::string& path = description.files[index].path;
    const bool isBad = path.empty() || path.front() == '/' || !isUtf8(path) ||
                       fmt::format("/{}/", path).find("/../") != std::string::npos;
    if (isBad) return AssertionFailure() << "bad path " << path;
    if (index > 0 && description.files[index - 1].path >= path) {
      return AssertionFailure() << path << " is out of order";
    }
  }
  return AssertionSuccess();
}

AssertionResult checkSpan(const ModelDescription& description, const TensorInfo& tensor) {
  if (tensor.file >= description.files.size()) return AssertionFailure() << "file number";
  const std::uint64_t fileBytes = description.files[tensor.file].bytes.size();
  if (tensor.byteCount == 0) return AssertionFailure() << "is empty";
  if (!rangeFits(tensor.offset, tensor.byteCount, fileBytes)) {
    return AssertionFailure() << "leaves its file of " << fileBytes;
  }
  if (wantedBytes(tensor) != tensor.byteCount) {
    return AssertionFailure() << "type and shape do not match";
  }
  if (tensor.type == ElementType::Bytes && tensor.byteCount > kMaxOpaqueBytes) {
    return AssertionFailure() << "is too long for opaque bytes";
  }
  const bool isNamed = !tensor.name.empty() && isUtf8(tensor.name) && isUtf8(tensor.place.view());
  return isNamed ? AssertionSuccess() : AssertionFailure() << "has a bad name";
}

std::string lineOf(const TensorInfo& tensor) {
  return fmt::format("{} {}[{}]@{}:{}+{}", tensor.name, name(tensor.type),
                     fmt::join(tensor.shape, ","), tensor.file, tensor.offset, tensor.byteCount);
}

}  // namespace

std::uint64_t skeletonBytes(const ModelDescription& description, std::size_t file) {
  std::uint64_t bytes = description.files[file].bytes.size();
  for (const TensorInfo& tensor : description.tensors) {
    if (tensor.file == file) bytes -= tensor.byteCount;
  }
  return bytes;
}

AssertionResult checkTiles(const ModelDescription& description) {
  if (const auto files = checkFiles(description); !files) return files;
  std::uint32_t file = 0;
  std::uint64_t end = 0;
  for (const TensorInfo& tensor : description.tensors) {
    if (const auto span = checkSpan(description, tensor); !span) {
      return AssertionFailure() << lineOf(tensor) << " " << span.message();
    }
    if (tensor.file < file || (tensor.file == file && tensor.offset < end)) {
      return AssertionFailure() << lineOf(tensor) << " is out of order or overlaps";
    }
    if (tensor.file != file) end = 0;
    if (tensor.offset - end > kMaxSkeletonGap) {
      return AssertionFailure() << lineOf(tensor) << " leaves a wide gap";
    }
    file = tensor.file;
    end = tensor.offset + tensor.byteCount;
  }
  for (std::size_t index = 0; index < description.files.size(); ++index) {
    const std::uint64_t skeleton = skeletonBytes(description, index);
    if (skeleton > kWantedSkeletonBytes) {
      return AssertionFailure() << "skeleton of " << description.files[index].path << " has "
                                << skeleton << " bytes";
    }
  }
  return AssertionSuccess();
}

const TensorInfo* tensorNamed(const ModelDescription& description, std::string_view name) {
  const TensorInfo* found = nullptr;
  for (const TensorInfo& tensor : description.tensors) {
    if (tensor.name != name) continue;
    EXPECT_EQ(found, nullptr) << name << " is there twice";
    found = &tensor;
  }
  EXPECT_NE(found, nullptr) << name << " is not among " << listed(description);
  return found;
}

std::string_view tensorText(const ModelDescription& description, const TensorInfo& tensor) {
  const auto bytes = bytesOf(description, tensor);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string listed(const ModelDescription& description) {
  std::string out;
  for (const TensorInfo& tensor : description.tensors) out += lineOf(tensor) + "\n";
  return out;
}

}  // namespace strata::test
