#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"

// Taking an operation back, and doing it again.

namespace strata {

Result<void> StoreWriter::revert(const Operation& operation, const RefChange& planned) {
  return changeRefs(operation, planned, [&] { return putInCatalog(planned); });
}

Result<void> StoreWriter::putInCatalog(const RefChange& all) {
  for (const TagRef& tag : all.erasedTags) STRATA_TRY(catalog_->eraseTag(tag.name, tag.tag));
  for (const VersionRef& left : all.renumbered) {
    STRATA_TRY(catalog_->eraseVersion(left.name, left.number));
  }
  for (const VersionRef& ref : all.versions) {
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, ref.manifestDigest, ref.contentDigest));
    STRATA_TRY(
        catalog_->putVersion(ref, summarize(manifest, ref.manifestDigest, store_.objects())));
    for (const TagRef& tag : ref.tags) STRATA_TRY(catalog_->eraseTag(tag.name, tag.tag));
  }
  for (const TagRef& tag : all.tags) STRATA_TRY(catalog_->putTag(tag));
  return catalog_->dropUnused();
}

}  // namespace strata
