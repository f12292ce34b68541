#include "tests/unit/search/landscape.h"

#include <algorithm>
#include <cmath>

#include "core/search/kind_knobs.h"
#include "core/search/settings_text.h"

namespace strata::test {
namespace {

constexpr std::size_t kSamples = 1000;
constexpr std::size_t kRight = 880;
/// Share of samples whose answer changes at a divergence of 1.
constexpr double kChangeRate = 0.15;
/// The gain of least divergence, a little below that of an unbiased remainder.
constexpr double kBestGain = 0.95;
constexpr double kGainCurve = 8;

/// Between 0 and 1, the same for the same number.
double noise(std::size_t number) {
  std::uint64_t x = number * 0x9E3779B97F4A7C15u + 0x1234567u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// Normal, the same for the same number.
double normalNoise(std::size_t number) {
  const double radius = std::sqrt(-2 * std::log(1 - noise(2 * number)));
  return radius * std::cos(2 * 3.14159265358979 * noise(2 * number + 1));
}

}  // namespace

Landscape::Landscape(std::map<TensorKind, KindShape> shapes) : shapes_(std::move(shapes)) {
  reference_.samples = kSamples;
  for (std::size_t i = 0; i < kSamples; ++i) reference_.correct.push_back(i < kRight);
  reference_.score = static_cast<double>(kRight) / kSamples;
}

std::vector<KindShare> Landscape::kinds() const {
  double all = 0;
  for (const auto& [kind, shape] : shapes_) all += shape.bytes;
  std::vector<KindShare> kinds;
  for (const auto& [kind, shape] : shapes_) kinds.push_back({kind, shape.bytes / all});
  std::sort(kinds.begin(), kinds.end(),
            [](const KindShare& a, const KindShare& b) { return a.share > b.share; });
  return kinds;
}

Landscape::Values Landscape::at(const QuantizeSettings& settings) const {
  Values values;
  for (const auto& [kind, shape] : shapes_) {
    const auto value = [&, of = kind](auto field, auto otherwise) {
      const auto set = kindValue(settings, of, field);
      return set ? *set : otherwise;
    };
    const double step = settings.stepScale * value(&QuantizeRule::step, 1.0);
    const bool isSmall = kind == TensorKind::Norm || kind == TensorKind::Head;
    const double gain = isSmall ? kBestGain : value(&QuantizeRule::gain, 1.0);
    const unsigned rank = value(&QuantizeRule::rank, 0u);
    // A rank costs a little and halves the rest, until it is beyond what there is of structure.
    const double useful = std::min(rank, shape.bestRank);
    const double rest = 1 / (1 + 0.1 * useful);
    values.bytes[kind] = shape.bytes * (std::pow(step, -shape.power) * rest + 0.002 * rank);
    values.divergence +=
        shape.divergence * step * step * rest * (1 + std::pow(kGainCurve * (gain - kBestGain), 2));
  }
  return values;
}

double Landscape::expectedLoss(double divergence) const {
  return kChangeRate * std::sqrt(divergence) * (2.0 * kRight / kSamples - 1);
}

Result<Measured> Landscape::measure(const QuantizeSettings& settings, bool wantsScore,
                                    const std::stop_token& stop) {
  if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  const bool isTrial = wantsScore || !hasScore_;
  if (isTrial) {
    const unsigned number = ++measured_;
    if (interfere_) STRATA_TRY(interfere_(number));
  }
  const Values values = at(settings);
  double bytes = kOtherBytes;
  double divergence = values.divergence;
  std::map<TensorKind, std::uint64_t> kindBytes;
  for (const auto& [kind, count] : values.bytes) {
    bytes += count;
    kindBytes[kind] = static_cast<std::uint64_t>(count);
  }
  if (noise_ > 0) {
    const std::size_t key = std::hash<std::string>()(settingsText(settings));
    divergence *= std::exp(noise_ * normalNoise(key + draw_));
  }
  Measured measured{.storedBytes = static_cast<std::uint64_t>(bytes),
                    .kindBytes = std::move(kindBytes),
                    .relativeError = std::sqrt(divergence)};
  if (!wantsScore || !hasScore_) return measured;
  // Each sample has a divergence of its own at which its answer changes, to wrong or to right.
  Evaluation evaluation{.divergence = divergence, .metric = "accuracy", .samples = kSamples};
  std::size_t right = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const bool isChanged = noise(i + kSamples * samples_) < kChangeRate * std::sqrt(divergence);
    const bool isRight = (i < kRight) != isChanged;
    if (namesSamples_) evaluation.correct.push_back(isRight);
    right += isRight ? 1 : 0;
  }
  evaluation.score = static_cast<double>(right) / kSamples + luck_;
  if (hasExpectedLoss_) {
    evaluation.expectedLoss = expectedLoss(divergence);
  }
  measured.evaluation = std::move(evaluation);
  return measured;
}

std::map<TensorKind, KindShape> transformer() {
  return {{TensorKind::Embedding, {4e6, 0.004, 2.2, 0}},
          {TensorKind::Attention, {2e6, 0.010, 2.0, 8}},
          {TensorKind::Linear, {3e6, 0.006, 2.0, 16}},
          {TensorKind::Norm, {4e4, 0.002, 1.2, 0}},
          {TensorKind::Head, {1e4, 0.003, 1.0, 0}}};
}

std::map<TensorKind, KindShape> convolutionalNet() {
  return {{TensorKind::Convolution, {8e5, 0.006, 1.8, 2}},
          {TensorKind::Norm, {3e4, 0.02, 1.2, 0}},
          {TensorKind::Head, {3e3, 0.002, 1.0, 0}}};
}

}  // namespace strata::test
