#pragma once

#include <string>

#include "core/ops/versions/text_report.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct SourceOptions {
  std::string reference = {};
  std::string url = {};  ///< empty: none
};

/// Says where a version's model can be fetched, for those who receive differences to it
/// (PushOptions::withBase). Nothing is asked there: what is fetched later is checked then. Nothing
/// else of the version changes.
/// Fails with InvalidArgument (not a place of a plain model, isFetchable), NotFound, StoreLocked,
/// Io.
Result<TextReport> editSource(Store& store, const SourceOptions& options);

}  // namespace strata
