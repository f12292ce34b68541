#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace strata {

/// Longest path of a file in a model.
inline constexpr std::size_t kMaxModelPathBytes = 4096;

/// Whether `path` can name a file of a model (docs/FORMAT.md, "File"): relative, 1 to 4096 bytes,
/// parts joined by '/', none of them empty, "." or "..", and no NUL. A backslash is a letter like
/// any other. What readers list, manifests hold and restores write keeps this one rule.
bool isModelPath(std::string_view path) noexcept;

/// A path that is a file and also the folder of another one, "a" beside "a/b", which no disk can
/// hold; empty if there is none. `paths` ascend. Paths that differ in capitals alone are two files:
/// disks that take them for one refuse the second when it is restored.
std::string_view fileAsFolder(std::span<const std::string_view> paths) noexcept;

}  // namespace strata
