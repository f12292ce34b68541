#include "core/ops/detail/replacing_version.h"

#include <utility>

#include "core/match/signature.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/probe.h"

namespace strata {

Result<VersionEntry> replaceByWritten(StoreWriter& writer, const VersionEntry& former,
                                      const WriteReport& written, const ModelSource& model,
                                      std::string_view kind) {
  VersionRef ref;
  ref.contentDigest = written.contentDigest;
  ref.manifestDigest = written.manifestDigest;
  ref.storedBytes = written.storedBytes;
  ref.probe = probeModel(model.description());
  ref.signature = makeSignature(model.description());
  const ManifestSummary summary =
      summarize(written.manifest, written.manifestDigest, writer.store().objects());
  return writer.replaceVersion(former, std::move(ref), summary, kind);
}

}  // namespace strata
