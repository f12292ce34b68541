#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/result.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// The ref in a ref file's text that a longer document embeds, whose parser has bounded it. Spares
/// writing the text and parsing it again. Untrusted: fails with CorruptData.
Result<VersionRef> parseEmbeddedVersionRef(const nlohmann::json& embedded);
Result<TagRef> parseEmbeddedTagRef(const nlohmann::json& embedded);

}  // namespace strata
