#include "core/match/detail/signature_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "core/digest.h"
#include "core/match/detail/name_path.h"
#include "core/match/matcher.h"
#include "core/match/signature.h"

namespace strata {
namespace match {
namespace {

constexpr std::array<char, 8> kMagic{'S', 'T', 'R', 'S', 'I', 'G', '0', '1'};
constexpr std::size_t kMaxRecords = 200;
constexpr std::size_t kHashedWindows = 8;
constexpr std::size_t kWindowBytes = 256;
/// Records that are about parts: of the largest weights that may be several in one.
constexpr std::size_t kMaxPartRecords = 80;
/// Such a weight is cut in two and in three along its longer side, as merged ones are. Small and
/// slender ones are no such weights.
constexpr std::array<std::uint64_t, 2> kPartCounts{2, 3};
constexpr std::uint64_t kMostSlender = 8;
constexpr std::uint64_t kLeastPartLines = 64;
/// One of three dimensions is a stack of matrices, as experts are, of which the first ones count.
constexpr std::uint64_t kMostSlices = 8;

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t recordCount = 0;
  std::uint32_t reserved = 0;
};

static_assert(std::endian::native == std::endian::little);
static_assert(sizeof(Header) == 16 && sizeof(SignatureRecord) == 24 + 4 * kSignatureSamples);

/// Words of a tensor: all of them, or a rectangle.
struct WordArea {
  std::span<const std::byte> bytes;  ///< of the tensor
  ElementType type = ElementType::Bytes;
  WordMatrix size;  ///< of the area
  std::uint64_t firstWord = 0;
  std::uint64_t stride = 0;  ///< words from one row to the next
  bool isPart = false;

  std::uint32_t wordBytes() const noexcept { return wordFormat(type).bytes; }
  /// Of a whole tensor also those beyond whole words.
  std::uint64_t byteCount() const noexcept {
    return isPart ? size.rows * size.columns * wordBytes() : bytes.size();
  }
  Word word(std::uint64_t row, std::uint64_t column) const noexcept {
    return loadWord(bytes, firstWord + row * stride + column, wordBytes());
  }
  /// Of the rows one after the other.
  std::byte byteAt(std::uint64_t index) const noexcept {
    const std::uint64_t word = index / wordBytes();
    const std::uint64_t at = firstWord + word / size.columns * stride + word % size.columns;
    return bytes[at * wordBytes() + index % wordBytes()];
  }
};

WordArea wholeOf(const ModelDescription& model, const TensorInfo& tensor) {
  const WordMatrix size = wordMatrix(tensor.type, tensor.shape, tensor.byteCount);
  return {bytesOf(model, tensor), tensor.type, size, 0, size.columns};
}

/// The parts that a weight would have been merged from.
std::vector<WordArea> partsOf(const WordArea& whole) {
  std::vector<WordArea> parts;
  const auto [rows, columns] = whole.size;
  const bool byRows = rows >= columns;
  const std::uint64_t lines = byRows ? rows : columns;
  const std::uint64_t others = byRows ? columns : rows;
  if (!elementIsWord(whole.type) || lines / kMostSlender > others) return parts;
  for (const std::uint64_t count : kPartCounts) {
    const std::uint64_t each = lines / count;
    if (lines % count != 0 || each < kLeastPartLines || others < kLeastPartLines) continue;
    for (std::uint64_t i = 0; i < count; ++i) {
      WordArea part = whole;
      part.isPart = true;
      (byRows ? part.size.rows : part.size.columns) = each;
      part.firstWord = i * each * (byRows ? whole.stride : 1);
      parts.push_back(part);
    }
  }
  return parts;
}

/// The matrices that a weight may be a stack of.
std::vector<WordArea> slicesOf(const WordArea& whole, const TensorInfo& tensor) {
  std::vector<WordArea> slices;
  if (tensor.shape.size() < 3 || !elementIsWord(whole.type)) return slices;
  const std::uint64_t rows = tensor.shape[1];
  const bool isStack = whole.size.rows == tensor.shape[0] && whole.size.rows > 1 &&
                       rows >= kLeastPartLines && whole.size.columns % rows == 0 &&
                       whole.size.columns / rows >= kLeastPartLines;
  if (!isStack) return slices;
  for (std::uint64_t i = 0; i < std::min(whole.size.rows, kMostSlices); ++i) {
    WordArea slice = whole;
    slice.isPart = true;
    slice.size = {rows, whole.size.columns / rows};
    slice.firstWord = i * whole.size.columns;
    slice.stride = slice.size.columns;
    slices.push_back(slice);
  }
  return slices;
}

std::uint32_t nameHashOf(const TensorInfo& tensor) {
  std::uint64_t key = NamePath::ofPlace(tensor.place.view()).key();
  if (const std::uint64_t byName = NamePath::ofName(tensor.name).key(); byName != 0) {
    key = byName;
  }
  return static_cast<std::uint32_t>(key >> 32);
}

std::uint64_t contentHashOf(const WordArea& area) {
  std::array<std::byte, kHashedWindows * kWindowBytes> windows{};
  const std::uint64_t byteCount = area.byteCount();
  const std::uint64_t hashed = std::min<std::uint64_t>(byteCount, windows.size());
  const std::uint64_t step = byteCount <= windows.size()
                                 ? kWindowBytes
                                 : (byteCount - kWindowBytes) / (kHashedWindows - 1);
  for (std::uint64_t i = 0; i < hashed; ++i) {
    windows[i] = area.byteAt(i / kWindowBytes * step + i % kWindowBytes);
  }
  return xxh3(std::span(windows).first(hashed));
}

/// Share of the way along rows or columns for sample `i`, in 1/65536.
std::uint64_t sampleShare(std::size_t i, bool alongRows) noexcept {
  const bool first = alongRows == (i % 2 == 0);
  const std::uint64_t seed = 2 * (i / 2) + (first ? 1 : 2);
  return (seed * 0x9E3779B97F4A7C15ULL) >> 48;
}

SignatureRecord recordOf(const WordArea& area) {
  SignatureRecord record;
  record.byteCount = area.byteCount();
  record.contentHash = contentHashOf(area);
  record.type = static_cast<std::uint8_t>(area.type);
  record.rowsLog2 = static_cast<std::uint8_t>(std::bit_width(area.size.rows) - 1);
  record.columnsLog2 = static_cast<std::uint8_t>(std::bit_width(area.size.columns) - 1);
  for (std::size_t i = 0; i < kSignatureSamples; ++i) {
    // Multiplied in halves, as 2^n * share may not fit.
    const auto place = [](std::uint32_t log2, std::uint64_t share) {
      return log2 >= 16 ? share << (log2 - 16) : share >> (16 - log2);
    };
    const std::uint64_t row = place(record.rowsLog2, sampleShare(i, true));
    const std::uint64_t column = place(record.columnsLog2, sampleShare(i, false));
    record.samples[i] = signatureSample(area.word(row, column), area.type);
  }
  return record;
}

}  // namespace

std::uint32_t signatureSample(Word word, ElementType type) noexcept {
  if (!isPlainFloat(type)) return static_cast<std::uint32_t>(word);
  return std::bit_cast<std::uint32_t>(toFloat(word, type));
}

Result<std::vector<SignatureRecord>> parseSignature(std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof header) {
    return fail(ErrorCode::CorruptData, fmt::format("signature is {} bytes, expected at least {}",
                                                    bytes.size(), sizeof header));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) {
    return fail(ErrorCode::CorruptData, "signature does not start with STRSIG01");
  }
  const std::size_t expected =
      sizeof header + std::size_t{header.recordCount} * sizeof(SignatureRecord);
  if (header.recordCount > kMaxRecords || bytes.size() != expected) {
    return fail(ErrorCode::CorruptData, fmt::format("signature of {} weights is {} bytes, not {}",
                                                    header.recordCount, bytes.size(), expected));
  }
  std::vector<SignatureRecord> records(header.recordCount);
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::memcpy(&records[i], bytes.data() + sizeof header + i * sizeof(SignatureRecord),
                sizeof(SignatureRecord));
  }
  for (std::size_t i = 0; i < records.size(); ++i) {
    const SignatureRecord& record = records[i];
    if (record.partOf > i) {
      return fail(
          ErrorCode::CorruptData,
          fmt::format("signature has a part of weight {} as number {}", record.partOf, i + 1));
    }
    if (!elementTypeFromStored(record.type) || record.rowsLog2 > 63 || record.columnsLog2 > 63) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("signature names type {} and size 2^{} x 2^{}", record.type,
                              record.rowsLog2, record.columnsLog2));
    }
  }
  return records;
}

}  // namespace match

std::string makeSignature(const ModelDescription& model) {
  using namespace match;
  std::vector<std::size_t> largest;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    if (model.tensors[i].byteCount < wordFormat(model.tensors[i].type).bytes) continue;
    largest.push_back(i);
  }
  std::stable_sort(largest.begin(), largest.end(), [&](std::size_t a, std::size_t b) {
    return model.tensors[a].byteCount > model.tensors[b].byteCount;
  });
  std::vector<SignatureRecord> wholes;
  std::vector<SignatureRecord> parts;
  for (const std::size_t index : largest) {
    if (wholes.size() + parts.size() >= kMaxRecords) break;
    const WordArea whole = wholeOf(model, model.tensors[index]);
    wholes.push_back(recordOf(whole));
    wholes.back().nameHash = nameHashOf(model.tensors[index]);
    std::vector<WordArea> areas = slicesOf(whole, model.tensors[index]);
    if (areas.empty()) areas = partsOf(whole);
    if (parts.size() + areas.size() > kMaxPartRecords) continue;
    if (wholes.size() + parts.size() + areas.size() > kMaxRecords) continue;
    for (const WordArea& area : areas) {
      parts.push_back(recordOf(area));
      parts.back().partOf = static_cast<std::uint8_t>(wholes.size());
    }
  }
  Header header;
  header.recordCount = static_cast<std::uint32_t>(wholes.size() + parts.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  for (const std::vector<SignatureRecord>* records : {&wholes, &parts}) {
    bytes.append(reinterpret_cast<const char*>(records->data()),
                 records->size() * sizeof(SignatureRecord));
  }
  return bytes;
}

}  // namespace strata
