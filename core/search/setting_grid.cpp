#include "core/search/setting_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/search/kind_knobs.h"

namespace strata {
namespace {

constexpr std::string_view kBins = "bins";
constexpr std::string_view kEmbeddingBins = "bins of embeddings";
constexpr std::string_view kPrune = "prune";
constexpr std::string_view kProtect = "protect";
constexpr std::string_view kBits = "bits";
constexpr std::string_view kRowScales = "row scales";
constexpr std::string_view kBound = "bound";

/// What the rules for all tensors choose; nothing where they leave it open: `levels` is searched.
std::optional<CodecId> codecOf(const QuantizeSettings& settings) {
  std::optional<CodecId> codec;
  for (const QuantizeRule& rule : settings.rules) {
    if (rule.match == "*" && !rule.kind && rule.codec) codec = rule.codec;
  }
  return codec;
}

bool isPaperCodec(const std::optional<CodecId>& codec) {
  return !codec || name(*codec) == "levels" || name(*codec) == "index";
}

std::vector<GridAxis> paperAxes(const std::vector<KindShare>& kinds) {
  std::vector<GridAxis> axes{{std::string(kBins), {4, 6, 8, 12, 16, 32}}};
  const auto isEmbedding = [](const KindShare& part) { return part.kind == TensorKind::Embedding; };
  if (std::any_of(kinds.begin(), kinds.end(), isEmbedding)) {
    axes.push_back({std::string(kEmbeddingBins), {16, 32}});
  }
  axes.push_back({std::string(kPrune), {0.5, 0.4, 0.3, 0.2, 0.1, 0}});
  axes.push_back({std::string(kProtect), {0.0005, 0.005, 0.01}});
  return axes;
}

/// The rule for all tensors, made where it is missing.
QuantizeRule& generalRule(QuantizeSettings& settings) {
  for (QuantizeRule& rule : settings.rules) {
    if (rule.match == "*" && !rule.kind) return rule;
  }
  return *settings.rules.insert(settings.rules.begin(), QuantizeRule{});
}

void apply(QuantizeSettings& settings, const std::string& axis, double value) {
  if (axis == kEmbeddingBins) {
    kindRule(settings, TensorKind::Embedding).levelCount = static_cast<unsigned>(value);
    return;
  }
  QuantizeRule& rule = generalRule(settings);
  if (axis == kBins) rule.levelCount = static_cast<unsigned>(value);
  if (axis == kPrune) rule.pruneShare = value;
  if (axis == kProtect) rule.protectShare = value;
  if (axis == kBits) rule.bits = static_cast<unsigned>(value);
  if (axis == kRowScales) rule.rowScales = value != 0;
  if (axis == kBound) rule.maxError = value;
}

std::optional<double> valueOn(const std::string& axis, const QuantizeSettings& settings) {
  const auto number = [](const auto& value) {
    return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
  };
  // Linear stands for any kind but embeddings.
  const auto of = [&](auto field, TensorKind kind = TensorKind::Linear) {
    return number(kindValue(settings, kind, field));
  };
  if (axis == kBins) return of(&QuantizeRule::levelCount);
  if (axis == kEmbeddingBins) return of(&QuantizeRule::levelCount, TensorKind::Embedding);
  if (axis == kPrune) return of(&QuantizeRule::pruneShare);
  if (axis == kProtect) return of(&QuantizeRule::protectShare);
  if (axis == kBits) return of(&QuantizeRule::bits);
  if (axis == kRowScales) return of(&QuantizeRule::rowScales);
  return of(&QuantizeRule::maxError);
}

}  // namespace

SettingGrid SettingGrid::of(const SearchOptions& options) {
  SettingGrid grid{.codec = codecOf(options.start), .start = options.start};
  const std::string_view codec = grid.codec ? name(*grid.codec) : "levels";
  if (codec == "rows") {
    grid.axes = {{std::string(kBits), {2, 3, 4, 5, 6, 8}}};
  } else if (codec == "exponent" || codec == "huffman") {
    grid.axes = {{std::string(kBits), {1, 2, 3, 4, 5, 6}}};
  } else if (codec == "sign") {
    grid.axes = {{std::string(kRowScales), {0, 1}}};
  } else if (codec == "bounded") {
    grid.axes = {{std::string(kBound), {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6}}};
  } else {
    grid.axes = paperAxes(options.kinds);
  }
  return grid;
}

QuantizeSettings SettingGrid::at(const GridPoint& point, bool bySensitivity) const {
  QuantizeSettings settings = start;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    apply(settings, axes[i].name, axes[i].values[point[i]]);
  }
  // What the axes vary are settings of a codec.
  generalRule(settings).codec = codec.value_or(CodecId::Levels);
  if (isPaperCodec(codec)) generalRule(settings).bySensitivity = bySensitivity;
  return settings;
}

std::string SettingGrid::text(const GridPoint& point) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    parts.push_back(fmt::format("{} {}", axes[i].name, axes[i].values[point[i]]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::pair<GridPoint, bool> SettingGrid::nearest(const QuantizeSettings& settings) const {
  GridPoint point;
  for (const GridAxis& axis : axes) {
    const std::optional<double> value = valueOn(axis.name, settings);
    const bool grows = axis.values.front() < axis.values.back();
    const auto atLeastAsGood = [&](double candidate) {
      return value && (grows ? candidate >= *value : candidate <= *value);
    };
    const auto found = std::find_if(axis.values.begin(), axis.values.end(), atLeastAsGood);
    const std::size_t last = axis.values.size() - 1;
    point.push_back(std::min(static_cast<std::size_t>(found - axis.values.begin()), last));
  }
  return {point,
          kindValue(settings, TensorKind::Linear, &QuantizeRule::bySensitivity).value_or(false)};
}

bool SettingGrid::hasScores(bool hasGradients) const noexcept {
  return hasGradients && isPaperCodec(codec);
}

}  // namespace strata
