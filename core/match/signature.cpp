#include "core/match/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "core/codec/cast.h"
#include "core/digest.h"
#include "core/match/detail/name_path.h"
#include "core/match/detail/word_math.h"
#include "core/match/matcher.h"

namespace strata {
namespace {

using match::Word;

constexpr std::array<char, 8> kMagic{'S', 'T', 'R', 'S', 'I', 'G', '0', '1'};
constexpr std::size_t kMaxRecords = 200;
/// Places come in pairs: (f, g) and (g, f) of the way along rows and columns, so that a transposed
/// copy holds the same words with each pair swapped.
constexpr std::size_t kSamples = 12;
constexpr std::size_t kHashedWindows = 8;
constexpr std::size_t kWindowBytes = 256;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t recordCount = 0;
  std::uint32_t reserved = 0;
};

struct Record {
  std::uint64_t byteCount = 0;
  std::uint64_t contentHash = 0;  ///< of some windows, not of all bytes
  std::uint32_t nameHash = 0;     ///< 0: the name tells nothing
  std::uint8_t type = 0;
  std::uint8_t rowsLog2 = 0;  ///< rounded down; samples lie in the leading 2^n rows and columns
  std::uint8_t columnsLog2 = 0;
  std::uint8_t reserved = 0;
  std::array<std::uint32_t, kSamples> samples{};  ///< as f32, or the low bits of integers
};

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(Header) == 16 && sizeof(Record) == 24 + 4 * kSamples);

std::uint32_t nameHashOf(const TensorInfo& tensor) {
  std::uint64_t key = match::NamePath::ofPlace(tensor.place).key();
  if (const std::uint64_t byName = match::NamePath::ofName(tensor.name).key(); byName != 0) {
    key = byName;
  }
  return static_cast<std::uint32_t>(key >> 32);
}

std::uint64_t contentHashOf(std::span<const std::byte> bytes) {
  std::array<std::byte, kHashedWindows * kWindowBytes> windows{};
  if (bytes.size() <= windows.size()) return xxh3(bytes);
  const std::size_t step = (bytes.size() - kWindowBytes) / (kHashedWindows - 1);
  for (std::size_t i = 0; i < kHashedWindows; ++i) {
    std::memcpy(windows.data() + i * kWindowBytes, bytes.data() + i * step, kWindowBytes);
  }
  return xxh3(windows);
}

std::uint32_t sampleOf(Word word, ElementType type) noexcept {
  if (!match::isPlainFloat(type)) return static_cast<std::uint32_t>(word);
  return std::bit_cast<std::uint32_t>(match::toFloat(word, type));
}

/// Share of the way along rows or columns for sample `i`, in 1/65536.
std::uint64_t sampleShare(std::size_t i, bool alongRows) noexcept {
  const bool first = alongRows == (i % 2 == 0);
  const std::uint64_t seed = 2 * (i / 2) + (first ? 1 : 2);
  return (seed * 0x9E3779B97F4A7C15ULL) >> 48;
}

Record recordOf(const TensorInfo& tensor, std::span<const std::byte> bytes) {
  const auto [rows, columns] = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  const std::uint32_t wordBytes = wordFormat(tensor.type).bytes;
  Record record;
  record.byteCount = tensor.byteCount;
  record.contentHash = contentHashOf(bytes);
  record.nameHash = nameHashOf(tensor);
  record.type = static_cast<std::uint8_t>(tensor.type);
  record.rowsLog2 = static_cast<std::uint8_t>(std::bit_width(rows) - 1);
  record.columnsLog2 = static_cast<std::uint8_t>(std::bit_width(columns) - 1);
  for (std::size_t i = 0; i < kSamples; ++i) {
    // Multiplied in halves, as 2^n * share may not fit.
    const auto place = [](std::uint32_t log2, std::uint64_t share) {
      return log2 >= 16 ? share << (log2 - 16) : share >> (16 - log2);
    };
    const std::uint64_t row = place(record.rowsLog2, sampleShare(i, true));
    const std::uint64_t column = place(record.columnsLog2, sampleShare(i, false));
    record.samples[i] =
        sampleOf(match::loadWord(bytes, row * columns + column, wordBytes), tensor.type);
  }
  return record;
}

struct Signature {
  std::vector<Record> records;
};

Result<Signature> parseSignature(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) {
    return fail(ErrorCode::CorruptData, fmt::format("signature is {} bytes, expected at least {}",
                                                    bytes.size(), sizeof header));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) {
    return fail(ErrorCode::CorruptData, "signature does not start with STRSIG01");
  }
  const std::size_t expected = sizeof header + std::size_t{header.recordCount} * sizeof(Record);
  if (header.recordCount > kMaxRecords || bytes.size() != expected) {
    return fail(ErrorCode::CorruptData, fmt::format("signature of {} weights is {} bytes, not {}",
                                                    header.recordCount, bytes.size(), expected));
  }
  Signature signature{std::vector<Record>(header.recordCount)};
  for (std::size_t i = 0; i < signature.records.size(); ++i) {
    std::memcpy(&signature.records[i], bytes.data() + sizeof header + i * sizeof(Record),
                sizeof(Record));
  }
  for (const Record& record : signature.records) {
    if (!elementTypeFromStored(record.type) || record.rowsLog2 > 63 || record.columnsLog2 > 63) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("signature names type {} and size 2^{} x 2^{}", record.type,
                              record.rowsLog2, record.columnsLog2));
    }
  }
  return signature;
}

/// What two weights must share to be compared: the size, either way round, and the kind of type.
std::uint32_t shapeKey(const Record& record) noexcept {
  const auto type = static_cast<ElementType>(record.type);
  const std::uint32_t kind = match::isPlainFloat(type) ? 255U : record.type;
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

// f32 bits of difference as what the variant's own format would code them in.
double storedShareOf(double bits, ElementType type) noexcept {
  const WordFormat format = wordFormat(type);
  if (!match::isPlainFloat(type)) return std::min(1.0, (bits + 2) / (8.0 * format.bytes));
  constexpr double kClassBits = 2;
  constexpr double kExponentBits = 2.5;
  const double own = bits + (format.mantissaBits - 23.0);
  const double alone = 1 + format.mantissaBits + kExponentBits;
  const double packed = alone / (8.0 * format.bytes);
  return packed * std::min(1.0, (std::max(own, 0.0) + kClassBits) / alone);
}

bool isSame(const Record& variant, const Record& base) noexcept {
  return variant.contentHash == base.contentHash && variant.byteCount == base.byteCount;
}

/// The base's samples as a difference to them sees them: rounded to the variant's type.
std::array<std::uint32_t, kSamples> samplesFor(ElementType type, const Record& base) noexcept {
  std::array<std::uint32_t, kSamples> samples = base.samples;
  const bool isRounded = static_cast<ElementType>(base.type) != type && type != ElementType::F32 &&
                         canCast(ElementType::F32, type);
  if (!isRounded) return samples;
  for (std::uint32_t& sample : samples) {
    sample = sampleOf(match::castWord(sample, ElementType::F32, type), type);
  }
  return samples;
}

Likeness compare(const Record& variant, const Record& base) noexcept {
  const auto type = static_cast<ElementType>(variant.type);
  if (isSame(variant, base)) return {0, 0};
  const WordFormat format = sampleFormat(type);
  const auto samples = samplesFor(type, base);
  std::uint32_t straight = 0;
  std::uint32_t swapped = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    straight += match::differenceBits(variant.samples[i], samples[i], format, 0);
    swapped += match::differenceBits(variant.samples[i], samples[i ^ 1], format, 0);
  }
  const double bits = static_cast<double>(std::min(straight, swapped)) / kSamples;
  // Weights of another type that are equal once they are rounded are rounded ones.
  constexpr double kRoundedShare = 0.01;
  if (bits == 0 && variant.type != base.type) return {0, kRoundedShare};
  return {bits, storedShareOf(bits, type)};
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
      if (likeness.bits < best.bits) best = likeness;
    }
    return best;
  }

  std::unordered_map<std::uint32_t, std::vector<const Record*>> byShape_;
  std::unordered_map<std::uint32_t, std::vector<const Record*>> byName_;
  std::unordered_map<std::uint64_t, const Record*> byContent_;
};

// Share that a weight without a like one costs: what `planes` usually leaves of it.
double aloneShare(const Record& record) noexcept {
  return storedShareOf(64, static_cast<ElementType>(record.type));
}

/// What all weights of a variant come to, given what the likest weight of a base is to each.
BaseRank summed(const Signature& variant, std::span<const Likeness> likest) {
  BaseRank rank{0, 0, 1};
  double total = 0;
  double matched = 0;
  double stored = 0;
  double distance = 0;
  for (std::size_t i = 0; i < variant.records.size(); ++i) {
    const Record& record = variant.records[i];
    const Likeness& likeness = likest[i];
    const auto bytes = static_cast<double>(record.byteCount);
    const double alone = aloneShare(record);
    total += bytes;
    constexpr double kClearly = 0.9;
    if (likeness.storedShare < kClearly * alone) {
      matched += bytes;
      distance += bytes * std::min(likeness.bits, 32.0);
      stored += bytes * likeness.storedShare;
    } else {
      stored += bytes * alone;
    }
  }
  // Weights beyond the largest ones are taken to fare as those did.
  if (total > 0) rank.matchedShare = matched / total;
  if (total > 0) rank.estimatedShare = stored / total;
  if (matched > 0) rank.bitDistance = distance / matched;
  return rank;
}

BaseRank rankOf(const Signature& variant, const Signature& base) {
  const BaseIndex index(base);
  std::vector<Likeness> likest;
  for (const Record& record : variant.records) likest.push_back(index.best(record));
  return summed(variant, likest);
}

}  // namespace

std::string makeSignature(const ModelDescription& model) {
  std::vector<std::size_t> largest;
  Header header;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    if (model.tensors[i].byteCount < wordFormat(model.tensors[i].type).bytes) continue;
    largest.push_back(i);
  }
  std::stable_sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
    return model.tensors[a].byteCount > model.tensors[b].byteCount;
  });
  if (largest.size() > kMaxRecords) largest.resize(kMaxRecords);
  header.recordCount = static_cast<std::uint32_t>(largest.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const std::size_t index : largest) {
    const TensorInfo& tensor = model.tensors[index];
    const Record record =
        recordOf(tensor, model.files[tensor.file].bytes.subspan(tensor.offset, tensor.byteCount));
    bytes.append(reinterpret_cast<const char*>(&record), sizeof record);
  }
  return bytes;
}

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
  return summed(variant_->signature, likest);
}

}  // namespace strata
