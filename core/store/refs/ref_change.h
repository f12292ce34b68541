#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/objects/object_folder.h"
#include "core/store/refs/ref_batch.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// Several refs become what a RefChange says: all of them or none. `STORE/change.json` says what,
/// from before the first ref is touched until all are (RefFolder::writeChange). Whoever finds that
/// file without a writer at work does what it says, whatever of it was done already. Deleting the
/// file while no ref was touched takes the change back. Only the holder of the write lock calls
/// these.

/// "sst2:v1, sst2:v2", for logs and errors.
std::string labelsOf(const std::vector<VersionRef>& refs);

/// Whether each file that a change writes or erases is a file of the store or not there, so that
/// the change can be finished once it has begun; also the tags that its refs carry. Fails with
/// CorruptData, which names the place, or Io.
Result<void> checkTargets(const RefFolder& refs, const RefChange& change);

/// Writes the new refs under temporary names, so that all that takes space comes first. Changes
/// nothing. Fails as checkTargets(), and with NoSpace or Io.
Result<RefBatch> prepareRefs(const RefFolder& refs, const RefChange& change);

/// Gives prepared refs their names, erases those that the versions had at the other place, the tag
/// files of versions that are in the trash now and tags that were taken away, and last
/// `change.json`. Fails with Io; then the file stands, and the next writer goes on.
Result<void> placeRefs(const RefFolder& refs, const RefChange& change, RefBatch& prepared);

/// Whether no change of this kind is left to be settled, read as far as it can be.
bool isOver(const RefFolder& refs);

/// The change that the next writer will finish. Nothing if there is none, or if it came too late: a
/// program that does not know the file has changed the same refs since. Fails with CorruptData,
/// FormatTooNew, Io.
Result<std::optional<RefChange>> pendingChange(const RefFolder& refs, const ObjectFolder& objects);

/// Brings the refs to what a change says that a writer that died has begun, and drops a change that
/// came too late. Returns the change; its file stays until the catalog says the same
/// (core/store/catalog/catalog_sync.h), because the catalog alone would take an erased tag for a
/// lost one. A change that cannot be read stays, too: its command may have ended well, so nothing
/// goes on before a repair (core/store/refs/lost_change.h). Fails with CorruptData, which says
/// that or what lies in the place of a file of the change, Io, NoSpace, FormatTooNew.
Result<std::optional<RefChange>> settleChange(const RefFolder& refs, const ObjectFolder& objects);

}  // namespace strata
