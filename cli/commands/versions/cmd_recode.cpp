#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/context.h"
#include "cli/views/tune_view.h"
#include "cli/views/version_view.h"
#include "cli/words/command.h"
#include "core/ops/versions/add_settings.h"
#include "core/ops/versions/merge_deltas.h"
#include "core/ops/versions/recode_version.h"
#include "core/profile/profile.h"
#include "core/text/wording.h"
#include "onnx_io/model_reader.h"

namespace strata::cli {
namespace {

using Report = RecodeReport;

std::string_view outcomeWord(Report::Outcome outcome) noexcept {
  switch (outcome) {
    case Report::Outcome::Recoded:
      return "recoded";
    case Report::Outcome::Unchanged:
      return "unchanged";
    case Report::Outcome::NotSmaller:
      return "not_smaller";
  }
  return "recoded";
}

Result<std::unique_ptr<ModelSource>> readGraph(const std::filesystem::path& path) {
  return openModel(path);
}

class RecodeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.usage = "recode REF [options]",
            .summary = "Code a stored version anew, in its place: smaller, or on another base.",
            .examples = {"recode sst2:v2 --base distilbert", "recode base --effort best",
                         "recode sst2:v3 --flatten", "recode sst2:v2 --profile small",
                         "recode sst2-run --merge"},
            .details =
                "Content, number, tags, note and dates stay, and so do differences to it. What is "
                "coded is decoded and compared first. Without --base the base stays. What would "
                "become larger is left as it is (exit 7), unless --force or --flatten is given. A "
                "lossy --profile makes the next version of the name from its content; REF stays. "
                "--merge makes one difference of the lossy ones that lead to a lossy REF: it then "
                "restores from that one and what they stand on. Remotes keep what they have."};
  }

  void declare(Arguments& arguments) override {
    arguments.add(versionArgument(options_.reference));
    arguments.add(
        {.spelling = "--base",
         .target = &base_,
         .value = "REF",
         .help = "what it is to be a difference to; auto finds it, none stores it in full",
         .completes = Completes::References});
    arguments.add({.spelling = "--effort",
                   .target = &effort_,
                   .value = "LEVEL",
                   .help = "fast, default or best; else as it was",
                   .choices = {"fast", "default", "best"}});
    arguments.add({.spelling = "--flatten",
                   .target = &flatten_,
                   .help = "as --base none --force: it stands on no other version"});
    arguments.add(
        {.spelling = "--force", .target = &options_.force, .help = "also where it becomes larger"});
    arguments.add(
        {.spelling = "--merge",
         .target = &merge_,
         .help = "one lossy difference instead of a chain; a new version in REF's place"});
    arguments.add({.spelling = "--profile",
                   .target = &profile_,
                   .value = "NAME",
                   .help = "effort of an exact profile; a lossy one makes a new version",
                   .completes = Completes::Profiles});
    arguments.add({.spelling = "--tag",
                   .target = &tags_,
                   .value = "TAG",
                   .help = "of the new version; may be repeated"});
    arguments.add(
        {.spelling = "-m,--note", .target = &note_, .value = "TEXT", .help = "of the new version"});
    arguments.add({.spelling = "-n,--dry-run",
                   .target = &options_.dryRun,
                   .help = "code and compare, write nothing"});
  }

  Outcome run(Context& context) override {
    if (flatten_ && base_) return usage("--flatten and --base exclude each other");
    std::optional<Profile> profile;
    if (profile_) {
      auto loaded = loadProfile(profileFolder(), *profile_);
      if (!loaded) {
        return problem(std::move(loaded).error(), ErrorCode::NotFound, "strata profile list");
      }
      profile = *std::move(loaded);
    }
    if (merge_) return merge(context, std::move(profile));
    if (profile && !profile->isExact()) return makeLossy(context, *profile);
    if (!tags_.empty() || !note_.empty()) {
      return usage(
          "--tag and --note are for the new version of a lossy --profile; this one keeps "
          "what it has");
    }
    if (profile && profile->effort) options_.effort = profile->effort;
    if (effort_) options_.effort = effortFromName(*effort_);
    chooseBase();
    options_.memoryBytes = context.config().byteCount("memory");
    options_.device = context.device();
    options_.reader = readGraph;
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const std::stop_token stop = context.stopToken();
    auto report =
        recodeVersion(*store, options_, stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem(std::move(report).error());
    print(context.output(), *report);
    return report->outcome == Report::Outcome::NotSmaller ? ExitCode::NotMet : ExitCode::Done;
  }

 private:
  void chooseBase() {
    if (flatten_) {
      options_.baseChoice = RecodeBase::None;
      options_.force = true;
    }
    if (!base_) return;
    options_.baseChoice = *base_ == "auto"   ? RecodeBase::Auto
                          : *base_ == "none" ? RecodeBase::None
                                             : RecodeBase::Reference;
    options_.base = *base_;
  }

  Outcome merge(Context& context, std::optional<Profile> profile) {
    if (base_ || flatten_ || options_.force || effort_ || !tags_.empty() || !note_.empty()) {
      return usage("--merge goes with --profile and --dry-run alone: tags and note stay");
    }
    if (profile && profile->isExact()) {
      return usage("--merge makes a lossy version: --profile names a lossy one");
    }
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const MergeOptions options{.reference = options_.reference,
                               .profile = std::move(profile),
                               .dryRun = options_.dryRun,
                               .memoryBytes = context.config().byteCount("memory"),
                               .device = context.device(),
                               .reader = readGraph};
    const std::stop_token stop = context.stopToken();
    auto report =
        mergeDeltas(*store, options, stop, context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!report) return problem(std::move(report).error());
    if (report->isMissed()) {
      TuneOptions tune;
      tune.plan = options.profile->plan;
      return sayMissed(context.output(), *report->tune, tune);
    }
    printMerged(context.output(), *report);
    return ExitCode::Done;
  }

  static Outcome sayMissed(Output& output, const TuneReport& report, const TuneOptions& tune) {
    printTuned(output, report, tune);
    output.event("result", toJson(report, tune));
    output.warning(missedText(report, tune.plan.target) + "; nothing was stored");
    return ExitCode::NotMet;
  }

  void printMerged(Output& output, const MergeReport& report) const {
    output.event("result", {{"outcome", report.isMerged ? "merged" : "unchanged"},
                            {"dry_run", options_.dryRun},
                            {"former", report.former.label()},
                            {"version", toJson(report.now)},
                            {"parent", orNull(report.parentLabel)},
                            {"differences", report.differences},
                            {"bytes_before", report.bytesBefore},
                            {"bytes_after", report.bytesAfter},
                            {"relative_error", orNull(report.relativeError)},
                            {"summed_error", report.isMerged ? Json(report.summedError) : Json()},
                            {"seconds", report.seconds}});
    output.essential(report.now.label());
    const std::string former = report.former.label();
    if (!report.isMerged) {
      return output.line(printable(fmt::format(
          "Unchanged {}  it is one lossy difference to {} already", former, report.parentLabel)));
    }
    output.line(
        printable(fmt::format("{} {} into one to {}: {} to read instead of {}",
                              options_.dryRun ? "Would merge" : "Merged",
                              wordCount(report.differences, "lossy difference"), report.parentLabel,
                              wordBytes(report.bytesAfter), wordBytes(report.bytesBefore))));
    if (options_.dryRun) {
      output.line("Nothing was written.");
    } else {
      output.line(printable(fmt::format("  {} has the place of {}, which is in the trash",
                                        report.now.label(), former)));
    }
    output.line(printable(fmt::format("  error  {} of the difference, to what {} restores to",
                                      wordError(report.relativeError.value_or(0)), former)));
    output.line(printable(fmt::format("         {} in sum with what {} had lost before",
                                      wordError(report.summedError), former)));
    if (report.relativeError && isFurtherThanParent(*report.relativeError)) {
      output.warning(
          printable(fmt::format("{} itself is nearer to {}; a --profile with smaller "
                                "steps loses less",
                                report.parentLabel, former)));
    }
    if (!options_.dryRun) output.advice("\"strata undo\" takes it back");
  }

  Outcome makeLossy(Context& context, const Profile& profile) {
    if (flatten_ || options_.force || (base_ && *base_ == "none")) {
      return usage(
          "only a difference to a base can be quantized: without --flatten, --force and "
          "--base none");
    }
    AddOptions add;
    CodingWish wish{.base = base_};
    if (effort_) wish.effort = effortFromName(*effort_);
    applyProfile(profile, wish, context.config(), add);
    add.note = note_;
    add.tags = tags_;
    add.dryRun = options_.dryRun;
    add.device = context.device();
    TuneOptions tune;
    tune.plan = profile.plan;
    STRATA_ATTEMPT(Store* const store, context.openStore());
    const std::stop_token stop = context.stopToken();
    const auto former = store->resolve(options_.reference);
    auto done = recodeLossy(*store, options_.reference, std::move(add), tune, readGraph, stop,
                            context.progress(Context::JsonProgress::Events));
    context.endProgress();
    if (!done) return problem(std::move(done).error());
    Output& output = context.output();
    if (!done->added) {
      return sayMissed(output, *done->tune, tune);
    }
    printAdded(output, *done->added, options_.reference);
    printQuality(output, *done);
    if (former && former->lossy) {
      output.note(
          printable(fmt::format("The error is against what {} restores to, which is lossy "
                                "itself: the loss of both adds up",
                                former->label())));
    }
    return ExitCode::Done;
  }

  void print(Output& output, const Report& report) const {
    Json version = toJson(report.version);
    output.event("result", {{"outcome", outcomeWord(report.outcome)},
                            {"dry_run", options_.dryRun},
                            {"version", std::move(version)},
                            {"parent", orNull(report.parentLabel)},
                            {"former_parent", orNull(report.formerParentLabel)},
                            {"along", report.along},
                            {"bytes_before", report.bytesBefore},
                            {"bytes_after", report.bytesAfter},
                            {"seconds", report.seconds}});
    output.essential(toHex(report.version.contentDigest));
    const std::string label = report.version.label();
    if (report.outcome == Report::Outcome::Unchanged) {
      return output.line(fmt::format("Unchanged {}  {}  it is coded like this already", label,
                                     wordBytes(report.bytesBefore)));
    }
    const bool isDone = report.outcome == Report::Outcome::Recoded && !options_.dryRun;
    const bool isKept = report.outcome == Report::Outcome::NotSmaller && !options_.dryRun;
    const char* const what = isDone ? "Recoded" : isKept ? "Not recoded" : "Would recode";
    output.line(fmt::format("{} {}  {} -> {}", what, label, wordBytes(report.bytesBefore),
                            wordBytes(report.bytesAfter)));
    printBase(output, report);
    if (!report.along.empty()) {
      output.line(fmt::format("  along   {}", fmt::join(report.along, ", ")));
    }
    if (!isDone && !isKept) output.line("Nothing was written.");
    if (isDone)
      output.advice("\"strata undo\" takes it back, until \"strata gc --yes\" deletes what it was");
    if (report.outcome != Report::Outcome::NotSmaller) return;
    if (report.isUnlikeBase && report.bytesAfter < report.bytesBefore) {
      return output.warning(
          fmt::format("next to nothing of {} is like {}{}; --force recodes it all the same",
                      report.parentLabel, label,
                      report.isOfDoubles ? ", as one of them has its weights as f64, and nothing "
                                           "codes a difference to other floats"
                                         : ""));
    }
    output.warning(fmt::format("{}: would take {}; --force recodes it all the same", label,
                               comparedBytes(report.bytesAfter, report.bytesBefore)));
  }

  static void printBase(Output& output, const Report& report) {
    const auto named = [](const std::string& parent) { return parent.empty() ? "none" : parent; };
    std::string text = named(report.parentLabel);
    if (report.parentLabel != report.formerParentLabel) {
      text += ", before " + named(report.formerParentLabel);
    }
    output.line(printable("  base    " + text));
  }

  RecodeOptions options_;
  std::optional<std::string> base_;
  std::optional<std::string> effort_;
  std::optional<std::string> profile_;
  std::vector<std::string> tags_;
  std::string note_;
  bool flatten_ = false;
  bool merge_ = false;
};

}  // namespace

std::unique_ptr<Command> makeRecode() { return std::make_unique<RecodeCommand>(); }

}  // namespace strata::cli
