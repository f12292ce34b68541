#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/archive/objects.h"
#include "core/archive/read/restored_stream.h"
#include "core/archive/read/version_reader.h"
#include "core/archive/write/effort.h"
#include "core/archive/write/part_encoder.h"
#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"

namespace strata {

/// How a version is to be coded.
struct WriteOptions {
  Effort effort = Effort::Default;
  std::string profile = "exact";            ///< recorded, for people
  std::string codec = "auto";               ///< a codec's name for all tensors that can take it
  std::uint64_t memoryBytes = 512'000'000;  ///< ceiling of working memory
  Device* device = nullptr;  ///< encodes large differences, quantizes; borrowed; null: the CPU

  /// How each tensor of the model is quantized; nothing: exactly. Empty: an exact version.
  std::vector<std::optional<LossyChoice>> lossy = {};
  std::string lossySettings = {};          ///< as TOML, recorded for people
  std::vector<QualityScore> quality = {};  ///< measured scores, recorded
  /// Content that `quality` was measured of: it is recorded of nothing else. Nothing: of any.
  std::optional<Digest> qualityOf = {};
  /// Tensors that one step of an optimizer ties together. Of exact versions alone.
  std::vector<StepGroup> stepGroups = {};
  const ModelPlan* plan = nullptr;  ///< of this model and parent, if it is known already
  /// The user named the parent: weights that are unlike its own of their name, shape and type are
  /// coded against them, too, where that takes fewer bytes.
  bool isBaseNamed = false;
  bool hashOriginal = true;  ///< of a lossy version: false where it is measured, not kept
  /// Of a lossy version: content that it is recorded to be made of, where the model is what another
  /// lossy version restores to. Nothing: the model's.
  std::optional<Digest> original = {};
  RestoredSink restored = {};  ///< takes the restored files of a lossy version
  /// Of the stored version that the model was restored from: what it records of a loss stays
  /// recorded. Borrowed; null: the model is new.
  const Manifest* recoded = nullptr;
  /// `plan` holds some of the model's parts only: they are coded for their figures, nothing that
  /// could be read comes of it, and `objects` has to be one that discards.
  bool isSample = false;
};

/// What became of one version. Bytes stored count packs and manifest.
struct WriteReport {
  Digest manifestDigest;
  Digest contentDigest;
  std::uint64_t originalBytes = 0;
  std::uint64_t storedBytes = 0;
  std::uint64_t packBytes = 0;  ///< of those
  Manifest manifest;
  QuantizationError error = {};             ///< of the quantized tensors
  std::vector<std::string> keptExact = {};  ///< tensors that could not be quantized as wished
  std::vector<QuantizationError> partErrors = {};  ///< of a sample: of each part of its plan
};

/// The codec that WriteOptions::codec names; nothing for "auto". Fails with InvalidArgument.
Result<std::optional<CodecId>> exactCodecFromName(std::string_view name);

/// Writes `model` as packs and a manifest to `objects`, as a delta to `parent` where there is one
/// and that is smaller: exactly, or quantized as options.lossy says. Every section is decoded again
/// and compared with the model before the manifest is written; nothing is committed before that.
/// The digests are those of what the sections decode to.
///
/// The bytes written are the same for any number of threads.
/// Fails with Cancelled, NoSpace, Io (also where the model changed meanwhile), LimitExceeded, with
/// Internal if a section does not decode to what was put in, and with Device where a GPU was
/// insisted on and cannot do it.
Result<WriteReport> writeVersion(const ModelSource& model,
                                 std::shared_ptr<const VersionReader> parent,
                                 const WriteOptions& options, ObjectWriter& objects,
                                 std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
