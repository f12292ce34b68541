#include "core/ops/versions/edit_note.h"

#include "core/ops/versions/detail/text_edit.h"
#include "core/store/refs/reference.h"

namespace strata {

Result<TextReport> editNote(Store& store, const NoteOptions& options) {
  STRATA_TRY(checkText("note", options.text));
  const TextMember note{"note", &VersionEntry::note, &VersionRef::note};
  return editText(store, note, options.reference, options.text);
}

}  // namespace strata
