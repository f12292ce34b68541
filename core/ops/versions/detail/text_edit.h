#pragma once

#include <string>
#include <string_view>

#include "core/ops/versions/text_report.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/store.h"

namespace strata {

/// A text that people gave a version: the same in the catalog and in its ref.
struct TextMember {
  std::string_view kind;  ///< what the log of operations calls a change of it
  std::string VersionEntry::*ofEntry;
  std::string VersionRef::*ofRef;
};

/// Gives a version another such text. Nothing else of it changes. Fails with NotFound, StoreLocked,
/// Io.
Result<TextReport> editText(Store& store, const TextMember& member, const std::string& reference,
                            const std::string& text);

}  // namespace strata
