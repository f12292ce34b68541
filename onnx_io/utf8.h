#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/text/utf8_check.h"

namespace strata {

/// `text` as UTF-8 of at most `maxBytes`: bytes that are none become `\xNN`, what is too long ends
/// in "…". Names out of model files go to manifests and to people, which both need UTF-8.
std::string toUtf8(std::string_view text, std::size_t maxBytes);

/// Longest name of a tensor, node or metadata key that is kept whole.
inline constexpr std::size_t kMaxNameBytes = 1024;
/// Names of one file's tensors together, and of the places where its nodes use them: what comes
/// after so many bytes is named by its number, so that no file fills the memory with names.
inline constexpr std::size_t kMaxNamesBytes = 64 << 20;

}  // namespace strata
