#pragma once

#include <optional>
#include <vector>

#include "core/archive/change.h"
#include "core/archive/effort.h"
#include "core/archive/part_plan.h"
#include "core/codec/delta_codec.h"
#include "core/codec/lossy_codec.h"
#include "core/device/device_queues.h"

namespace strata {

/// Shared tables as they are written and used while a version is encoded.
struct SharedTableChoice {
  SharedTables all;
  std::optional<std::uint32_t> narrow;  ///< index of the one with 64 symbols
  std::optional<std::uint32_t> wide;    ///< 128 symbols
};

/// Gradients of a tensor's words, in their order.
struct TensorGradients {
  WordFormat word = {};
  std::span<const std::byte> words = {};  ///< empty: not known
  bool areSquares = false;
};

/// How one tensor is quantized. `settings` without what differs from part to part: gradients and
/// weights are those of the whole tensor, and each part gets its own.
struct LossyChoice {
  CodecId codec = CodecId::Levels;
  LossySettings settings = {};
  TensorGradients gradients = {};
};

/// How far restored words are from the model's. Sums over several parts add up.
struct QuantizationError {
  double errorSquares = 0;   ///< sum of (restored - word)^2
  double changeSquares = 0;  ///< sum of (word - parent)^2; without a parent of word^2

  void add(const QuantizationError& other) noexcept {
    errorSquares += other.errorSquares;
    changeSquares += other.changeSquares;
  }
  /// L2 norm of the error / of the change; 0 where nothing changed.
  float relative() const noexcept;
};

struct EncodedPart {
  CodecId codec = CodecId::Raw;
  std::vector<std::byte> payload = {};   ///< empty for `same`
  std::optional<Change> change = {};     ///< against the parent, where there is one
  bool ignoresParent = false;            ///< it was smaller without: the part has no view
  bool usedDevice = false;               ///< a GPU took part
  std::vector<std::byte> restored = {};  ///< quantized parts: what they decode to
  QuantizationError error = {};
};

/// Encodes the parts of one model. Safe to use from several threads.
class PartEncoder {
 public:
  /// `wish` limits the codec where a part can take it. `queues` lend a GPU for large differences
  /// and for patterns; null: the CPU does all. The views are kept.
  PartEncoder(const ModelDescription& model, const VersionReader* parent, Effort effort,
              std::optional<CodecId> wish, DeviceQueues* queues = nullptr)
      : model_(model), parent_(parent), effort_(effort), wish_(wish), queues_(queues) {}

  /// Whether the part's tables are to be shared with those of other small parts.
  bool isSmall(const PartPlan& part) const noexcept;

  /// The settings of a small part, so that its symbols can be counted before it is encoded.
  Result<DeltaPlan> planSmall(const PartPlan& part) const;

  /// Compares a part that is the same by checksum with its view, word by word: checksums only
  /// propose. Fails with CorruptData where they differ, which tells of a damaged parent.
  Result<void> confirmIdentical(const PartPlan& part) const;

  /// Encodes a part, decodes it again and compares. `known` is the plan of a small part. What a GPU
  /// could not encode, or encoded wrongly, the CPU encodes.
  /// Fails with Internal if what was decoded differs from what went in, with Device where a GPU was
  /// insisted on and fails.
  Result<EncodedPart> encode(const PartPlan& part, const DeltaPlan* known,
                             const SharedTableChoice& shared) const;

  /// How far a part is from its view's words.
  Result<Change> change(const PartPlan& part) const;

  /// The values of a part's words, of its parent's (zeros where it has none) and of `gradients`,
  /// those of its tensor, without their signs.
  struct Sides {
    std::vector<float> words;
    std::vector<float> parent;
    std::vector<float> gradients;
  };
  Result<Sides> sides(const PartPlan& part, const TensorGradients& gradients) const;

  /// Quantizes a part instead, decodes it again and compares that with what the codec promised.
  /// Fails as encodeLossy does: with InvalidArgument for words that cannot be quantized.
  Result<EncodedPart> quantize(const PartPlan& part, const LossyChoice& choice) const;

 private:
  struct Words;
  Result<EncodeInput> load(const PartPlan& part) const;
  ByteSource sourceOf(const PartView& view) const;
  DeltaEffort deltaEffort() const noexcept;
  Result<EncodedPart> encodeAgainst(const EncodeInput& input, const DeltaPlan* known,
                                    const SharedTableChoice& shared) const;
  EncodedPart encodeSmall(const EncodeInput& input, const DeltaPlan& plan,
                          const SharedTableChoice& shared) const;
  Result<LossyPart> encodeLossyPart(const LossyChoice& choice, const EncodeInput& input) const;
  Result<EncodedPart> encodeLarge(const EncodeInput& input) const;
  EncodedPart encodeAlone(const EncodeInput& input) const;

  const ModelDescription& model_;
  const VersionReader* parent_;
  Effort effort_;
  std::optional<CodecId> wish_;
  DeviceQueues* queues_;
};

}  // namespace strata
