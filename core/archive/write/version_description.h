#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/archive/manifest.h"
#include "core/archive/read/restored_stream.h"
#include "core/archive/write/file_hasher.h"
#include "core/archive/write/part_encoder.h"
#include "core/archive/write/write_options.h"

namespace strata {

/// What the manifest of a version says, while the version is written. It says which tensors there
/// are, how each part is coded, what changed and was lost, and the digests. Files and sections come
/// from VersionCoding.
class VersionDescription {
 public:
  /// Begins to hash `original`, which a lossy version is made of, where the options want that.
  /// `model` is that, but for checksums of what is restored. All must outlive the description;
  /// `parent` may be null.
  VersionDescription(const ModelDescription& model, const ModelDescription& original,
                     const VersionReader* parent, const CodingOptions& coding,
                     const RecordOptions& record);

  Manifest& manifest() noexcept { return manifest_; }
  const Manifest& manifest() const noexcept { return manifest_; }

  /// Begins with the model's tensors. `plan` stays until finish().
  void describeTensors(const ModelPlan& plan);
  /// The next part, without its section, until the next one is added. All parts of a tensor follow
  /// each other.
  ManifestPart& addPart(const PartPlan& part, const EncodedPart& encoded);
  /// What a part of a tensor lost.
  void addError(std::size_t tensor, const QuantizationError& error);
  /// The rest, after all parts. `restored` has ended; null: of a sample, which restores to nothing.
  void finish(const RestoredStream* restored);

  /// Of all parts.
  const QuantizationError& error() const noexcept { return error_; }

 private:
  void addChange(const PartPlan& part, const std::optional<Change>& toParent);
  bool isLossy() const noexcept { return coding_.isLossy(); }
  float forPeople(double number) const;
  float changeForPeople(const Change& change) const;
  void finishTensor();
  void finishTensors(const RestoredStream* restored);
  void describeLoss();
  void addFormerLoss(const Manifest& former);
  void forgetLoss();
  void keepLoss(const Manifest& former);
  void setFileDigests(const std::vector<Digest>& digests);

  const ModelDescription& model_;
  const VersionReader* parent_;
  const CodingOptions& coding_;
  const RecordOptions& record_;
  std::optional<FileHasher> hasher_;  ///< of the model that a lossy version is made of
  QuantizationError error_;
  std::vector<QuantizationError> errors_;  ///< of each tensor of a lossy version
  Change change_;                          ///< of all weights with words in the parent
  const ModelPlan* plan_ = nullptr;
  std::size_t number_ = 0;   ///< of the tensor whose parts are added
  ManifestTensor tensor_;    ///< that, with the parts so far
  Change ofTensor_;          ///< of those
  bool hasParent_ = false;   ///< they have words to compare with
  bool hasWeights_ = false;  ///< beside the state of an optimizer
  Manifest manifest_;
};

}  // namespace strata
