#include "onnx_io/safetensors/safetensors_copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/text/glob.h"
#include "core/text/utf8_check.h"
#include "onnx_io/array_model.h"
#include "onnx_io/metadata_list.h"
#include "onnx_io/plain_arrays.h"
#include "onnx_io/safetensors/safetensors_reader.h"

namespace strata {
namespace {

/// All of them. Parts of tensors, as `.distcp` files have them, are none.
Result<std::vector<PlainArray>> allArrays(const ModelDescription& model,
                                          std::vector<LeftOutTensor>& leftOut) {
  std::vector<PlainArray> all;
  for (std::size_t file = 0; file < model.files.size(); ++file) {
    if (model.files[file].path.ends_with(".distcp")) {
      return fail(ErrorCode::Unsupported,
                  model.files[file].path +
                      ": its tensors are parts of others, which other ranks "
                      "have");
    }
    STRATA_TRY(std::vector<PlainArray> own, plainArraysOf(model, file, leftOut));
    std::move(own.begin(), own.end(), std::back_inserter(all));
  }
  return all;
}

Result<void> choose(const ModelDescription& model, const TensorChoice& choice,
                    std::vector<PlainArray>& arrays, std::vector<LeftOutTensor>& leftOut) {
  std::vector<std::string_view> names;
  for (const PlainArray& array : arrays) names.push_back(array.name);
  if (const std::string* const glob = unmatchedGlob(choice.globs, names)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("none of its {} tensors matches {}", names.size(), *glob));
  }
  std::erase_if(arrays, [&](const PlainArray& array) {
    if (choice.weightsOnly && array.isOfOptimizer) return true;
    if (!choice.globs.empty() && !matchesAnyGlob(array.name, choice.globs)) return true;
    if (!safetensorsName(array.type).empty()) return false;
    leftOut.push_back(
        {array.name, fmt::format("safetensors files have no type {}", name(array.type))});
    return true;
  });
  if (!arrays.empty()) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("none of its {} tensors can be written", model.tensors.size()));
}

/// As many bytes as the array takes row by row. What they are says the header alone.
ModelArray rowsOf(const PlainArray& array) {
  return {.name = array.name,
          .type = array.type,
          .shape = array.shape,
          .bytes = array.bytes.first(static_cast<std::size_t>(byteCount(array)))};
}

/// What is noted of a checkpoint, and no word of the model's own.
bool isOwnNote(std::string_view key) {
  return key == kEmptyFolderKey || key.starts_with("strata.");
}

std::vector<std::pair<std::string, std::string>> metadataOf(const ModelDescription& model) {
  const bool isTorch = std::any_of(model.files.begin(), model.files.end(),
                                   [](const auto& file) { return file.kind == FileKind::PyTorch; });
  if (isTorch) return {{"format", "pt"}};
  std::vector<std::pair<std::string, std::string>> kept;
  for (const auto& [key, value] : model.metadata) {
    const bool isNew = std::none_of(kept.begin(), kept.end(),
                                    [&, &key = key](const auto& one) { return one.first == key; });
    if (isNew && !isOwnNote(key) && isUtf8(key) && isUtf8(value)) kept.emplace_back(key, value);
  }
  return kept;
}

}  // namespace

Result<ConvertedTensors> copyAsSafetensors(const ModelDescription& model,
                                           const TensorChoice& choice, ByteSink& sink) {
  ConvertedTensors report;
  STRATA_TRY(std::vector<PlainArray> arrays, allArrays(model, report.leftOut));
  STRATA_TRY(choose(model, choice, arrays, report.leftOut));
  std::stable_sort(arrays.begin(), arrays.end(), [](const PlainArray& a, const PlainArray& b) {
    return bitsPerElement(a.type) > bitsPerElement(b.type);
  });
  std::vector<ModelArray> rows;
  std::uint64_t dataBytes = 0;
  for (const PlainArray& array : arrays) {
    rows.push_back(rowsOf(array));
    dataBytes += rows.back().bytes.size();
  }
  STRATA_TRY(const auto made, modelOfArrays(rows, {.metadata = metadataOf(model)}));
  const FileBytes& file = made->description().files.front().bytes;
  std::vector<std::byte> header(static_cast<std::size_t>(file.size() - dataBytes));
  file.copy(0, header);
  STRATA_TRY(sink.append(header));
  for (const PlainArray& array : arrays) STRATA_TRY(writeRows(array, sink));
  report.tensorCount = arrays.size();
  report.byteCount = file.size();
  return report;
}

}  // namespace strata
