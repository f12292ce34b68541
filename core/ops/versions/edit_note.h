#pragma once

#include <string>

#include "core/ops/versions/text_report.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct NoteOptions {
  std::string reference = {};
  std::string text = {};  ///< empty: no note
};

/// Gives a version another note. Nothing else of it changes.
/// Fails with InvalidArgument (a note that is too long or no UTF-8), NotFound, StoreLocked, Io.
Result<TextReport> editNote(Store& store, const NoteOptions& options);

}  // namespace strata
