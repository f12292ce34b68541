#include "core/archive/write/part_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/archive/detail/part_check.h"
#include "core/archive/write/part_loss.h"
#include "core/checked_math.h"
#include "core/codec/device/device_encoder.h"
#include "core/codec/exact/plain_codecs.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/words/cast.h"
#include "core/codec/words/extreme_words.h"
#include "core/codec/words/repeated_share.h"
#include "core/codec/words/word_buffer.h"
#include "core/digest.h"
#include "core/io/mapped_file.h"

namespace strata {
namespace {

/// Parts below this many words share tables with each other.
constexpr std::uint64_t kSmallWords = 1 << 16;
/// A delta is compared with coding the part alone if it is not at least this much smaller.
constexpr double kDoubtfulShare = 0.85;
/// The same of first moments, which are new for the most part.
constexpr double kDoubtfulMomentShare = 0.5;
/// Parts of so few bytes are tried with zstd whatever they hold.
constexpr std::size_t kShortBytes = 1 << 16;
/// Share of repeated words from which on zstd is tried on other floats.
constexpr double kManyRepeats = 0.1;
/// What a view takes in a manifest, about.
constexpr std::size_t kViewBytes = 12;
/// What the further views of a part take, about.
constexpr std::size_t kMoreViewBytes = 24;
/// A part that a step makes so many times smaller is not coded in another way, too.
constexpr std::size_t kSurelySmall = 16;
constexpr int kQuickLevel = 3;
constexpr int kMiddleLevel = 9;
constexpr int kSlowLevel = 19;
/// A quick level that loses by less than this part may win with a better one where words repeat.
constexpr std::size_t kNearDivisor = 10;
/// Bytes of equal tensors compared at a time.
constexpr std::size_t kComparedBytes = 4 << 20;

/// The smallest block that holds the whole part, or the largest there is.
unsigned blockLog2For(const PartShape& shape) noexcept {
  const auto whole = static_cast<unsigned>(std::bit_width(shape.wordCount() - 1));
  return std::clamp(whole, kMinBlockLog2, kMaxBlockLog2);
}

EncodedPart withoutParent(EncodedPart part) {
  part.ignoresParent = true;
  return part;
}

/// Whether the payload is larger than the words by more than headers explain: a codec that was
/// asked for and does not suit them.
bool hasGrown(const EncodeInput& input, const EncodedPart& part) {
  constexpr double kHeaderShare = 1.02;
  constexpr double kHeaderBytes = 512;
  return static_cast<double>(part.payload.size()) >
         kHeaderShare * static_cast<double>(input.words.size()) + kHeaderBytes;
}

/// Reads words of a contiguous view from word `first` on, cast to `type`.
Result<void> readRounded(const ByteSource& source, const PartView& view, std::uint64_t first,
                         ElementType type, std::span<std::byte> out) {
  const std::size_t wordBytes = wordFormat(view.type).bytes;
  std::vector<std::byte> words(out.size() / wordFormat(type).bytes * wordBytes);
  STRATA_TRY(source(view.file, view.offset + first * wordBytes, words));
  castWords(view.type, words, type, out);
  return {};
}

/// Memory for the parent's side of a part; each thread keeps its own from part to part.
WordBuffer<std::byte>& parentBuffer() {
  thread_local WordBuffer<std::byte> words;
  return words;
}

}  // namespace

std::size_t SmallPlan::byteCount() const noexcept {
  const auto bytesOf = [](const auto& list) { return list.size() * sizeof list[0]; };
  return sizeof *this + counts.byteCount() + bytesOf(delta.terms.rows) +
         bytesOf(delta.terms.columns) + delta.predictor.listBytes();
}

std::optional<ShortPlan> ShortPlan::of(const SmallPlan& plan) {
  const DeltaPlan& delta = plan.delta;
  if (!delta.predictor.isNone() || !delta.terms.rows.empty() || !delta.terms.columns.empty()) {
    return std::nullopt;
  }
  return ShortPlan{plan.checksum,
                   delta.tableBits,
                   delta.estimatedBits,
                   delta.codec,
                   static_cast<std::uint8_t>(delta.shift),
                   delta.terms.all};
}

SmallPlan ShortPlan::whole() const {
  SmallPlan plan;
  plan.checksum = checksum;
  plan.delta.tableBits = tableBits;
  plan.delta.estimatedBits = estimatedBits;
  plan.delta.codec = codec;
  plan.delta.shift = shift;
  plan.delta.terms.all = term;
  return plan;
}

bool PartEncoder::isSmall(const PartPlan& part) const noexcept {
  const bool wantsDelta = !wish_ || *wish_ == CodecId::Integer || *wish_ == CodecId::Xor;
  return part.view && !part.isIdentical && wantsDelta && deltaCodable(part.shape().word) &&
         part.shape().wordCount() < kSmallWords;
}

DeltaEffort PartEncoder::deltaEffort() const noexcept {
  return {.searchDecay = effort_ != Effort::Fast,
          .searchTerms = effort_ != Effort::Fast,
          .searchAdapters = effort_ != Effort::Fast,
          .searchLowRank = effort_ == Effort::Best,
          .searchPredictors = effort_ == Effort::Best,
          .countAll = effort_ != Effort::Fast};
}

ByteSource PartEncoder::sourceOf(const PartView& view) const {
  if (view.own) {
    return
        [this](std::uint32_t file, std::uint64_t offset, std::span<std::byte> out) -> Result<void> {
          model_.files[file].bytes.copy(offset, out);
          return {};
        };
  }
  return [this](std::uint32_t file, std::uint64_t offset, std::span<std::byte> out) {
    return parent_->read(file, offset, out);
  };
}

Result<Change> PartEncoder::confirmIdentical(const PartPlan& part, std::uint64_t checksum) const {
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const auto words = bytesOf(model_, tensor);
  const ByteSource source = sourceOf(*part.view);
  WordBuffer<std::byte>& piece = parentBuffer();
  Xxh3 found;
  bool isEqual = true;
  Change change;
  for (std::size_t at = 0; at < words.size(); at += kComparedBytes) {
    const auto theirs =
        piece.first(kComparedBytes).first(std::min(kComparedBytes, words.size() - at));
    if (part.view->type == tensor.type) {
      STRATA_TRY(source(part.view->file, part.view->offset + at, theirs));
    } else {
      STRATA_TRY(readRounded(source, *part.view, at / part.shape().word.bytes, part.type, theirs));
    }
    found.update(theirs);
    change.add(measureChange(tensor.type, theirs, theirs));
    isEqual = isEqual && std::memcmp(theirs.data(), words.data() + at, theirs.size()) == 0;
  }
  const bool isTheirs = found.finish() == checksum;
  if (isTheirs && isEqual) return change;
  if (isTheirs || part.view->own) {
    return changedWhileRead(model_.files[tensor.file].path, "tensor " + tensor.name);
  }
  return fail(ErrorCode::CorruptData,
              fmt::format("tensor {}: the parent's copy is not what its checksum says; "
                          "verify the parent",
                          tensor.name));
}

std::vector<std::byte> PartEncoder::words(const PartPlan& part) const {
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  WordBuffer<std::byte> buffer;
  const auto rows = rowsOf(bytesOf(model_, tensor), part.layout, wordFormat(tensor.type).bytes,
                           matrix.columns, buffer);
  return {rows.begin(), rows.end()};
}

/// The parent's side lies in the thread's buffer.
Result<PartEncoder::Loaded> PartEncoder::load(const PartPlan& part) const {
  Loaded out;
  out.words = words(part);
  out.input.shape = part.shape();
  out.input.words = out.words;
  if (!part.view) return out;
  const auto parent = parentBuffer().first(part.shape().byteCount());
  STRATA_TRY(gatherView(sourceOf(*part.view), *part.view, part.shape(), part.type, parent));
  out.input.parent = parent;
  return out;
}

Result<SmallPlan> PartEncoder::planSmall(const PartPlan& part) const {
  STRATA_TRY(const Loaded loaded, load(part));
  return planSmallDelta(loaded.input);
}

SmallPlan PartEncoder::planSmallDelta(const EncodeInput& input) const {
  SmallPlan plan{.delta = planDelta(input, deltaEffort(), wish_), .checksum = xxh3(input.words)};
  plan.counts = PackedCounts(plan.delta.counts);
  plan.delta.counts = ContextCounts(0);
  plan.delta.tables = {};
  return plan;
}

Result<EncodedPart> PartEncoder::encode(const PartPlan& part, const SmallPlan* known,
                                        const SharedTableChoice& shared) const {
  const TensorInfo& tensor = model_.tensors[part.tensor];
  STRATA_TRY(Loaded loaded, load(part));
  EncodeInput& input = loaded.input;
  if (known != nullptr && xxh3(loaded.words) != known->checksum) {
    return changedWhileRead(model_.files[tensor.file].path, "tensor " + tensor.name);
  }
  std::optional<EncodedPart> stepped;
  if (part.group != nullptr) {
    STRATA_TRY(stepped, encodeStep(part, loaded, shared));
    if (stepped && stepped->payload.size() * kSurelySmall < loaded.words.size()) {
      stepped->restored = std::move(loaded.words);
      return *std::move(stepped);
    }
  }
  EncodedPart out;
  if (part.view) {
    STRATA_TRY(out, encodeAgainst(part, input, known, shared));
    STRATA_TRY(out.change, changeOf(part, input.parent, input.words));
  } else {
    out = encodeAlone(part, input);
    if (part.sibling && out.codec == CodecId::Zstd && !wish_) {
      STRATA_TRY(trySibling(part, input, out));
    }
    if (triesCounterparts_ && part.counterpart && !out.usesSibling && !wish_) {
      STRATA_TRY(tryCounterpart(part, input, out));
    }
  }
  if (hasGrown(input, out))
    out = withoutParent({.codec = CodecId::Raw, .payload = encodeRaw(input), .change = out.change});
  if (out.codec != CodecId::Same) {
    if (auto verified = checkDecodes(input, input.words, out, shared.all); !verified) {
      if (out.usedDevice) {
        STRATA_TRY(queues_->giveUp("it encoded words wrongly"));
        return encode(part, known, shared);
      }
      return fail(verified.error().within("verifying tensor " + tensor.name));
    }
  }
  if (stepped && stepped->payload.size() + kMoreViewBytes < out.payload.size()) {
    out = *std::move(stepped);
  }
  out.restored = std::move(loaded.words);
  return out;
}

/// How far words are from the part's view. `parent` holds the view in the part's own type: where
/// the parent has another one, its own words are what `words` are compared with.
Result<Change> PartEncoder::changeOf(const PartPlan& part, std::span<const std::byte> parent,
                                     std::span<const std::byte> words) const {
  const PartView& view = *part.view;
  if (view.type == part.type || !canCast(view.type, part.type)) {
    return measureChange(part.type, parent, words);
  }
  const PartShape shape{wordFormat(view.type), part.shape().rows, part.shape().columns};
  std::vector<std::byte> own(shape.byteCount());
  STRATA_TRY(gatherView(sourceOf(view), view, shape, view.type, own));
  return measureChange({view.type, own}, {part.type, words});
}

Result<Change> PartEncoder::change(const PartPlan& part) const {
  STRATA_TRY(const Loaded loaded, load(part));
  if (!refuseExtremes(CodecId::Levels, loaded.input)) return Change{};
  return measureChange(part.type, loaded.input.parent, loaded.input.words);
}

Result<PartEncoder::Sides> PartEncoder::sides(const PartPlan& part,
                                              const TensorGradients& gradients) const {
  STRATA_TRY(const Loaded loaded, load(part));
  const EncodeInput& input = loaded.input;
  const TensorInfo& tensor = model_.tensors[part.tensor];
  const WordMatrix matrix = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  return Sides{valuesOf(input.shape, input.words), valuesOf(input.shape, input.parent),
               gradientsOf(gradients, part, matrix.columns)};
}

Result<EncodedPart> PartEncoder::encodeAgainst(const PartPlan& part, const EncodeInput& input,
                                               const SmallPlan* known,
                                               const SharedTableChoice& shared) const {
  const bool isEqual =
      std::memcmp(input.parent.data(), input.words.data(), input.words.size()) == 0;
  if (isEqual && !wish_) return EncodedPart{.codec = CodecId::Same};
  if (wish_ && !needsParent(*wish_)) return withoutParent(encodeAlone(part, input));
  EncodedPart out;
  if (!deltaCodable(input.shape.word)) {
    const bool isXor = wish_ == CodecId::Xor;
    out.codec = CodecId::Planes;
    out.payload = encodePlanes(input, isXor ? PlanesOf::Xor : PlanesOf::Difference);
  } else if (isSmall(part)) {
    out = encodeSmall(input, known != nullptr ? *known : planSmallDelta(input), shared);
  } else {
    STRATA_TRY(out, encodeLarge(input));
  }
  if (!wish_ && isFirstMoment(part) && !isSmall(part)) tryDecaying(input, out);
  const double share =
      static_cast<double>(out.payload.size()) / static_cast<double>(input.words.size());
  const double doubtful = isFirstMoment(part) ? kDoubtfulMomentShare : kDoubtfulShare;
  if (wish_ || share < doubtful) return out;
  EncodedPart alone = encodeAlone(part, {input.shape, input.words, {}});
  return alone.payload.size() < out.payload.size() ? withoutParent(std::move(alone)) : out;
}

EncodedPart PartEncoder::encodeSmall(const EncodeInput& input, SmallPlan small,
                                     const SharedTableChoice& shared) const {
  DeltaPlan& plan = small.delta;
  const bool isCounted = small.counts.alphabet() != 0;
  plan.counts = isCounted ? small.counts.unpacked() : countDelta(input, plan);
  const auto index = deltaAlphabet(input.shape.word) == 64 ? shared.narrow : shared.wide;
  const TableSet* tables = index ? shared.all[*index].get() : nullptr;
  constexpr double kNumberBits = 16;  // of the shared tables, in the payload
  if (tables != nullptr && tables->codedBits(plan.counts) + kNumberBits >= plan.tableBits) {
    tables = nullptr;
  }
  // A small part is counted whole, so these are the tables that it was planned with.
  if (tables == nullptr) plan.tables = buildTableSet(plan.counts);
  return {.codec = plan.codec, .payload = encodeDelta(input, plan, tables, index.value_or(0))};
}

Result<EncodedPart> PartEncoder::encodeLarge(const EncodeInput& input) const {
  DeviceQueues::Loan queue;
  if (queues_ != nullptr) {
    STRATA_TRY(queue, queues_->lend());
  }
  std::optional<DeviceEncoder> device;
  if (queue != nullptr) device.emplace(*queue, input);
  PlannedDelta planned =
      planAndEncodeDelta(input, deltaEffort(), wish_, device ? &*device : nullptr);
  if (device && device->fault() != kernels::DeviceFault::None) {
    STRATA_TRY(queues_->giveUp(kernels::describe(device->fault())));
  }
  return EncodedPart{.codec = planned.plan.codec,
                     .payload = std::move(planned.payload),
                     .usedDevice = device.has_value()};
}

/// Takes zstd frames where those are smaller. Slow levels are tried only where words repeat, which
/// a quick look tells.
void PartEncoder::tryFrames(const EncodeInput& alone, EncodedPart& best) const {
  const bool isShort = alone.words.size() <= kShortBytes;
  const bool looks = effort_ != Effort::Fast && !isShort;
  const bool repeats = looks && repeatedShare(alone.shape, alone.words) >= kManyRepeats;
  if (!isShort && !repeats && alone.shape.word.isFloat) return;
  const unsigned blockLog2 = repeats ? blockLog2For(alone.shape) : kMinBlockLog2;
  const std::size_t other = best.payload.size();
  const auto bytesAt = [&](int level) {
    auto frames = encodeZstd(alone, level, blockLog2);
    const std::size_t bytes = frames.size();
    if (bytes < best.payload.size()) {
      best = {.codec = CodecId::Zstd, .payload = std::move(frames)};
    }
    return bytes;
  };
  const std::size_t quick = bytesAt(kQuickLevel);
  const bool isNear = repeats && quick < other + other / kNearDivisor;
  if (effort_ == Effort::Fast || !(quick < other || isNear)) return;
  const std::size_t middle = bytesAt(kMiddleLevel);
  if (effort_ == Effort::Best && std::min(quick, middle) < other) bytesAt(kSlowLevel);
}

/// Where words repeat, those of a tensor of the same shape may be the same in other places, as in
/// the two halves of a Fourier transform.
Result<void> PartEncoder::trySibling(const PartPlan& part, EncodeInput& input,
                                     EncodedPart& best) const {
  const PartView sibling = siblingOf(model_, part);
  const auto words = parentBuffer().first(part.shape().byteCount());
  STRATA_TRY(gatherView(sourceOf(sibling), sibling, part.shape(), part.type, words));
  input.parent = words;
  const unsigned blockLog2 = blockLog2For(part.shape());
  for (const int level : {kQuickLevel, kMiddleLevel, kSlowLevel}) {
    if (level == kSlowLevel && effort_ != Effort::Best) break;
    auto frames = encodeZstdView(input, level, blockLog2);
    if (frames.size() + kViewBytes >= best.payload.size()) continue;
    best = {.codec = CodecId::ZstdView, .payload = std::move(frames), .usesSibling = true};
  }
  if (!best.usesSibling) input.parent = {};
  return {};
}

/// With tables of its own, so that others do not become larger by it.
Result<void> PartEncoder::tryCounterpart(const PartPlan& part, EncodeInput& input,
                                         EncodedPart& best) const {
  if (!deltaCodable(input.shape.word)) return {};
  const auto words = parentBuffer().first(part.shape().byteCount());
  STRATA_TRY(
      gatherView(sourceOf(*part.counterpart), *part.counterpart, part.shape(), part.type, words));
  input.parent = words;
  STRATA_TRY(EncodedPart delta, encodeLarge(input));
  if (delta.payload.size() + kViewBytes >= best.payload.size()) {
    input.parent = {};
    return {};
  }
  best = std::move(delta);
  best.usesCounterpart = true;
  best.change = measureChange(part.type, input.parent, input.words);
  return {};
}

EncodedPart PartEncoder::encodeAlone(const PartPlan& part, const EncodeInput& input) const {
  const EncodeInput alone{input.shape, input.words, {}};
  const int level = effort_ == Effort::Best ? 15 : kQuickLevel;
  if (wish_ == CodecId::Raw) return {.codec = CodecId::Raw, .payload = encodeRaw(alone)};
  if (wish_ == CodecId::Zstd) return {.codec = CodecId::Zstd, .payload = encodeZstd(alone, level)};
  EncodedPart best{.codec = CodecId::Planes, .payload = encodePlanes(alone, PlanesOf::Words)};
  if (!wish_ && isMoment(part)) trySized(alone, best);
  if (!wish_) tryFrames(alone, best);
  if (!wish_ && best.payload.size() > input.words.size()) {
    auto raw = encodeRaw(alone);
    if (raw.size() < best.payload.size()) {
      best = {.codec = CodecId::Raw, .payload = std::move(raw)};
    }
  }
  return best;
}

}  // namespace strata
