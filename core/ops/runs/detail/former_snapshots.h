#pragma once

#include <stop_token>
#include <string>

#include "core/model/model_source.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// What a run has left of a checkpoint whose optimizer it left out.
enum class Rest {
  None,
  Sound,
  Damaged,  ///< and this checkpoint could not mend it, as its weights were quantized, too
};

/// Whether a checkpoint that no version is was one before: a version without its optimizer took the
/// snapshot's place, and its tag. The model is hashed where there is such a version alone, and so
/// are the version's objects.
Result<Rest> restOf(const Store& store, const std::string& run, const std::string& tag,
                    const ModelSource& model, const std::stop_token& stop,
                    const ProgressSink& progress);

/// Whether what has the tag of a snapshot now, as its merged version has, cannot be read. Then what
/// it was, in the trash, is no reason not to store the checkpoint.
Result<bool> isPlaceDamaged(const Store& store, const std::string& run, const std::string& tag,
                            const std::stop_token& stop, const ProgressSink& progress);

/// Whether a checkpoint that no version is was one that was deleted for good. A rename leaves the
/// same note of its number, and the version under another name. With `mayBeLossy` one counts, too,
/// that was made of it.
Result<bool> wasDeleted(const Store& store, const std::string& run, const ModelSource& model,
                        bool mayBeLossy);

}  // namespace strata
