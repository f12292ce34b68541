#include "core/search/trial_log.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "core/evaluate/loss_forecast.h"
#include "core/evaluate/score_change.h"
#include "core/search/settings_text.h"

namespace strata {
namespace {

/// An evaluator that fails this often in a row will not get well.
constexpr unsigned kMostFailuresInARow = 3;
/// Differences of scores below this are rounding.
constexpr double kSamePoints = 1e-9;
constexpr double kPointsPerScore = 100;
/// So many measurements of what was tried already count as a trial: a search comes to its end.
constexpr unsigned kTwinsPerTrial = 4;

}  // namespace

bool meets(const SearchTarget& target, const Measured& measured, const std::optional<double>& loss,
           const std::optional<PairedTest>& test) noexcept {
  if (target.bytes) return measured.storedBytes <= *target.bytes;
  if (target.error) return measured.relativeError <= *target.error;
  if (!target.qualityLoss) return true;
  if (!loss) return false;
  if (*loss <= *target.qualityLoss + kSamePoints) return true;
  return target.significance > 0 && test && test->pValue >= target.significance;
}

bool allowsLoss(const SearchTarget& target, const ScoreChange& change) noexcept {
  if (!target.qualityLoss) return true;
  const double loss = kPointsPerScore * (change.reference.score - change.restored.score);
  return meets(target, {}, loss, change.test);
}

double allowedLoss(const SearchTarget& target, const Trial& trial) {
  const double named = target.qualityLoss.value_or(std::numeric_limits<double>::infinity());
  const auto& evaluation = trial.measured.evaluation;
  if (target.significance <= 0 || !trial.test || !evaluation || evaluation->correct.empty()) {
    return named;
  }
  const std::uint64_t lead =
      mostInsignificantLead(trial.test->onlyFirst + trial.test->onlySecond, target.significance);
  return std::max(named, kPointsPerScore * static_cast<double>(lead) /
                             static_cast<double>(evaluation->correct.size()));
}

bool isLikelyToHold(const SearchTarget& target, const Trial& trial) {
  return !trial.mostLoss || *trial.mostLoss <= allowedLoss(target, trial) + kSamePoints;
}

TrialLog::TrialLog(TrialSource& source, const SearchOptions& options, std::stop_token stop)
    : source_(source), options_(options), stop_(std::move(stop)) {}

unsigned TrialLog::trialsLeft() const noexcept {
  const auto used =
      static_cast<unsigned>(trials_.size()) - freeTrials_ + twinCount_ / kTwinsPerTrial;
  return used >= options_.trials ? 0 : options_.trials - used;
}

tl::unexpected<Error> TrialLog::over(SearchReport::End end) {
  end_ = end;
  return fail(ErrorCode::Cancelled, "the search is over");
}

Result<void> TrialLog::checkBudget() {
  if (stop_.stop_requested()) return over(SearchReport::End::Cancelled);
  if (trialsLeft() == 0) return over(SearchReport::End::Trials);
  const auto spent = std::chrono::steady_clock::now() - begin_;
  if (options_.timeLimit.count() > 0 && spent >= options_.timeLimit) {
    return over(SearchReport::End::TimeLimit);
  }
  return {};
}

Result<const Trial*> TrialLog::run(const QuantizeSettings& settings, std::string what) {
  const Wish wish{settings, std::move(what)};
  STRATA_TRY(const std::vector<const Trial*> trials, runAll(std::span(&wish, 1)));
  return trials.front();
}

Result<void> TrialLog::runNoChange(const QuantizeSettings& settings) {
  STRATA_TRY(const Trial* const trial, run(settings, std::string(kNoChange)));
  freeTrials_ = 1;
  if (!trial->failure.empty()) return over(SearchReport::End::EvaluatorFailed);
  return {};
}

Result<std::vector<const Trial*>> TrialLog::runAll(std::span<const Wish> wishes) {
  std::vector<Wish> fresh;
  std::vector<std::string> keys;
  for (const Wish& wish : wishes) {
    keys.push_back(settingsText(wish.settings));
    const bool isWished = std::find(keys.begin(), keys.end() - 1, keys.back()) != keys.end() - 1;
    if (!isWished && known_.count(keys.back()) == 0) fresh.push_back(wish);
  }
  const std::size_t atOnce = std::max<std::size_t>(source_.parallelism(), 1);
  for (std::size_t begin = 0; begin < fresh.size();) {
    STRATA_TRY(checkBudget());
    const std::size_t count =
        std::min({fresh.size() - begin, atOnce, static_cast<std::size_t>(trialsLeft())});
    STRATA_TRY(measure(std::span(fresh).subspan(begin, count)));
    begin += count;
  }
  std::vector<const Trial*> trials;
  trials.reserve(keys.size());
  for (const std::string& key : keys) trials.push_back(known_.at(key));
  return trials;
}

Result<void> TrialLog::measure(std::span<const Wish> wishes) {
  const bool wantsScore = source_.reference() != nullptr;
  std::vector<Result<Measured>> measured(wishes.size());
  {
    std::vector<std::jthread> others;
    const auto one = [&](std::size_t i) {
      measured[i] = source_.measure(wishes[i].settings, wantsScore, stop_);
    };
    for (std::size_t i = 1; i < wishes.size(); ++i) others.emplace_back(one, i);
    one(0);
  }
  // In the order of the wishes, whoever was first: a search is the same each time.
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    Trial trial{.what = wishes[i].what, .settings = wishes[i].settings};
    STRATA_TRY(note(std::move(trial), std::move(measured[i])));
  }
  return {};
}

/// The trial of the same model, in no more bytes: what differs in the settings does nothing here.
const Trial* TrialLog::twinOf(const Measured& measured) const {
  if (measured.contentDigest == Digest{}) return nullptr;
  const auto twin = std::ranges::find_if(trials_, [&](const Trial& trial) {
    return trial.failure.empty() && trial.measured.contentDigest == measured.contentDigest &&
           trial.measured.storedBytes <= measured.storedBytes;
  });
  return twin == trials_.end() ? nullptr : &*twin;
}

Result<void> TrialLog::note(Trial trial, Result<Measured> measured) {
  if (const Trial* const twin = measured ? twinOf(*measured) : nullptr) {
    ++twinCount_;
    known_[settingsText(trial.settings)] = twin;
    return {};
  }
  trial.number = static_cast<unsigned>(trials_.size()) + 1;
  if (measured) {
    trial.measured = std::move(*measured);
    const auto& evaluation = trial.measured.evaluation;
    if (trial.what == kNoChange && evaluation) changeDivergence_ = evaluation->divergence;
    judge(trial);
    failuresInARow_ = 0;
  } else if (measured.error().code == ErrorCode::Evaluator) {
    trial.failure = measured.error().message;
    failure_ = trial.failure;
    ++failuresInARow_;
  } else if (measured.error().code == ErrorCode::Cancelled) {
    return over(SearchReport::End::Cancelled);
  } else {
    return fail(std::move(measured).error());
  }
  trials_.push_back(std::move(trial));
  const Trial& noted = trials_.back();
  const std::string key = settingsText(noted.settings);
  known_[key] = &noted;
  if (noted.failure.empty()) sizes_[key] = noted.measured;
  if (options_.onTrial) options_.onTrial(noted);
  if (failuresInARow_ == kMostFailuresInARow) return over(SearchReport::End::EvaluatorFailed);
  return {};
}

void TrialLog::judge(Trial& trial) const {
  const Evaluation* reference = source_.reference();
  const auto& evaluation = trial.measured.evaluation;
  if (reference != nullptr && evaluation) {
    const ScoreChange change = scoreChange(*reference, *evaluation);
    trial.loss = kPointsPerScore * (reference->score - evaluation->score);
    trial.test = change.test;
    // What a search may still try counts from the start, so that no verdict changes later on.
    const unsigned candidates = options_.method == SearchMethod::Fixed ? 1 : options_.trials;
    if (const auto forecast = forecastLoss(change, candidates)) {
      trial.likelyLoss = kPointsPerScore * forecast->likely;
      trial.mostLoss = kPointsPerScore * forecast->most;
    }
  }
  trial.meetsTarget = meets(options_.target, trial.measured, trial.loss, trial.test) &&
                      isLikelyToHold(options_.target, trial) && isNearEnough(trial);
}

/// By SearchTarget::ofChange.
bool TrialLog::isNearEnough(const Trial& trial) const noexcept {
  const auto& evaluation = trial.measured.evaluation;
  if (options_.target.ofChange <= 0) return true;
  if (trial.what == kNoChange) return false;
  if (!changeDivergence_ || !evaluation || !evaluation->divergence) return true;
  return *evaluation->divergence <= options_.target.ofChange * *changeDivergence_;
}

Result<Measured> TrialLog::size(const QuantizeSettings& settings) {
  if (source_.reference() == nullptr) {
    STRATA_TRY(const Trial* trial, run(settings, "size"));
    return trial->measured;
  }
  const std::string key = settingsText(settings);
  if (const auto found = sizes_.find(key); found != sizes_.end()) return found->second;
  STRATA_TRY(checkBudget());
  auto measured = source_.measure(settings, false, stop_);
  if (!measured && measured.error().code == ErrorCode::Cancelled) {
    return over(SearchReport::End::Cancelled);
  }
  if (!measured) return fail(std::move(measured).error());
  return sizes_[key] = std::move(*measured);
}

}  // namespace strata
