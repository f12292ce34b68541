#include <gtest/gtest.h>

#include <cmath>

#include "core/model/checkpoint.h"
#include "core/model/metric_direction.h"
#include "core/model/trainer_state.h"

namespace strata {
namespace {

TEST(CheckpointNames, SayTheirStep) {
  EXPECT_EQ(stepOfName("checkpoint-500"), 500U);
  EXPECT_EQ(stepOfName("epoch=3-step=500.ckpt"), 500U);
  EXPECT_EQ(stepOfName("epoch=3-step=500-v1.ckpt"), 500U);
  EXPECT_EQ(stepOfName("step_40"), 40U);
  EXPECT_EQ(stepOfName("global_step120"), 120U);
  EXPECT_EQ(stepOfName("model_iter_0000300.pt"), 300U);
  EXPECT_EQ(stepOfName("steps-7"), 7U);
  EXPECT_EQ(stepOfName("checkpoint_3"), std::nullopt);
  EXPECT_EQ(stepOfName("last.ckpt"), std::nullopt);
  EXPECT_EQ(stepOfName("stepwise"), std::nullopt);
  EXPECT_EQ(stepOfName("checkpoint-99999999999999999999999"), std::nullopt);
}

TEST(CheckpointNames, HaveNumbers) {
  EXPECT_EQ(numberInName("checkpoint_3"), 3U);
  EXPECT_EQ(numberInName("model-12.pt"), 12U);
  EXPECT_EQ(numberInName("model.pt2"), std::nullopt);
  EXPECT_EQ(numberInName("v1.5"), 5U);
}

TEST(CheckpointNames, TellWhatIsForTrainingAlone) {
  for (const char* const path :
       {"optimizer.pt", "optimizer_1.bin", "scheduler.pt", "scaler.pt", "rng_state_3.pth",
        "random_states_0.pkl", "trainer_state.json", "optimizer_0/__0_0.distcp",
        "optimizer_0/.metadata", "global_step5/zero_pp_rank_0_mp_rank_00_optim_states.pt",
        "optim_20.pt", "optimizerG_20.pth", "optimizer_20.safetensors", "optim_20.npz"}) {
    EXPECT_TRUE(isTrainingState(path)) << path;
  }
  for (const char* const path :
       {"model.safetensors", "scheduler/scheduler_config.json", "config.json", "optimizer.md",
        "pytorch_model_fsdp_0/__0_0.distcp", "pytorch_model.bin", "sampler.py",
        "optimizer_free_model.pt", "optimal_20.pt", "optimized.pt", "optim_20.onnx",
        "model_and_optimizer.pt", "model_optim_20.pt", "ckpt_with_optimizer.bin",
        "target_scaler.pt", "feature_scaler.bin", "optimizer_and_weights.pt"}) {
    EXPECT_FALSE(isTrainingState(path)) << path;
    EXPECT_FALSE(isOptimizerFile(path)) << path;
  }
  for (const char* const path :
       {"optimizer.pt", "optimizer.bin", "a/optimizer_1.bin", "optimizer_0/__0_0.distcp",
        "global_step5/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt", "optim_20.pt"}) {
    EXPECT_TRUE(isOptimizerFile(path)) << path;
  }
  for (const char* const path : {"scheduler.pt", "rng_state.pth", "trainer_state.json"}) {
    EXPECT_FALSE(isOptimizerFile(path)) << path;
  }
}

TEST(CheckpointNames, TellWhatMayLieBesideAModel) {
  for (const char* const name :
       {"optimizer_20.safetensors", "optim_20.npz", "optimizerG_20.pth", "modelOptim_20.pt",
        "lr_sched_20.pt", "grad_scaler_20.pt", "rng_20.pth"}) {
    EXPECT_TRUE(maySideWith(name)) << name;
  }
  for (const char* const name : {"model_20.safetensors", "netG_20.pth", "weights_20.npz"}) {
    EXPECT_FALSE(maySideWith(name)) << name;
  }
}

TEST(StateOfTrainer, HasTheLastLossAndTheScoreThatChoseTheBest) {
  const auto state = parseTrainerState(R"({"best_metric": 0.8, "epoch": 2.0, "global_step": 20,
    "log_history": [{"loss": 0.9, "step": 5}, {"eval_f1": 0.7, "eval_loss": 0.6, "eval_mcc": 0.8,
      "eval_runtime": 3.0, "step": 10}, {"loss": 0.5, "step": 15},
      {"eval_f1": 0.75, "eval_loss": 0.5, "eval_mcc": 0.6, "step": 20}]})");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->step, 20U);
  EXPECT_EQ(state->epoch, 2.0);
  EXPECT_EQ(state->loss, 0.5);
  EXPECT_EQ(state->scoreName, "eval_mcc");
  EXPECT_EQ(state->score, 0.6);
}

TEST(CheckpointNames, SayTheirEpoch) {
  EXPECT_EQ(epochOfName("epoch=3-step=500.ckpt"), 3U);
  EXPECT_EQ(epochOfName("model_epoch_12.pt"), 12U);
  EXPECT_EQ(epochOfName("checkpoint-500"), std::nullopt);
}

TEST(StateOfTrainer, TellsWhichWayIsBetter) {
  const auto directionOf = [](const std::string& said, double best) {
    const auto state = parseTrainerState(
        R"({"global_step": 20, )" + said + R"("best_metric": )" + std::to_string(best) +
        R"(, "log_history": [{"eval_x": 0.5, "step": 10}, {"eval_x": 0.75, "step": 20}]})");
    EXPECT_TRUE(state) << state.error().message;
    return state ? state->isMoreBetter : std::nullopt;
  };
  EXPECT_EQ(directionOf("", 0.75), true);
  EXPECT_EQ(directionOf("", 0.5), false);
  EXPECT_EQ(directionOf("", 0.6), std::nullopt) << "no number of the log is the best";
  EXPECT_EQ(directionOf(R"("greater_is_better": false, )", 0.75), false);
}

TEST(StateOfTrainer, TellsByTheNameWhichWayIsBetter) {
  for (const std::string_view less : {"loss",
                                      "eval_loss",
                                      "rmse",
                                      "eval_ppl",
                                      "eval_nll",
                                      "eval_bpc",
                                      "bits_per_byte",
                                      "neg_log_likelihood",
                                      "val_cross_entropy",
                                      "eval_fid",
                                      "distance",
                                      "regret",
                                      "hamming",
                                      "failure_rate",
                                      "perplexity",
                                      "mse",
                                      "wer",
                                      "cer",
                                      "word_error_rate",
                                      "f1_loss",
                                      "false_negative_rate",
                                      "mean-absolute-error",
                                      "validLoss"}) {
    EXPECT_EQ(isMoreBetterByName(less), false) << less;
  }
  for (const std::string_view more :
       {"eval_accuracy", "acc", "f1", "eval_macro_f1", "rouge1", "rougeL", "bleu", "recall@10",
        "log_likelihood", "neg_mean_squared_error", "hamming_score", "exact_match", "wer_accuracy",
        "mean_reward"}) {
    EXPECT_EQ(isMoreBetterByName(more), true) << more;
  }
  for (const std::string_view unknown : {"", "eval_", "eval_gap", "closeness", "policy_entropy",
                                         "x", "score", "length", "glossary"}) {
    EXPECT_EQ(isMoreBetterByName(unknown), std::nullopt) << unknown;
  }
}

TEST(StateOfTrainer, PrefersAScoreWhoseDirectionIsKnown) {
  const auto nameIn = [](const std::string& numbers) {
    const auto state = parseTrainerState(R"({"global_step": 20, "log_history": [{)" + numbers +
                                         R"(, "step": 20}]})");
    EXPECT_TRUE(state) << state.error().message;
    return state ? state->scoreName : "";
  };
  EXPECT_EQ(nameIn(R"("eval_acc": 0.5, "eval_loss": 1, "eval_zz": 3)"), "eval_acc");
  EXPECT_EQ(nameIn(R"("eval_gap": 0.5, "eval_loss": 1)"), "eval_loss");
  EXPECT_EQ(nameIn(R"("eval_gap": 0.5, "eval_aa": 1)"), "eval_aa");
}

TEST(StateOfTrainer, HasTheScoreThatIsAskedFor) {
  const std::string text = R"({"global_step": 20, "metric_for_best_model": "f1", "log_history":
    [{"eval_f1": 0.7, "eval_acc": 0.9, "step": 10}, {"eval_acc": 0.8, "step": 15}]})";
  const auto trainers = parseTrainerState(text);
  ASSERT_TRUE(trainers) << trainers.error().message;
  EXPECT_EQ(trainers->scoreName, "eval_f1");
  EXPECT_EQ(trainers->scoreStep, 10U);
  const auto asked = parseTrainerState(text, "eval_acc");
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->score, 0.8);
  EXPECT_EQ(asked->scoreStep, 15U);
  EXPECT_EQ(parseTrainerState(text, "eval_mcc")->score, std::nullopt);
}

TEST(StateOfTrainer, TakesWhatPythonWritesForNoNumber) {
  const auto state = parseTrainerState(
      R"({"best_metric": null, "global_step": 3, "log_history": [{"loss": NaN, "note": "a NaN \" b"},
          {"eval_loss": Infinity, "grad_norm": -Infinity}]})");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->step, 3U);
  ASSERT_TRUE(state->loss && state->score);
  EXPECT_TRUE(std::isnan(*state->loss));
  EXPECT_TRUE(std::isnan(*state->score));
}

TEST(StateOfTrainer, SaysAtWhichStepsItsFiguresWereLogged) {
  const auto state = parseTrainerState(
      R"({"global_step": 30, "log_history": [{"loss": 0.5, "step": 10}, {"eval_f1": 0.8, "step": 20},
          {"loss": 0.25, "step": 25}]})");
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->loss, 0.25);
  EXPECT_EQ(state->lossStep, 25U);
  EXPECT_EQ(state->scoreStep, 20U);
}

TEST(StateOfTrainer, IsRefusedWhereItIsCut) {
  const std::string whole = R"({"global_step": 3, "log_history": []})";
  for (std::size_t kept = 0; kept < whole.size(); ++kept) {
    EXPECT_FALSE(parseTrainerState(whole.substr(0, kept))) << kept;
  }
  EXPECT_FALSE(parseTrainerState("[]"));
}

TEST(StateOfTrainer, SaysWhatStandsInPlaceOfItsStep) {
  for (const auto& [step, shown] :
       {std::pair(R"("12")", R"("12")"), std::pair("1.5", "1.5"), std::pair("null", "null"),
        std::pair("-3", "-3"), std::pair("[1]", "[1]")}) {
    const auto state = parseTrainerState(R"({"global_step": )" + std::string(step) + "}");
    ASSERT_FALSE(state) << step;
    EXPECT_EQ(state.error().message, "trainer_state.json: global_step is " + std::string(shown) +
                                         ", expected a whole number");
  }
  EXPECT_EQ(parseTrainerState("{}").error().message, "trainer_state.json: has no global_step");
}

}  // namespace
}  // namespace strata
