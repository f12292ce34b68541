#include "core/ops/care/detail/pending_change.h"

#include <algorithm>
#include <utility>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/ref_change.h"

namespace strata {
namespace {

bool isHere(const Store& store, const VersionRef& ref) {
  const auto manifest = readManifest(store, ref.manifestDigest, ref.contentDigest);
  if (!manifest) return false;
  const std::vector<Digest> packs = manifest->packs;
  return std::all_of(packs.begin(), packs.end(), [&](const Digest& pack) {
    return store.objects().byteCount(pack).has_value();
  });
}

}  // namespace

Result<PendingChange> PendingChange::read(const Store& store,
                                          const std::vector<VersionEntry>& versions) {
  PendingChange pending;
  auto change = pendingChange(store.refs(), store.objects());
  if (!change) {
    if (change.error().code != ErrorCode::CorruptData) return fail(std::move(change).error());
    pending.damage_ = std::move(change).error();
    return pending;
  }
  if (!*change) return pending;
  pending.change_ = **std::move(change);
  for (const VersionRef& ref : pending.change_.versions) {
    const bool isOther =
        std::any_of(versions.begin(), versions.end(), [&](const VersionEntry& version) {
          return version.name == ref.name && version.number == ref.number &&
                 version.manifestDigest != ref.manifestDigest;
        });
    if (isOther && isHere(store, ref)) pending.mended_.insert(ref.contentDigest);
  }
  return pending;
}

bool PendingChange::mends(const VersionEntry& version, const Lineage& lineage) const {
  if (mended_.empty()) return false;
  const auto line = lineage.lineOf(version);
  return std::any_of(line.begin(), line.end(),
                     [&](const VersionEntry* one) { return mends(*one); });
}

}  // namespace strata
