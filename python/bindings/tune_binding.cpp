#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/ops/quantize/tune_model.h"
#include "core/ops/versions/add_settings.h"
#include "python/bindings/model_binding.h"
#include "python/bindings/op_run.h"
#include "python/bindings/reports.h"
#include "python/bindings/store_binding.h"

namespace strata::python {
namespace {

nb::dict dictOf(const Trial& trial) {
  const auto& evaluation = trial.measured.evaluation;
  nb::dict dict;
  dict["number"] = trial.number;
  dict["what"] = textOf(trial.what);
  dict["stored_bytes"] = trial.measured.storedBytes;
  dict["relative_error"] = trial.measured.relativeError;
  dict["score"] = evaluation ? nb::cast(evaluation->score) : nb::none();
  dict["loss_points"] = orNone(trial.loss);
  dict["meets_target"] = trial.meetsTarget;
  dict["failure"] = textOf(trial.failure);
  return dict;
}

/// What tune() was asked for, beside the model.
struct TuneWish {
  CodingWish coding = {};
  std::optional<std::string> target = {};
  TuneOptions options = {};
};

/// What was asked for together with the profile and the settings.
Result<TuneOptions> optionsOf(const OpenStore& store, TuneWish wish) {
  STRATA_TRY(const Profile profile,
             loadProfileOrFile(profileFolder(), wish.coding.profile.value_or("balanced")));
  if (profile.isExact()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("profile {} is exact: there is nothing to tune", profile.name));
  }
  TuneOptions options = std::move(wish.options);
  const auto trials = options.plan.trials;
  const auto timeLimit = options.plan.timeLimit;
  options.plan = profile.plan;
  if (trials) options.plan.trials = trials;
  if (timeLimit) options.plan.timeLimit = timeLimit;
  if (wish.target) STRATA_TRY(parseTarget(*wish.target, options.plan.target));
  // A profile that was saved as found is where a new search begins.
  if (options.plan.method == SearchMethod::Fixed) options.plan.method = SearchMethod::Auto;
  wish.coding.chain = ChainPolicy::Never;
  applyProfile(profile, wish.coding, store.config, options.parent);
  options.parent.profile = "custom";
  options.parent.device = store.device.get();
  return options;
}

struct Tuned {
  TuneOptions options;
  TuneReport report;
};

nb::dict dictOf(const Tuned& tuned, const std::string& fileName) {
  const TuneReport& report = tuned.report;
  const Trial* const chosen = report.chosen();
  nb::dict dict;
  dict["target"] = textOf(targetText(tuned.options.plan.target));
  dict["met"] = report.meetsTarget();
  dict["parent"] = textOf(report.parentLabel);
  dict["original_bytes"] = report.originalBytes;
  dict["chosen"] = chosen != nullptr ? nb::object(dictOf(*chosen)) : nb::none();
  dict["trials"] = listOf(report.search.trials, [](const Trial& trial) { return dictOf(trial); });
  dict["profile"] =
      textOf(chosen != nullptr ? foundProfile(report, tuned.options, fileName) : std::string{});
  dict["seconds"] = report.seconds;
  return dict;
}

/// Whole seconds, of which a search knows no part; 0 where there is no limit.
std::chrono::seconds timeLimitOf(const std::optional<double>& limit) {
  constexpr double kLongest = 1e9;
  if (!limit || *limit > kLongest) return std::chrono::seconds(0);
  if (!(*limit > 0)) {
    throwError(Error{ErrorCode::InvalidArgument,
                     fmt::format("time_limit is {}, expected more than 0 seconds", *limit)});
  }
  return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(*limit)));
}

nb::dict tune(const PythonStore& self, const InputModel& model, const nb::bytes& path,
              const std::optional<std::string>& base, const std::optional<std::string>& profile,
              const std::optional<std::string>& target, const std::optional<std::string>& command,
              const std::optional<unsigned>& trials, const std::optional<double>& timeLimit,
              const nb::object& progress) {
  const SharedStore shared = self.share();
  const OpenStore& store = **shared;
  TuneWish wish{.coding = {.profile = profile, .base = base}, .target = target};
  wish.options.modelPath = std::string(path.c_str(), path.size());
  wish.options.plan.trials = trials;
  wish.options.plan.timeLimit = timeLimitOf(timeLimit);
  if (command) wish.options.evaluator = EvaluatorOptions{.command = *command};
  const Tuned tuned =
      runOp(progress, [&](const std::stop_token& stop, const ProgressSink& sink) -> Result<Tuned> {
        STRATA_TRY(TuneOptions options, optionsOf(store, wish));
        options.onTrial = [&](const Trial& trial) {
          if (sink) sink({"tuning", trial.what, trial.number, options.plan.trials.value_or(0)});
        };
        STRATA_TRY(TuneReport report, tuneModel(*store.store, *model.source, options, stop));
        options.onTrial = {};
        return Tuned{std::move(options), std::move(report)};
      });
  return dictOf(tuned, wish.options.modelPath.filename().string());
}

}  // namespace

void bindTuning(StoreClass& store) {
  store.def("tune", &tune, nb::arg("model"), nb::arg("path"), nb::arg("base").none(),
            nb::arg("profile").none(), nb::arg("target").none(), nb::arg("command").none(),
            nb::arg("trials").none(), nb::arg("time_limit").none(), nb::arg("progress").none(),
            "Looks for lossy settings that reach a target.");
}

}  // namespace strata::python
