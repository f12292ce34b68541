#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/archive/piece_checksums.h"
#include "core/archive/write/part_plan.h"
#include "core/digest.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Takes the bytes of a file of a restored model, in order.
using RestoredSink = std::function<Result<void>(std::uint32_t file, std::uint64_t offset,
                                                std::span<const std::byte>)>;

/// The files of a model as its version restores them, put together from its parts as they are
/// coded: their digests, and the checksums of their pieces and of the tensors. What it takes from
/// the model's files itself, which may change meanwhile, has checksums to compare with.
class RestoredStream {
 public:
  /// `model` must outlive the stream; `sink` may be null.
  RestoredStream(const ModelDescription& model, RestoredSink sink);

  /// The next part in the order of the plan. `words` are its restored words, row by row; empty:
  /// those of the model, for a part that is the whole of its tensor. Fails as the sink does.
  Result<void> append(const PartPlan& part, std::span<const std::byte> words);

  /// What follows the last tensor. Call once, after all parts.
  Result<void> finish();

  /// After finish().
  const std::vector<Digest>& fileDigests() const noexcept { return fileDigests_; }
  /// By file, as the manifest has them: none for small files.
  const std::vector<std::vector<PieceChecksum>>& pieceChecksums() const noexcept {
    return pieceChecksums_;
  }
  const std::vector<std::uint64_t>& tensorChecksums() const noexcept { return checksums_; }
  /// By file: of the bytes outside of its tensors, as they were read here.
  const std::vector<std::uint64_t>& skeletonChecksums() const noexcept { return skeletons_; }

 private:
  Result<void> emit(std::span<const std::byte> bytes);
  Result<void> emitTensor(std::span<const std::byte> bytes);
  Result<void> emitModel(std::uint64_t end, Xxh3& checksum);
  Result<void> moveTo(std::uint32_t file, std::uint64_t offset);
  Result<void> appendBand(const PartPlan& part, std::uint64_t columns,
                          std::span<const std::byte> words);

  const ModelDescription& model_;
  RestoredSink sink_;
  std::uint32_t file_ = 0;
  std::uint64_t offset_ = 0;
  Sha256 hash_;
  PieceChecksums pieces_;
  Xxh3 checksum_;                 ///< of the current tensor
  Xxh3 skeleton_;                 ///< of the current file
  std::vector<std::byte> piece_;  ///< of a file of the model, held still
  std::vector<std::byte> band_;   ///< rows of which not all columns are there yet
  std::vector<Digest> fileDigests_;
  std::vector<std::vector<PieceChecksum>> pieceChecksums_;
  std::vector<std::uint64_t> checksums_;
  std::vector<std::uint64_t> skeletons_;
};

}  // namespace strata
