#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "cli/context.h"
#include "cli/cpu_work.h"
#include "cli/views/report_file.h"
#include "cli/views/tune_view.h"
#include "cli/words/command.h"
#include "cli/words/quality_options.h"
#include "core/config/byte_count.h"
#include "core/ops/versions/add_settings.h"
#include "core/ops/versions/write_report.h"
#include "core/profile/profile.h"
#include "core/search/settings_text.h"
#include "core/store/objects/probe.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"

namespace strata::cli {
namespace {

class TuneCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "tune FILE --base REF --target WHAT | --estimate [options]",
            .summary = "Find lossy settings that reach a target; stores nothing but a profile.",
            .examples = {"tune tuned.onnx --target quality_loss=0.5 --evaluator \"python eval.py\" "
                         "--save mine",
                         "tune tuned.onnx --base base --target size=500kB --plot frontier.svg",
                         "tune tuned.onnx --base base --profile small --step 1.4 --estimate",
                         "add sst2 tuned.onnx --profile mine"},
            .details =
                "Without --evaluator sizes and errors of the weights are all there is to "
                "go by. Ctrl-C ends a search with the best so far."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(modelFileArgument(path_));
    arguments.add({.spelling = "--base",
                   .target = &base_,
                   .value = "REF",
                   .help = "what it was tuned from; auto (default) finds it",
                   .completes = Completes::References});
    arguments.add({.spelling = "--profile",
                   .target = &profile_,
                   .value = "NAME",
                   .help = "where to begin, and the target if there is no other; balanced",
                   .completes = Completes::Profiles});
    arguments.add({.spelling = "--codec",
                   .target = &codec_,
                   .value = "NAME",
                   .help = "search the settings of one lossy codec"});
    arguments.add(followLinksArgument(followLinks_));
    quality_.declare(arguments);
    arguments.add({.spelling = "--save",
                   .target = &save_,
                   .value = "NAME",
                   .help = "keep what was found as a profile of that name"});
    arguments.add({.spelling = "--plot",
                   .target = &plot_,
                   .value = "FILE.svg",
                   .help = "draw the trials and their frontier",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--estimate",
                   .target = &estimate_,
                   .help = "search nothing: say at once, from a sample of the weights, what the "
                           "profile and these options would give, and how sure that is"});
    arguments.add({.spelling = "--sample",
                   .target = &sample_,
                   .value = "SIZE",
                   .help = "how much of the model --estimate codes, about; 16MB"});
    arguments.add({.spelling = "-f,--force",
                   .target = &force_,
                   .help = "replace a profile or drawing of that name"});
  }

  Outcome run(Context& context) override {
    STRATA_ATTEMPT(TuneOptions options, chosenOptions(context));
    STRATA_ATTEMPT(const Store* const store, context.openStore());
    const std::stop_token stop = context.stopToken();
    STRATA_ATTEMPT(const std::unique_ptr<ModelSource> model,
                   context.openModel(path_, followLinks_));
    STRATA_TRY(quality_.checkProtected(model->description()));
    if (estimate_) return estimate(context.output(), *store, *model, options, stop);
    Output& output = context.output();
    const std::uint64_t modelBytes = originalBytes(model->description());
    output.note(printable(fmt::format("Tuning {}  {}, for {}", path_, wordBytes(modelBytes),
                                      targetText(options.plan.target))));
    options.onReference = [&](const Evaluation& reference) {
      output.note("Unquantized: " + evaluationText(reference));
    };
    options.onTrial = [&](const Trial& trial) {
      output.event("trial", toJson(trial, modelBytes));
      output.note(trialText(trial, modelBytes));
    };
    STRATA_TRY(const TuneReport report, tuneModel(*store, *model, options, stop));
    return finish(output, report, options);
  }

 private:
  Attempt<TuneOptions> chosenOptions(Context& context) {
    if (estimate_ && (save_ || plot_)) {
      return usage("--estimate searches nothing: there is nothing to --save or to --plot");
    }
    if (auto free = checkReportFile(plot_, force_); !free) return problem(std::move(free).error());
    if (sample_ && !estimate_) return usage("--sample is for --estimate");
    if (codec_ && !isLossyCodec(*codec_)) {
      return usage(fmt::format("--codec {} is none that has lossy settings, expected {}", *codec_,
                               lossyCodecNames()));
    }
    if (save_) {
      if (auto free = checkFree(); !free) return problem(std::move(free).error());
    }
    auto profile = loadProfileOrFile(profileFolder(), profile_.value_or("balanced"));
    if (!profile) {
      return problem(std::move(profile).error(), ErrorCode::NotFound, "strata profile list");
    }
    if (profile->isExact()) {
      return usage(fmt::format("profile {} is exact: there is nothing to tune", profile->name));
    }
    TuneOptions options;
    STRATA_ATTEMPT(options.plan, asAttempt(quality_.applied(profile->plan, codec_)));
    // A profile that was saved as found is where a new search begins, unless none is wanted.
    if (options.plan.method == SearchMethod::Fixed && !quality_.choosesSearch()) {
      options.plan.method = SearchMethod::Auto;
    }
    const bool isSearched = !estimate_ && quality_.searches(options.plan);
    if (auto checked = quality_.checkEffects(options.plan, isSearched); !checked) {
      return problem(Problem(std::move(checked).error()));
    }
    // As add has them: sizes are those of the version that it stores.
    applyProfile(*profile, {.base = base_, .chain = ChainPolicy::Never}, context.config(),
                 options.parent);
    options.parent.profile = save_.value_or(estimate_ ? profile->name : "custom");
    STRATA_ATTEMPT(options.parent.device,
                   deviceForQuantizing(context, codec_, options.plan.quantize));
    if (auto prepared = quality_.prepare(context, path_, options); !prepared) {
      return problem(std::move(prepared).error());
    }
    return options;
  }

  Outcome estimate(Output& output, const Store& store, const ModelSource& model,
                   const TuneOptions& options, const std::stop_token& stop) const {
    SampleSize size{.seed = options.plan.quantize.seed};
    if (sample_) {
      STRATA_TRY(size.bytes, parseByteCount(*sample_));
    }
    STRATA_TRY(const auto estimator, SettingsEstimator::open(store, model, options));
    const QuantizeSettings& settings = options.plan.quantize;
    STRATA_TRY(const EstimateReport report, estimator->estimate(settings, size, stop));
    printEstimate(output, report, settings);
    output.event("result", toJson(report, settings));
    output.essential(std::to_string(std::llround(report.estimate.storedBytes.value)));
    return ExitCode::Done;
  }

  template <typename T>
  static Attempt<T> asAttempt(Result<T> result) {
    if (result) return std::move(*result);
    return problem(Problem(std::move(result).error()));
  }

  /// A taken name is told before the search, not after it.
  Outcome checkFree() const {
    if (isShippedProfile(*save_)) {
      return usage(
          fmt::format("--save {}: that profile comes with the program and cannot be "
                      "replaced; choose another name",
                      *save_));
    }
    if (force_) return ExitCode::Done;
    auto known = loadProfile(profileFolder(), *save_);
    if (known) {
      return usage(fmt::format("profile {} exists already", *save_), "the same with --force");
    }
    if (known.error().code != ErrorCode::NotFound) return problem(std::move(known).error());
    return ExitCode::Done;
  }

  Outcome finish(Output& output, const TuneReport& report, const TuneOptions& options) {
    const Trial* chosen = report.chosen();
    printTuned(output, report, options);
    if (!report.testFailure.empty()) output.warning("not tested: " + report.testFailure);
    if (const std::string end = endText(report.search); !end.empty()) output.note(end);
    if (plot_) {
      auto written = writeReport(*plot_, frontierSvg(report, options));
      if (!written) return problemAt(std::move(written).error(), *plot_);
    }
    Json result = toJson(report, options);
    if (report.meetsTarget() && save_) {
      STRATA_TRY(const Profile saved, saveFound(report, options));
      result["profile"] = saved.name;
      output.note(printable(fmt::format("Saved profile {}: {}", saved.name, saved.file.string())));
      const std::string base = base_ ? " --base " + shellWord(*base_) : std::string();
      const std::string_view links = followLinks_ ? " --follow-links" : "";
      output.advice(fmt::format("Next: strata add NAME {}{}{} --profile {}", shellPath(path_), base,
                                links, *save_));
    }
    output.event("result", std::move(result));
    if (chosen != nullptr) output.essential(settingsText(chosen->settings));
    if (report.meetsTarget()) return ExitCode::Done;
    const std::string missed = missedText(report, options.plan.target);
    const char* const shown = report.missedOnTest ? "" : "; the nearest is shown";
    const std::string saved = save_ ? fmt::format("; profile {} was not saved", *save_) : "";
    output.warning(missed + shown + saved);
    return ExitCode::NotMet;
  }

  Result<Profile> saveFound(const TuneReport& report, const TuneOptions& options) const {
    Profile profile{.name = *save_};
    profile.text = foundProfile(report, options, std::filesystem::path(path_).filename().string());
    return saveProfile(profileFolder(), std::move(profile), force_ ? Replace::Yes : Replace::No);
  }

  std::string path_;
  std::optional<std::string> base_;
  std::optional<std::string> profile_;
  std::optional<std::string> codec_;
  QualityOptions quality_;
  std::optional<std::string> save_;
  std::optional<std::string> plot_;
  std::optional<std::string> sample_;
  bool estimate_ = false;
  bool force_ = false;
  bool followLinks_ = false;
};

}  // namespace

std::unique_ptr<Command> makeTune() { return std::make_unique<TuneCommand>(); }

}  // namespace strata::cli
