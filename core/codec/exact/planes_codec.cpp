#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/codec/device/device_form.h"
#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/frequency_table.h"
#include "core/codec/entropy/rans_block.h"
#include "core/codec/exact/plain_codecs.h"

namespace strata {
namespace {

constexpr std::size_t kMaxPlanes = 8;
constexpr std::size_t kPieceWords = 4096;  // a multiple of the lanes

enum class PlaneMode : std::uint8_t { Constant = 0, Raw = 1, Coded = 2 };

struct Plane {
  PlaneMode mode = PlaneMode::Raw;
  std::uint8_t value = 0;
  FrequencyTable table;
  std::vector<std::uint32_t> slots;
};

std::uint64_t wordAt(const std::byte* from, std::size_t bytes) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, from, bytes);
  return word;
}

/// Word arithmetic on `bytes`-byte words held in 64 bits.
class Ring {
 public:
  explicit Ring(const WordFormat& format) : format_(format), shift_(64 - 8 * format.bytes) {}

  /// Zigzag of the difference, its sign relative to the parent's.
  std::uint64_t difference(std::uint64_t parent, std::uint64_t word) const noexcept {
    std::uint64_t d = ordered(word) - ordered(parent);
    if (isNegative(parent)) d = 0 - d;
    const std::uint64_t z = zigzag(static_cast<std::int64_t>(d << shift_) >> shift_);
    return z << shift_ >> shift_;
  }
  std::uint64_t moved(std::uint64_t parent, std::uint64_t z) const noexcept {
    auto d = static_cast<std::uint64_t>(unzigzag(z));
    if (isNegative(parent)) d = 0 - d;
    const std::uint64_t sum = (ordered(parent) + d) << shift_ >> shift_;
    return ordered(sum) << shift_ >> shift_;
  }

 private:
  bool isNegative(std::uint64_t word) const noexcept {
    return format_.isFloat && (word << shift_ >> 63) != 0;
  }
  /// Its own inverse: flips the magnitude of negative words.
  std::uint64_t ordered(std::uint64_t word) const noexcept {
    return isNegative(word) ? word ^ (~std::uint64_t{0} >> (shift_ + 1)) : word;
  }

  WordFormat format_;
  unsigned shift_;
};

/// Replaces words by their difference to the parent, or back.
class Difference {
 public:
  Difference(const WordFormat& format, PlanesOf what)
      : bytes_(format.bytes), ring_(format), what_(what) {}

  void take(const std::byte* parent, std::byte* words, std::size_t count) const noexcept {
    each(parent, words, count, [&](std::uint64_t p, std::uint64_t w) {
      return what_ == PlanesOf::Xor ? p ^ w : ring_.difference(p, w);
    });
  }
  void undo(const std::byte* parent, std::byte* words, std::size_t count) const noexcept {
    each(parent, words, count, [&](std::uint64_t p, std::uint64_t w) {
      return what_ == PlanesOf::Xor ? p ^ w : ring_.moved(p, w);
    });
  }

 private:
  template <typename Map>
  void each(const std::byte* parent, std::byte* words, std::size_t count,
            Map&& map) const noexcept {
    for (std::size_t i = 0; i < count; ++i, parent += bytes_, words += bytes_) {
      const std::uint64_t word = map(wordAt(parent, bytes_), wordAt(words, bytes_));
      std::memcpy(words, &word, bytes_);
    }
  }

  std::size_t bytes_;
  Ring ring_;
  PlanesOf what_;
};

bool rotates(const PartShape& shape, PlanesOf what) {
  return what == PlanesOf::Words && shape.word.isFloat;
}

/// Splits words piece by piece into whole planes.
std::vector<std::vector<std::uint8_t>> splitAll(const EncodeInput& input, PlanesOf what) {
  const std::size_t bytes = input.shape.word.bytes;
  const std::size_t count = input.words.size() / bytes;
  std::vector<std::vector<std::uint8_t>> planes(bytes, std::vector<std::uint8_t>(count));
  const Difference difference(input.shape.word, what);
  alignas(64) std::byte piece[kPieceWords * kMaxPlanes];
  for (std::size_t at = 0; at < count; at += kPieceWords) {
    const std::size_t n = std::min(kPieceWords, count - at);
    std::memcpy(piece, input.words.data() + at * bytes, n * bytes);
    if (what != PlanesOf::Words) difference.take(input.parent.data() + at * bytes, piece, n);
    std::array<std::uint8_t*, kMaxPlanes> to{};
    for (std::size_t p = 0; p < bytes; ++p) to[p] = planes[p].data() + at;
    kernels::bestKernels().splitPlanes(piece, bytes, n, rotates(input.shape, what), to.data());
  }
  return planes;
}

Plane choosePlane(std::span<const std::uint8_t> values) {
  std::array<std::array<std::uint32_t, kMaxAlphabet>, 4> partial{};
  for (std::size_t i = 0; i < values.size(); ++i) ++partial[i % 4][values[i]];
  std::array<std::uint32_t, kMaxAlphabet> counts{};
  for (std::size_t s = 0; s < counts.size(); ++s) {
    counts[s] = partial[0][s] + partial[1][s] + partial[2][s] + partial[3][s];
  }
  Plane plane;
  if (!values.empty() && counts[values[0]] == values.size()) {
    plane.mode = PlaneMode::Constant;
    plane.value = values[0];
    return plane;
  }
  FrequencyTable table = normalise(counts);
  ByteWriter written;
  writeTables(written, {&table, 1});
  const double bytes = codedBits(counts, table) / 8 + static_cast<double>(written.size()) + 16;
  if (bytes < 0.985 * static_cast<double>(values.size())) {
    plane.mode = PlaneMode::Coded;
    plane.table = std::move(table);
  }
  return plane;
}

void appendCoded(std::span<const std::uint8_t> values, RansScratch& scratch,
                 std::span<const kernels::RansEncoderEntry> entries, std::vector<std::byte>& out) {
  const std::size_t at = out.size();
  out.resize(at + sizeof(std::uint32_t));
  appendSymbolStream(entries, values, lanesFor(values.size()), scratch, out);
  const auto n = static_cast<std::uint32_t>(out.size() - at - sizeof(std::uint32_t));
  std::memcpy(out.data() + at, &n, sizeof n);
}

class PlanesDecoder final : public PartDecoder {
 public:
  PlanesDecoder(const PartShape& shape, PlanesOf what, std::vector<Plane> planes, BlockIndex index)
      : shape_(shape),
        what_(what),
        difference_(shape.word, what),
        planes_(std::move(planes)),
        index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& from,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    std::array<Source, kMaxPlanes> sources;
    if (!openSources(index, count, sources)) {
      return fail(ErrorCode::CorruptData, fmt::format("planes of block {} are damaged", index));
    }
    for (std::size_t at = 0; at < count; at += kPieceWords) {
      decodePiece(sources, at, std::min(kPieceWords, count - at), from.parent, out);
    }
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      if (planes_[p].mode == PlaneMode::Coded && !endedClean(sources[p].decoder)) {
        return fail(ErrorCode::CorruptData, fmt::format("block {} does not end cleanly", index));
      }
    }
    return index_.check(index, out);
  }

  const BlockIndex* deviceBlocks() const noexcept override { return &index_; }

  kernels::DevicePart deviceForm(DeviceInput& input) const override {
    kernels::DevicePart part =
        deviceFormOf(shape_, kernels::DeviceCoding::Planes, what_ != PlanesOf::Words);
    part.planes.meaning = static_cast<kernels::PlaneMeaning>(what_);
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      part.planes.sources[p] = static_cast<kernels::PlaneSource>(planes_[p].mode);
      part.planes.constants[p] = planes_[p].value;
      part.planes.tablesAt[p] = input.addIfAny(std::span(planes_[p].slots));
    }
    return part;
  }

 private:
  /// Where the bytes of one plane of a block come from.
  struct Source {
    std::span<const std::byte> raw;
    kernels::RansDecoder decoder{};
  };

  bool openSources(std::uint64_t index, std::size_t count,
                   std::array<Source, kMaxPlanes>& sources) const {
    ByteReader in(index_.block(index));
    for (std::size_t p = 0; p < planes_.size(); ++p) {
      if (planes_[p].mode == PlaneMode::Raw) {
        sources[p].raw = in.bytes(count);
      } else if (planes_[p].mode == PlaneMode::Coded) {
        const auto stream = in.bytes(in.fixed<std::uint32_t>());
        const auto decoder = openRansStream(stream, lanesFor(count));
        if (!decoder) return false;
        sources[p].decoder = *decoder;
      }
    }
    return !in.failed() && in.rest().empty();
  }

  void decodePiece(std::array<Source, kMaxPlanes>& sources, std::size_t at, std::size_t n,
                   std::span<const std::byte> parent, std::span<std::byte> out) const {
    const std::size_t bytes = shape_.word.bytes;
    alignas(64) std::uint8_t decoded[kMaxPlanes][kPieceWords];
    alignas(64) std::byte words[kPieceWords * kMaxPlanes];
    std::array<const std::uint8_t*, kMaxPlanes> from{};
    for (std::size_t p = 0; p < bytes; ++p) {
      from[p] = decoded[p];
      if (planes_[p].mode == PlaneMode::Constant) {
        std::memset(decoded[p], planes_[p].value, n);
      } else if (planes_[p].mode == PlaneMode::Coded) {
        kernels::bestKernels().decodeSymbols(sources[p].decoder, planes_[p].slots.data(), n,
                                             decoded[p]);
      } else {
        from[p] = reinterpret_cast<const std::uint8_t*>(sources[p].raw.data()) + at;
      }
    }
    std::byte* const to = out.data() + at * bytes;
    const bool isAligned = reinterpret_cast<std::uintptr_t>(to) % bytes == 0;
    std::byte* const joined = isAligned ? to : words;
    kernels::bestKernels().joinPlanes(from.data(), bytes, n, rotates(shape_, what_), joined);
    if (what_ != PlanesOf::Words) difference_.undo(parent.data() + at * bytes, joined, n);
    if (!isAligned) std::memcpy(to, words, n * bytes);
  }

  PartShape shape_;
  PlanesOf what_;
  Difference difference_;
  std::vector<Plane> planes_;
  BlockIndex index_;
};

Result<Plane> readPlane(ByteReader& in) {
  Plane plane;
  const std::uint8_t mode = in.byte();
  if (in.failed() || mode > 2) return fail(ErrorCode::CorruptData, "plane mode is damaged");
  plane.mode = static_cast<PlaneMode>(mode);
  if (plane.mode == PlaneMode::Constant) plane.value = in.byte();
  if (plane.mode == PlaneMode::Coded) {
    auto tables = readTables(in, 1, kMaxAlphabet);
    if (!tables) return fail(ErrorCode::CorruptData, "frequency table of a plane is damaged");
    plane.slots = decoderTable(*tables);
  }
  return plane;
}

}  // namespace

std::vector<std::byte> encodePlanes(const EncodeInput& input, PlanesOf what) {
  const auto values = splitAll(input, what);
  std::vector<Plane> planes;
  std::vector<std::vector<kernels::RansEncoderEntry>> entries;
  ByteWriter out;
  out.byte(static_cast<std::uint8_t>(what));
  for (const auto& plane : values) {
    planes.push_back(choosePlane(plane));
    entries.push_back(encoderTable({&planes.back().table, 1}));
    out.byte(static_cast<std::uint8_t>(planes.back().mode));
    if (planes.back().mode == PlaneMode::Constant) out.byte(planes.back().value);
    if (planes.back().mode == PlaneMode::Coded) writeTables(out, {&planes.back().table, 1});
  }
  BlockIndexWriter index(kMinBlockLog2);
  RansScratch scratch;
  std::size_t at = 0;
  forEachBlock(input, kMinBlockLog2, [&](std::span<const std::byte> words, auto) {
    const std::size_t n = words.size() / input.shape.word.bytes;
    for (std::size_t p = 0; p < planes.size(); ++p) {
      const auto part = std::span(values[p]).subspan(at, n);
      if (planes[p].mode == PlaneMode::Coded) {
        appendCoded(part, scratch, entries[p], index.blocks());
      } else if (planes[p].mode == PlaneMode::Raw) {
        const auto raw = std::as_bytes(part);
        index.blocks().insert(index.blocks().end(), raw.begin(), raw.end());
      }
    }
    index.endBlock(words);
    at += n;
  });
  index.write(out);
  return out.take();
}

Result<std::unique_ptr<PartDecoder>> openPlanes(const PartShape& shape,
                                                std::span<const std::byte> payload,
                                                bool hasParent) {
  ByteReader in(payload);
  const std::uint8_t what = in.byte();
  if (in.failed() || what > 2 || (what != 0 && !hasParent)) {
    return fail(ErrorCode::CorruptData, "kind of planes is damaged");
  }
  std::vector<Plane> planes;
  for (std::size_t p = 0; p < shape.word.bytes; ++p) {
    STRATA_TRY(Plane plane, readPlane(in));
    planes.push_back(std::move(plane));
  }
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<PlanesDecoder>(shape, static_cast<PlanesOf>(what), std::move(planes),
                                         std::move(index));
}

}  // namespace strata
