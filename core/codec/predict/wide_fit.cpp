#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/codec/predict/truncated_svd.h"
#include "core/codec/predict/wide_factors.h"

namespace strata {
namespace {

constexpr std::uint64_t kSampledSide = 160;
constexpr std::uint64_t kGlanceSide = 48;
constexpr std::uint32_t kMostRank = 64;
constexpr int kSweeps = 3;
/// A row's factors are fitted to this many words for each of them: those with the finest last
/// places, which know nearly all that is known.
constexpr std::size_t kWordsPerFactor = 12;
/// Energy above that of the rounding that is expected, by this factor, is none of it.
constexpr double kRoundingSlack = 16;
/// How much more the last component holds than the next one, which is rounding alone. Components of
/// a difference of full rank become smaller step by step.
constexpr double kCliff = 8;
constexpr double kLargestFactor = 2147483000.0;

/// What a rounding leaves, against the number that was rounded: half a last place over the root
/// of 3.
double roundingOf(const WordFormat& word) {
  return std::ldexp(1 / std::sqrt(3.0), -1 - static_cast<int>(word.mantissaBits));
}

/// Rows or columns of a sample, evenly spread.
std::vector<std::uint64_t> spread(std::uint64_t count, std::uint64_t most) {
  std::vector<std::uint64_t> chosen(std::min(count, most));
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = i * count / chosen.size();
  return chosen;
}

/// Of a sample that is this wide, for its rank to be low.
std::uint32_t mostRank(std::uint32_t side) { return std::min(kMostRank, side / 3); }

/// The rank that a sample of the difference has but for rounding; 0 if it is not low.
std::uint32_t rankOfSample(const PartShape& shape, std::span<const float> parent,
                           std::span<const float> words, std::uint64_t mostSide) {
  const auto rows = spread(shape.rows, mostSide);
  const auto columns = spread(shape.columns, mostSide);
  Eigen::MatrixXd m(static_cast<Eigen::Index>(rows.size()),
                    static_cast<Eigen::Index>(columns.size()));
  double squares = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t at = rows[r] * shape.columns + columns[c];
      const double word = words[at];
      m(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = word - parent[at];
      squares += word * word;
    }
  }
  const double one = roundingOf(shape.word);
  const double rounding = kRoundingSlack * one * one * (squares + 8 * m.squaredNorm());
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(m);
  const auto side = static_cast<std::uint32_t>(std::min(m.rows(), m.cols()));
  std::uint32_t rank = side;
  double left = 0;
  double last = 0;  // what the component after the last one holds
  for (; rank > 0; --rank) {
    const auto k = static_cast<Eigen::Index>(rank - 1);
    const double energy = qr.matrixR().row(k).tail(m.cols() - k).squaredNorm();
    left += energy;
    if (left > rounding) return rank <= mostRank(side) && energy > kCliff * last ? rank : 0;
    last = energy;
  }
  return 0;
}

/// Solves for the factors of one row from its differences, given the other side's: weighted least
/// squares.
class RowSolver {
 public:
  RowSolver(std::uint32_t rank, std::span<const double> others, double floor)
      : rank_(static_cast<Eigen::Index>(rank)),
        others_(others.data(), rank_, static_cast<Eigen::Index>(others.size() / rank)),
        floor_(floor * floor) {}

  void add(double parent, double word) {
    differences_.push_back(word - parent);
    weights_.push_back(1 / (word * word + floor_));
  }

  /// From what was added since the last call, one for each of the others.
  void solve(double* factors) {
    order_.resize(weights_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto most = std::min(kWordsPerFactor * static_cast<std::size_t>(rank_), order_.size());
    std::nth_element(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(most - 1),
                     order_.end(),
                     [&](std::size_t a, std::size_t b) { return weights_[a] > weights_[b]; });
    Eigen::MatrixXd known(rank_, static_cast<Eigen::Index>(most));
    Eigen::VectorXd wanted(static_cast<Eigen::Index>(most));
    for (std::size_t i = 0; i < most; ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const double weight = std::sqrt(weights_[order_[i]] * floor_);
      known.col(at) = others_.col(static_cast<Eigen::Index>(order_[i])) * weight;
      wanted[at] = differences_[order_[i]] * weight;
    }
    Eigen::Map<Eigen::VectorXd>(factors, rank_) =
        (known * known.transpose()).ldlt().solve(known * wanted);
    differences_.clear();
    weights_.clear();
  }

 private:
  Eigen::Index rank_;
  Eigen::Map<const Eigen::MatrixXd> others_;
  double floor_;
  std::vector<double> differences_;
  std::vector<double> weights_;
  std::vector<std::size_t> order_;
};

/// Of the part's words; 0 where some are no numbers.
double rootMeanSquare(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * value;
  return std::isfinite(sum) ? std::sqrt(sum / static_cast<double>(values.size())) : 0;
}

double middlingSize(std::span<const float> words) {
  std::vector<float> sizes(words.size());
  std::transform(words.begin(), words.end(), sizes.begin(), [](float w) { return std::fabs(w); });
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

/// The power of two that numbers may be rounded to so that their products with `others`, `rank`
/// numbers each, move by no more than `error`. Nothing where the others are all 0 or no numbers.
std::optional<int> stepLog2For(std::span<const double> others, std::uint32_t rank, double error) {
  double sum = 0;
  for (const double other : others) sum += other * other;
  const double each = std::sqrt(sum * rank / static_cast<double>(others.size()));
  const double stepLog2 = std::floor(std::log2(error * std::sqrt(12.0) / each));
  if (!std::isfinite(stepLog2)) return std::nullopt;
  return static_cast<int>(stepLog2);
}

/// Leaves what is rounded in `values`. False where a number is out of range.
bool roundTo(int stepLog2, std::span<double> values) {
  bool fits = true;
  for (double& value : values) {
    const double rounded = std::nearbyint(std::ldexp(value, -stepLog2));
    fits = fits && std::fabs(rounded) <= kLargestFactor;
    value = std::ldexp(rounded, stepLog2);
  }
  return fits;
}

}  // namespace

bool WideFit::mayPay(const PartShape& shape, std::span<const float> parent,
                     std::span<const float> words) {
  return rankOfSample(shape, parent, words, kGlanceSide) != 0;
}

WideFit::WideFit(const PartShape& shape, std::span<const float> parent,
                 std::span<const float> words)
    : shape_(shape), parent_(parent), words_(words) {
  std::vector<float> change(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) change[i] = words[i] - parent[i];
  change_ = rootMeanSquare(change);
  lastPlace_ = std::ldexp(middlingSize(words), -1 - static_cast<int>(shape.word.mantissaBits));
  if (change_ == 0 || lastPlace_ == 0) return;
  rank_ = rankOfSample(shape, parent, words, kSampledSide);
  if (rank_ == 0) return;
  const auto svd = truncatedSvd(matrixView(shape, change), static_cast<int>(rank_));
  const Eigen::MatrixXd columns = svd.right.transpose().cast<double>();
  columns_.assign(columns.data(), columns.data() + columns.size());
  rows_.resize(rank_ * shape.rows);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    fitRows();
    fitColumns();
  }
}

void WideFit::fitRows() {
  RowSolver solver(rank_, columns_, change_);
  for (std::uint64_t r = 0; r < shape_.rows; ++r) {
    const std::size_t first = r * shape_.columns;
    for (std::uint64_t c = 0; c < shape_.columns; ++c) {
      solver.add(parent_[first + c], words_[first + c]);
    }
    solver.solve(rows_.data() + r * rank_);
  }
}

void WideFit::fitColumns() {
  RowSolver solver(rank_, rows_, change_);
  for (std::uint64_t c = 0; c < shape_.columns; ++c) {
    for (std::uint64_t r = 0; r < shape_.rows; ++r) {
      solver.add(parent_[r * shape_.columns + c], words_[r * shape_.columns + c]);
    }
    solver.solve(columns_.data() + c * rank_);
  }
}

WideFactors WideFit::quantized(double error) const {
  WideFit rounded = *this;
  const double each = error * lastPlace_ / std::sqrt(2.0);
  const auto columnStep = stepLog2For(rows_, rank_, each);
  const auto rowStep = stepLog2For(columns_, rank_, each);
  if (!columnStep || !rowStep) return {};
  const bool columnsFit = roundTo(*columnStep, rounded.columns_);
  rounded.fitRows();  // to the columns as they are now
  WideFactors factors;
  factors.scaleLog2 = *rowStep + *columnStep;
  if (!columnsFit || !roundTo(*rowStep, rounded.rows_) ||
      std::abs(factors.scaleLog2) > kWideScaleRange) {
    return {};
  }
  factors.rank = rank_;
  for (const double value : rounded.rows_) {
    factors.rows.push_back(static_cast<std::int32_t>(std::ldexp(value, -*rowStep)));
  }
  factors.columns.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    factors.columns[i % rank_ * shape_.columns + i / rank_] =
        static_cast<std::int32_t>(std::ldexp(rounded.columns_[i], -*columnStep));
  }
  return factors.sumsFit(shape_) ? factors : WideFactors{};
}

}  // namespace strata
