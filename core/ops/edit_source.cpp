#include "core/ops/edit_source.h"

#include <fmt/format.h>

#include <utility>

#include "core/store/lost_versions.h"
#include "core/store/store_writer.h"
#include "core/transfer/base_elsewhere.h"

namespace strata {

Result<SourceReport> editSource(Store& store, const SourceOptions& options) {
  if (!options.url.empty() && !isFetchable(options.url)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: no model can be fetched there; expected "
                            "hf://ORG/REPO@COMMIT[/PATH] or https://HOST/FILE, without a password",
                            options.url));
  }
  STRATA_TRY(const auto writer, store.lock("source"));
  SourceReport report;
  STRATA_TRY(report.version, writer->resolve(options.reference));
  report.former = std::exchange(report.version.sourceUrl, options.url);
  report.hasChanged = report.former != options.url;
  if (!report.hasChanged) return report;
  STRATA_TRY(KnownRef known, refOf(store, writer->catalog(), report.version));
  known.ref.sourceUrl = options.url;
  STRATA_TRY(writer->annotate("source", known.ref, {}));
  return report;
}

}  // namespace strata
