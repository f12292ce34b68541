#include "core/codec/predict/rank_glance.h"

#include <algorithm>
#include <cmath>

#include "core/codec/lossy/lossy_words.h"
#include "core/codec/predict/truncated_svd.h"
#include "core/codec/words/cast.h"

namespace strata {
namespace {

/// Rows and columns of the sample.
constexpr std::uint64_t kSide = 96;
/// What a row's or a column's factor takes in a payload.
constexpr double kFactorBits = 11;
/// A component of pure noise holds so many times the mean share of all.
constexpr double kNoisePeak = 3.5;

using Sample = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The difference at places that are evenly spread.
Sample sampleOf(const EncodeInput& input) {
  const auto [word, rows, columns] = input.shape;
  const std::uint64_t sampledRows = std::min(rows, kSide);
  const std::uint64_t sampledColumns = std::min(columns, kSide);
  Sample sample(static_cast<Eigen::Index>(sampledRows), static_cast<Eigen::Index>(sampledColumns));
  std::vector<std::byte> sides[2];
  for (std::uint64_t r = 0; r < sampledRows; ++r) {
    for (auto& side : sides) side.clear();
    for (std::uint64_t c = 0; c < sampledColumns; ++c) {
      const std::uint64_t at =
          (r * rows / sampledRows * columns + c * columns / sampledColumns) * word.bytes;
      const auto take = [&](std::span<const std::byte> from, std::vector<std::byte>& to) {
        const auto bytes = from.subspan(at, input.shape.word.bytes);
        to.insert(to.end(), bytes.begin(), bytes.end());
      };
      take(input.words, sides[0]);
      take(input.parent, sides[1]);
    }
    const PartShape row{word, 1, sampledColumns};
    const std::vector<float> words = valuesOf(row, sides[0]);
    const std::vector<float> parent = valuesOf(row, sides[1]);
    for (std::size_t c = 0; c < words.size(); ++c) {
      sample(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = words[c] - parent[c];
    }
  }
  return sample;
}

}  // namespace

RankGlance glanceAtRank(const EncodeInput& input) {
  const auto rows = static_cast<double>(input.shape.rows);
  const auto columns = static_cast<double>(input.shape.columns);
  const double bitsPerRank = kFactorBits * (rows + columns) / (rows * columns);
  const Sample sample = sampleOf(input);
  const double total = sample.cast<double>().squaredNorm();
  if (!(total > 0) || !std::isfinite(total)) return {};
  const MatrixView view(sample.data(), sample.rows(), sample.cols());
  const TruncatedSvd svd = truncatedSvd(view, static_cast<int>(kFewRanks));
  const double noise = kNoisePeak / static_cast<double>(std::min(sample.rows(), sample.cols()));
  RankGlance best;
  double energy = 0;
  for (std::uint32_t rank = 1; rank <= static_cast<std::uint32_t>(svd.left.cols()); ++rank) {
    const auto k = static_cast<Eigen::Index>(rank - 1);
    energy += static_cast<double>(svd.left.col(k).squaredNorm()) *
              static_cast<double>(svd.right.col(k).squaredNorm());
    const double noiseShare = std::min(0.99, rank * noise);
    const double share = std::clamp((energy / total - noiseShare) / (1 - noiseShare), 0.0, 0.9999);
    const double saved = -0.5 * std::log2(1 - share) - rank * bitsPerRank;
    if (saved > best.savedBitsPerWord) best = {rank, saved};
  }
  return best;
}

}  // namespace strata
