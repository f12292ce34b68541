#include "core/archive/read/restored_stream.h"

#include <algorithm>
#include <cstring>

namespace strata {
namespace {

/// Read at a time: little enough to stay in the cache from the copy to the hash.
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;

}  // namespace

RestoredStream::RestoredStream(const ModelDescription& model, RestoredSink sink)
    : model_(model), sink_(std::move(sink)), checksums_(model.tensors.size()) {}

Result<void> RestoredStream::emit(std::span<const std::byte> bytes) {
  if (bytes.empty()) return {};
  hash_.update(bytes);
  pieces_.update(bytes);
  if (sink_) STRATA_TRY(sink_(file_, offset_, bytes));
  offset_ += bytes.size();
  return {};
}

Result<void> RestoredStream::emitTensor(std::span<const std::byte> bytes) {
  checksum_.update(bytes);
  return emit(bytes);
}

/// The bytes of the model up to `end`: copied first, so that digest and checksum are of the same
/// ones.
Result<void> RestoredStream::emitModel(std::uint64_t end, Xxh3& checksum) {
  const FileBytes& bytes = model_.files[file_].bytes;
  while (offset_ < end) {
    piece_.resize(std::min<std::uint64_t>(kPieceBytes, end - offset_));
    bytes.copy(offset_, piece_);
    checksum.update(piece_);
    STRATA_TRY(emit(piece_));
  }
  return {};
}

/// Gives out what lies in front of a place: ends of files and gaps between tensors.
Result<void> RestoredStream::moveTo(std::uint32_t file, std::uint64_t offset) {
  while (file_ < file) {
    STRATA_TRY(emitModel(model_.files[file_].bytes.size(), skeleton_));
    skeletons_.push_back(skeleton_.finish());
    fileDigests_.push_back(hash_.finish());
    std::vector<PieceChecksum> pieces = pieces_.finish();
    if (offset_ < kLeastCheckedBytes) pieces.clear();
    pieceChecksums_.push_back(std::move(pieces));
    ++file_;
    offset_ = 0;
  }
  if (offset_ >= offset) return {};
  return emitModel(offset, skeleton_);
}

Result<void> RestoredStream::appendBand(const PartPlan& part, std::uint64_t columns,
                                        std::span<const std::byte> words) {
  const std::size_t word = part.shape().word.bytes;
  const PartLayout& at = part.layout;
  if (at.columnCount == columns) return emitTensor(words);
  band_.resize(at.rowCount * columns * word);
  for (std::uint64_t r = 0; r < at.rowCount; ++r) {
    std::memcpy(band_.data() + (r * columns + at.firstColumn) * word,
                words.data() + r * at.columnCount * word, at.columnCount * word);
  }
  if (at.firstColumn + at.columnCount != columns) return {};
  return emitTensor(band_);
}

Result<void> RestoredStream::append(const PartPlan& part, std::span<const std::byte> words) {
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  if (part.layout.firstRow == 0 && part.layout.firstColumn == 0) {
    STRATA_TRY(moveTo(tensor.file, tensor.offset));
  }
  STRATA_TRY(words.empty() ? emitModel(tensor.offset + tensor.byteCount, checksum_)
                           : appendBand(part, matrix.columns, words));
  const bool isLast = part.layout.firstRow + part.layout.rowCount == matrix.rows &&
                      part.layout.firstColumn + part.layout.columnCount == matrix.columns;
  if (isLast) checksums_[part.tensor] = checksum_.finish();
  return {};
}

Result<void> RestoredStream::finish() {
  return moveTo(static_cast<std::uint32_t>(model_.files.size()), 0);
}

}  // namespace strata
