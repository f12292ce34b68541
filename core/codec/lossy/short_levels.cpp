#include "core/codec/lossy/short_levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/codec/entropy/block_index.h"
#include "core/codec/entropy/byte_io.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/predictor.h"
#include "core/codec/words/bfloat.h"

namespace strata {
namespace {

constexpr unsigned kBlockLog2 = 20;
constexpr unsigned kMostParameter = 15;
/// A quotient that is not coded: the number itself follows in so many bits.
constexpr unsigned kEscape = 16;
constexpr unsigned kEscapedBits = 22;
static_assert(2 * kMostLevelMagnitude < 1 << kEscapedBits);

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::CorruptData, fmt::format("{} of a level payload is damaged", what));
}

std::uint32_t folded(std::int32_t level) { return static_cast<std::uint32_t>(zigzag(level)); }

std::uint64_t bitsOf(std::span<const std::int32_t> levels, unsigned parameter) {
  std::uint64_t bits = 0;
  for (const std::int32_t level : levels) {
    const std::uint32_t quotient = folded(level) >> parameter;
    bits += quotient < kEscape ? quotient + 1 + parameter : kEscape + kEscapedBits;
  }
  return bits;
}

unsigned bestParameter(std::span<const std::int32_t> levels) {
  unsigned best = 0;
  for (unsigned k = 1; k <= kMostParameter; ++k) {
    if (bitsOf(levels, k) < bitsOf(levels, best)) best = k;
  }
  return best;
}

void write(BitWriter& out, std::int32_t level, unsigned parameter) {
  const std::uint32_t number = folded(level);
  const std::uint32_t quotient = number >> parameter;
  if (quotient >= kEscape) {
    out.bits((1U << kEscape) - 1, kEscape);
    out.bits(number, kEscapedBits);
    return;
  }
  out.bits((1U << quotient) - 1, quotient + 1);
  out.bits(number & ((1U << parameter) - 1), parameter);
}

std::int32_t read(BitReader& in, unsigned parameter) {
  std::uint32_t quotient = 0;
  while (quotient < kEscape && in.bits(1) != 0) ++quotient;
  const std::uint32_t number =
      quotient == kEscape ? in.bits(kEscapedBits) : quotient << parameter | in.bits(parameter);
  return static_cast<std::int32_t>(unzigzag(number));
}

/// values[i] += levels[i] * step, and the words of that.
void restore(const PartShape& shape, std::span<const std::int32_t> levels, float step,
             std::span<float> values, std::span<std::byte> out) {
  LevelTable table;
  table.step = step;
  kernels::bestKernels().addLevels(values.data(),
                                   reinterpret_cast<const std::uint32_t*>(levels.data()),
                                   table.view(), values.size());
  narrowWords(*predictableKind(shape.word), values, out);
}

class ShortLevelsDecoder final : public PartDecoder {
 public:
  ShortLevelsDecoder(const PartShape& shape, float step, unsigned parameter, BlockIndex index)
      : shape_(shape), step_(step), parameter_(parameter), index_(std::move(index)) {}

  std::uint64_t blockWords() const noexcept override { return index_.blockWords(); }

  Result<void> decodeBlock(std::uint64_t index, const BlockSources& sources,
                           std::span<std::byte> out) const override {
    const auto count = static_cast<std::size_t>(index_.wordsIn(index));
    std::vector<float> values(count, 0.0F);
    if (!sources.parent.empty())
      widenWords(*predictableKind(shape_.word), sources.parent, values.data());
    BitReader bits(index_.block(index));
    std::vector<std::int32_t> levels(count);
    for (std::int32_t& level : levels) level = read(bits, parameter_);
    if (bits.failed() || !bits.endedClean()) return damaged("size of a block");
    restore(shape_, levels, step_, values, out);
    return index_.check(index, out);
  }

 private:
  PartShape shape_;
  float step_;
  unsigned parameter_;
  BlockIndex index_;
};

}  // namespace

LossyPart encodeShortLevels(const EncodeInput& input, std::span<const std::int32_t> levels,
                            float step) {
  const PartShape& shape = input.shape;
  const unsigned parameter = bestParameter(levels);
  ByteWriter out;
  out.byte(kShortLevelsFlag);
  out.fixed(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(step) >> 16));
  out.byte(static_cast<std::uint8_t>(parameter));
  LossyPart part;
  part.restored.resize(shape.byteCount());
  std::vector<float> values = valuesOf(shape, input.parent);
  restore(shape, levels, step, values, part.restored);
  BlockIndexWriter index(kBlockLog2);
  const std::size_t blockWords = std::size_t{1} << kBlockLog2;
  for (std::size_t at = 0; at < levels.size(); at += blockWords) {
    const std::size_t n = std::min(blockWords, levels.size() - at);
    BitWriter bits;
    for (const std::int32_t level : levels.subspan(at, n)) write(bits, level, parameter);
    const std::vector<std::byte> coded = bits.take();
    index.blocks().insert(index.blocks().end(), coded.begin(), coded.end());
    index.endBlock(std::span(part.restored).subspan(at * shape.word.bytes, n * shape.word.bytes));
  }
  index.write(out);
  part.payload = out.take();
  return part;
}

Result<std::unique_ptr<PartDecoder>> openShortLevels(const PartShape& shape, ByteReader in) {
  const auto step = floatOfBfloat(in.fixed<std::uint16_t>());
  const unsigned parameter = in.byte();
  if (in.failed() || !std::isfinite(step)) return damaged("step");
  if (parameter > kMostParameter) return damaged("parameter");
  STRATA_TRY(BlockIndex index, BlockIndex::read(in, shape));
  return std::make_unique<ShortLevelsDecoder>(shape, step, parameter, std::move(index));
}

}  // namespace strata
