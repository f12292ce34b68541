#include "core/match/detail/sampling.h"

#include <algorithm>

#include "core/checked_math.h"
#include "core/codec/words/cast.h"
#include "core/digest.h"
#include "core/model/many_tensors.h"

namespace strata::match {
namespace {

constexpr std::uint64_t kSamplesPerBlock = 128;
constexpr std::uint64_t kStretchesPerBlock = 4;
constexpr std::uint32_t kScreeningSamples = 24;

// Where sample `i` of a block lies: one in each equal stretch, at a place that follows no pattern
// that rows or columns could have.
std::uint64_t samplePosition(std::uint64_t block, std::uint64_t i,
                             std::uint64_t wordCount) noexcept {
  if (wordCount <= kSamplesPerBlock) return i;
  const std::uint64_t stretch = wordCount / kSamplesPerBlock;
  std::uint64_t mixed = (block * kSamplesPerBlock + i + 1) * 0x9E3779B97F4A7C15ULL;
  mixed = (mixed ^ mixed >> 31) * 0xBF58476D1CE4E5B9ULL;
  return i * wordCount / kSamplesPerBlock + (mixed >> 32) % stretch;
}

std::uint64_t sampleCount(std::uint64_t wordCount) noexcept {
  return std::min(wordCount, kSamplesPerBlock);
}

std::uint64_t blockWords(std::uint64_t block, std::uint64_t wordCount) noexcept {
  return std::min(kBlockWords, wordCount - block * kBlockWords);
}

/// The one block that stands for a weight of so many words; measure() looks at it, too.
std::uint64_t middleBlock(std::uint64_t wordCount) noexcept {
  const std::uint64_t blocks = ceilDivide(wordCount, kBlockWords);
  return blocks / (2 * std::clamp<std::uint64_t>(blocks, 1, blocks > 3 ? 3 : 2));
}

/// Blocks of which words are kept.
constexpr std::size_t kMostKeptBlocks = std::size_t{1} << 15;

}  // namespace

ParentWeight::ParentWeight(const ParentTensor& tensor) noexcept
    : Weight{tensor.type, wordFormat(tensor.type), tensor.matrix, elementIsWord(tensor.type),
             tensor.name} {}

VariantWeight::VariantWeight(const ModelDescription& model, const TensorInfo& tensor) noexcept
    : Weight{tensor.type, wordFormat(tensor.type),
             wordMatrix(tensor.type, tensor.shape, tensor.byteCount), elementIsWord(tensor.type),
             tensor.name},
      place(tensor.place.view()),
      words(bytesOf(model, tensor)) {}

VariantWeights::VariantWeights(const ModelDescription& model,
                               std::span<const std::uint64_t> checksums)
    : model_(model), checksums_(checksums) {
  alone_.reserve(model.tensors.size());
  for (const TensorInfo& tensor : model.tensors) {
    const VariantWeight weight(model, tensor);
    alone_.push_back(estimateAlone(sampleWords(weight), weight.format));
    if (checksums.empty()) ownChecksums_.push_back(xxh3(weight.words));
  }
  if (checksums.empty()) checksums_ = ownChecksums_;
}

VariantWeight VariantWeights::operator[](std::size_t index) const noexcept {
  VariantWeight weight(model_, model_.tensors[index]);
  weight.checksum = checksums_[index];
  weight.alone = alone_[index];
  return weight;
}

std::optional<std::uint64_t> indexInVariant(const PartMatch& part, std::uint64_t variantColumns,
                                            std::uint64_t index) noexcept {
  const std::uint64_t stride = strideOf(*part.parent, part);
  std::uint64_t row = index / stride;
  std::uint64_t column = index % stride;
  if (part.parent->transposed) std::swap(row, column);
  if (row >= part.rowCount || column >= part.columnCount) return std::nullopt;
  return (part.firstRow + row) * variantColumns + part.firstColumn + column;
}

ParentRectangle ParentSampler::rectangleOf(std::size_t weight) const {
  const ParentTensor& tensor = tensors_[weight];
  return {{.offset = tensor.offset, .file = tensor.file, .type = tensor.type},
          static_cast<std::uint32_t>(weight)};
}

/// Of a rectangle in its weight.
std::uint64_t ParentSampler::firstWordOf(const ParentRectangle& from) const {
  const ParentTensor& tensor = tensors_[from.tensor];
  return (from.offset - tensor.offset) / wordFormat(tensor.type).bytes;
}

std::uint64_t ParentSampler::placeOf(std::uint64_t wordCount, std::size_t index,
                                     std::size_t count) {
  const std::uint64_t block = middleBlock(wordCount);
  const std::uint64_t words = blockWords(block, wordCount);
  return block * kBlockWords + samplePosition(block, index * sampleCount(words) / count, words);
}

Result<Word> ParentSampler::wordAtPlace(std::size_t weight, std::size_t index, std::size_t count) {
  const ParentWeight info = this->weight(weight);
  makeRoom();
  const std::uint64_t block = middleBlock(info.wordCount());
  STRATA_TRY(const std::span<const std::byte> samples, sampledBlock(weight, block));
  const std::uint64_t kept = samples.size() / info.format.bytes;
  return loadWord(samples, index * kept / count, info.format.bytes);
}

Result<std::vector<std::byte>> ParentSampler::readBlock(std::size_t weight, std::uint64_t block) {
  ++readCount_;
  const ParentTensor& tensor = tensors_[weight];
  const ParentWeight info(tensor);
  const std::uint64_t count = blockWords(block, info.wordCount());
  std::vector<std::byte> bytes(count * info.format.bytes);
  auto read =
      model_.read(tensor.file, tensor.offset + block * kBlockWords * info.format.bytes, bytes);
  if (!read) return fail(read.error().within(std::string(tensor.name)));
  return bytes;
}

Result<void> ParentSampler::sample(std::size_t weight, std::uint64_t block,
                                   std::span<std::byte> out) {
  STRATA_TRY(const std::vector<std::byte> bytes, readBlock(weight, block));
  const std::size_t word = wordFormat(tensors_[weight].type).bytes;
  const std::uint64_t wordCount = bytes.size() / word;
  for (std::uint64_t i = 0; i < sampleCount(wordCount); ++i) {
    const std::uint64_t at = samplePosition(block, i, wordCount);
    std::copy_n(bytes.data() + at * word, word, out.data() + i * word);
  }
  return {};
}

double VariantWeight::similarity(std::string_view parentName) const {
  const NamePath other = NamePath::ofName(parentName);
  const double byName = NamePath::ofName(name).similarity(other);
  return place.empty() ? byName : std::max(byName, NamePath::ofPlace(place).similarity(other));
}

void ParentSampler::forgetOfMany() noexcept {
  if (tensors_.size() >= kManyTensors) samples_.clear();
}

/// Before words are asked for: what was given out goes.
void ParentSampler::makeRoom() {
  if (samples_.size() >= kMostKeptBlocks) samples_.clear();
}

Result<std::span<const std::byte>> ParentSampler::sampledBlock(std::size_t weight,
                                                               std::uint64_t block) {
  const ParentWeight info = this->weight(weight);
  const std::uint64_t wordCount = blockWords(block, info.wordCount());
  const std::size_t byteCount = sampleCount(wordCount) * info.format.bytes;
  std::unique_ptr<std::byte[]>& kept = samples_[std::uint64_t{weight} << 40 | block];
  if (kept == nullptr) {
    auto taken = std::make_unique<std::byte[]>(byteCount);
    STRATA_TRY(sample(weight, block, {taken.get(), byteCount}));
    kept = std::move(taken);
  }
  return std::span<const std::byte>(kept.get(), byteCount);
}

Result<std::vector<ParentSampler::Block>> ParentSampler::blocksOf(const PartMatch& part) {
  const ParentRectangle& from = *part.parent;
  const std::uint64_t rows = from.transposed ? part.columnCount : part.rowCount;
  const std::uint64_t columns = from.transposed ? part.rowCount : part.columnCount;
  const std::uint64_t first = firstWordOf(from);
  const std::uint64_t last = first + (rows - 1) * strideOf(from, part) + columns - 1;
  const std::uint64_t firstBlock = first / kBlockWords;
  const std::uint64_t blockCount = last / kBlockWords - firstBlock + 1;
  const std::uint64_t wanted = blockCount > 3 ? 3 : std::min<std::uint64_t>(blockCount, 2);
  std::vector<Block> blocks;
  for (std::uint64_t i = 0; i < wanted; ++i) {
    const std::uint64_t number = firstBlock + (2 * i + 1) * blockCount / (2 * wanted);
    STRATA_TRY(const std::span<const std::byte> samples, sampledBlock(from.tensor, number));
    blocks.push_back({number, samples, blockWords(number, weight(from.tensor).wordCount())});
  }
  return blocks;
}

Result<DeltaCost> ParentSampler::measure(const VariantWeight& variant, const PartMatch& part) {
  ++pairCount_;
  const ParentWeight parent = weight(part.parent->tensor);
  makeRoom();
  const std::uint64_t first = firstWordOf(*part.parent);
  STRATA_TRY(const std::vector<Block> blocks, blocksOf(part));
  DeltaMeter meter;
  bool screened = false;
  for (std::uint64_t stretch = 0; stretch < kStretchesPerBlock; ++stretch) {
    for (const Block& block : blocks) {
      meter.startStretch();
      const std::uint64_t count = sampleCount(block.wordCount);
      const std::uint64_t end = (stretch + 1) * count / kStretchesPerBlock;
      for (std::uint64_t i = stretch * count / kStretchesPerBlock; i < end; ++i) {
        const std::uint64_t position =
            block.number * kBlockWords + samplePosition(block.number, i, block.wordCount);
        if (position < first) continue;
        const auto at = indexInVariant(part, variant.matrix.columns, position - first);
        if (!at) continue;
        const Word word =
            castWord(loadWord(block.samples, i, parent.format.bytes), parent.type, variant.type);
        const Word own = variant.word(*at);
        const bool isZero = (own & ~(Word{1} << (variant.format.bytes * 8 - 1))) == 0;
        meter.add(differenceBits(own, word, variant.format, variant.alone.zeroLowBits),
                  variant.format.isFloat && own == word && !isZero);
      }
    }
    if (!screened && meter.sampleCount() >= kScreeningSamples * blocks.size()) {
      screened = true;
      if (meter.hopeless(variant.format)) break;
    }
  }
  return meter.finish(variant.alone.bitsPerWord);
}

bool canServe(const ParentWeight& parent, const VariantWeight& variant, bool allowCasts) noexcept {
  return parent.type == variant.type || (allowCasts && canCast(parent.type, variant.type));
}

std::vector<Word> sampleWords(const VariantWeight& weight) {
  constexpr std::uint64_t kSamples = 3 * kSamplesPerBlock;
  const std::uint64_t count = std::min(weight.wordCount(), kSamples);
  std::vector<Word> words;
  words.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t stretch = weight.wordCount() / count;
    const std::uint64_t jitter = (i * 0x9E3779B97F4A7C15ULL >> 32) % stretch;
    words.push_back(weight.word(i * stretch + jitter));
  }
  return words;
}

bool pays(const DeltaCost& cost, const VariantWeight& variant, double nameSimilarity) noexcept {
  const bool named = nameSimilarity >= kNamed;
  // What was set to zero costs less than the length of its difference says.
  if (named && cost.keeps) return true;
  if (cost.sampleCount == 0 || (cost.sampleCount < 12 && !named)) return false;
  const double limit = named ? 0.98 : cost.sampleCount < 64 ? 0.85 : 0.95;
  return cost.bitsPerWord < limit * variant.alone.bitsPerWord;
}

}  // namespace strata::match
