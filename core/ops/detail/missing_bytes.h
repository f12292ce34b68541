#pragma once

#include <cstdint>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"
#include "core/transfer/remote_library.h"

namespace strata {

/// What a pull of some versions would move.
struct MissingBytes {
  std::uint64_t byteCount = 0;
  bool basesAreHere = true;  ///< no base has to be fetched
};

/// Counts the objects of `wanted` and of their parents, as far as the remote has them, up to those
/// whose content the store has, and the files of bases that lie elsewhere. `store` may be null:
/// then nothing is here. Fails with Io.
Result<MissingBytes> missingBytes(const RemoteLibrary& library,
                                  const std::vector<const RemoteVersion*>& wanted,
                                  const Store* store);

}  // namespace strata
