#pragma once

#include <cstdint>

#include "core/digest.h"
#include "core/model/model_source.h"
#include "core/result.h"

namespace strata {

/// A checksum of a model's paths, sizes and about a megabyte of samples of its files: equal for
/// equal models, and cheap, so that hashing a whole model is only needed when something like it is
/// stored. Never 0. Kept in refs: its definition does not change.
std::uint64_t probeModel(const ModelDescription& model) noexcept;

/// The content digest that contentDigest(manifest) gives for the stored model. Hashes all bytes.
/// Fails with Io if the model changed meanwhile.
Result<Digest> hashModel(const ModelSource& source);

/// Sum of the files' sizes.
std::uint64_t originalBytes(const ModelDescription& model) noexcept;

}  // namespace strata
