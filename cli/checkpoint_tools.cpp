#include "cli/checkpoint_tools.h"

#include <fmt/format.h>

#include "core/ops/versions/add_settings.h"

namespace strata::cli {

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
  arguments.add({.spelling = "--push",
                 .target = &remote_,
                 .value = "REMOTE",
                 .help = "send each snapshot there once it is stored",
                 .completes = Completes::Remotes});
  arguments.add({.spelling = "-m,--note", .target = &note_, .value = "TEXT", .help = "a note"});
}

Attempt<SnapshotOptions> SnapshotWish::options(Context& context, const std::string& run) const {
  SnapshotOptions options;
  options.add.name = run;
  options.add.note = note_;
  CodingWish wish{.profile = profile_, .base = base_};
  if (effort_) wish.effort = effortFromName(*effort_);
  auto plan = chooseCoding(wish, context.config(), options.add);
  if (!plan) return problem(std::move(plan).error(), ErrorCode::NotFound, "strata profile list");
  options.plan = *std::move(plan);
  options.add.device = context.device();
  return options;
}

std::string stateText(const TrainerState& state) {
  std::string text = fmt::format("step {}", state.step);
  if (state.epoch) text += fmt::format(", epoch {:.4g}", *state.epoch);
  if (state.loss) text += fmt::format(", loss {:.4g}", *state.loss);
  if (state.score) text += fmt::format(", {} {:.4g}", state.scoreName, *state.score);
  return text;
}

Json toJson(const TrainerState& state) {
  return {{"step", state.step},
          {"epoch", orNull(state.epoch)},
          {"loss", orNull(state.loss)},
          {"score", orNull(state.score)},
          {"metric", orNull(state.scoreName)}};
}

}  // namespace strata::cli
