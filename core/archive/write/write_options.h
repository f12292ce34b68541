#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/read/restored_stream.h"
#include "core/archive/write/effort.h"
#include "core/archive/write/part_encoder.h"
#include "core/archive/write/part_plan.h"
#include "core/result.h"

namespace strata {

/// How the parts of a version are coded: what PartCoder reads.
struct CodingOptions {
  Effort effort = Effort::Default;
  std::string codec = "auto";               ///< a codec's name for all tensors that can take it
  std::uint64_t memoryBytes = 512'000'000;  ///< ceiling of working memory
  Device* device = nullptr;  ///< encodes large differences, quantizes; borrowed; null: the CPU
  const ModelPlan* plan = nullptr;  ///< of this model and parent, if it is known already
  /// The user named the parent: weights that are unlike its own of their name, shape and type are
  /// coded against them, too, where that takes fewer bytes.
  bool isBaseNamed = false;
  /// Tensors that one step of an optimizer ties together. Of exact versions alone.
  std::vector<StepGroup> stepGroups = {};
  /// How each tensor of the model is quantized; nothing: exactly. Empty: an exact version.
  std::vector<std::optional<LossyChoice>> lossy = {};

  bool isLossy() const noexcept { return !lossy.empty(); }
};

/// The codec that CodingOptions::codec names; nothing for "auto". Fails with InvalidArgument.
Result<std::optional<CodecId>> exactCodecFromName(std::string_view name);

/// What a version says of how it came about: what VersionDescription records.
struct RecordOptions {
  std::string profile = "exact";           ///< for people
  std::string lossySettings = {};          ///< of a lossy version: as TOML, for people
  std::vector<QualityScore> quality = {};  ///< of a lossy version: measured scores
  /// Content that `quality` was measured of: it is recorded of nothing else. Nothing: of any.
  std::optional<Digest> qualityOf = {};
  bool hashOriginal = true;  ///< of a lossy version: false where it is measured, not kept
  /// Of a lossy version: content that it is recorded to be made of, where the model is what another
  /// lossy version restores to. Nothing: the model's.
  std::optional<Digest> original = {};
  /// Of the stored version that the model was restored from: what it records of a loss stays
  /// recorded. Borrowed; null: the model is new.
  const Manifest* recoded = nullptr;
};

/// How a version is to be written.
struct WriteOptions : CodingOptions, RecordOptions {
  RestoredSink restored = {};  ///< takes the restored files of a lossy version
};

}  // namespace strata
