#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/words/arguments.h"
#include "core/model/trainer_state.h"
#include "core/ops/runs/take_snapshot.h"
#include "onnx_io/checkpoint_check.h"

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

 private:
  std::optional<std::string> base_;
  std::optional<std::string> profile_;
  std::optional<std::string> effort_;
  std::optional<std::string> remote_;
  std::string note_;
};

/// "step 500, loss 0.38, eval_accuracy 0.871".
std::string stateText(const TrainerState& state);
Json toJson(const TrainerState& state);

}  // namespace strata::cli
