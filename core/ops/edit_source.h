#pragma once

#include <string>

#include "core/result.h"
#include "core/store/store.h"
#include "core/store/version_entry.h"

namespace strata {

struct SourceOptions {
  std::string reference = {};
  std::string url = {};  ///< empty: none
};

struct SourceReport {
  VersionEntry version;    ///< with its source
  std::string former;      ///< what the source was
  bool hasChanged = true;  ///< false: it was that already
};

/// Says where a version's model can be fetched, for those who receive differences to it
/// (PushOptions::withBase). Nothing is asked there: what is fetched later is checked then. Nothing
/// else of the version changes.
/// Fails with InvalidArgument (not a place of a plain model, isFetchable), NotFound, StoreLocked,
/// Io.
Result<SourceReport> editSource(Store& store, const SourceOptions& options);

}  // namespace strata
