#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/words/arguments.h"
#include "core/model/trainer_state.h"
#include "core/ops/exchange/push_versions.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/runs/take_snapshot.h"
#include "onnx_io/checkpoint/finished_check.h"

namespace strata::cli {

/// The options of the commands that store snapshots of a run.
class SnapshotWish {
 public:
  void declare(Arguments& arguments);
  /// What they say together with the settings. Fails where the profile is not there, or its
  /// settings have to be searched for.
  Attempt<SnapshotOptions> options(Context& context, const std::string& run) const;
  /// The remote to push to; nothing: none.
  const std::optional<std::string>& remote() const noexcept { return remote_; }
  PushOptions push(std::vector<std::string> references) const {
    return {.references = std::move(references), .renumber = isRenumbering_};
  }

 private:
  std::optional<std::string> base_;
  std::optional<std::string> profile_;
  std::optional<std::string> effort_;
  std::optional<std::string> remote_;
  std::optional<std::string> trigger_;
  bool isRenumbering_ = false;
  std::optional<std::string> evaluator_;
  std::optional<std::string> timeout_;
  std::vector<std::string> passedSecrets_;
  std::string note_;
};

/// "0.38"; "0.38 (step 490)" of what was logged at another step than `step`.
std::string loggedText(double value, std::optional<std::uint64_t> loggedAt, std::uint64_t step);
/// "step 500, loss 0.38, eval_accuracy 0.871".
std::string stateText(const TrainerState& state);
Json toJson(const TrainerState& state);

/// Says of one that was stored that it is exact although a lossy one was asked for, what it scores,
/// and what of the checkpoint looks damaged.
void sayDoubts(Output& output, const SnapshotReport& report);

/// Says of one that was not stored that it is too near to another one.
std::string tooNearText(const SnapshotReport& report);

/// Warns where versions have the name of a run and none of them is a snapshot: a model's name is
/// no run's, and is easily taken for the base that was meant.
void warnOfNoRun(Output& output, const Store& store, const std::string& run);

/// Says which snapshots speak of a run that went two ways (besideChosen).
void sayBeside(Output& output, const RunVersion& chosen, const std::vector<RunVersion>& beside);
Json besideJson(const std::vector<RunVersion>& beside);

}  // namespace strata::cli
