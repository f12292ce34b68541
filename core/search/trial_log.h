#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluate/score_change.h"
#include "core/search/search.h"

namespace strata {

/// Settings that a search wants to know about.
struct Wish {
  QuantizeSettings settings;
  std::string what;
};

/// Runs the trials of one search: each configuration once, within the budget, failures noted.
/// Settings that give the model of an earlier trial again are answered with that one.
///
/// A search asks for trials until run() fails. Where isOver() then holds, that failure is only the
/// end of the budget, or of the user's patience.
class TrialLog {
 public:
  TrialLog(TrialSource& source, const SearchOptions& options, std::stop_token stop);

  /// Measures with a score. Pointers stay valid. A trial that failed has a failure and no score.
  Result<const Trial*> run(const QuantizeSettings& settings, std::string what);
  /// The parent's own weights, for SearchTarget::ofChange: no trial of the budget. Where they
  /// cannot be scored nothing says how near a trial has to come, and the search ends.
  Result<void> runNoChange(const QuantizeSettings& settings);
  /// Several, at the same time where the source can.
  Result<std::vector<const Trial*>> runAll(std::span<const Wish> wishes);
  /// Size and weight-space error alone: costs no trial where there is an evaluator.
  Result<Measured> size(const QuantizeSettings& settings);

  bool isOver() const noexcept { return end_.has_value(); }
  SearchReport::End end() const noexcept { return end_.value_or(SearchReport::End::Finished); }
  const std::string& failure() const noexcept { return failure_; }
  std::size_t parallelism() const noexcept { return source_.parallelism(); }
  bool hasScore() const noexcept { return source_.reference() != nullptr; }
  unsigned trialsLeft() const noexcept;
  const std::deque<Trial>& trials() const noexcept { return trials_; }

 private:
  Result<void> checkBudget();
  Result<void> measure(std::span<const Wish> wishes);
  Result<void> note(Trial trial, Result<Measured> measured);
  const Trial* twinOf(const Measured& measured) const;
  void judge(Trial& trial) const;
  bool isNearEnough(const Trial& trial) const noexcept;
  tl::unexpected<Error> over(SearchReport::End end);

  TrialSource& source_;
  const SearchOptions& options_;
  std::stop_token stop_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::deque<Trial> trials_;
  std::map<std::string, const Trial*> known_;  // by settingsText()
  std::map<std::string, Measured> sizes_;      // the same
  unsigned twinCount_ = 0;  ///< measurements that gave the model of a trial again
  unsigned failuresInARow_ = 0;
  unsigned freeTrials_ = 0;                 ///< of runNoChange()
  std::optional<double> changeDivergence_;  ///< of the parent's own weights
  std::string failure_;
  std::optional<SearchReport::End> end_;
};

/// Whether `measured`, with this loss in points and this test, meets a target. Where there is no
/// target it does.
bool meets(const SearchTarget& target, const Measured& measured, const std::optional<double>& loss,
           const std::optional<PairedTest>& test) noexcept;

/// Whether a target of quality allows what was lost between both scores. Any other target does.
bool allowsLoss(const SearchTarget& target, const ScoreChange& change) noexcept;

/// Points that a target of quality lets a trial lose: what it names, or where it counts significant
/// losses alone and that is more, what the paired test would not tell from chance.
double allowedLoss(const SearchTarget& target, const Trial& trial);

/// Whether a trial should meet a target of quality on other samples, too, as far as that is known:
/// whether the target allows what they lose more than at most one time in ten. Measured losses
/// alone let a search pick the settings that were lucky, a test of significance all the more.
bool isLikelyToHold(const SearchTarget& target, const Trial& trial);

}  // namespace strata
