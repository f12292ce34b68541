#include "core/ops/exchange/detail/pull/pulled_notes.h"

#include <utility>

#include "core/store/catalog/lost_versions.h"

namespace strata {

Result<std::vector<VersionRef>> notesToTake(const Store& store, const Catalog& catalog,
                                            const RemoteLibrary& library, const PullPlan& plan,
                                            const AgreedNotes* agreed, PullReport& report) {
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(catalog, library));
  std::vector<const RemoteVersion*> all;
  for (const PlannedPull& item : plan.items) all.push_back(item.there);
  for (const VersionEntry& version : report.alreadyHere) all.push_back(matching.there(version));
  report.notes.clear();
  report.notesElsewhere.clear();
  std::vector<VersionRef> refs;
  for (const RemoteVersion* const there : all) {
    const VersionEntry* const here = there == nullptr ? nullptr : matching.here(*there);
    if (here == nullptr) continue;
    const NoteChange change =
        noteChange(agreed == nullptr ? AgreedNotes{} : *agreed, *here, *there);
    if (change == NoteChange::Both) report.notesElsewhere.push_back(here->label());
    if (change != NoteChange::There || agreed == nullptr) continue;
    STRATA_TRY(KnownRef known, refOf(store, catalog, *here));
    known.ref.note = there->ref.note;
    refs.push_back(std::move(known.ref));
    report.notes.push_back(here->label());
  }
  return refs;
}

}  // namespace strata
