#pragma once

#include <string_view>

#include "core/archive/write/version_writer.h"
#include "core/model/model_source.h"
#include "core/result.h"
#include "core/store/store_writer.h"

namespace strata {

/// Puts a version that was written of `model` in the place of `former`, which goes to the trash.
/// The objects are in the store of `writer`. `kind` and errors as StoreWriter::replaceVersion().
Result<VersionEntry> replaceByWritten(StoreWriter& writer, const VersionEntry& former,
                                      const WriteReport& written, const ModelSource& model,
                                      std::string_view kind);

}  // namespace strata
