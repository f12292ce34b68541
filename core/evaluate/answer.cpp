#include "core/evaluate/answer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text/hex_digit.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

using Json = nlohmann::json;

tl::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::Evaluator, std::move(message));
}

Result<std::optional<double>> numberAt(const Json& answer, const char* key) {
  const Json& value = anyMember(answer, key);
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !std::isfinite(value.get<double>())) {
    return refuse(fmt::format("answered a {} of {}, expected a finite number", key, value.dump()));
  }
  return value.get<double>();
}

Result<std::string> textAt(const Json& answer, const char* key) {
  const Json& value = anyMember(answer, key);
  if (value.is_null()) return std::string{};
  if (!value.is_string()) {
    return refuse(fmt::format("answered a {} of {}, expected a text", key, value.dump()));
  }
  return value.get<std::string>();
}

/// One bit for each of `samples`, four to a digit, the first in its highest bit.
Result<std::vector<bool>> bitsOf(std::string_view digits, std::uint64_t samples) {
  if (digits.empty()) return std::vector<bool>{};
  const std::uint64_t needed = samples / 4 + (samples % 4 != 0 ? 1 : 0);
  if (samples == 0 || digits.size() < needed || digits.size() > needed + 1) {
    return refuse(fmt::format("answered {} digits of correct for {} samples, expected {}",
                              digits.size(), samples, needed));
  }
  std::vector<bool> bits(samples);
  for (std::size_t i = 0; i < digits.size() * 4; ++i) {
    const int digit = hexDigit(digits[i / 4]);
    if (digit < 0) return refuse("answered a correct that is not hexadecimal");
    const bool bit = (digit >> (3 - i % 4) & 1) != 0;
    if (i < samples) {
      bits[i] = bit;
    } else if (bit) {
      return refuse(fmt::format("answered a correct with bits beyond {} samples", samples));
    }
  }
  return bits;
}

Result<Evaluation> evaluationIn(const Json& answer) {
  Evaluation evaluation;
  STRATA_TRY(const std::optional<double> score, numberAt(answer, "score"));
  if (!score) return refuse("answered without a score");
  evaluation.score = *score;
  STRATA_TRY(evaluation.divergence, numberAt(answer, "divergence"));
  if (evaluation.divergence.value_or(0) < 0) {
    return refuse(
        fmt::format("answered a divergence of {}, expected at least 0", *evaluation.divergence));
  }
  STRATA_TRY(evaluation.expectedLoss, numberAt(answer, "expected_loss"));
  STRATA_TRY(evaluation.metric, textAt(answer, "metric"));
  if (const Json& samples = anyMember(answer, "samples"); !samples.is_null()) {
    if (!samples.is_number_unsigned()) {
      return refuse(fmt::format("answered {} samples, expected a whole number", samples.dump()));
    }
    evaluation.samples = samples.get<std::uint64_t>();
  }
  STRATA_TRY(const std::string digits, textAt(answer, "correct"));
  STRATA_TRY(evaluation.correct, bitsOf(digits, evaluation.samples));
  return evaluation;
}

/// The line as an error shows it.
std::string shortened(std::string_view line) {
  constexpr std::size_t kMost = 80;
  return line.size() <= kMost ? std::string(line) : fmt::format("{}...", line.substr(0, kMost));
}

}  // namespace

std::string requestLine(const std::filesystem::path& model, std::uint64_t id, bool isReference) {
  Json request{{"model", model.string()}, {"id", id}};
  if (isReference) request["reference"] = true;
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Answer> parseAnswer(std::string_view line, std::uint64_t id) {
  const Result<Json> parsed = parseJson(line, "the answer");
  if (!parsed || !parsed->is_object()) {
    return refuse(
        fmt::format("wrote `{}` to its standard output, expected one object of JSON for "
                    "each answer and nothing else (logs belong to standard error; NaN "
                    "is no JSON)",
                    shortened(line)));
  }
  const Json& answer = *parsed;
  const Json& answered = anyMember(answer, "id");
  if (!answered.is_number_unsigned() || answered.get<std::uint64_t>() != id) {
    return refuse(fmt::format("answered id {}, expected {}", answered.dump(), id));
  }
  STRATA_TRY(std::string refusal, textAt(answer, "error"));
  if (!refusal.empty()) return Answer{std::nullopt, std::move(refusal)};
  STRATA_TRY(Evaluation evaluation, evaluationIn(answer));
  return Answer{std::move(evaluation), {}};
}

}  // namespace strata
