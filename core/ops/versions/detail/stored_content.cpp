#include "core/ops/versions/detail/stored_content.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/store/catalog/lost_versions.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/awaited_packs.h"
#include "core/store/read_errors.h"

namespace strata {

Result<StoredContent> StoredContentSurvey::look(const Catalog& catalog, const Digest& content,
                                                const VersionRef& fresh,
                                                const std::stop_token& stop,
                                                const ProgressSink& progress) {
  StoredContent found;
  std::set<Digest> isNewHere;
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
    if (!known->second && ref.isSound) {
      STRATA_TRY(const auto absent, absentPacks(store_, ref.ref));
      if (!absent.empty()) found.awaited.insert(ref.ref.label());
    }
    if (!known->second || !ref.isSound) found.damaged.push_back(std::move(ref.ref));
    if (known->second && isNewHere.insert(version.manifestDigest).second) {
      found.sound.push_back(version);
    }
  }
  return found;
}

Result<std::optional<VersionEntry>> StoredContentSurvey::choose(const StoredContent& found,
                                                                bool asBase,
                                                                const FileModes& modes) const {
  std::optional<VersionEntry> first;
  for (const VersionEntry& version : found.sound) {
    if (asBase && !version.isBase()) continue;
    if (!first) first = version;
    STRATA_TRY(const bool fits, hasModes(version, modes));
    if (fits) return version;
  }
  return first;
}

Result<std::optional<VersionEntry>> StoredContentSurvey::awaitedParent(
    const Catalog& catalog, const StoredContent& found, const std::stop_token& stop,
    const ProgressSink& progress) {
  for (const VersionRef& ref : found.damaged) {
    if (!found.awaited.contains(ref.label())) continue;
    STRATA_TRY(const auto version, catalog.version(ref.name, ref.number, ref.place()));
    if (!version || !version->parentDigest) continue;
    STRATA_TRY(const auto parents, catalog.withContent(*version->parentDigest));
    if (parents.empty()) continue;
    STRATA_TRY(const bool serves, check_.servesAsParent(parents.front(), stop, progress));
    if (serves) return parents.front();
    if (!awaitedBy(store_, parents.front())) continue;
    return fail(ErrorCode::NotFound,
                fmt::format("{} is this content, and its packs are not here yet; \"{}\" brings "
                            "them, --base none stores all of it",
                            ref.label(), pullCommand(ref.awaited.value_or(AwaitedPacks{}))));
  }
  return std::nullopt;
}

Result<bool> StoredContentSurvey::hasModes(const VersionEntry& version,
                                           const FileModes& modes) const {
  const auto manifest = readManifest(store_, version.manifestDigest, version.contentDigest);
  if (!manifest && !isLost(manifest.error().code)) return fail(manifest.error());
  return !manifest || modesOf(*manifest) == modes;
}

Result<void> checkIsHere(const Store& store, const VersionEntry& base) {
  const auto awaited = awaitedBy(store, base);
  if (!awaited) return {};
  return fail(ErrorCode::NotFound,
              fmt::format("the packs of its base {} are not here yet; \"{}\" brings them, --base "
                          "none stores all of it",
                          base.label(), pullCommand(*awaited)));
}

}  // namespace strata
