#pragma once

#include <string>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct NoteOptions {
  std::string reference = {};
  std::string text = {};  ///< empty: no note
};

struct NoteReport {
  VersionEntry version;    ///< with its note
  std::string former;      ///< what the note was
  bool hasChanged = true;  ///< false: it was that already
};

/// Gives a version another note. Nothing else of it changes.
/// Fails with InvalidArgument (a note that is too long or no UTF-8), NotFound, StoreLocked, Io.
Result<NoteReport> editNote(Store& store, const NoteOptions& options);

}  // namespace strata
