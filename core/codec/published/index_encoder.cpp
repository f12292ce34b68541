#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/codec/entropy/block_index.h"
#include "core/codec/lossy/lossy_words.h"
#include "core/codec/lossy/quantizing_steps.h"
#include "core/codec/published/index_book.h"
#include "core/codec/published/index_changes.h"
#include "core/codec/published/index_codec.h"
#include "core/codec/words/bfloat.h"

namespace strata {
namespace {

constexpr float kNever = std::numeric_limits<float>::infinity();
/// A parent with more different words than this lies on no levels.
constexpr std::size_t kMostDistinct = 1 << 13;
/// Of so many words of such a parent, no more than a quarter differ.
constexpr std::size_t kSampledWords = 4096;
/// A word is a level if it stands for at least this share of the parent, and these are levels only
/// if with zeros they cover the other share.
constexpr double kLeastLevelShare = 1.0 / 4096;
constexpr double kLeastCovered = 0.9;

tl::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::InvalidArgument, std::move(message));
}

Result<void> checkSettings(const LossySettings& settings, std::size_t words) {
  if (settings.levelCount < 1 || settings.levelCount > kMostLevels) {
    return invalid(
        fmt::format("levels are {}, expected 1 to {}", settings.levelCount, kMostLevels));
  }
  for (const double share : {settings.pruneShare, settings.protectShare}) {
    if (!(share >= 0 && share <= 1))
      return invalid(fmt::format("share is {}, expected 0 to 1", share));
  }
  const bool needsGradients = settings.bySensitivity || settings.protectSensitivityAbove;
  if (settings.gradients.size() != words && (needsGradients || !settings.gradients.empty())) {
    return invalid(
        fmt::format("gradients are {} numbers, expected {}", settings.gradients.size(), words));
  }
  for (const auto& threshold :
       {settings.pruneBelow, settings.protectAbove, settings.protectSensitivityAbove}) {
    if (threshold && !(*threshold >= 0)) {
      return invalid(fmt::format("threshold is {}, expected 0 or more", *threshold));
    }
  }
  return {};
}

/// Levels for the values of a sketch, rounded to the words' type.
std::vector<float> fitTo(std::span<const SketchBucket> buckets, const LossySettings& settings,
                         kernels::FloatKind kind, DeviceQuantizer* device) {
  const LevelFit fit{.levelCount = settings.levelCount, .seed = settings.seed};
  std::vector<float> levels = settings.uniformLevels ? evenLevels(buckets, fit.levelCount)
                                                     : fitLevels(buckets, fit, device);
  roundToKind(kind, levels);
  // Rounding to f16 may overflow, and levels that were apart may meet.
  std::erase_if(levels, [](float level) { return !std::isfinite(level); });
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.empty()) levels.push_back(0);
  return levels;
}

/// The buckets between the thresholds, which lie on edges of buckets.
std::vector<SketchBucket> bucketsWithin(const LevelSketch& sketch, const IndexBook& book) {
  std::vector<SketchBucket> buckets = sketch.buckets();
  std::erase_if(buckets, [&](const SketchBucket& b) {
    return std::abs(b.value) <= book.pruneBelow || std::abs(b.value) > book.protectAbove;
  });
  return buckets;
}

/// The buckets of the words that are neither pruned nor protected.
std::vector<SketchBucket> bucketsOfKept(std::span<const float> words,
                                        std::span<const std::uint8_t> indices) {
  LevelSketch sketch;
  std::vector<float> kept;
  for (std::size_t at = 0; at < words.size(); at += kLossyChunkWords) {
    const std::size_t n = std::min(kLossyChunkWords, words.size() - at);
    kept.clear();
    for (std::size_t i = at; i < at + n; ++i) {
      if (indices[i] >= kFirstLevel) kept.push_back(words[i]);
    }
    sketch.add(kept);
  }
  return sketch.buckets();
}

void setLevels(IndexBook& book, std::vector<float> levels) {
  book.levels = std::move(levels);
  book.edges = levelEdges(book.levels);
}

bool mayLieOnLevels(std::span<const float> words) {
  const std::size_t stride = std::max<std::size_t>(1, words.size() / kSampledWords);
  std::vector<float> sample;
  for (std::size_t i = 0; i < words.size(); i += stride) sample.push_back(words[i]);
  std::sort(sample.begin(), sample.end());
  const auto end = std::unique(sample.begin(), sample.end());
  return static_cast<std::size_t>(end - sample.begin()) * 4 <= sample.size();
}

/// The levels that the words lie on, or none.
std::vector<float> levelsOf(std::span<const float> words) {
  if (!mayLieOnLevels(words)) return {};
  std::unordered_map<std::uint32_t, std::uint32_t> counts;
  for (const float word : words) {
    ++counts[std::bit_cast<std::uint32_t>(word)];
    if (counts.size() > kMostDistinct) return {};
  }
  const double all = static_cast<double>(words.size());
  const double least = std::max(2.0, all * kLeastLevelShare);
  std::vector<float> levels;
  double covered = 0;
  for (const auto& [bits, count] : counts) {
    const auto word = std::bit_cast<float>(bits);
    if (word != 0 && count < least) continue;
    covered += count;
    if (word != 0) levels.push_back(word);
  }
  if (covered < kLeastCovered * all || levels.size() > kMostLevels) return {};
  std::sort(levels.begin(), levels.end());
  return levels;
}

/// The codebook of the parent and its words' indices.
IndexBook parentBook(std::span<const float> words, const LossySettings& settings,
                     kernels::FloatKind kind, DeviceQuantizer* device, std::uint8_t* indices) {
  IndexBook book;
  std::vector<float> levels = levelsOf(words);
  if (!levels.empty()) {
    book.kind = BookKind::Levels;
  } else {
    const LevelSketch sizes = sketchOf(words, device);
    const bool sharesLimit = settings.pruneBelow && !settings.bySensitivity;
    book.pruneBelow =
        sharesLimit ? *settings.pruneBelow : sizes.pruneThreshold(settings.pruneShare);
    book.protectAbove =
        settings.protectAbove.value_or(sizes.protectThreshold(settings.protectShare));
    levels = fitTo(bucketsWithin(sizes, book), settings, kind, device);
  }
  setLevels(book, std::move(levels));
  book.indices(words, indices, device);
  return book;
}

/// |gradient * word| of each word; empty without gradients.
Result<std::vector<float>> sensitivities(std::span<const float> words,
                                         const LossySettings& settings) {
  std::vector<float> scores(settings.gradients.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i] = std::abs(settings.gradients[i] * words[i]);
  }
  if (sketchOf(scores).nonFiniteCount() != 0) {
    return invalid("a gradient times its word is no finite number");
  }
  return scores;
}

/// The codebook of the words to store, and their indices.
IndexBook currentBook(std::span<const float> words, std::span<const float> scores,
                      const LossySettings& settings, kernels::FloatKind kind,
                      DeviceQuantizer* device, std::uint8_t* indices) {
  const LevelSketch sizes = sketchOf(words, device);
  const LevelSketch sensitivity = sketchOf(scores);
  IndexBook book;
  const LevelSketch& pruneScores = settings.bySensitivity ? sensitivity : sizes;
  const float pruneBelow =
      settings.pruneBelow.value_or(pruneScores.pruneThreshold(settings.pruneShare));
  book.pruneBelow = settings.bySensitivity ? 0 : pruneBelow;
  book.protectAbove = settings.protectAbove.value_or(sizes.protectThreshold(settings.protectShare));
  const float sensitiveAbove = scores.empty()
                                   ? kNever
                                   : settings.protectSensitivityAbove.value_or(
                                         sensitivity.protectThreshold(settings.protectShare));
  const auto assign = [&] {
    book.indices(words, indices, device);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (settings.bySensitivity && scores[i] <= pruneBelow && indices[i] != kProtectedIndex) {
        indices[i] = kPrunedIndex;
      }
      if (scores[i] > sensitiveAbove && words[i] != 0) indices[i] = kProtectedIndex;
    }
  };
  if (scores.empty()) {
    setLevels(book, fitTo(bucketsWithin(sizes, book), settings, kind, device));
  } else {
    setLevels(book, {0});
    assign();
    setLevels(book, fitTo(bucketsOfKept(words, {indices, words.size()}), settings, kind, device));
  }
  assign();
  return book;
}

/// Gives a parent that lies on no levels the words' own codebook, if fewer indices change so: fits
/// to nearly the same values may end far apart.
void shareBook(const IndexBook& book, std::span<const float> parent,
               std::span<const std::uint8_t> current, DeviceQuantizer* device, IndexBook& before,
               std::vector<std::uint8_t>& previous) {
  if (before.kind == BookKind::Levels) return;
  std::vector<std::uint8_t> indices(parent.size());
  book.indices(parent, indices.data(), device);
  const auto changesOf = [&](std::span<const std::uint8_t> from) {
    std::size_t changes = 0;
    for (std::size_t i = 0; i < current.size(); ++i) changes += from[i] != current[i] ? 1 : 0;
    return changes;
  };
  if (changesOf(indices) >= changesOf(previous)) return;
  before = book;
  previous = std::move(indices);
}

/// What the indices restore to; the protected words go to `apart`.
std::vector<float> restoredValues(const IndexBook& book, std::span<const float> words,
                                  std::span<const std::uint8_t> indices,
                                  std::vector<std::uint16_t>& apart) {
  std::vector<float> values(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (indices[i] >= kFirstLevel) {
      values[i] = book.levels[indices[i] - kFirstLevel];
    } else if (indices[i] == kProtectedIndex) {
      const std::uint16_t word = bfloatOfFloat(words[i]);
      apart.push_back(word);
      values[i] = floatOfBfloat(word);
    }
  }
  return values;
}

template <typename Codes>
void writeBlocks(ByteWriter& out, const Codes& codes, std::span<const GroupedChanges> blocks,
                 std::span<const std::uint8_t> indices, std::span<const std::uint16_t> apart,
                 const PartShape& shape, std::span<const std::byte> restored) {
  codes.write(out);
  BlockIndexWriter index(kMaxBlockLog2);
  std::size_t at = 0;
  for (const GroupedChanges& block : blocks) {
    std::vector<std::byte> coded;
    codes.encode(block, coded);
    ByteWriter bytes;
    bytes.varint(coded.size());
    bytes.bytes(coded);
    const std::size_t n = block.changes.size();
    const auto own = indices.subspan(at, n);
    const auto kept = static_cast<std::size_t>(std::ranges::count(own, kProtectedIndex));
    bytes.bytes(std::as_bytes(apart.first(kept)));
    apart = apart.subspan(kept);
    index.blocks().insert(index.blocks().end(), bytes.view().begin(), bytes.view().end());
    index.endBlock(restored.subspan(at * shape.word.bytes, n * shape.word.bytes));
    at += n;
  }
  index.write(out);
}

}  // namespace

Result<LossyPart> encodeIndex(const EncodeInput& input, const LossySettings& settings,
                              DeviceQuantizer* device) {
  STRATA_TRY(const PartValues values, loadValues(input));
  const std::span<const float> words = values.words;
  STRATA_TRY(checkSettings(settings, words.size()));
  STRATA_TRY(const std::vector<float> scores, sensitivities(words, settings));
  std::vector<std::uint8_t> previous(words.size());
  std::vector<std::uint8_t> current(words.size());
  IndexBook before = parentBook(values.parent, settings, values.kind, device, previous.data());
  const IndexBook book = currentBook(words, scores, settings, values.kind, device, current.data());
  shareBook(book, values.parent, current, device, before, previous);
  std::vector<std::uint16_t> apart;
  LossyPart part;
  part.restored.resize(input.words.size());
  narrowWords(values.kind, restoredValues(book, words, current, apart), part.restored);
  STRATA_TRY(requireFinite(input.shape, part.restored));

  const unsigned bins = binsOf(before.indexCount(), book.indexCount());
  std::vector<GroupedChanges> blocks;
  constexpr std::size_t kStep = std::size_t{1} << kMaxBlockLog2;
  for (std::size_t at = 0; at < words.size(); at += kStep) {
    const std::size_t n = std::min(kStep, words.size() - at);
    blocks.push_back(groupChanges(std::span(previous).subspan(at, n),
                                  std::span(current).subspan(at, n), bins, before.indexCount()));
  }
  ByteWriter out;
  const bool onLevels = before.kind == BookKind::Levels;
  out.byte(static_cast<std::uint8_t>((settings.publishedEntropy ? 0 : 1) | (onLevels ? 2 : 0)));
  if (!onLevels) {
    out.fixed(before.pruneBelow);
    out.fixed(before.protectAbove);
  }
  writeLevels(out, before.levels);
  writeLevels(out, book.levels);
  const auto write = [&](const auto& codes) {
    writeBlocks(out, codes, blocks, current, apart, input.shape, part.restored);
  };
  if (settings.publishedEntropy) {
    write(RunCodes::fit(blocks, before.indexCount()));
  } else {
    write(RansCodes::fit(blocks, before.indexCount(), bins));
  }
  part.payload = out.take();
  return part;
}

}  // namespace strata
