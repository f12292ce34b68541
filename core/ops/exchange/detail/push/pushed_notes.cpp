#include "core/ops/exchange/detail/push/pushed_notes.h"

namespace strata {

void placeNote(const AgreedNotes& agreed, const VersionEntry& here, const RemoteVersion& there,
               PushPlan& plan) {
  const NoteChange change = noteChange(agreed, here, there);
  if (change == NoteChange::Both) plan.notesElsewhere.push_back(here.label());
  if (change == NoteChange::There) plan.notesEditedThere.push_back(here.label());
  if (change != NoteChange::Here) return;
  const std::string name = refNameOf(there.ref);
  RefText& text = plan.listing.refs.at(name);
  auto told = parseRemoteVersion(name, text);  // not `there`: it may say something new by now
  if (!told) return;
  told->ref.note = here.note;
  plan.changed.emplace(name, text);
  plan.told.insert(name);
  plan.notes.push_back(here.label());
  text = toRefText(*told);
}

}  // namespace strata
