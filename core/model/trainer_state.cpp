#include "core/model/trainer_state.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/model/metric_direction.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

using nlohmann::json;

/// Numbers as Python's JSON writes them and nobody else reads them become null.
std::string withoutOddNumbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> kOdd{"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool isInText = false;
  for (std::size_t at = 0; at < text.size();) {
    const char letter = text[at];
    if (isInText && letter == '\\' && at + 1 < text.size()) {
      out.append(text.substr(at, 2));
      at += 2;
      continue;
    }
    if (letter == '"') isInText = !isInText;
    std::size_t skipped = 0;
    for (const std::string_view odd : kOdd) {
      if (!isInText && skipped == 0 && text.substr(at).starts_with(odd)) skipped = odd.size();
    }
    out.append(skipped > 0 ? std::string_view("null") : text.substr(at, 1));
    at += skipped > 0 ? skipped : 1;
  }
  return out;
}

std::optional<double> numberMember(const json& object, const char* key) {
  const json& value = anyMember(object, key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

/// A number that was logged; NaN for one that JSON does not have, which is null by now.
std::optional<double> loggedMember(const json& entry, const char* key) {
  const json& value = anyMember(entry, key);
  if (value.is_number()) return value.get<double>();
  const bool isOdd = value.is_null() && entry.contains(key);
  return isOdd ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt;
}

/// Whether a number of an evaluation tells how good the model is, and not how fast it ran.
bool isScore(std::string_view key) {
  return key.starts_with("eval_") && !key.ends_with("_per_second") && !key.ends_with("runtime") &&
         !key.ends_with("_time");
}

bool isLoss(std::string_view key) { return key.ends_with("loss"); }

/// The entries of the log that are what they should be.
std::vector<const json*> logOf(const json& state) {
  std::vector<const json*> entries;
  for (const json& entry : listMember(state, "log_history")) {
    if (entry.is_object()) entries.push_back(&entry);
  }
  return entries;
}

bool isInLog(const std::vector<const json*>& log, const std::string& key) {
  return std::any_of(log.begin(), log.end(),
                     [&](const json* entry) { return loggedMember(*entry, key.c_str()); });
}

/// Which number of an evaluation counts first where the trainer names none.
int rankOf(std::string_view key) {
  if (!isMoreBetterByName(key)) return 2;
  return isLoss(key) ? 1 : 0;
}

/// The key that the trainer names, or whose value is its `best_metric` somewhere in the log; else
/// one of an evaluation: by its rank, then by the alphabet; empty if there is none.
std::string scoreKey(const json& state, const std::vector<const json*>& log) {
  const auto named = textMember(state, "metric_for_best_model");
  for (const std::string& key : {named.value_or(""), "eval_" + named.value_or("")}) {
    if (named && isInLog(log, key)) return key;
  }
  const auto best = numberMember(state, "best_metric");
  std::string first;
  for (const json* const entry : log) {
    for (const auto& [key, value] : entry->items()) {
      if (!isScore(key) || (!value.is_number() && !value.is_null())) continue;
      if (best && value.is_number() && value.get<double>() == *best) return key;
      if (first.empty() || std::pair(rankOf(key), key) < std::pair(rankOf(first), first)) {
        first = key;
      }
    }
  }
  return first;
}

/// What is there instead, shortened.
Error noStep(const json& document) {
  constexpr std::size_t kMostShown = 40;
  if (!document.is_object() || !document.contains("global_step")) {
    return {ErrorCode::Unsupported, "trainer_state.json: has no global_step"};
  }
  std::string found = document["global_step"].dump(-1, ' ', true, json::error_handler_t::replace);
  if (found.size() > kMostShown) found = found.substr(0, kMostShown) + "...";
  return {ErrorCode::Unsupported,
          "trainer_state.json: global_step is " + found + ", expected a whole number"};
}

/// By what the trainer says, or by which end of the numbers in the log its best one is.
std::optional<bool> directionOf(const json& state, const std::vector<const json*>& log,
                                const std::string& key) {
  const json& said = anyMember(state, "greater_is_better");
  if (said.is_boolean()) return said.get<bool>();
  const auto best = numberMember(state, "best_metric");
  if (!best) return std::nullopt;
  bool isLess = false;
  bool isMore = false;
  bool isThere = false;
  for (const json* const entry : log) {
    const auto value = numberMember(*entry, key.c_str());
    if (!value) continue;
    isLess = isLess || *value > *best;
    isMore = isMore || *value < *best;
    isThere = isThere || *value == *best;
  }
  return isThere && isLess != isMore ? std::optional(isMore) : std::nullopt;
}

Result<json> parsePythons(std::string_view text) {
  auto parsed = parseJson(text, kTrainerStateFile);
  if (!parsed) parsed = parseJson(withoutOddNumbers(text), kTrainerStateFile);
  return parsed;
}

}  // namespace

Result<TrainerState> parseTrainerState(std::string_view text, std::string_view metric) {
  const auto parsed = parsePythons(text);
  if (!parsed) return fail(parsed.error());
  const json& document = *parsed;
  const auto step = countMember(document, "global_step");
  if (!step) return fail(noStep(document));
  TrainerState state{.step = *step, .epoch = numberMember(document, "epoch")};
  const std::vector<const json*> log = logOf(document);
  const std::string trainers = scoreKey(document, log);
  const std::string key = metric.empty() ? trainers : std::string(metric);
  for (const json* const entry : log) {
    if (const auto loss = loggedMember(*entry, "loss")) {
      state.loss = loss;
      state.lossStep = countMember(*entry, "step");
    }
    const auto score = key.empty() ? std::nullopt : loggedMember(*entry, key.c_str());
    if (!score) continue;
    state.score = score;
    state.scoreStep = countMember(*entry, "step");
  }
  if (!state.score) return state;
  state.scoreName = key;
  if (key == trainers) state.isMoreBetter = directionOf(document, log, key);
  return state;
}

std::vector<std::pair<std::uint64_t, double>> loggedLosses(std::string_view text) {
  std::vector<std::pair<std::uint64_t, double>> losses;
  const auto parsed = parsePythons(text);
  if (!parsed) return losses;
  for (const json* const entry : logOf(*parsed)) {
    const auto loss = loggedMember(*entry, "loss");
    const auto step = countMember(*entry, "step");
    if (loss && step) losses.emplace_back(*step, *loss);
  }
  return losses;
}

}  // namespace strata
