#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "core/config/byte_count.h"
#include "core/config/duration.h"
#include "core/config/toml_file.h"
#include "core/profile/quality_plan.h"
#include "core/text/wording.h"

namespace strata {
namespace {

tl::unexpected<Error> badTarget(std::string_view text) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is no target; expected quality_loss=POINTS, size=BYTES or "
                          "error=SHARE, such as quality_loss=0.5, size=20MB, error=0.02",
                          text));
}

template <typename T>
void put(toml::table& table, std::string_view key, const std::optional<T>& value) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if (value) table.insert(key, static_cast<std::int64_t>(*value));
  } else {
    if (value) table.insert(key, *value);
  }
}

toml::table ruleTable(const QuantizeRule& rule) {
  toml::table table;
  if (rule.codec) table.insert("codec", std::string(name(*rule.codec)));
  forEachLossySetting([&](const auto& setting) {
    const auto& value = rule.*setting.inRule;
    if (value && setting.isInWords()) {
      table.insert(setting.key, std::string(setting.words[static_cast<bool>(*value) ? 1 : 0]));
    } else {
      put(table, setting.key, value);
    }
  });
  return table;
}

toml::table targetTable(const SearchTarget& target) {
  toml::table table;
  put(table, "quality_loss", target.qualityLoss);
  if (target.bytes) table.insert("size", std::to_string(*target.bytes));
  put(table, "error", target.error);
  if (target.significance > 0) table.insert("significance", target.significance);
  return table;
}

toml::table searchTable(const QualityPlan& plan) {
  toml::table table;
  if (plan.method != SearchMethod::Auto) table.insert("method", std::string(name(plan.method)));
  put(table, "trials", plan.trials);
  if (plan.timeLimit) table.insert("time_limit", durationText(*plan.timeLimit));
  return table;
}

toml::table scoreTable(const ProfileScore& score) {
  toml::table table{{"content", toHex(score.content)},
                    {"data", score.data},
                    {"metric", score.metric},
                    {"reference", score.reference},
                    {"score", score.score},
                    {"samples", static_cast<std::int64_t>(score.samples)}};
  put(table, "divergence", score.divergence);
  put(table, "p_value", score.pValue);
  return table;
}

/// Appends `[key]` with its values, as people write it; nothing for an empty table.
void append(std::string& text, std::string_view header, const toml::table& table) {
  std::ostringstream lines;
  lines << table;
  text += fmt::format("\n{}\n{}\n", header, lines.str());
}

/// Whether a rule is what [quantize] says.
bool isGeneral(const QuantizeRule& rule) noexcept { return rule.match == "*" && !rule.kind; }

}  // namespace

Result<void> parseTarget(std::string_view text, SearchTarget& target) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return badTarget(text);
  const std::string_view key = text.substr(0, equals);
  const std::string value(text.substr(equals + 1));
  SearchTarget found{.significance = target.significance};
  if (key == "size") {
    STRATA_TRY(found.bytes, parseByteCount(value));
  } else if (key == "quality_loss" || key == "error") {
    double number = 0;
    const char* const last = value.data() + value.size();
    const auto [end, problem] = std::from_chars(value.data(), last, number);
    if (problem != std::errc() || end != last || !(number >= 0 && number < 1e300)) {
      return badTarget(text);
    }
    (key == "error" ? found.error : found.qualityLoss) = number;
  } else {
    return badTarget(text);
  }
  STRATA_TRY(checkTarget(found));
  target = found;
  return {};
}

Result<void> checkTarget(const SearchTarget& target) {
  if (target.error != 0.0) return {};
  return fail(ErrorCode::InvalidArgument,
              "a relative error of 0 is the exact version, and nothing is to be searched for it: "
              "the profile exact stores it");
}

std::string targetText(const SearchTarget& target) {
  if (target.bytes) return "a size of at most " + wordBytes(*target.bytes);
  if (target.error) return fmt::format("a relative error of at most {}", *target.error);
  if (!target.qualityLoss) return "no target";
  const std::string points = fmt::format("a loss of at most {} points", *target.qualityLoss);
  if (target.significance <= 0) return points;
  return fmt::format("{}, beyond that none of p < {}", points, target.significance);
}

std::string qualityProfileText(const std::string& description, const QualityPlan& plan) {
  toml::table head{{"mode", plan.target.bytes ? "size" : "quality"}};
  if (!description.empty()) head.insert("description", description);
  std::ostringstream lines;
  lines << head;
  std::string text = lines.str() + "\n";
  if (plan.hasTarget()) append(text, "[target]", targetTable(plan.target));

  const auto& rules = plan.quantize.rules;
  const bool hasGeneral = !rules.empty() && isGeneral(rules.front());
  toml::table general = hasGeneral ? ruleTable(rules.front()) : toml::table{};
  if (plan.quantize.stepScale != 1) general.insert("step_scale", plan.quantize.stepScale);
  if (plan.quantize.sensitivity != Sensitivity::Auto) {
    general.insert("sensitivity", std::string(name(plan.quantize.sensitivity)));
  }
  if (plan.quantize.seed != 1) {
    general.insert("seed", static_cast<std::int64_t>(plan.quantize.seed));
  }
  if (!general.empty()) append(text, "[quantize]", general);
  for (std::size_t i = hasGeneral ? 1 : 0; i < rules.size(); ++i) {
    toml::table table = ruleTable(rules[i]);
    if (rules[i].match != "*") table.insert("match", rules[i].match);
    if (rules[i].kind) table.insert("kind", std::string(name(*rules[i].kind)));
    append(text, "[[rule]]", table);
  }
  const toml::table search = searchTable(plan);
  if (!search.empty()) append(text, "[search]", search);
  for (const ProfileScore& score : plan.scores) append(text, "[[score]]", scoreTable(score));
  return text;
}

}  // namespace strata
