#include "core/model/metric_direction.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <vector>

namespace strata {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 55> kLess{
    "loss",         "losses",  "logloss",  "error",       "errors",     "err",    "rmse",
    "mse",          "mae",     "mape",     "smape",       "msle",       "rmsle",  "wer",
    "cer",          "ter",     "eer",      "perplexity",  "ppl",        "nll",    "bpc",
    "bpb",          "bpw",     "bpd",      "bits",        "xent",       "ce",     "bce",
    "crossentropy", "kl",      "kld",      "jsd",         "divergence", "fid",    "kid",
    "fad",          "lpips",   "mmd",      "distance",    "dist",       "regret", "hamming",
    "levenshtein",  "edit",    "cost",     "wasserstein", "brier",      "ece",    "failure",
    "failed",       "mistake", "mistakes", "false",       "fpr",        "fnr"};
constexpr std::array<std::string_view, 64> kMore{
    "accuracy",    "acc",       "precision", "recall",     "f1",        "fbeta",     "auc",
    "auroc",       "auprc",     "roc",       "map",        "ap",        "ndcg",      "mrr",
    "hits",        "hit",       "bleu",      "sacrebleu",  "rouge",     "rouge1",    "rouge2",
    "rougel",      "rougelsum", "meteor",    "chrf",       "bertscore", "mcc",       "matthews",
    "correlation", "corr",      "pearson",   "pearsonr",   "spearman",  "spearmanr", "kendall",
    "kappa",       "r2",        "iou",       "miou",       "dice",      "jaccard",   "psnr",
    "ssim",        "match",     "em",        "reward",     "rewards",   "return",    "returns",
    "likelihood",  "logprob",   "logprobs",  "elbo",       "top1",      "top5",      "sensitivity",
    "specificity", "tpr",       "tnr",       "similarity", "agreement", "success",   "pass",
    "win"};
/// Long enough to be told at the end of a word: "valloss", "rootmeansquarederror".
constexpr std::array<std::string_view, 6> kLessEndings{"loss",    "error",    "perplexity",
                                                       "entropy", "distance", "divergence"};
constexpr std::array<std::string_view, 4> kMoreEndings{"accuracy", "precision", "recall",
                                                       "likelihood"};

std::vector<std::string> wordsOf(std::string_view metric) {
  std::vector<std::string> words(1);
  for (const char letter : metric) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (words.back().empty()) words.pop_back();
  constexpr std::array<std::string_view, 5> kParts{"eval", "val", "valid", "validation", "test"};
  if (words.size() > 1 && std::ranges::find(kParts, words.front()) != kParts.end()) {
    words.erase(words.begin());
  }
  return words;
}

bool isOneOf(std::string_view word, Words words) {
  return std::ranges::find(words, word) != words.end();
}

bool endsInOneOf(std::string_view word, Words endings) {
  return std::ranges::any_of(endings, [&](std::string_view one) {
    return word.size() > one.size() && word.ends_with(one);
  });
}

std::optional<bool> directionOfWord(std::string_view word, std::string_view before) {
  // That of a policy says nothing of how good it is.
  if (word == "entropy") return before == "cross" ? std::optional(false) : std::nullopt;
  if (word == "score" && before == "hamming") return true;
  if (isOneOf(word, kLess) || endsInOneOf(word, kLessEndings)) return false;
  if (isOneOf(word, kMore) || endsInOneOf(word, kMoreEndings)) return true;
  return std::nullopt;
}

}  // namespace

std::optional<bool> isMoreBetterByName(std::string_view metric) {
  const std::vector<std::string> words = wordsOf(metric);
  // The last word that is known is what it is: "f1_loss" is a loss, "accuracy_top1" no top.
  for (std::size_t i = words.size(); i-- > 0;) {
    const auto isMore = directionOfWord(words[i], i > 0 ? words[i - 1] : std::string());
    if (!isMore) continue;
    const bool isNegative = words.front() == "neg" || words.front() == "negative";
    return *isMore != isNegative;
  }
  return std::nullopt;
}

}  // namespace strata
