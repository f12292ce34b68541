#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/transfer/plain_set.h"

namespace strata::hub {

/// The tag under which a registry's plain files stand.
inline constexpr const char* kPlainTag = "latest";

/// A model's files as an artifact that tools without Strata know: ModelPack of the CNCF
/// (model-spec, 2026-06), each file a raw layer with its path, which `oras pull` writes by its
/// title. An annotation says which version they are.
struct ModelPack {
  std::string config;    ///< the text of the config's blob
  std::string manifest;  ///< names that blob and the files'
};

/// `createdAt`: seconds since 1970, UTC.
ModelPack modelPackOf(const PlainSet& plain, std::int64_t createdAt);

/// The version that an artifact says it is; nothing if a push of plain files did not write it.
/// Fails with CorruptData.
Result<std::optional<std::string>> plainVersionOf(const std::string& manifest);

}  // namespace strata::hub
