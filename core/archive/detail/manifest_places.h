#pragma once

#include "core/archive/manifest.h"
#include "core/result.h"

namespace strata {

/// Manifests of version 2 hold each offset as its difference, mod 2^64, to where it would be
/// expected (docs/FORMAT.md, "Places"), which is mostly 0. These turn the offsets of tensors,
/// sections and views into such differences, and back; nothing else changes.
/// Fail with CorruptData where a section is of no pack or a tensor's type or shape makes no sense.
Result<void> placesToDifferences(Manifest& manifest);
Result<void> placesFromDifferences(Manifest& manifest);

}  // namespace strata
