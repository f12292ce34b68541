#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// Which program's layout a checkpoint has. What tells that it is finished depends on that.
enum class CheckpointKind {
  Plain,         ///< no layout that we know: files alone
  Transformers,  ///< `trainer_state.json`, written last
  Accelerate,    ///< `random_states_{rank}.pkl`, written last
  Lightning,     ///< one `.ckpt` file
  Distributed,   ///< torch.distributed.checkpoint: `.metadata`, renamed into place last
};

/// "transformers", "accelerate", "lightning", "distributed", "plain".
std::string_view name(CheckpointKind kind) noexcept;

/// What a folder or file that a trainer wrote says of itself.
struct CheckpointState {
  CheckpointKind kind = CheckpointKind::Plain;
  std::optional<std::uint64_t> step = {};  ///< optimizer steps that were taken
  std::string unfinished = {};             ///< why it is not finished; empty: it is
  /// Files may still come although nothing is missing: no file is written last, or other processes
  /// write theirs beside it. It is finished once it stays as it is for a while.
  bool mayGrow = false;
  /// Folders in it ("optimizer_0/"; "" for itself) whose `.metadata` names the files of all ranks:
  /// those are there, and no rank has others.
  std::set<std::string> listedShards = {};

  bool isFinished() const noexcept { return unfinished.empty(); }
};

/// What operations on runs are given by the program, since core knows no formats.
struct CheckpointTools {
  /// Whether a folder or file is a finished checkpoint. Fails with NotFound or Io.
  std::function<Result<CheckpointState>(const std::filesystem::path&)> check = {};
  /// Opens one as a model. Files that are no model are a part of it as bytes.
  ModelOpener open = {};
  /// What of a finished one looks damaged: a line for each file. May be empty.
  std::function<std::vector<std::string>(const std::filesystem::path&)> doubts = {};
};

/// The step that the name of a checkpoint says: 500 of "checkpoint-500", "step_500",
/// "epoch=3-step=500.ckpt" and "global_step500". Nothing for "checkpoint_3", where accelerate
/// counts saves.
std::optional<std::uint64_t> stepOfName(std::string_view name);

/// The epoch that it says: 3 of "epoch=3-step=500.ckpt" and "model_epoch_3.pt".
std::optional<std::uint64_t> epochOfName(std::string_view name);

/// The last number in a name without its ending: 3 of "checkpoint_3", 12 of "model-12.pt".
std::optional<std::uint64_t> numberInName(std::string_view name);

/// Whether a file of a checkpoint is there for going on with the training alone: optimizer,
/// scheduler, random numbers, the trainer's own state. `path` is relative to the checkpoint.
bool isTrainingState(std::string_view path);

/// Whether a file of a checkpoint has the optimizer's state, and no weights: `optimizer.pt`,
/// `optim_20.pt`, DeepSpeed's `*optim_states.pt`, the optimizer's folder of torch.distributed. A
/// name that may mean weights, too, is none: `model_optim_20.pt`, `optimizer_free_model.pt`.
bool isOptimizerFile(std::string_view path);

/// Of files of one number that lie side by side: whether it may be the state beside a model.
/// Broader than isTrainingState(), since joining files loses nothing: `optimizer_20.npz`,
/// `lr_sched_20.pt`.
bool maySideWith(std::string_view name);

}  // namespace strata
