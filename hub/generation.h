#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace strata::hub {

/// Folders and buckets keep the refs of each push under a number of its own, a *generation*: the
/// highest one counts. Who writes a number first has it.

/// Readers may be at so many of the newest; older ones are removed.
inline constexpr std::uint64_t kKeptGenerations = 64;

/// Of so many of the newest the pages are kept, too: each push may leave one of 256 KiB behind.
/// Older lists only tell writers which numbers are taken.
inline constexpr std::uint64_t kKeptInPages = 16;

/// "00000000000000000007".
std::string generationName(std::uint64_t number);
/// 0 for what is no number of 20 digits, or one that nobody counted up to.
std::uint64_t generationOf(std::string_view name) noexcept;

/// What becomes of lists that cannot be read: an error, or the newest one counts that can be.
enum class Unreadable { Fails, Passed };

/// An error of a list that cannot be read, with what mends it.
Error unreadableList(Error error);

/// Whether a generation is to be removed.
bool isOutdated(std::uint64_t number, std::uint64_t newest) noexcept;
/// Whether pages are to be removed that only lists up to this one name.
bool arePagesOutdated(std::uint64_t number, std::uint64_t newest) noexcept;
/// Whether a number that was just written may have been passed, removed and so been free again:
/// then it does not count.
bool mayBePassed(std::uint64_t number, std::uint64_t newest) noexcept;

}  // namespace strata::hub
