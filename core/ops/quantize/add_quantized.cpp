#include "core/ops/quantize/add_quantized.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/ops/detail/missed_size.h"
#include "core/ops/quantize/detail/recorded_quality.h"

namespace strata {
namespace {

/// Whether there is anything to find out before the model is stored.
bool needsTuning(const TuneOptions& tune) {
  const SearchTarget& target = tune.plan.target;
  return tune.evaluator || target.bytes || target.error;
}

/// One call of addQuantized.
class QuantizedAddition {
 public:
  QuantizedAddition(Store& store, const ModelSource& model, AddOptions options, TuneOptions tune,
                    MissedGate missed)
      : store_(store),
        model_(model),
        options_(std::move(options)),
        tune_(std::move(tune)),
        missed_(missed),
        limit_(tune_.plan.target.bytes) {
    // Each one's error is then a share of its whole change to the base.
    if (options_.chain == ChainPolicy::Auto) options_.chain = ChainPolicy::Never;
    options_.gradients = tune_.gradients;
    options_.quantize = tune_.plan.quantize;
  }

  Result<QuantizedAdd> run(const std::stop_token& stop, const ProgressSink& progress) {
    if (needsTuning(tune_)) {
      STRATA_TRY(const bool isFound, find(stop, progress));
      if (!isFound) return std::move(done_);
    }
    if (!done_.added) {
      STRATA_TRY(done_.added, addVersion(store_, model_, prepared(), stop, progress));
    }
    return std::move(done_);
  }

 private:
  /// Looks for the settings to take, and with a limit of bytes stores them. False where there are
  /// none that may be.
  Result<bool> find(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const bool isFound, tune(stop));
    if (!isFound || !limit_ || !done_.tune->meetsTarget()) return isFound;
    STRATA_TRY(const std::uint64_t excess, storeWithin(*limit_, stop, progress));
    if (excess == 0) return true;
    missBySize(done_.tune->search, *limit_ + excess);
    return missed_ == MissedGate::Store;
  }

  Result<bool> tune(const std::stop_token& stop) {
    tune_.parent = options_;
    tune_.isMissAllowed = missed_ == MissedGate::Store;
    options_.quality.clear();
    STRATA_TRY(done_.tune, tuneModel(store_, model_, tune_, stop));
    const Trial* chosen = done_.tune->chosen();
    const bool isMissed = !done_.tune->meetsTarget() && missed_ == MissedGate::Refuse;
    if (chosen == nullptr || isMissed) return false;
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled: nothing was stored");
    options_.quantize = chosen->settings;
    if (done_.tune->choice) options_.quality.push_back(recorded("choice", *done_.tune->choice));
    if (done_.tune->test) options_.quality.push_back(recorded("test", *done_.tune->test));
    return true;
  }

  /// They hold where the model is the one that the profile was tuned for.
  void useScoresOfProfile() {
    options_.quality.clear();
    for (const ProfileScore& score : tune_.plan.scores) {
      options_.quality.push_back(recorded(score));
      options_.qualityOf = score.content;
    }
  }

  /// The options with all that is recorded in the version.
  const AddOptions& prepared() {
    if (!tune_.evaluator) useScoresOfProfile();
    options_.quantizeText = recordedSettings(tune_.plan, *options_.quantize);
    options_.compareExact = true;
    options_.exactWithin = tune_.plan.target.bytes.value_or(0);
    return options_;
  }

  /// Stores the version with all that is recorded in it, unless it takes more than `mostBytes`.
  /// Gives the bytes beyond that, 0 where it was stored.
  Result<std::uint64_t> storeWithin(std::uint64_t mostBytes, const std::stop_token& stop,
                                    const ProgressSink& progress) {
    std::uint64_t excess = 0;
    AddOptions limited = prepared();
    limited.accept = [&](std::uint64_t storedBytes) -> Result<void> {
      excess = storedBytes - std::min(storedBytes, mostBytes);
      if (excess == 0) return {};
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{} bytes, expected {} at most", storedBytes, mostBytes));
    };
    auto added = addVersion(store_, model_, limited, stop, progress);
    if (added) {
      done_.added = std::move(*added);
    } else if (excess == 0) {
      return fail(std::move(added).error());
    }
    return excess;
  }

  Store& store_;
  const ModelSource& model_;
  AddOptions options_;
  TuneOptions tune_;
  MissedGate missed_;
  std::optional<std::uint64_t> limit_;  ///< of the bytes of the version
  QuantizedAdd done_;
};

}  // namespace

Result<QuantizedAdd> addQuantized(Store& store, const ModelSource& model, AddOptions options,
                                  TuneOptions tune, MissedGate missed, std::stop_token stop,
                                  const ProgressSink& progress) {
  return QuantizedAddition(store, model, std::move(options), std::move(tune), missed)
      .run(stop, progress);
}

Result<AddReport> addByPlan(Store& store, const ModelSource& model, const AddOptions& options,
                            const std::optional<QualityPlan>& plan, std::stop_token stop,
                            const ProgressSink& progress) {
  if (!plan) return addVersion(store, model, options, std::move(stop), progress);
  STRATA_TRY(QuantizedAdd done, addQuantized(store, model, options, {.plan = *plan},
                                             MissedGate::Refuse, std::move(stop), progress));
  if (!done.added) {
    return fail(ErrorCode::Unsupported,
                fmt::format("the profile's target ({}) cannot be met; nothing was stored",
                            targetText(plan->target)));
  }
  return *std::move(done.added);
}

}  // namespace strata
