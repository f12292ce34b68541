#include "core/ops/versions/detail/text_edit.h"

#include <utility>

#include "core/store/catalog/lost_versions.h"
#include "core/store/store_writer.h"

namespace strata {

Result<TextReport> editText(Store& store, const TextMember& member, const std::string& reference,
                            const std::string& text) {
  STRATA_TRY(const auto writer, store.lock(member.kind));
  TextReport report;
  STRATA_TRY(report.version, writer->resolve(reference));
  report.former = std::exchange(report.version.*member.ofEntry, text);
  report.hasChanged = report.former != text;
  if (!report.hasChanged) return report;
  STRATA_TRY(KnownRef known, refOf(store, writer->catalog(), report.version));
  known.ref.*member.ofRef = text;
  STRATA_TRY(writer->annotate(member.kind, {known.ref}, {}));
  return report;
}

}  // namespace strata
