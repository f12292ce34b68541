#include "cli/checkpoint_tools.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "cli/words/quality_options.h"
#include "core/ops/inspect/show_version.h"
#include "core/ops/versions/add_settings.h"
#include "core/store/run_tags.h"
#include "core/text/wording.h"

namespace strata::cli {

namespace {

/// 0.01 of "drift=0.01".
std::optional<double> parseDrift(std::string_view text) {
  constexpr std::string_view kStart = "drift=";
  if (!text.starts_with(kStart)) return std::nullopt;
  text.remove_prefix(kStart.size());
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool isWhole = status == std::errc{} && end == text.data() + text.size();
  return isWhole && std::isfinite(value) && value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

void SnapshotWish::declare(Arguments& arguments) {
  arguments.add({.spelling = "--base",
                 .target = &base_,
                 .value = "REF",
                 .help = "what the run began with; auto (default) finds it, none makes a base",
                 .completes = Completes::References});
  arguments.add({.spelling = "--profile",
                 .target = &profile_,
                 .value = "NAME",
                 .help = "compression profile, or its FILE.toml; see: strata profile list",
                 .completes = Completes::Profiles});
  arguments.add({.spelling = "--effort",
                 .target = &effort_,
                 .value = "LEVEL",
                 .help = "fast, default or best: work spent on size",
                 .choices = {"fast", "default", "best"}});
  arguments.add({.spelling = "--evaluator",
                 .target = &evaluator_,
                 .value = "CMD",
                 .help = "program that scores lossy snapshots: their settings are searched for the "
                         "profile's target; see tools/evaluators"});
  declareEvaluatorTimeout(arguments, timeout_);
  arguments.add({.spelling = "--pass-env",
                 .target = &passedSecrets_,
                 .value = "NAME",
                 .help = "a variable with a secret that the evaluator gets; may be repeated"});
  arguments.add({.spelling = "--push",
                 .target = &remote_,
                 .value = "REMOTE",
                 .help = "send each snapshot there once it is stored",
                 .completes = Completes::Remotes});
  arguments.add({.spelling = "--renumber",
                 .target = &isRenumbering_,
                 .help = "with --push: where the remote has other versions of these numbers, take "
                         "the next ones there"});
  arguments.add({.spelling = "--trigger",
                 .target = &trigger_,
                 .value = "drift=X",
                 .help = "store it only if its weights differ by X or more from the snapshot "
                         "before it (relative L2)"});
  arguments.add({.spelling = "-m,--note", .target = &note_, .value = "TEXT", .help = "a note"});
}

Attempt<SnapshotOptions> SnapshotWish::options(Context& context, const std::string& run) const {
  SnapshotOptions options;
  if (trigger_) {
    options.leastDrift = parseDrift(*trigger_);
    if (!options.leastDrift) {
      return usage(
          fmt::format("--trigger: is \"{}\", expected drift=X with a number above 0", *trigger_));
    }
  }
  if (isRenumbering_ && !remote_) return usage("--renumber is for --push alone");
  options.add.name = run;
  options.add.note = note_;
  CodingWish wish{.profile = profile_, .base = base_};
  if (effort_) wish.effort = effortFromName(*effort_);
  auto plan = chooseCoding(wish, context.config(), options.add);
  if (!plan) return problem(std::move(plan).error(), ErrorCode::NotFound, "strata profile list");
  options.plan = *std::move(plan);
  options.add.device = context.device();
  if (!evaluator_) {
    if (timeout_) return usage("--evaluator-timeout needs --evaluator, too");
    if (!passedSecrets_.empty()) return usage("--pass-env needs --evaluator, too");
    return options;
  }
  if (!options.plan) {
    return usage("--evaluator scores lossy snapshots, and --profile names no lossy profile");
  }
  STRATA_TRY(const std::chrono::seconds timeout, evaluatorTimeout(timeout_));
  options.evaluator = EvaluatorOptions{*evaluator_, timeout, passedSecrets_};
  return options;
}

std::string loggedText(double value, std::optional<std::uint64_t> loggedAt, std::uint64_t step) {
  const bool isEarlier = loggedAt && *loggedAt != step;
  return fmt::format("{:.4g}{}", value, isEarlier ? fmt::format(" (step {})", *loggedAt) : "");
}

std::string stateText(const TrainerState& state) {
  std::string text = fmt::format("step {}", state.step);
  if (state.epoch) text += fmt::format(", epoch {:.4g}", *state.epoch);
  if (state.loss) text += ", loss " + loggedText(*state.loss, state.lossStep, state.step);
  if (state.score) {
    text += fmt::format(", {} {}", state.scoreName,
                        loggedText(*state.score, state.scoreStep, state.step));
  }
  return text;
}

Json toJson(const TrainerState& state) {
  return {{"step", state.step},
          {"epoch", orNull(state.epoch)},
          {"loss", orNull(state.loss)},
          {"loss_step", orNull(state.lossStep)},
          {"score", orNull(state.score)},
          {"score_step", orNull(state.scoreStep)},
          {"metric", orNull(state.scoreName)}};
}

void sayDoubts(Output& output, const SnapshotReport& report) {
  const std::string label = report.added.version.label();
  const auto warn = [&](const char* how, const std::string& why) {
    if (why.empty() || report.wasTaken) return;
    output.warning(printable(fmt::format("{} is stored {}: {}", label, how, why)));
  };
  if (report.exactBecause != report.inFullBecause) warn("exactly", report.exactBecause);
  warn("in full", report.inFullBecause);
  for (const QualityScore& quality : report.added.quality) {
    output.line("  quality " + qualityText(quality));
  }
  if (report.tune) {
    output.note("Settings: " + wordCount(report.tune->search.trials.size(), "trial"));
  }
  for (const std::string& doubt : report.doubts) {
    output.warning(printable(fmt::format("{}: {}", label, doubt)));
  }
}

std::string tooNearText(const SnapshotReport& report) {
  return fmt::format("{}drift {:.3g} from {}, too little for --trigger",
                     report.state.step ? fmt::format("step {}, ", *report.state.step) : "",
                     report.drift.value_or(0), report.nearTo);
}

void warnOfNoRun(Output& output, const Store& store, const std::string& run) {
  const auto newest = store.catalog().newest(run);
  if (!newest || !*newest || isSnapshot(**newest)) return;
  const auto versions = store.catalog().versionsOf(run);
  if (!versions || versions->empty() || looksLikeRun(*versions)) return;
  for (const VersionEntry& one : *versions) {
    if (readRunVersion(store, one).isSnapshot) return;
  }
  output.warning(printable(fmt::format(
      "{} is a model's name, and becomes a run: its newest version is a checkpoint then, and no "
      "more {}. A run of another name with --base {} leaves it alone",
      run, newestOf(*versions).label(), run)));
}

void sayBeside(Output& output, const RunVersion& chosen, const std::vector<RunVersion>& beside) {
  for (const RunVersion& one : beside) {
    const std::string label = one.version.label();
    const std::string text =
        one.step == chosen.step
            ? fmt::format("{} and {} are of the same step; strata resume {} goes on from {}",
                          chosen.version.label(), one.shown(), label, label)
            : fmt::format(
                  "{} is the newest by its steps, and {} was stored later, of an earlier "
                  "step; strata resume {} goes on from there",
                  chosen.shown(), one.shown(), label);
    output.warning(printable(text));
  }
}

Json besideJson(const std::vector<RunVersion>& beside) {
  Json rows = Json::array();
  for (const RunVersion& one : beside) {
    rows.push_back({{"version", one.version.label()}, {"step", orNull(one.step)}});
  }
  return rows;
}

}  // namespace strata::cli
