#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/context.h"
#include "cli/cpu_work.h"
#include "cli/list_addition.h"
#include "cli/model_input.h"
#include "cli/views/tune_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "cli/words/model_words.h"
#include "cli/words/quality_options.h"
#include "cli/words/reference_words.h"
#include "core/ops/inspect/rank_bases.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/ops/versions/add_settings.h"
#include "core/ops/versions/add_version.h"
#include "core/ops/versions/recode_version.h"
#include "core/profile/profile.h"
#include "core/text/command_words.h"
#include "core/text/wording.h"
#include "core/transfer/remote_config.h"

namespace strata::cli {
namespace {

class AddCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .usage = "add [NAME] FILE... [options]",
        .summary = "Store a model as the next version of NAME, as a difference to its base.",
        .examples = {"add sst2 finetuned.onnx", "add sst2 hf://org/model --base distilbert",
                     "add sst2 finetuned.onnx --base distilbert -m \"lr 2e-5, 3 epochs\"",
                     "add sst2 runs/checkpoint-* --exclude 'optimizer.*'",
                     "add sst2 checkpoint/ --effort best --tag prod",
                     "add --from models.txt --shard 0/4 --push s3://bucket/models"},
        .details =
            "Versions are exact unless a lossy profile, codec or target is asked for. Each is "
            "decoded and "
            "compared before it is reported. "
            "The file is only read; it may be hf://ORG/REPO[@REVISION][/PATH]: fetched, checked, "
            "then stored; or - for stdin. Several files become as many versions, by the numbers in "
            "their names; all are opened before the first is stored. Without --base the store "
            "finds "
            "the version that serves best. --from stores all models of a list, as one of many "
            "workers: one that fails does not stop the others, and a second run does what the "
            "first one left."};
  }

  void declare(Arguments& arguments) override {
    arguments.add({.spelling = "NAME",
                   .target = &options_.name,
                   .help = "what to call it; a name that exists gets its next version; without it "
                           "the file's name",
                   .completes = Completes::Names});
    arguments.add({.spelling = "FILE...",
                   .target = &words_,
                   .help = "an .onnx, .safetensors, PyTorch or .npz file, a folder, a URL, or "
                           "- for stdin",
                   .completes = Completes::Files});
    arguments.add({.spelling = "--base",
                   .target = &base_,
                   .value = "REF",
                   .help = "what it was tuned from; auto (default) finds it, none makes a base",
                   .completes = Completes::References});
    declareCoding(arguments);
    list_.declare(arguments);
    arguments.add({.spelling = "--tag",
                   .target = &options_.tags,
                   .value = "TAG",
                   .help = "tag the version; may be repeated"});
    arguments.add(
        {.spelling = "-m,--note", .target = &options_.note, .value = "TEXT", .help = "a note"});
    arguments.add(excludeArgument(folder_.exclude));
    arguments.add(followLinksArgument(folder_.followLinks));
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "code and measure, write nothing; ranks the store's bases"});
  }

  Outcome run(Context& context) override {
    if (auto chosen = chooseCoding(context.config()); !chosen) {
      return problem(std::move(chosen).error(), ErrorCode::NotFound, "strata profile list");
    }
    if (list_.isAsked()) return addList(context);
    if (const std::string_view idle = list_.idleOption(); !idle.empty()) {
      return usage(fmt::format("{} is for --from alone", idle));
    }
    if (options_.name.empty() && words_.empty()) {
      Problem missing({ErrorCode::InvalidArgument, "add: NAME is missing"}, "strata help add");
      missing.details.push_back("Usage: strata " + info().usage);
      return problem(std::move(missing));
    }
    STRATA_ATTEMPT(NamedModels models, readModelWords(options_.name, std::move(words_)));
    options_.name = std::move(models.name);
    STRATA_ATTEMPT(options_.device, deviceFor(context));
    STRATA_ATTEMPT(Store* const store, context.openStore());
    path_ = models.paths.front();
    if (!options_.dryRun && !store->resolve(options_.name)) {
      warnOfAlikeRemote(context, options_.name);
    }
    if (models.paths.size() == 1) return addOne(context, store);
    STRATA_ATTEMPT(const bool areModels, openAll(context, models.paths));
    static_cast<void>(areModels);
    if (models.isReordered) {
      context.output().note(
          printable(fmt::format("Sorted by name, numbers by their value: {} comes first, {} last",
                                models.paths.front(), models.paths.back())));
    }
    return addAll(context, store, models.paths);
  }

 private:
  /// What is for one model alone has no place beside a list.
  Outcome addList(Context& context) {
    std::string_view alone = quality_.optionOfOne();
    if (allowMiss_) alone = "--allow-miss";
    if (options_.dryRun) alone = "--dry-run";
    if (!alone.empty()) return usage(fmt::format("{} is not for --from", alone));
    if (!options_.name.empty()) {
      return usage(fmt::format("{}: --from takes names and files from its list", options_.name));
    }
    STRATA_ATTEMPT(options_.device, deviceFor(context));
    return list_.run(context, folder_, options_, plan_);
  }

  /// Opens each file here once, so that what is no model fails before anything is stored.
  Attempt<bool> openAll(Context& context, const std::vector<std::string>& paths) const {
    for (const std::string& path : paths) {
      if (path == kStdin) return usage("-: stdin is one file, and several were given");
      if (isRemoteUrl(path)) continue;
      STRATA_ATTEMPT(const auto model,
                     context.openModel(path, folder_.followLinks, folder_.exclude));
    }
    return true;
  }

  /// Tags go to the last one. What was stored before a failure stays, and the failure says so.
  Outcome addAll(Context& context, Store* store, const std::vector<std::string>& paths) {
    options_.command = makeCommandToken();
    const AddOptions asked = options_;
    ExitCode worst = ExitCode::Done;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      path_ = paths[i];
      options_ = asked;
      if (i + 1 < paths.size()) options_.tags.clear();
      const Outcome added = addOne(context, store);
      if (!added) {
        Problem cause = added.error();
        cause.details.push_back(
            fmt::format("{} of {} files were done before: {}", i, paths.size(), paths[i]));
        return problem(std::move(cause));
      }
      if (*added != ExitCode::Done) worst = *added;
    }
    return worst;
  }

  /// Stores the model that path_ names.
  Outcome addOne(Context& context, Store* store) {
    const std::stop_token stop = context.stopToken();
    STRATA_ATTEMPT(ModelInput input, ModelInput::open(context, *store, path_, folder_));
    input.describe(options_.sourceUrl, options_.license);
    if (options_.dryRun) {
      const bool mayChain = !plan_ && options_.chain != ChainPolicy::Never;
      STRATA_TRY(bases_, rankStoredBases(*store, input.model(),
                                         mayChain ? BaseKinds::All : BaseKinds::Bases));
    }
    if (plan_) {
      auto outcome = addLossy(context, *store, input, stop);
      if (outcome == ExitCode::Done) input.drop();
      return outcome;
    }
    STRATA_TRY(const AddReport report, addVersion(*store, input.model(), options_, stop,
                                                  context.progress(Context::JsonProgress::Events)));
    context.endProgress();
    input.drop();
    printAdded(context.output(), report, path_, rankedBases());
    printIgnored(context, *store, report);
    printNext(context, report);
    return ExitCode::Done;
  }

  /// Null where nothing of the work has code for one.
  Attempt<Device*> deviceFor(Context& context) const {
    if (plan_) return deviceForQuantizing(context, codec_, plan_->quantize);
    if (options_.baseChoice != BaseChoice::None) return context.device();
    return noDeviceFor(context, "add without a base");
  }

  const std::vector<BaseCandidate>* rankedBases() const {
    return options_.dryRun ? &bases_ : nullptr;
  }

  /// Of a content that was stored already: options that say how it is to be coded, and is not.
  void printIgnored(Context& context, const Store& store, const AddReport& report) const {
    Output& output = context.output();
    using Kind = AddReport::Outcome;
    const bool wouldShare = report.outcome == Kind::DryRun && !report.sharedLabel.empty();
    const bool isKnown = report.outcome == Kind::Unchanged || report.outcome == Kind::Shared;
    if (!isKnown && !wouldShare) return;
    std::vector<std::string> ignored;
    std::string way;
    if (base_ && !standsOn(store, report)) {
      ignored.emplace_back("--base");
      const bool isWord = *base_ == "none";  // auto stands, and is no name
      const auto serves =
          isWord ? Result<bool>(true) : canBecomeBase(store, *base_, report.version.contentDigest);
      const bool mayPay = isWord || mayPayAsBase(store, *base_, report.version);
      if (serves && *serves && mayPay) way += " --base " + shellWord(*base_);
    }
    if (effort_ && *effort_ != report.version.effort) {
      ignored.emplace_back("--effort");
      way += " --effort " + *effort_;
    }
    if (codec_ && *codec_ != "auto") ignored.emplace_back("--codec");
    if (chain_ != 0) ignored.emplace_back(chain_ > 0 ? "--chain" : "--no-chain");
    if (ignored.empty()) return;
    output.warning(fmt::format("{} is coded already, so {} {} no effect",
                               wouldShare ? report.sharedLabel : report.version.label(),
                               fmt::join(ignored, ", "), wouldShare ? "would have" : "had"));
    if (way.empty() || wouldShare) return;
    output.advice(
        fmt::format("Next: strata recode {}{}", plainWord(context, report.version.label()), way));
  }

  /// Whether the version rests on the base that was asked for.
  bool standsOn(const Store& store, const AddReport& report) const {
    if (*base_ == "auto") return true;
    if (*base_ == "none") return report.version.isBase();
    const auto wanted = store.resolve(*base_);
    if (!wanted) return false;
    const Digest& content = wanted->contentDigest;
    return content == report.version.contentDigest || content == report.version.parentDigest ||
           wanted->label() == report.baseLabel;
  }

  static void printNext(Context& context, const AddReport& report) {
    if (report.outcome != AddReport::Outcome::Stored) return;
    const std::string label = plainWord(context, report.version.label());
    context.output().advice(
        fmt::format("Next: strata verify {}  |  strata restore {} -o FILE", label, label));
  }

  Outcome addLossy(Context& context, Store& store, const ModelInput& input,
                   const std::stop_token& stop) {
    Output& output = context.output();
    TuneOptions tune;
    tune.plan = *plan_;
    STRATA_TRY(quality_.checkProtected(input.model().description()));
    if (auto prepared = quality_.prepare(context, input.path(), tune); !prepared) return prepared;
    std::uint64_t originalBytes = 0;
    for (const ModelFile& file : input.model().description().files) {
      originalBytes += file.bytes.size();
    }
    tune.onReference = [&](const Evaluation& reference) {
      output.note("Unquantized: " + evaluationText(reference));
    };
    tune.onTrial = [&](const Trial& trial) {
      output.event("trial", toJson(trial, originalBytes));
      output.note(trialText(trial, originalBytes));
    };
    STRATA_TRY(const QuantizedAdd done,
               addQuantized(store, input.model(), options_, tune,
                            allowMiss_ ? MissedGate::Store : MissedGate::Refuse, stop,
                            context.progress(Context::JsonProgress::Events)));
    context.endProgress();
    const bool isMissed = done.tune && !done.tune->meetsTarget();
    if (done.tune && !done.tune->testFailure.empty()) {
      output.warning("not tested: " + done.tune->testFailure);
    }
    if (done.added) {
      printAdded(output, *done.added, path_, rankedBases());
      printQuality(output, done);
      warnOfNoChange(output, done);
      printNext(context, *done.added);
    } else {
      printTuned(output, *done.tune, tune);
      output.event("result", toJson(*done.tune, tune));
    }
    if (!isMissed) return ExitCode::Done;
    const char* const end = done.added ? "stored all the same"
                            : done.tune->missedOnTest
                                ? "nothing was stored; --allow-miss stores it"
                                : "nothing was stored; --allow-miss stores the nearest";
    output.warning(fmt::format("{}; {}", missedText(*done.tune, tune.plan.target), end));
    return ExitCode::NotMet;
  }

  /// Where the smallest that there is was chosen, and what is kept exactly did change.
  static void warnOfNoChange(Output& output, const QuantizedAdd& done) {
    const Trial* const chosen = done.tune ? done.tune->chosen() : nullptr;
    if (chosen == nullptr || chosen->what != kNoChange || done.added->keepsNoChange()) return;
    if (chosen->measured.relativeError == 0) return;
    output.warning(fmt::format(
        "{} has the weights of {} itself, but for those that are kept exactly or coded without it: "
        "nothing of the change of the others was kept",
        done.added->version.label(), done.added->parentLabel));
  }

  void declareCoding(Arguments& arguments) {
    arguments.add({.spelling = "--effort",
                   .target = &effort_,
                   .value = "LEVEL",
                   .help = "fast, default or best: work spent on size",
                   .choices = {"fast", "default", "best"}});
    arguments.add({.spelling = "--profile",
                   .target = &profile_,
                   .value = "NAME",
                   .help = "compression profile, or its FILE.toml; see: strata profile list",
                   .completes = Completes::Profiles});
    arguments.add({.spelling = "--exact",
                   .target = &exact_,
                   .help = "as --profile exact, whatever is configured"});
    arguments.add({.spelling = "--codec",
                   .target = &codec_,
                   .value = "NAME",
                   .help = "one codec for all tensors that can take it"});
    quality_.declare(arguments);
    arguments.add({.spelling = "--allow-miss",
                   .target = &allowMiss_,
                   .help = "lossy: store the nearest where the target cannot be met"});
    arguments.add({.spelling = "--chain,!--no-chain",
                   .target = &chain_,
                   .help = "always, or never, against the newest version of NAME"});
  }

  /// An option of lossy versions alone stores no lossy one: that it has no effect must be said.
  Result<void> checkIdle() const {
    const std::string_view idle = allowMiss_ ? "--allow-miss" : quality_.idleOption();
    if (idle.empty()) return {};
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{} is for lossy versions, and nothing asks for one: that takes a lossy "
                    "--profile or --codec, --step, --max-size or --max-error",
                    idle));
  }

  Result<void> chooseCoding(const Config& config) {
    CodingWish wish{.profile = profile_, .exact = exact_, .codec = codec_, .base = base_};
    if (effort_) wish.effort = effortFromName(*effort_);
    if (chain_ != 0) wish.chain = chain_ > 0 ? ChainPolicy::Always : ChainPolicy::Never;
    wish.asksForLoss = quality_.asksForLoss(codec_);
    wish.quality = [&](QualityPlan plan) -> Result<QualityPlan> {
      STRATA_TRY(plan, quality_.applied(std::move(plan), codec_));
      STRATA_TRY(quality_.checkEffects(plan, quality_.searches(plan)));
      return plan;
    };
    STRATA_TRY(plan_, strata::chooseCoding(wish, config, options_));
    return plan_ ? Result<void>() : checkIdle();
  }

  std::string path_;  ///< of what is being added
  std::vector<std::string> words_;
  FolderOptions folder_;
  ListAddition list_;
  std::optional<std::string> base_;
  std::optional<std::string> effort_;
  std::optional<std::string> profile_;
  std::optional<std::string> codec_;
  bool exact_ = false;
  int chain_ = 0;
  QualityOptions quality_;
  std::optional<QualityPlan> plan_;  ///< nothing: exact
  bool allowMiss_ = false;
  AddOptions options_;
  std::vector<BaseCandidate> bases_;  ///< of a dry run
};

}  // namespace

std::unique_ptr<Command> makeAdd() { return std::make_unique<AddCommand>(); }

}  // namespace strata::cli
