#include "core/ops/detail/stored_content.h"

#include <utility>

#include "core/store/lost_versions.h"

namespace strata {

Result<StoredContent> StoredContentSurvey::look(const Catalog& catalog, const Digest& content,
                                                const VersionRef& fresh,
                                                const std::stop_token& stop,
                                                const ProgressSink& progress) {
  StoredContent found;
  STRATA_TRY(found.lost, lostRefsOf(store_, catalog, content, fresh));
  STRATA_TRY(const auto stored, catalog.withContent(content));
  for (const VersionEntry& version : stored) {
    const auto [known, isNew] = isSound_.try_emplace(version.manifestDigest, false);
    if (isNew) {
      STRATA_TRY(known->second, check_.isSound(version, stop, progress));
    }
    STRATA_TRY(KnownRef ref, refOf(store_, catalog, version));
    ref.ref.probe = fresh.probe;
    if (!known->second && version.isBase()) found.hasDamagedBase = true;
    if (!known->second || !ref.isSound) found.damaged.push_back(std::move(ref.ref));
    if (known->second && !found.sound) found.sound = version;
    if (known->second && !found.soundBase && version.isBase()) found.soundBase = version;
  }
  return found;
}

}  // namespace strata
