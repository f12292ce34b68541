#include "core/profile/quality_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/config/byte_count.h"
#include "core/config/duration.h"
#include "core/config/toml_file.h"
#include "core/text/suggest.h"

namespace strata {
namespace {

/// Reads the values of one table, keeping the first failure; what it was not asked for is unknown.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string place)
      : table_(table), place_(std::move(place)) {}

  /// A number from `least` to `most`.
  template <typename T>
  void number(std::string_view key, std::optional<T>& value, double least, double most) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const std::optional<double> found = node->value<double>();
    constexpr bool isWhole = std::is_integral_v<T>;
    const bool fits = found && node->is_number() && *found >= least && *found <= most &&
                      (!isWhole || node->is_integer());
    if (!fits) {
      const std::string range = most == kNoLimit ? fmt::format("at least {}", least)
                                                 : fmt::format("{} to {}", least, most);
      return refuse(fmt::format("{} is no {}number of {}", key, isWhole ? "whole " : "", range));
    }
    value = static_cast<T>(*found);
  }

  void flag(std::string_view key, std::optional<bool>& value) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    value = node->value_exact<bool>();
    if (!value) refuse(fmt::format("{} is neither true nor false", key));
  }

  /// A text that `parse` takes.
  template <typename Parse>
  void text(std::string_view key, Parse parse) {
    const toml::node* node = take(key);
    if (node == nullptr) return;
    const auto* found = node->as_string();
    if (found == nullptr) return refuse(fmt::format("{} is not a text in quotes", key));
    const Result<void> done = parse(found->get());
    if (!done) refuse(fmt::format("{}: {}", key, done.error().message));
  }

  /// Fails with what was wrong, or with the first key that nobody asked for.
  Result<void> finish() {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (failure_.empty() && std::find(known_.begin(), known_.end(), name) == known_.end()) {
        refuse(fmt::format("there is no key \"{}\"; there are {}{}", name, fmt::join(known_, ", "),
                           didYouMean(name, known_)));
      }
    }
    if (!failure_.empty()) return fail(ErrorCode::InvalidArgument, failure_);
    return {};
  }

 private:
  const toml::node* take(std::string_view key) {
    known_.emplace_back(key);
    return failure_.empty() ? table_.get(key) : nullptr;
  }
  void refuse(const std::string& reason) { failure_ = place_ + ": " + reason; }

  const toml::table& table_;
  std::string place_;
  std::vector<std::string> known_;
  std::string failure_;
};

Result<void> expected(std::string_view found, std::string_view words) {
  return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is none of {}", found, words));
}

template <typename T>
void readSetting(TableReader& reader, const LossySetting<T>& setting, QuantizeRule& rule) {
  reader.number(setting.key, rule.*setting.inRule, setting.least, setting.most);
}

void readSetting(TableReader& reader, const LossySetting<bool>& setting, QuantizeRule& rule) {
  std::optional<bool>& value = rule.*setting.inRule;
  if (!setting.isInWords()) return reader.flag(setting.key, value);
  reader.text(setting.key, [&](const std::string& text) -> Result<void> {
    const auto found = std::find(setting.words.begin(), setting.words.end(), text);
    if (found == setting.words.end()) {
      return expected(text, fmt::format("{}", fmt::join(setting.words, ", ")));
    }
    value = found != setting.words.begin();
    return {};
  });
}

/// The settings that [quantize] and each [[rule]] share.
void readRule(TableReader& reader, QuantizeRule& rule) {
  reader.text("codec", [&](const std::string& text) -> Result<void> {
    rule.codec = codecFromName(text);
    if (!rule.codec) return expected(text, "the codecs that `strata help add` lists");
    return {};
  });
  forEachLossySetting([&](const auto& setting) { readSetting(reader, setting, rule); });
}

/// The table under `key`; an empty one where it is missing.
Result<toml::table> tableAt(const toml::table& whole, std::string_view key,
                            const std::string& source) {
  const toml::node* node = whole.get(key);
  if (node == nullptr) return toml::table{};
  if (const auto* table = node->as_table()) return *table;
  return fail(ErrorCode::InvalidArgument, fmt::format("{}: {} is not a table", source, key));
}

Result<void> readTarget(const toml::table& whole, const std::string& source, QualityPlan& plan) {
  STRATA_TRY(const toml::table table, tableAt(whole, "target", source));
  TableReader reader(table, source + ": [target]");
  std::optional<double> significance;
  reader.number("quality_loss", plan.target.qualityLoss, 0, kNoLimit);
  reader.number("error", plan.target.error, 0, kNoLimit);
  reader.number("significance", significance, 0, 1);
  reader.text("size", [&](const std::string& text) -> Result<void> {
    STRATA_TRY(plan.target.bytes, parseByteCount(text));
    return {};
  });
  STRATA_TRY(reader.finish());
  plan.target.significance = significance.value_or(0);
  if (table.size() > (significance ? 2 : 1)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: [target] has several targets, expected one of quality_loss, "
                            "size, error",
                            source));
  }
  const Result<void> checked = checkTarget(plan.target);
  if (checked) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: [target] {}", source, checked.error().message));
}

/// Moments and weights have codecs of their own: what is coarse to a weight may be no number that
/// an optimizer can go on from.
Result<void> checkCodec(const QuantizeRule& rule, const std::string& place) {
  const bool isForMoments = rule.kind && isOptimizerState(*rule.kind);
  const bool isMoments = rule.codec == CodecId::Moments;
  const auto refuse = [&](std::string_view reason) -> Result<void> {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: {}", place, reason));
  };
  if (isMoments && !isForMoments) {
    return refuse("codec moments is for the kinds \"first moment\" and \"second moment\"");
  }
  const bool isByLevels = rule.codec == CodecId::Levels && rule.levelCount.value_or(0) > 0;
  if (isForMoments && rule.codec && isLossy(*rule.codec) && !isMoments && !isByLevels) {
    return refuse(
        fmt::format("codec {} is for weights; moments take codec \"moments\", \"levels\" with a "
                    "number of levels, or \"integer\" to stay exact",
                    name(*rule.codec)));
  }
  const bool hasBuckets = rule.codec == CodecId::Exponent || rule.codec == CodecId::Huffman;
  if (hasBuckets && rule.bits == 0U) return refuse("bits is no whole number of 1 to 8");
  if (rule.codec == CodecId::Rows && rule.bits && *rule.bits < 2) {
    return refuse("bits is no whole number of 2 to 8");
  }
  return {};
}

Result<void> readQuantize(const toml::table& whole, const std::string& source, QualityPlan& plan) {
  STRATA_TRY(const toml::table table, tableAt(whole, "quantize", source));
  TableReader reader(table, source + ": [quantize]");
  QuantizeRule general;
  std::optional<double> scale;
  std::optional<std::uint32_t> seed;
  readRule(reader, general);
  const bool namesSensitivity = table.contains("sensitivity");
  reader.text("sensitivity", [&](const std::string& text) -> Result<void> {
    const auto sensitivity = sensitivityFromName(text);
    if (!sensitivity) return expected(text, "auto, none, tensors, rows");
    plan.quantize.sensitivity = *sensitivity;
    return {};
  });
  reader.number("step_scale", scale, kLeastStep, kNoLimit);
  reader.number("seed", seed, 0, 4294967295.0);
  STRATA_TRY(reader.finish());
  STRATA_TRY(checkCodec(general, source + ": [quantize]"));
  plan.quantize.stepScale = scale.value_or(1);
  plan.quantize.seed = seed.value_or(1);
  const std::size_t ofScale = (scale ? 1 : 0) + (seed ? 1 : 0) + (namesSensitivity ? 1 : 0);
  if (table.size() > ofScale) plan.quantize.rules.push_back(std::move(general));
  return {};
}

/// The tables `[[key]]`; none where there are none.
Result<std::vector<const toml::table*>> tablesAt(const toml::table& whole, std::string_view key,
                                                 const std::string& source) {
  std::vector<const toml::table*> tables;
  const toml::node* node = whole.get(key);
  if (node == nullptr) return tables;
  const auto* list = node->as_array();
  const std::string place = fmt::format("{}: [[{}]]", source, key);
  if (list == nullptr) return fail(ErrorCode::InvalidArgument, place + " is not a list of tables");
  for (const toml::node& entry : *list) {
    const auto* table = entry.as_table();
    if (table == nullptr) return fail(ErrorCode::InvalidArgument, place + " is not a table");
    tables.push_back(table);
  }
  return tables;
}

Result<void> readRules(const toml::table& whole, const std::string& source, QualityPlan& plan) {
  STRATA_TRY(const auto tables, tablesAt(whole, "rule", source));
  for (const toml::table* const table : tables) {
    QuantizeRule rule;
    TableReader reader(*table, fmt::format("{}: [[rule]] {}", source, plan.quantize.rules.size()));
    reader.text("match", [&](const std::string& text) -> Result<void> {
      rule.match = text;
      return {};
    });
    reader.text("kind", [&](const std::string& text) -> Result<void> {
      rule.kind = tensorKindFromName(text);
      if (rule.kind && rule.kind != TensorKind::OptimizerState) return {};
      return expected(text,
                      "embedding, attention, linear, convolution, norm, bias, head, first moment, "
                      "second moment, other; what else an optimizer keeps is stored exactly");
    });
    readRule(reader, rule);
    STRATA_TRY(reader.finish());
    STRATA_TRY(
        checkCodec(rule, fmt::format("{}: [[rule]] {}", source, plan.quantize.rules.size())));
    plan.quantize.rules.push_back(std::move(rule));
  }
  return {};
}

Result<void> readSearch(const toml::table& whole, const std::string& source, QualityPlan& plan) {
  STRATA_TRY(const toml::table table, tableAt(whole, "search", source));
  TableReader reader(table, source + ": [search]");
  reader.text("method", [&](const std::string& text) -> Result<void> {
    const auto method = searchMethodFromName(text);
    if (!method) return expected(text, "auto, scale, guided, neighbourhood, fixed");
    plan.method = *method;
    return {};
  });
  reader.number("trials", plan.trials, 1, 1e6);
  reader.text("time_limit", [&](const std::string& text) -> Result<void> {
    STRATA_TRY(plan.timeLimit, parseDuration(text));
    return {};
  });
  return reader.finish();
}

Result<void> readScores(const toml::table& whole, const std::string& source, QualityPlan& plan) {
  STRATA_TRY(const auto tables, tablesAt(whole, "score", source));
  for (const toml::table* const table : tables) {
    ProfileScore score;
    TableReader reader(*table, fmt::format("{}: [[score]] {}", source, plan.scores.size()));
    std::optional<double> reference;
    std::optional<double> restored;
    std::optional<std::uint64_t> samples;
    reader.text("content", [&](const std::string& text) -> Result<void> {
      const auto content = digestFromHex(text);
      if (!content) return expected(text, "64 hexadecimal digits");
      score.content = *content;
      return {};
    });
    const auto keep = [](std::string& to) {
      return [&to](const std::string& text) -> Result<void> {
        to = text;
        return {};
      };
    };
    reader.text("data", keep(score.data));
    reader.text("metric", keep(score.metric));
    reader.number("reference", reference, -kNoLimit, kNoLimit);
    reader.number("score", restored, -kNoLimit, kNoLimit);
    reader.number("samples", samples, 0, kNoLimit);
    reader.number("divergence", score.divergence, 0, kNoLimit);
    reader.number("p_value", score.pValue, 0, 1);
    STRATA_TRY(reader.finish());
    score.reference = reference.value_or(0);
    score.score = restored.value_or(0);
    score.samples = samples.value_or(0);
    plan.scores.push_back(std::move(score));
  }
  return {};
}

}  // namespace

Result<QualityPlan> parseQualityPlan(const std::string& toml, const std::string& source) {
  STRATA_TRY(const toml::table whole, parseToml(toml, source));
  const std::vector<std::string> known{"description", "mode", "effort", "target",
                                       "quantize",    "rule", "search", "score"};
  for (const auto& [key, node] : whole) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: a lossy profile has no \"{}\"; it has {}{}", source, name,
                            fmt::join(known, ", "), didYouMean(name, known)));
  }
  QualityPlan plan;
  STRATA_TRY(readTarget(whole, source, plan));
  STRATA_TRY(readQuantize(whole, source, plan));
  STRATA_TRY(readRules(whole, source, plan));
  STRATA_TRY(readSearch(whole, source, plan));
  STRATA_TRY(readScores(whole, source, plan));
  return plan;
}

}  // namespace strata
