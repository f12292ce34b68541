#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/write/change.h"
#include "core/archive/write/effort.h"
#include "core/archive/write/part_plan.h"
#include "core/codec/exact/delta_codec.h"
#include "core/codec/lossy/lossy_codec.h"
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
  /// Of a first moment: the words of its second one, of the same shape, and their type. Borrowed.
  std::span<const std::byte> secondMoment = {};
  ElementType secondType = ElementType::F32;
  /// Of moments that codec `levels` quantizes: says of each word of a part whether it is kept (1)
  /// or becomes 0.
  std::function<Result<void>(const PartPlan&, std::span<std::uint8_t>)> keep = {};
  std::string refusal = {};  ///< why the tensor stays exact although its rules ask for a codec
};

/// How far restored words are from the model's. Sums over several parts add up.
struct QuantizationError {
  double errorSquares = 0;   ///< sum of (restored - word)^2
  double changeSquares = 0;  ///< sum of (word - parent)^2
  /// The same of words without a counterpart in the base, whose change is all that they are.
  double newErrorSquares = 0;
  double newSquares = 0;

  void add(const QuantizationError& other) noexcept {
    errorSquares += other.errorSquares;
    changeSquares += other.changeSquares;
    newErrorSquares += other.newErrorSquares;
    newSquares += other.newSquares;
  }
  /// L2 norm of the error / of the change. New words count only where nothing else changed: they
  /// are no difference to the base, and their norm would hide what the others lost.
  float relative() const noexcept;
};

struct EncodedPart {
  CodecId codec = CodecId::Raw;
  std::vector<std::byte> payload = {};   ///< empty for `same`
  std::optional<Change> change = {};     ///< against the parent, where there is one
  std::optional<Change> toBase = {};     ///< against the part's counterpart, where it has one
  bool ignoresParent = false;            ///< it was smaller without: the part has no view
  bool usesSibling = false;              ///< the part's view is that of its sibling
  bool usesCounterpart = false;          ///< the part's view is that of its counterpart
  std::size_t stepSources = 0;           ///< the part's views are so many of its step's
  bool usedDevice = false;               ///< a GPU took part
  std::vector<std::byte> restored = {};  ///< what it decodes to
  QuantizationError error = {};
};

/// The settings of a small part, found before it is encoded, in little memory: a model may have
/// many such parts.
struct SmallPlan {
  DeltaPlan delta;             ///< without counts and tables
  PackedCounts counts = {};    ///< may be lost: they are taken again then
  std::uint64_t checksum = 0;  ///< of the words that it was found for

  /// What keeping it takes, about.
  std::size_t byteCount() const noexcept;
};

/// A small plan without predictor, terms and counts, in a tenth of its memory.
struct ShortPlan {
  /// Nothing where the plan has a predictor or terms.
  static std::optional<ShortPlan> of(const SmallPlan& plan);
  SmallPlan whole() const;

  std::uint64_t checksum = 0;
  double tableBits = 0;
  double estimatedBits = 0;
  CodecId codec = CodecId::Integer;
  std::uint8_t shift = 0;
  decltype(ScaleTerms::all) term = {};  ///< of all words
};

/// Whether an error of PartEncoder::quantize() says that the words cannot be quantized as wished.
bool isRefusal(const Error& error) noexcept;

/// Encodes the parts of one model. Each call works on a copy of the part's words, because the
/// model's files may change at any time: what is planned, encoded and compared are the same bytes.
/// Safe to use from several threads.
class PartEncoder {
 public:
  /// `wish` limits the codec where a part can take it. `queues` lend a GPU for large differences
  /// and for patterns; null: the CPU does all. The views are kept.
  PartEncoder(const ModelDescription& model, const VersionReader* parent, Effort effort,
              std::optional<CodecId> wish, DeviceQueues* queues = nullptr)
      : model_(model), parent_(parent), effort_(effort), wish_(wish), queues_(queues) {}

  /// Whether the part's tables are to be shared with those of other small parts.
  bool isSmall(const PartPlan& part) const noexcept;

  /// From here on what is coded without a parent is coded against its counterpart where that is
  /// smaller.
  void tryCounterparts() noexcept { triesCounterparts_ = true; }

  /// The settings of a small part, so that its symbols can be counted before it is encoded.
  Result<SmallPlan> planSmall(const PartPlan& part) const;

  /// Compares a part that is the same by checksum with its view, word by word: checksums only
  /// propose. `checksum` is the one of the part's tensor. Fails with CorruptData where the view has
  /// another one, which tells of a damaged parent, and with Io where the model changed. Returns a
  /// change of nothing, over these words.
  Result<Change> confirmIdentical(const PartPlan& part, std::uint64_t checksum) const;

  /// Encodes a part, decodes it again and compares. `known` is the plan of a small part; null: it
  /// is planned now, with the same bytes. What a GPU could not encode, or encoded wrongly, the CPU
  /// encodes.
  /// Fails with Internal if what was decoded differs from what went in, with Device where a GPU was
  /// insisted on and fails, and with Io where the words are not those of `known`.
  Result<EncodedPart> encode(const PartPlan& part, const SmallPlan* known,
                             const SharedTableChoice& shared) const;

  /// How far words that a part restores to are from its counterpart; nothing where it has none.
  Result<std::optional<Change>> changeToBase(const PartPlan& part,
                                             std::span<const std::byte> words) const;
  /// What a part loses that restores to `restored` and is no copy of the base's words.
  Result<QuantizationError> lossOf(const PartPlan& part, std::span<const std::byte> restored) const;

  /// How far a part is from its view's words; nothing of a part that lossy codecs leave to exact
  /// ones (core/codec/words/extreme_words.h), so that it does not set the step sizes of the others.
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

  /// The part's words as they are now.
  std::vector<std::byte> words(const PartPlan& part) const;
  /// What a part restores to if it is to be quantized: its words where it cannot be.
  Result<std::vector<std::byte>> quantizedWords(const PartPlan& part,
                                                const LossyChoice& choice) const;

 private:
  /// A copy of a part's words, and views of both sides, which a copy of this would not have.
  struct Loaded {
    Loaded() = default;
    Loaded(Loaded&&) = default;
    Loaded& operator=(Loaded&&) = default;

    std::vector<std::byte> words;
    EncodeInput input;
  };
  Result<Loaded> load(const PartPlan& part) const;
  /// The words of the part's counterpart; empty where it has none.
  Result<std::vector<std::byte>> counterpartOf(const PartPlan& part) const;
  ByteSource sourceOf(const PartView& view) const;
  Result<Change> changeOf(const PartPlan& part, std::span<const std::byte> parent,
                          std::span<const std::byte> words) const;
  DeltaEffort deltaEffort() const noexcept;
  SmallPlan planSmallDelta(const EncodeInput& input) const;
  Result<EncodedPart> encodeAgainst(const PartPlan& part, const EncodeInput& input,
                                    const SmallPlan* known, const SharedTableChoice& shared) const;
  EncodedPart encodeSmall(const EncodeInput& input, SmallPlan plan,
                          const SharedTableChoice& shared) const;
  Result<LossyPart> encodeLossyPart(const LossyChoice& choice, const EncodeInput& input) const;
  Result<EncodedPart> quantizeMoments(const PartPlan& part, const LossyChoice& choice) const;
  Result<EncodedPart> encodeLarge(const EncodeInput& input) const;
  Result<std::vector<std::vector<std::byte>>> loadStepSources(const PartPlan& part) const;
  Result<std::optional<EncodedPart>> encodeStep(const PartPlan& part, const Loaded& loaded,
                                                const SharedTableChoice& shared) const;
  void tryFrames(const EncodeInput& alone, EncodedPart& best) const;
  void trySized(const EncodeInput& alone, EncodedPart& best) const;
  bool isFirstMoment(const PartPlan& part) const noexcept;
  bool isMoment(const PartPlan& part) const noexcept;
  void tryDecaying(const EncodeInput& input, EncodedPart& best) const;
  EncodedPart encodeAlone(const PartPlan& part, const EncodeInput& input) const;
  Result<void> trySibling(const PartPlan& part, EncodeInput& input, EncodedPart& best) const;
  Result<void> tryCounterpart(const PartPlan& part, EncodeInput& input, EncodedPart& best) const;

  const ModelDescription& model_;
  bool triesCounterparts_ = false;
  const VersionReader* parent_;
  Effort effort_;
  std::optional<CodecId> wish_;
  DeviceQueues* queues_;
};

}  // namespace strata
