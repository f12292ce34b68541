#include "core/ops/edit_note.h"

#include <utility>

#include "core/store/lost_versions.h"
#include "core/store/reference.h"
#include "core/store/store_writer.h"

namespace strata {

Result<NoteReport> editNote(Store& store, const NoteOptions& options) {
  STRATA_TRY(checkText("note", options.text));
  STRATA_TRY(const auto writer, store.lock("note"));
  NoteReport report;
  STRATA_TRY(report.version, writer->resolve(options.reference));
  report.former = std::exchange(report.version.note, options.text);
  report.hasChanged = report.former != options.text;
  if (!report.hasChanged) return report;
  STRATA_TRY(KnownRef known, refOf(store, writer->catalog(), report.version));
  known.ref.note = options.text;
  STRATA_TRY(writer->annotate("note", known.ref, {}));
  return report;
}

}  // namespace strata
