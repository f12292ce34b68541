#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/codec/codec.h"
#include "core/codec/lossy/lossy_codec.h"
#include "core/model/model_source.h"

namespace strata {

/// Settings of one group of tensors; what is not set is taken from the rule before, then from the
/// defaults. Steps are in units of the root mean square of all differences of the model to its
/// parent. An optimizer's moments follow the rules alone that name their kind
/// (core/quantize/moment_choice.h).
struct QuantizeRule {
  std::string match = "*";              ///< glob over tensor names
  std::optional<TensorKind> kind = {};  ///< nothing: every kind
  std::optional<CodecId> codec = {};    ///< a lossy codec; Integer: exactly
  std::optional<double> step = {};
  std::optional<double> deadZone = {};
  std::optional<double> gain = {};
  std::optional<unsigned> patternLength = {};
  std::optional<unsigned> patternBasesLog2 = {};
  std::optional<unsigned> rank = {};
  std::optional<double> factorStep = {};
  std::optional<unsigned> levelCount = {};
  std::optional<double> pruneShare = {};
  std::optional<double> protectShare = {};
  std::optional<double> pruneAlpha = {};
  std::optional<double> pruneBeta = {};
  std::optional<bool> bySensitivity = {};
  std::optional<bool> uniformLevels = {};
  std::optional<bool> publishedEntropy = {};
  std::optional<unsigned> bits = {};
  std::optional<bool> rowScales = {};
  std::optional<double> maxError = {};  ///< in value units, not relative

  /// Whether the rule is for this tensor.
  bool matches(const TensorInfo& tensor) const;
};

/// Which levels a setting of codec `levels` acts on: those of a uniform grid, or fitted ones.
enum class LevelUse { None, Any, Uniform, Fitted };

/// The codecs that read a setting, beside `levels`.
using SettingCodecs = std::array<std::optional<CodecId>, 4>;

/// One setting of the lossy codecs: its name, its values and where it is kept. T: double, unsigned
/// or bool. Profiles in TOML, rules, texts about settings, options of the command line and fields
/// of the window all follow from the table below.
template <typename T>
struct LossySetting {
  std::string_view key;   ///< in a profile
  std::string_view help;  ///< in a few words, as options have it
  std::optional<T> QuantizeRule::*inRule = nullptr;
  T LossySettings::*inCodec = nullptr;
  T least = {};  ///< of a number
  T most = {};   ///< of a number; kNoLimit: none
  LevelUse levels = LevelUse::None;
  SettingCodecs others = {};
  std::array<std::string_view, 2> words = {};  ///< of a flag in words: if not so, if so
  std::string_view option = {};  ///< what `--key` takes: "K", or "%" for a share; empty: no option

  bool isInWords() const noexcept { return !words[0].empty(); }
};

inline constexpr double kNoLimit = std::numeric_limits<double>::max();
inline constexpr double kLeastStep = 1e-9;

/// Every setting of the lossy codecs. A new one is a member of LossySettings, which the codec
/// reads, and one of QuantizeRule with a line here.
inline constexpr std::tuple kLossySettings{
    LossySetting<double>{.key = "step",
                         .help = "width of a step, in units of the change's root mean square",
                         .inRule = &QuantizeRule::step,
                         .inCodec = &LossySettings::step,
                         .least = kLeastStep,
                         .most = kNoLimit,
                         .levels = LevelUse::Uniform,
                         .others = {CodecId::Patterns}},
    LossySetting<double>{.key = "dead_zone",
                         .help = "rounding offset: 0.5 rounds to the nearest level",
                         .inRule = &QuantizeRule::deadZone,
                         .inCodec = &LossySettings::deadZone,
                         .most = 0.5,
                         .levels = LevelUse::Uniform},
    LossySetting<double>{.key = "gain",
                         .help = "power of the unbiased projection's scale; 0: none",
                         .inRule = &QuantizeRule::gain,
                         .inCodec = &LossySettings::gain,
                         .most = 4,
                         .levels = LevelUse::Any,
                         .others = {CodecId::Patterns}},
    LossySetting<unsigned>{.key = "pattern_length",
                           .help = "words of a pattern, 8 to 4096; 0: no patterns",
                           .inRule = &QuantizeRule::patternLength,
                           .inCodec = &LossySettings::patternLength,
                           .most = 4096,
                           .others = {CodecId::Patterns}},
    LossySetting<unsigned>{.key = "pattern_bases_log2",
                           .help = "flips of signs that are tried, as a power of 2",
                           .inRule = &QuantizeRule::patternBasesLog2,
                           .inCodec = &LossySettings::patternBasesLog2,
                           .most = 12,
                           .others = {CodecId::Patterns}},
    LossySetting<unsigned>{.key = "rank",
                           .help = "low-rank components of each matrix",
                           .inRule = &QuantizeRule::rank,
                           .inCodec = &LossySettings::rank,
                           .most = 4096,
                           .levels = LevelUse::Any,
                           .others = {CodecId::Patterns},
                           .option = "N"},
    LossySetting<double>{.key = "factor_step",
                         .help = "step of low-rank factors, relative to the first's size",
                         .inRule = &QuantizeRule::factorStep,
                         .inCodec = &LossySettings::factorStep,
                         .least = kLeastStep,
                         .most = kNoLimit,
                         .levels = LevelUse::Any,
                         .others = {CodecId::Patterns}},
    LossySetting<unsigned>{.key = "levels",
                           .help = "non-uniform levels instead of steps",
                           .inRule = &QuantizeRule::levelCount,
                           .inCodec = &LossySettings::levelCount,
                           .most = 65536,
                           .levels = LevelUse::Any,
                           .others = {CodecId::Index},
                           .option = "K"},
    LossySetting<double>{.key = "prune",
                         .help = "share of words without a change",
                         .inRule = &QuantizeRule::pruneShare,
                         .inCodec = &LossySettings::pruneShare,
                         .most = 1,
                         .levels = LevelUse::Fitted,
                         .others = {CodecId::Index},
                         .option = "%"},
    LossySetting<double>{.key = "protect",
                         .help = "share of words kept as bf16",
                         .inRule = &QuantizeRule::protectShare,
                         .inCodec = &LossySettings::protectShare,
                         .most = 1,
                         .levels = LevelUse::Fitted,
                         .others = {CodecId::Index},
                         .option = "%"},
    LossySetting<double>{.key = "prune_alpha",
                         .help = "of levels, as ExCP: changes up to this / root of the mean second "
                                 "moment, at most 2.5, of a tensor's median go",
                         .inRule = &QuantizeRule::pruneAlpha,
                         .inCodec = &LossySettings::pruneAlpha,
                         .most = kNoLimit,
                         .levels = LevelUse::Fitted},
    LossySetting<double>{.key = "prune_beta",
                         .help =
                             "of moments as levels: those up to so many means go, and where the "
                             "weight's change does",
                         .inRule = &QuantizeRule::pruneBeta,
                         .inCodec = &LossySettings::pruneBeta,
                         .most = kNoLimit,
                         .levels = LevelUse::Fitted},
    LossySetting<bool>{.key = "prune_by",
                       .help = "prune by size, or by gradient times size",
                       .inRule = &QuantizeRule::bySensitivity,
                       .inCodec = &LossySettings::bySensitivity,
                       .levels = LevelUse::Fitted,
                       .others = {CodecId::Index},
                       .words = {"magnitude", "sensitivity"}},
    LossySetting<bool>{.key = "spacing",
                       .help = "of the levels of index: fitted, or even as in QD-Compressor",
                       .inRule = &QuantizeRule::uniformLevels,
                       .inCodec = &LossySettings::uniformLevels,
                       .others = {CodecId::Index},
                       .words = {"fitted", "even"},
                       .option = "HOW"},
    LossySetting<bool>{.key = "entropy",
                       .help = "of index: published (run lengths and Huffman codes) or rans",
                       .inRule = &QuantizeRule::publishedEntropy,
                       .inCodec = &LossySettings::publishedEntropy,
                       .others = {CodecId::Index},
                       .words = {"rans", "published"},
                       .option = "STAGE"},
    LossySetting<unsigned>{
        .key = "bits",
        .help = "of exponent and huffman: 2^bits - 1 buckets; of moments: 0 to 8, how "
                "fine; of rows: 2^bits steps, 2 to 8",
        .inRule = &QuantizeRule::bits,
        .inCodec = &LossySettings::bits,
        .most = 8,
        .others = {CodecId::Exponent, CodecId::Huffman, CodecId::Rows, CodecId::Moments}},
    LossySetting<bool>{.key = "row_scales",
                       .help = "of sign: a scale for each row instead of one",
                       .inRule = &QuantizeRule::rowScales,
                       .inCodec = &LossySettings::rowScales,
                       .others = {CodecId::Sign}},
    LossySetting<double>{.key = "max_error",
                         .help = "of bounded: the most that a weight may be off, in its unit",
                         .inRule = &QuantizeRule::maxError,
                         .inCodec = &LossySettings::maxError,
                         .most = kNoLimit,
                         .others = {CodecId::Bounded}},
};

/// Calls `visit` with each setting of the table, in its order.
template <typename Visit>
void forEachLossySetting(Visit visit) {
  std::apply([&](const auto&... settings) { (visit(settings), ...); }, kLossySettings);
}

/// The setting that a rule keeps in `field`.
template <typename T>
LossySetting<T> lossySetting(std::optional<T> QuantizeRule::*field) {
  LossySetting<T> found;
  forEachLossySetting([&](const auto& setting) {
    if constexpr (std::is_same_v<decltype(setting.inRule), std::optional<T> QuantizeRule::*>) {
      if (setting.inRule == field) found = setting;
    }
  });
  return found;
}

/// How far it is used that errors do not mean the same everywhere. What they mean is known from
/// gradients; where there are none, norms of the parent's weights stand in for them.
enum class Sensitivity {
  Auto,     ///< Tensors; without gradients that of convolutions alone
  None,     ///< not at all
  Tensors,  ///< in the steps of tensors
  Rows,     ///< also in weights of rows and columns
};

std::string_view name(Sensitivity sensitivity) noexcept;
std::optional<Sensitivity> sensitivityFromName(std::string_view name) noexcept;

/// How a model is quantized: the rules that match a tensor are applied in order, later ones win,
/// after those of defaultRules(). `stepScale` multiplies every step, and the length of patterns by
/// its square: the one number that a search bisects on.
struct QuantizeSettings {
  std::vector<QuantizeRule> rules;
  double stepScale = 1;
  Sensitivity sensitivity = Sensitivity::Auto;
  std::uint64_t seed = 1;
};

/// Where every tensor starts, before any rule: all fields that a search varies are set. Vectors
/// (norms, biases, tensors with fewer than 16 rows) take fine levels without scaling.
QuantizeRule startingRule(bool isMatrix);

/// What holds where no rule says otherwise: matrices as patterns with low rank in front, embeddings
/// as low rank alone (their rows are used one by one: noise does not average out), norms and biases
/// as finer levels without scaling, convolutions as short patterns with low rank.
std::vector<QuantizeRule> defaultRules();

}  // namespace strata
