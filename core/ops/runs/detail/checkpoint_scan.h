#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace strata {

/// What may be a checkpoint in a folder that a trainer writes to.
struct CheckpointPlace {
  std::filesystem::path path;
  std::optional<std::uint64_t> step = {};  ///< as its name says
  /// Sizes, times and numbers of its files, as a text: another one where something changed.
  std::string stamp = {};
};

/// The folders and files of a watched folder that may be checkpoints, in the order of their steps;
/// those without one by the numbers in their names. Folders need a number in their names, and so do
/// files but `.ckpt`: a model that the trainer saves beside its checkpoints is none.
/// Fails with NotFound or Io.
Result<std::vector<CheckpointPlace>> scanCheckpoints(const std::filesystem::path& folder);

}  // namespace strata
