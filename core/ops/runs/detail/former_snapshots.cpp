#include "core/ops/runs/detail/former_snapshots.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "core/store/catalog/manifest_summary.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/objects/probe.h"
#include "core/store/run_tags.h"

namespace strata {

Result<Rest> restOf(const Store& store, const std::string& run, const std::string& tag,
                    const ModelSource& model, const std::stop_token& stop,
                    const ProgressSink& progress) {
  std::optional<Digest> content;
  Rest rest = Rest::None;
  LineageCheck check(store);
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto versions, store.catalog().versionsOf(run, place));
    for (const VersionEntry& one : versions) {
      const bool isOfTag = std::find(one.tags.begin(), one.tags.end(), tag) != one.tags.end();
      if (!isOfTag || !isWeightsOnly(one)) continue;
      const auto manifest = readManifest(store, one.manifestDigest, one.contentDigest);
      if (!manifest) continue;
      if (!content) {
        STRATA_TRY(content, hashModel(model));
      }
      if (manifest->originalDigest != content) continue;
      // What lies in the trash was given up.
      STRATA_TRY(const bool isSound, place == Place::Live
                                         ? check.isSoundOrAwaited(one, stop, progress)
                                         : Result<bool>(true));
      if (isSound) return Rest::Sound;
      rest = Rest::Damaged;
    }
  }
  return rest;
}

Result<bool> isPlaceDamaged(const Store& store, const std::string& run, const std::string& tag,
                            const std::stop_token& stop, const ProgressSink& progress) {
  STRATA_TRY(const auto versions, store.catalog().versionsOf(run));
  const auto found = std::ranges::find_if(versions, [&](const VersionEntry& one) {
    return std::ranges::find(one.tags, tag) != one.tags.end();
  });
  if (found == versions.end()) return false;
  STRATA_TRY(const bool isSound, LineageCheck(store).isSoundOrAwaited(*found, stop, progress));
  return !isSound;
}

Result<bool> wasDeleted(const Store& store, const std::string& run, const ModelSource& model,
                        bool mayBeLossy) {
  const auto last = store.refs().readLastNumber(run);
  if (!last || last->former.empty()) return false;
  STRATA_TRY(const Digest content, hashModel(model));
  const std::string digits = toHex(content).substr(0, LastNumber::kFormerDigits);
  const auto isAmong = [&](const std::map<std::uint32_t, std::string>& contents) {
    return std::ranges::any_of(contents, [&](const auto& one) { return one.second == digits; });
  };
  if (mayBeLossy && isAmong(last->sources)) return true;
  if (!isAmong(last->former)) return false;
  STRATA_TRY(const auto elsewhere, store.catalog().withContent(content));
  return elsewhere.empty();
}

}  // namespace strata
