#include "core/archive/write/restored_checksums.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <utility>

#include "core/archive/write/part_copies.h"
#include "core/crc32.h"
#include "core/parallel.h"

namespace strata {
namespace {

constexpr std::size_t kFieldBytes = sizeof(std::uint32_t);

/// Bytes of a file that a checksum is of.
struct CheckedRange {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t byteCount = 0;

  std::uint64_t end() const noexcept { return offset + byteCount; }
  friend auto operator<=>(const CheckedRange&, const CheckedRange&) = default;
};

CheckedRange rangeOf(const ChecksumField& field) noexcept {
  return {field.file, field.offset, field.byteCount};
}

/// Computes what ranges of a model's files will have as their checksum.
class RestoredChecksums {
 public:
  RestoredChecksums(const ModelDescription& model, const ModelPlan& plan,
                    const PartEncoder& encoder, std::span<const std::optional<LossyChoice>> choices)
      : model_(model), plan_(plan), encoder_(encoder), choices_(choices) {}

  /// Nothing for a range that is to stay as it is.
  Result<std::optional<std::uint32_t>> of(const CheckedRange& range) const {
    const auto tensors = tensorsIn(range);
    if (!tensors || std::ranges::none_of(*tensors, [&](std::uint32_t t) { return changes(t); })) {
      return std::optional<std::uint32_t>();
    }
    std::uint32_t sum = 0;
    std::uint64_t at = range.offset;
    for (const std::uint32_t t : *tensors) {
      const TensorInfo& tensor = model_.tensors[t];
      addBytes(range.file, at, tensor.offset, sum);
      at = tensor.offset + tensor.byteCount;
      if (changes(t)) {
        STRATA_TRY(addTensor(t, sum));
      } else {
        addBytes(range.file, tensor.offset, at, sum);
      }
    }
    addBytes(range.file, at, range.end(), sum);
    return std::optional(sum);
  }

  /// Whether a field is no part of a tensor.
  bool isFree(const ChecksumField& field) const {
    return !isInTensor(field.file, field.at) && !isInTensor(field.file, field.at + kFieldBytes - 1);
  }

 private:
  bool isInTensor(std::uint32_t file, std::uint64_t at) const {
    const auto behind = firstBehind(file, at);
    if (behind == 0) return false;
    const TensorInfo& tensor = model_.tensors[behind - 1];
    return tensor.file == file && at - tensor.offset < tensor.byteCount;
  }

  /// The first tensor that begins behind a byte of a file.
  std::size_t firstBehind(std::uint32_t file, std::uint64_t at) const {
    const auto position = std::pair(file, at);
    const auto found = std::ranges::partition_point(model_.tensors, [&](const TensorInfo& tensor) {
      return std::pair(tensor.file, tensor.offset) <= position;
    });
    return static_cast<std::size_t>(found - model_.tensors.begin());
  }

  /// Those whose bytes all lie in the range; nothing where one is cut.
  std::optional<std::vector<std::uint32_t>> tensorsIn(const CheckedRange& range) const {
    std::vector<std::uint32_t> found;
    std::size_t t = firstBehind(range.file, range.offset);
    if (t != 0) {
      const TensorInfo& before = model_.tensors[t - 1];
      if (before.file == range.file && before.offset == range.offset)
        --t;
      else if (isInTensor(range.file, range.offset))
        return std::nullopt;
    }
    for (; t < model_.tensors.size(); ++t) {
      const TensorInfo& tensor = model_.tensors[t];
      if (tensor.file != range.file || tensor.offset >= range.end()) break;
      if (tensor.offset + tensor.byteCount > range.end()) return std::nullopt;
      found.push_back(static_cast<std::uint32_t>(t));
    }
    return found;
  }

  std::span<const PartPlan> partsOf(std::uint32_t tensor) const {
    const auto begin = std::ranges::lower_bound(plan_.parts, tensor, {}, &PartPlan::tensor);
    const auto end = std::ranges::upper_bound(plan_.parts, tensor, {}, &PartPlan::tensor);
    return {begin, end};
  }

  const LossyChoice* choiceOf(const PartPlan& part) const {
    const auto& choice = choices_[part.tensor];
    return part.isIdentical || !choice ? nullptr : &*choice;
  }

  bool changes(std::uint32_t tensor) const {
    return std::ranges::any_of(partsOf(tensor), [&](const PartPlan& part) {
      if (isCopy(part)) return changes(originalOf(model_, part));
      return choiceOf(part) != nullptr;
    });
  }

  void addBytes(std::uint32_t file, std::uint64_t from, std::uint64_t to,
                std::uint32_t& sum) const {
    if (from >= to) return;
    model_.files[file].bytes.forEachRun(
        from, to, [&](std::span<const std::byte> bytes) { sum = crc32(bytes, sum); });
  }

  Result<std::vector<std::byte>> wordsOf(const PartPlan& part) const {
    if (isCopy(part)) {
      return wordsOfCopy(model_, plan_, part,
                         [&](const PartPlan& original) { return wordsOf(original); });
    }
    const LossyChoice* const choice = choiceOf(part);
    if (choice != nullptr) return encoder_.quantizedWords(part, *choice);
    return encoder_.words(part);
  }

  /// Part by part, or band by band where parts lie side by side.
  Result<void> addTensor(std::uint32_t index, std::uint32_t& sum) const {
    const TensorInfo& tensor = model_.tensors[index];
    const std::uint64_t columns = wordMatrix(tensor.type, tensor.shape, tensor.byteCount).columns;
    std::vector<std::byte> band;
    for (const PartPlan& part : partsOf(index)) {
      STRATA_TRY(const auto words, wordsOf(part));
      const PartLayout& at = part.layout;
      if (at.columnCount == columns) {
        sum = crc32(words, sum);
        continue;
      }
      const std::size_t word = part.shape().word.bytes;
      band.resize(at.rowCount * columns * word);
      for (std::uint64_t r = 0; r < at.rowCount; ++r) {
        std::memcpy(band.data() + (r * columns + at.firstColumn) * word,
                    words.data() + r * at.columnCount * word, at.columnCount * word);
      }
      if (at.firstColumn + at.columnCount == columns) sum = crc32(band, sum);
    }
    return {};
  }

  const ModelDescription& model_;
  const ModelPlan& plan_;
  const PartEncoder& encoder_;
  std::span<const std::optional<LossyChoice>> choices_;
};

std::array<std::byte, kFieldBytes> bytesOf(std::uint32_t sum) noexcept {
  std::array<std::byte, kFieldBytes> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(sum >> (8 * i));
  return bytes;
}

/// A file with other bytes in some places; `fields` are in their order.
FileBytes patched(const FileBytes& bytes, std::span<const PatchedField> fields) {
  std::vector<std::span<const std::byte>> runs;
  std::uint64_t at = 0;
  const auto copyTo = [&](std::uint64_t end) {
    if (at < end) bytes.forEachRun(at, end, [&](auto run) { runs.push_back(run); });
  };
  for (const PatchedField& field : fields) {
    if (field.at < at) continue;
    copyTo(field.at);
    runs.emplace_back(field.bytes);
    at = field.at + field.bytes.size();
  }
  copyTo(bytes.size());
  return FileBytes(runs);
}

}  // namespace

Result<std::unique_ptr<ChecksummedModel>> ChecksummedModel::make(
    const ModelSource& model, std::span<const ChecksumField> fields, const ModelPlan& plan,
    const PartEncoder& encoder, std::span<const std::optional<LossyChoice>> choices,
    const std::stop_token& stop) {
  const RestoredChecksums checksums(model.description(), plan, encoder, choices);
  std::vector<CheckedRange> ranges;
  for (const ChecksumField& field : fields) ranges.push_back(rangeOf(field));
  std::ranges::sort(ranges);
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  std::vector<std::optional<std::uint32_t>> sums(ranges.size());
  STRATA_TRY(parallelFor(ranges.size(), [&](std::size_t i) -> Result<void> {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(sums[i], checksums.of(ranges[i]));
    return {};
  }));
  std::vector<PatchedField> patches;
  for (const ChecksumField& field : fields) {
    const auto found = std::ranges::lower_bound(ranges, rangeOf(field));
    const auto& sum = sums[static_cast<std::size_t>(found - ranges.begin())];
    if (sum && checksums.isFree(field)) patches.push_back({field.file, field.at, bytesOf(*sum)});
  }
  std::unique_ptr<ChecksummedModel> out(new ChecksummedModel(model));
  out->patch(std::move(patches));
  return out;
}

void ChecksummedModel::patch(std::vector<PatchedField> fields) {
  patches_ = std::move(fields);
  std::ranges::sort(patches_, {}, [](const PatchedField& f) { return std::pair(f.file, f.at); });
  for (std::size_t from = 0; from < patches_.size();) {
    std::size_t to = from;
    while (to < patches_.size() && patches_[to].file == patches_[from].file) ++to;
    const std::uint32_t file = patches_[from].file;
    const auto ofFile = std::span<const PatchedField>(patches_).subspan(from, to - from);
    description_.files[file].bytes = patched(model_.description().files[file].bytes, ofFile);
    from = to;
  }
}

}  // namespace strata
