#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/model/model_source.h"

namespace strata::test {

/// Whether a description keeps all that ModelDescription promises: files sorted and well named,
/// spans sorted, disjoint, inside their files, not empty, of the bytes that type and shape ask for,
/// and a small skeleton between them.
::testing::AssertionResult checkTiles(const ModelDescription& description);

/// Bytes of a file that belong to no span.
std::uint64_t skeletonBytes(const ModelDescription& description, std::size_t file);

/// The only tensor of that name; null, with a test failure, if there is none or are several.
const TensorInfo* tensorNamed(const ModelDescription& description, std::string_view name);

/// The bytes of a span.
std::string_view tensorText(const ModelDescription& description, const TensorInfo& tensor);

/// All tensors in a line: `name type[shape]@file:offset+byteCount` each, for failure messages.
std::string listed(const ModelDescription& description);

}  // namespace strata::test
