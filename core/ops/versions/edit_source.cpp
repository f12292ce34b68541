#include "core/ops/versions/edit_source.h"

#include <fmt/format.h>

#include "core/ops/versions/detail/text_edit.h"
#include "core/transfer/base_elsewhere.h"

namespace strata {

Result<TextReport> editSource(Store& store, const SourceOptions& options) {
  if (!options.url.empty() && !isFetchable(options.url)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: no model can be fetched there; expected "
                            "hf://ORG/REPO@COMMIT[/PATH] or https://HOST/FILE, without a password",
                            options.url));
  }
  const TextMember source{"source", &VersionEntry::sourceUrl, &VersionRef::sourceUrl};
  return editText(store, source, options.reference, options.url);
}

}  // namespace strata
