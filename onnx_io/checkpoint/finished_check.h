#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/checkpoint.h"
#include "core/result.h"

namespace strata {

/// Whether a folder or file is a finished checkpoint, what wrote it, and at which step. Executes
/// nothing that is in it.
///
/// Finished means: what its layout writes last is there and can be read (`trainer_state.json`, the
/// `random_states_*` of each rank, `.metadata` with each file that it names, the end of a `.ckpt`);
/// no `checkpoint-is-incomplete.txt`; with an optimizer its scheduler and random numbers; every
/// file is whole by its own account (file_wholeness.h). A folder of texts and pictures alone, as
/// logs are, is none. A single file is one where it may hold a model: none that is a part of a
/// checkpoint. Ranks are numbered from 0 without a gap. Whether it holds still while it is read has
/// to be looked at besides.
///
/// Fails with NotFound, and Io where the folder cannot be listed. A file that vanishes meanwhile is
/// a reason why it is unfinished.
Result<CheckpointState> checkCheckpoint(const std::filesystem::path& path);

/// What of a finished checkpoint looks damaged, and may not be (doubtfulBecause): a line for each
/// file. Reads all of it.
std::vector<std::string> checkpointDoubts(const std::filesystem::path& path);

/// How programs read checkpoints: checkCheckpoint(), and openModel() that keeps as bytes what is no
/// model.
CheckpointTools checkpointTools();

}  // namespace strata
