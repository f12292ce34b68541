#include "core/codec/predict/fit_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace strata {
namespace {

/// Columns of a row that its share is looked for in.
constexpr std::uint64_t kShareColumns = 64;
/// Of these the least that must tell the share.
constexpr std::size_t kLeastTelling = 8;
/// How far shares of one row may be from their middle, as a part of it: half of them at most.
constexpr double kMostSpread = 0.01;
/// A new part of the second moment that is smaller than this part of it is rounding.
constexpr double kLeastNew = 1e-4;
/// Shares of rows that are nearer than this belong to the same step.
constexpr double kSameStep = 1.02;
constexpr std::size_t kMostShares = 255;
/// Moments whose correlation leaves no more than this say the same.
constexpr double kLeastApart = 1e-9;

double doubleOf(std::uint32_t word) { return static_cast<double>(std::bit_cast<float>(word)); }

/// What is left of old moments after all steps, and how gradients follow from first ones.
double gradientOf(const AdamStep& drift, std::uint32_t m0, std::uint32_t m1) {
  return (doubleOf(m1) - drift.beta1 * doubleOf(m0)) / (1 - drift.beta1);
}

/// A row that one gradient has reached.
struct SharedRow {
  double share;
  std::uint64_t row;
};

/// The share of the gradient's square in one row, or nothing where there is none for all of it.
std::optional<double> shareOfRow(const AdamStep& drift, const StepSample& sample,
                                 std::uint64_t first, std::uint64_t columns) {
  std::vector<double> shares;
  const std::uint64_t step = std::max<std::uint64_t>(1, columns / kShareColumns);
  std::size_t tried = 0;
  for (std::uint64_t i = first; i < first + columns; i += step, ++tried) {
    const double g = gradientOf(drift, sample.m0[i], sample.m1[i]);
    const double v1 = doubleOf(sample.v1[i]);
    const double added = v1 - drift.beta2 * doubleOf(sample.v0[i]);
    const double share = added / (g * g);
    if (added > kLeastNew * v1 && std::isfinite(share)) shares.push_back(share);
  }
  if (shares.size() < kLeastTelling || shares.size() < tried / 2) return std::nullopt;
  const auto middle = shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2);
  std::ranges::nth_element(shares, middle);
  const double share = *middle;
  const auto isFar = [share](double one) { return std::fabs(one / share - 1) > kMostSpread; };
  const auto far = static_cast<std::size_t>(std::ranges::count_if(shares, isFar));
  return far * 2 < shares.size() ? std::optional(share) : std::nullopt;
}

/// Gives each group of rows whose shares are alike their middle one, the largest groups first.
DecayedRows groupedShares(std::vector<SharedRow> found, std::uint64_t rows) {
  std::ranges::sort(found, {}, [](const SharedRow& one) { return std::pair(one.share, one.row); });
  std::vector<std::span<const SharedRow>> groups;
  for (std::size_t begin = 0; begin < found.size();) {
    std::size_t end = begin + 1;
    while (end < found.size() && found[end].share <= found[end - 1].share * kSameStep) ++end;
    groups.push_back(std::span(found).subspan(begin, end - begin));
    begin = end;
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), [](auto group) { return group.size(); });
  groups.resize(std::min(groups.size(), kMostShares));
  DecayedRows out;
  for (const auto group : groups) {
    const auto share = static_cast<float>(group[group.size() / 2].share);
    if (!std::isfinite(share)) continue;
    out.factors.push_back(share);
    out.palette.resize(rows);
    for (const SharedRow& one : group) {
      out.palette[one.row] = static_cast<std::uint8_t>(out.factors.size());
    }
  }
  return out;
}

/// Sums of a least-squares fit of a row's changes to both moments over their denominators.
class RowRates {
 public:
  RowRates(const AdamStep& drift, const StepSample& sample, std::optional<double> share)
      : drift_(drift),
        sample_(sample),
        share_(share),
        root_(std::sqrt(drift.correction2)),
        factor_(static_cast<double>(static_cast<float>(1 - drift.lr * drift.weightDecay))) {}

  void add(std::uint64_t first, std::uint64_t columns) {
    for (std::uint64_t i = first; i < first + columns; ++i) addWord(i);
  }

  /// Of m1, then of m0; 0 where nothing is known.
  std::pair<float, float> rates() const {
    const double determinant = aa_ * bb_ - ab_ * ab_;
    if (determinant > kLeastApart * aa_ * bb_) {
      return {asRate((ay_ * bb_ - by_ * ab_) / determinant),
              asRate((by_ * aa_ - ay_ * ab_) / determinant)};
    }
    if (aa_ > 0) return {asRate(ay_ / aa_), 0.0F};
    return {0.0F, bb_ > 0 ? asRate(by_ / bb_) : 0.0F};
  }

 private:
  static float asRate(double rate) {
    const auto rounded = static_cast<float>(rate);
    return std::isfinite(rounded) ? rounded : 0.0F;
  }

  void addWord(std::uint64_t i) {
    const double v1 = doubleOf(sample_.v1[i]);
    double v0 = v1;
    if (share_) {
      const double g = gradientOf(drift_, sample_.m0[i], sample_.m1[i]);
      v0 = std::max(0.0, v1 - *share_ * g * g) / drift_.beta2;
    }
    const double a = doubleOf(sample_.m1[i]) / (std::sqrt(v1) / root_ + drift_.eps);
    const double b = doubleOf(sample_.m0[i]) / (std::sqrt(v0) / root_ + drift_.eps);
    const double y = doubleOf(sample_.w1[i]) - doubleOf(sample_.w0[i]) * factor_;
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(y)) return;
    aa_ += a * a;
    ab_ += a * b;
    bb_ += b * b;
    ay_ += a * y;
    by_ += b * y;
  }

  const AdamStep& drift_;
  const StepSample& sample_;
  std::optional<double> share_;
  double root_;
  double factor_;
  double aa_ = 0, ab_ = 0, bb_ = 0, ay_ = 0, by_ = 0;
};

}  // namespace

DecayedRows fitRowShares(const AdamStep& drift, const PartShape& shape, const StepSample& sample) {
  std::vector<SharedRow> found;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    const auto share = shareOfRow(drift, sample, r * shape.columns, shape.columns);
    if (share) found.push_back({*share, r});
  }
  return groupedShares(std::move(found), shape.rows);
}

ReplayedRowWeights fitRowWeights(const AdamStep& drift, const PartShape& shape,
                                 const StepSample& sample) {
  ReplayedRowWeights out{drift, fitRowShares(drift, shape, sample), {}, {}};
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    const std::uint8_t code = out.shares.palette.empty() ? std::uint8_t{0} : out.shares.palette[r];
    std::optional<double> share;
    if (code != 0) share = static_cast<double>(out.shares.factors[code - 1U]);
    RowRates fit(drift, sample, share);
    fit.add(r * shape.columns, shape.columns);
    const auto [rate, earlier] = fit.rates();
    out.rates.push_back(rate);
    out.earlierRates.push_back(earlier);
  }
  return out;
}

}  // namespace strata
