#include "core/ops/exchange/detail/kept/agreed_notes.h"

namespace strata {
namespace {

std::optional<std::string> noteIn(const AgreedNotes& agreed, const RemoteVersion& there) {
  const auto found = agreed.find(there.ref.label());
  return found == agreed.end() ? std::string() : found->second;
}

}  // namespace

NoteChange noteChange(const AgreedNotes& agreed, const VersionEntry& here,
                      const RemoteVersion& there) {
  if (here.note == there.ref.note || there.ref.isUnlisted) return NoteChange::None;
  const std::optional<std::string> before = noteIn(agreed, there);
  if (here.note == before) return NoteChange::There;
  return there.ref.note == before ? NoteChange::Here : NoteChange::Both;
}

AgreedNotes agreedNotes(const AgreedNotes& known, const VersionMatching& matching,
                        const RemoteLibrary& library) {
  AgreedNotes agreed;
  for (const RemoteVersion& there : library.versions) {
    const VersionEntry* const here = matching.here(there);
    if (here == nullptr) {
      // It may come back under its name: out of the trash, or by an undo of a rename.
      const auto before = known.find(there.ref.label());
      if (before != known.end()) agreed.insert(*before);
      continue;
    }
    const bool agrees = here->note == there.ref.note;
    std::optional<std::string> note = agrees ? here->note : noteIn(known, there);
    if (!note || !note->empty()) agreed.emplace(there.ref.label(), std::move(note));
  }
  return agreed;
}

}  // namespace strata
