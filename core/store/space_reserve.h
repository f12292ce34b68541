#pragma once

#include <cstdint>
#include <filesystem>

namespace strata {

/// A store keeps some space for the commands that free space. On a full disk those need a little,
/// too: for the text of the lock, for refs in the trash, for the catalog's log.
///
///     STORE/reserve   a file of zeros
///
/// Nothing here fails: a reserve that cannot be had leaves matters as they are without one.
inline constexpr std::uint64_t kReserveBytes = 1 << 20;

/// Gives the space to whoever writes now. Only the holder of the write lock calls this and
/// fillReserve; every writer fills the reserve again while it still has the lock.
void releaseReserve(const std::filesystem::path& storeFolder);

/// Takes as much as there is, up to kReserveBytes.
void fillReserve(const std::filesystem::path& storeFolder);

}  // namespace strata
