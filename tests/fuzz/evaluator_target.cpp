#include <cmath>

#include "core/evaluate/answer.h"
#include "hub/aws/aws_keys.h"
#include "tests/fuzz/fuzz_target.h"

namespace strata::test {
namespace {

/// Lines of the user's programs: of evaluators, and of `credential_process`.
class EvaluatorTarget final : public FuzzTarget {
 public:
  std::vector<std::string> seeds() const override {
    return {
        R"({"id":7,"score":0.875})",
        R"({"id":7,"score":0.5,"divergence":0.1,"samples":8,"correct":"f3","metric":"accuracy"})",
        R"({"id":7,"score":0.5,"expected_loss":0.01,"samples":6,"correct":"fc"})",
        R"({"id":7,"error":"the model does not load"})",
        R"({"Version":1,"AccessKeyId":"AKID","SecretAccessKey":"key","SessionToken":"t",)"
        R"("Expiration":"2026-03-09T14:02:11Z"})",
    };
  }

  std::string broken(std::string_view line) override {
    if (const auto answer = parseAnswer(line, 7); answer && answer->evaluation) {
      const Evaluation& found = *answer->evaluation;
      if (!std::isfinite(found.score) || !std::isfinite(found.divergence.value_or(0)) ||
          !std::isfinite(found.expectedLoss.value_or(0))) {
        return "a number that is not finite";
      }
      if (found.divergence.value_or(0) < 0) return "a negative divergence";
      if (!found.correct.empty() && found.correct.size() != found.samples) {
        return "not a bit for each sample";
      }
    }
    const auto keys = hub::awsKeysOfJson(line, "SessionToken", "the program");
    if (keys && (keys->credential.user.empty() || keys->credential.secret.empty())) {
      return "keys without a key";
    }
    return keys ? std::string() : brokenBy(keys.error());
  }
};

}  // namespace

std::unique_ptr<FuzzTarget> makeEvaluatorTarget() { return std::make_unique<EvaluatorTarget>(); }

}  // namespace strata::test
