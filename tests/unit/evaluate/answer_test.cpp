#include "core/evaluate/answer.h"

#include <gmock/gmock.h>

#include <string>

namespace strata {
namespace {

using testing::HasSubstr;

TEST(RequestLine, AsksForTheReferenceFirst) {
  EXPECT_EQ(requestLine("/m/a.onnx", 7, false), R"({"id":7,"model":"/m/a.onnx"})");
  EXPECT_EQ(requestLine("a \"b\"", 1, true), R"({"id":1,"model":"a \"b\"","reference":true})");
}

TEST(Answer, TakesTheScoreAlone) {
  const auto answer = parseAnswer(R"({"id": 3, "score": 0.5})", 3);
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_TRUE(answer->evaluation);
  EXPECT_EQ(answer->evaluation->score, 0.5);
  EXPECT_FALSE(answer->evaluation->divergence);
  EXPECT_EQ(answer->evaluation->samples, 0);
}

TEST(Answer, TakesAllFieldsAndIgnoresOthers) {
  const auto answer =
      parseAnswer(R"({"score": 1, "divergence": 2e-3, "expected_loss": 0.01, "metric": "accuracy",
                                      "samples": 6, "correct": "A4", "id": 3, "more": []})",
                  3);
  ASSERT_TRUE(answer) << answer.error().message;
  const Evaluation& found = *answer->evaluation;
  EXPECT_EQ(found.divergence, 2e-3);
  EXPECT_EQ(found.expectedLoss, 0.01);
  EXPECT_EQ(found.metric, "accuracy");
  EXPECT_EQ(found.samples, 6);
  EXPECT_EQ(found.correct, (std::vector<bool>{true, false, true, false, false, true}));
}

TEST(Answer, TakesARefusal) {
  const auto answer = parseAnswer(R"({"id": 3, "error": "no such input"})", 3);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->evaluation);
  EXPECT_EQ(answer->refusal, "no such input");
}

TEST(Answer, IsRefusedWhereItIsNestedTooDeep) {
  const std::string line =
      R"({"id": )" + std::string(300'000, '[') + std::string(300'000, ']') + "}";
  const auto answer = parseAnswer(line, 3);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Evaluator) << answer.error().message;
}

struct BadAnswer {
  const char* line;
  const char* complaint;
};

class EveryBadAnswer : public testing::TestWithParam<BadAnswer> {};

TEST_P(EveryBadAnswer, IsRefusedByName) {
  const auto answer = parseAnswer(GetParam().line, 3);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::Evaluator);
  EXPECT_THAT(answer.error().message, HasSubstr(GetParam().complaint));
}

INSTANTIATE_TEST_SUITE_P(
    Answer, EveryBadAnswer,
    testing::Values(
        BadAnswer{"", "object of JSON"}, BadAnswer{"score 0.5", "`score 0.5`"},
        BadAnswer{"[3, 0.5]", "object of JSON"}, BadAnswer{R"({"id": 3})", "without a score"},
        BadAnswer{R"({"score": 0.5})", "id null, expected 3"},
        BadAnswer{R"({"id": 4, "score": 0.5})", "id 4, expected 3"},
        BadAnswer{R"({"id": "3", "score": 0.5})", "expected 3"},
        BadAnswer{R"({"id": 3, "score": NaN})", "object of JSON"},
        BadAnswer{R"({"id": 3, "score": "high"})", "score of \"high\""},
        BadAnswer{R"({"id": 3, "score": 1e999})", ""},
        BadAnswer{R"({"id": 3, "score": 1, "divergence": -1})", "divergence of -1"},
        BadAnswer{R"({"id": 3, "score": 1, "metric": 1})", "metric of 1"},
        BadAnswer{R"({"id": 3, "score": 1, "samples": -1})", "-1 samples"},
        BadAnswer{R"({"id": 3, "score": 1, "correct": "ff"})", "0 samples"},
        BadAnswer{R"({"id": 3, "score": 1, "samples": 9, "correct": "ff"})", "expected 3"},
        BadAnswer{R"({"id": 3, "score": 1, "samples": 4, "correct": "fff"})", "expected 1"},
        BadAnswer{R"({"id": 3, "score": 1, "samples": 4, "correct": "f1"})", "bits beyond"},
        BadAnswer{R"({"id": 3, "score": 1, "samples": 4, "correct": "g"})", "hexadecimal"}));

}  // namespace
}  // namespace strata
