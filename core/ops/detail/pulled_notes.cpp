#include "core/ops/detail/pulled_notes.h"

#include <utility>

#include "core/ops/detail/agreed_tags.h"
#include "core/store/lost_versions.h"

namespace strata {

Result<std::vector<VersionRef>> notesToTake(const Store& store, const Catalog& catalog,
                                            const RemoteLibrary& library, const PullPlan& plan,
                                            const std::string& remote, PullReport& report) {
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(catalog, library));
  const AgreedNotes agreed = readAgreed(store.folder(), remote).notes;
  std::vector<const RemoteVersion*> all;
  for (const PlannedPull& item : plan.items) all.push_back(item.there);
  for (const VersionEntry& version : report.alreadyHere) all.push_back(matching.there(version));
  report.notes.clear();
  report.notesElsewhere.clear();
  std::vector<VersionRef> refs;
  for (const RemoteVersion* const there : all) {
    const VersionEntry* const here = there == nullptr ? nullptr : matching.here(*there);
    if (here == nullptr) continue;
    const NoteChange change = noteChange(agreed, *here, *there);
    if (change == NoteChange::Both) report.notesElsewhere.push_back(here->label());
    // Without a name, as from a bundle, nothing tells which note is the newer one.
    if (change != NoteChange::There || remote.empty()) continue;
    STRATA_TRY(KnownRef known, refOf(store, catalog, *here));
    known.ref.note = there->ref.note;
    refs.push_back(std::move(known.ref));
    report.notes.push_back(here->label());
  }
  return refs;
}

}  // namespace strata
