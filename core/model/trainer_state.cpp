#include "core/model/trainer_state.h"

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

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

/// The key whose value is the trainer's `best_metric` somewhere in the log; else the first of an
/// evaluation, those that are no loss before others; empty if there is none.
std::string scoreKey(const json& state) {
  const auto best = numberMember(state, "best_metric");
  std::string first;
  for (const json& entry : listMember(state, "log_history")) {
    if (!entry.is_object()) continue;
    for (const auto& [key, value] : entry.items()) {
      if (!isScore(key) || (!value.is_number() && !value.is_null())) continue;
      if (best && value.is_number() && value.get<double>() == *best) return key;
      if (first.empty() || (isLoss(first) && !isLoss(key))) first = key;
    }
  }
  return first;
}

}  // namespace

Result<TrainerState> parseTrainerState(std::string_view text) {
  auto parsed = parseJson(text, kTrainerStateFile);
  if (!parsed) parsed = parseJson(withoutOddNumbers(text), kTrainerStateFile);
  if (!parsed) return fail(std::move(parsed).error());
  const json& document = *parsed;
  const auto step = countMember(document, "global_step");
  if (!step) return fail(ErrorCode::CorruptData, "trainer_state.json: has no global_step");
  TrainerState state{.step = *step, .epoch = numberMember(document, "epoch")};
  const std::string key = scoreKey(document);
  for (const json& entry : listMember(document, "log_history")) {
    if (!entry.is_object()) continue;
    if (const auto loss = loggedMember(entry, "loss")) {
      state.loss = loss;
      state.lossStep = countMember(entry, "step");
    }
    if (key.empty()) continue;
    if (const auto score = loggedMember(entry, key.c_str())) {
      state.score = score;
      state.scoreStep = countMember(entry, "step");
    }
  }
  if (state.score) state.scoreName = key;
  return state;
}

}  // namespace strata
