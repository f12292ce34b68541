#pragma once

#include <filesystem>
#include <vector>

#include "core/ops/care/damage.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// What a store keeps of its remotes and cannot be read any more, or is lost: what each listed
/// last, and the tags and notes that were agreed on with it. Without these nobody notices what
/// others lose or take off there. `Damage::remote` is empty for a place that was only ever named by
/// its URL, and for a former remote (detail/kept_place.h). Then the file that says which of them
/// were asked (asked_lists.h), of no remote. Where the list of remotes cannot be read, that file
/// and the list.
std::vector<Damage> keptDamages(const std::filesystem::path& storeFolder);

/// What is damaged of places without a name, which no fetch can mend. Of a list that is lost or
/// cannot be read the place counts as never asked from now on, and its numbers count on; the list
/// is set aside. Where only what was agreed on is lost, that is in doubt from now on. `aside` gets
/// where files were set aside, also where the rest fails. Fails with Io, NoSpace or what the
/// catalog fails with.
Result<void> forgetUnnamedDamages(const Store& store, std::vector<std::filesystem::path>& aside);

}  // namespace strata
