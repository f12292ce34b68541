#include "core/match/signature.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/codec/words/cast.h"
#include "core/match/detail/signature_records.h"
#include "core/match/detail/word_math.h"

namespace strata {
namespace {

using match::kSignatureSamples;
using Record = match::SignatureRecord;

struct Signature {
  std::vector<Record> records;
};

Result<Signature> parseSignature(std::string_view bytes) {
  STRATA_TRY(std::vector<Record> records, match::parseSignature(bytes));
  return Signature{std::move(records)};
}

/// What two weights must share to be compared: the size, either way round, and a type that can
/// stand in for the other.
std::uint32_t shapeKey(const Record& record) noexcept {
  const auto type = static_cast<ElementType>(record.type);
  const std::uint32_t kind = canCast(type, ElementType::F32) ? 255U : record.type;
  return kind << 16 | std::uint32_t{std::min(record.rowsLog2, record.columnsLog2)} << 8 |
         std::max(record.rowsLog2, record.columnsLog2);
}

struct Likeness {
  double bits = 64;        ///< mean difference of two samples
  double storedShare = 1;  ///< of the variant's bytes of this weight
};

WordFormat sampleFormat(ElementType type) noexcept {
  if (match::isPlainFloat(type)) return wordFormat(ElementType::F32);
  WordFormat format = wordFormat(type);
  format.bytes = std::min<std::uint32_t>(format.bytes, 4);
  return format;
}

/// Differences of samples, in bits: of f32 for floats, else of the words.
using Differences = std::array<std::uint32_t, kSignatureSamples>;

/// What a float's difference takes beyond its own bits: its place among classes of sizes. One of a
/// single unit in the last place has no bits but its sign.
double classBits(std::uint32_t own) noexcept {
  return 2 * (1 - std::exp2(1.0 - static_cast<double>(own)));
}

/// Bits of the word that tells which words changed: their entropy, with a share that is known from
/// few samples. Where each sample changed, as in f32, no word is told from others: the classes say
/// all.
double flagBits(std::size_t changed) noexcept {
  if (changed == kSignatureSamples) return 0;
  const double share = (static_cast<double>(changed) + 0.5) / (kSignatureSamples + 1.0);
  return -share * std::log2(share) - (1 - share) * std::log2(1 - share);
}

/// Bits of a float of the variant's own format, coded with the base's words known.
double storedFloatBits(const Differences& differences, WordFormat format) noexcept {
  const std::uint32_t finer = 23 - std::min<std::uint32_t>(format.mantissaBits, 23);
  const double coarser = std::max(static_cast<double>(format.mantissaBits) - 23, 0.0);
  std::size_t changed = 0;
  double bits = 0;
  for (const std::uint32_t difference : differences) {
    const std::uint32_t own = difference - std::min(difference, finer);
    if (own == 0) continue;
    ++changed;
    bits += own + coarser + classBits(own);
  }
  return flagBits(changed) + bits / kSignatureSamples;
}

constexpr double kExponentBits = 2.5;
double aloneBits(WordFormat format) noexcept { return 1 + format.mantissaBits + kExponentBits; }

double storedShareOf(const Differences& differences, ElementType type) noexcept {
  const WordFormat format = wordFormat(type);
  if (match::isPlainFloat(type)) {
    const double bits = storedFloatBits(differences, format);
    return std::min(bits, aloneBits(format)) / (8.0 * format.bytes);
  }
  double bits = 2;
  for (const std::uint32_t difference : differences) bits += difference / double{kSignatureSamples};
  return std::min(1.0, bits / (8.0 * format.bytes));
}

// Share that a weight without a like one costs: what `planes` usually leaves of it.
double aloneShare(const Record& record) noexcept {
  const auto type = static_cast<ElementType>(record.type);
  const WordFormat format = wordFormat(type);
  return match::isPlainFloat(type) ? aloneBits(format) / (8.0 * format.bytes) : 1;
}

/// Below this share of what a weight costs alone it has a like one …
constexpr double kClearly = 0.9;
/// … or one that is a part of another: many are compared, and few words may be alike by chance.
constexpr double kClearlyPart = 0.85;

bool isSame(const Record& variant, const Record& base) noexcept {
  return variant.contentHash == base.contentHash && variant.byteCount == base.byteCount;
}

/// The base's samples as a difference to them sees them: rounded to the variant's type.
std::array<std::uint32_t, kSignatureSamples> samplesFor(ElementType type,
                                                        const Record& base) noexcept {
  std::array<std::uint32_t, kSignatureSamples> samples = base.samples;
  const bool isRounded = static_cast<ElementType>(base.type) != type && type != ElementType::F32 &&
                         canCast(ElementType::F32, type);
  if (!isRounded) return samples;
  for (std::uint32_t& sample : samples) {
    sample = match::signatureSample(match::castWord(sample, ElementType::F32, type), type);
  }
  return samples;
}

Likeness compare(const Record& variant, const Record& base) noexcept {
  const auto type = static_cast<ElementType>(variant.type);
  if (isSame(variant, base)) return {0, 0};
  const WordFormat format = sampleFormat(type);
  const auto samples = samplesFor(type, base);
  Differences straight{};
  Differences swapped{};
  for (std::size_t i = 0; i < kSignatureSamples; ++i) {
    straight[i] = match::differenceBits(variant.samples[i], samples[i], format, 0);
    swapped[i] = match::differenceBits(variant.samples[i], samples[i ^ 1], format, 0);
  }
  const std::uint32_t straightBits = std::accumulate(straight.begin(), straight.end(), 0U);
  const std::uint32_t swappedBits = std::accumulate(swapped.begin(), swapped.end(), 0U);
  const double bits = static_cast<double>(std::min(straightBits, swappedBits)) / kSignatureSamples;
  // Weights of another type that are equal once they are rounded are rounded ones.
  constexpr double kRoundedShare = 0.01;
  if (bits == 0 && variant.type != base.type) return {0, kRoundedShare};
  return {bits, storedShareOf(straightBits <= swappedBits ? straight : swapped, type)};
}

/// The base's weights, found by what a variant's weight may share with them.
class BaseIndex {
 public:
  explicit BaseIndex(const Signature& base) {
    for (const Record& record : base.records) {
      byShape_[shapeKey(record)].push_back(&record);
      if (record.nameHash != 0) byName_[record.nameHash].push_back(&record);
      byContent_.emplace(record.contentHash, &record);
    }
  }

  Likeness best(const Record& variant) const {
    const auto same = byContent_.find(variant.contentHash);
    if (same != byContent_.end() && same->second->byteCount == variant.byteCount) return {0, 0};
    // A name that leads to a related weight is believed; the search would find the same.
    constexpr double kRelatedShare = 0.75;
    const auto named = byName_.find(variant.nameHash);
    if (variant.nameHash != 0 && named != byName_.end()) {
      const Likeness likeness = bestOf(variant, named->second);
      if (likeness.storedShare < kRelatedShare) return likeness;
    }
    const auto group = byShape_.find(shapeKey(variant));
    return group == byShape_.end() ? Likeness{} : bestOf(variant, group->second);
  }

 private:
  static Likeness bestOf(const Record& variant, std::span<const Record* const> records) {
    Likeness best;
    for (const Record* record : records) {
      if (shapeKey(*record) != shapeKey(variant)) continue;
      const Likeness likeness = compare(variant, *record);
      const bool isByChance =
          record->partOf != 0 && likeness.storedShare >= kClearlyPart * aloneShare(variant);
      if (likeness.bits < best.bits && !isByChance) best = likeness;
    }
    return best;
  }

  std::unordered_map<std::uint32_t, std::vector<const Record*>> byShape_;
  std::unordered_map<std::uint32_t, std::vector<const Record*>> byName_;
  std::unordered_map<std::uint64_t, const Record*> byContent_;
};

/// Lets parts speak for their weight where that has no like one.
void joinParts(std::span<const Record> records, std::span<Likeness> likest) {
  for (std::size_t first = 0; first < records.size();) {
    const Record& part = records[first];
    Likeness joined{0, 0};
    std::size_t end = first;
    for (; end < records.size() && records[end].partOf == part.partOf &&
           records[end].byteCount == part.byteCount;
         ++end) {
      joined.bits += likest[end].bits;
      joined.storedShare += likest[end].storedShare;
    }
    const auto count = static_cast<double>(end - first);
    first = end;
    if (part.partOf == 0) continue;
    const double alone = aloneShare(part);
    Likeness& whole = likest[part.partOf - 1];
    if (whole.storedShare < kClearly * alone) continue;
    if (joined.storedShare / count < kClearlyPart * alone) {
      whole = {joined.bits / count, joined.storedShare / count};
    }
  }
}

/// What all weights of a variant come to, given what the likest weight of a base is to each.
BaseRank summed(const Signature& variant, std::vector<Likeness> likest) {
  joinParts(variant.records, likest);
  BaseRank rank;
  double total = 0;
  double matched = 0;
  double stored = 0;
  for (std::size_t i = 0; i < variant.records.size(); ++i) {
    const Record& record = variant.records[i];
    if (record.partOf != 0) continue;
    const Likeness& likeness = likest[i];
    const auto bytes = static_cast<double>(record.byteCount);
    const double alone = aloneShare(record);
    total += bytes;
    if (likeness.storedShare < kClearly * alone) {
      matched += bytes;
      stored += bytes * likeness.storedShare;
    } else {
      stored += bytes * alone;
    }
  }
  // Weights beyond the largest ones are taken to fare as those did.
  if (total > 0) rank.matchedShare = matched / total;
  if (total > 0) rank.estimatedShare = stored / total;
  return rank;
}

BaseRank rankOf(const Signature& variant, const Signature& base) {
  const BaseIndex index(base);
  std::vector<Likeness> likest;
  for (const Record& record : variant.records) likest.push_back(index.best(record));
  return summed(variant, std::move(likest));
}

}  // namespace

Result<BaseRank> compareSignatures(std::string_view variant, std::string_view base) {
  STRATA_TRY(const Signature left, parseSignature(variant));
  STRATA_TRY(const Signature right, parseSignature(base));
  return rankOf(left, right);
}

/// The model's own weights, found by what a stored one may share with them: that is built once,
/// however many are screened.
struct SignatureRanker::Variant {
  Signature signature;
  std::unordered_multimap<std::uint64_t, std::size_t> byContent = {};
  std::unordered_multimap<std::uint32_t, std::size_t> byName = {};
};

SignatureRanker::SignatureRanker(std::unique_ptr<const Variant> variant)
    : variant_(std::move(variant)) {}
SignatureRanker::~SignatureRanker() = default;
SignatureRanker::SignatureRanker(SignatureRanker&&) noexcept = default;

Result<SignatureRanker> SignatureRanker::make(std::string_view variant) {
  STRATA_TRY(Signature signature, parseSignature(variant));
  auto indexed = std::make_unique<Variant>(Variant{std::move(signature)});
  const std::vector<Record>& records = indexed->signature.records;
  for (std::size_t i = 0; i < records.size(); ++i) {
    indexed->byContent.emplace(records[i].contentHash, i);
    if (records[i].nameHash != 0) indexed->byName.emplace(records[i].nameHash, i);
  }
  return SignatureRanker(std::move(indexed));
}

std::optional<BaseRank> SignatureRanker::rank(std::string_view base) const {
  const auto parsed = parseSignature(base);
  if (!parsed) return std::nullopt;
  return rankOf(variant_->signature, *parsed);
}

std::optional<BaseRank> SignatureRanker::screen(std::string_view base) const {
  const auto parsed = parseSignature(base);
  if (!parsed) return std::nullopt;
  const std::vector<Record>& own = variant_->signature.records;
  std::vector<Likeness> likest(own.size());
  for (const Record& record : parsed->records) {
    const auto [first, last] = variant_->byContent.equal_range(record.contentHash);
    for (auto at = first; at != last; ++at) {
      if (isSame(own[at->second], record)) likest[at->second] = {0, 0};
    }
    const auto [begin, end] = variant_->byName.equal_range(record.nameHash);
    for (auto at = begin; at != end; ++at) {
      const Record& variant = own[at->second];
      Likeness& best = likest[at->second];
      if (best.storedShare == 0 || shapeKey(variant) != shapeKey(record)) continue;
      const Likeness likeness = compare(variant, record);
      if (likeness.bits < best.bits) best = likeness;
    }
  }
  return summed(variant_->signature, std::move(likest));
}

}  // namespace strata
