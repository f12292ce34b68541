#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/file_modes.h"
#include "core/progress.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/store.h"

namespace strata {

/// What a store has of one content already, and what of that is damaged.
struct StoredContent {
  /// Versions of it that restore: the first of each manifest.
  std::vector<VersionEntry> sound = {};
  std::vector<VersionRef> damaged = {};  ///< those that do not, and those whose ref is damaged
  std::vector<VersionRef> lost = {};     ///< versions by their refs alone: the catalog has them not
  /// Labels of those of `damaged` that were pulled without their packs, which are not here yet.
  std::set<std::string> awaited = {};
  bool hasDamagedBase = false;

  bool needsRepair() const noexcept { return !damaged.empty() || !lost.empty(); }
  /// Whether one of `sound` can stand for the model, or for it as a base.
  bool serves(bool asBase) const noexcept {
    return std::any_of(sound.begin(), sound.end(),
                       [&](const VersionEntry& version) { return !asBase || version.isBase(); });
  }
};

/// Finds out what a store has of a model's content. Asked twice by `add`: before it encodes, and
/// under the write lock, when only what others changed meanwhile is hashed.
class StoredContentSurvey {
 public:
  explicit StoredContentSurvey(const Store& store) : store_(store), check_(store) {}

  /// `fresh` says of versions what their damaged refs do not.
  /// Fails with FormatTooNew, Cancelled, or what the catalog fails with.
  Result<StoredContent> look(const Catalog& catalog, const Digest& content, const VersionRef& fresh,
                             const std::stop_token& stop, const ProgressSink& progress);

  /// The version of `found.sound` to stand for a model with these permission bits: one that has
  /// them, else the first. With `asBase` of bases alone; nothing where none serves. Fails as
  /// readManifest.
  Result<std::optional<VersionEntry>> choose(const StoredContent& found, bool asBase,
                                             const FileModes& modes) const;
  /// Whether the version has these bits. One whose manifest cannot be read may have any.
  Result<bool> hasModes(const VersionEntry& version, const FileModes& modes) const;

  /// The parent of what is here without its packs, which stays the difference that it is listed as.
  /// Fails with NotFound, saying what to do, where the parent's packs are not here either.
  Result<std::optional<VersionEntry>> awaitedParent(const Catalog& catalog,
                                                    const StoredContent& found,
                                                    const std::stop_token& stop,
                                                    const ProgressSink& progress);

  LineageCheck& lineages() noexcept { return check_; }

 private:
  const Store& store_;
  LineageCheck check_;
  std::map<Digest, bool> isSound_;  ///< by manifest
};

/// A base that was asked for by its name, and does not serve. Fails with NotFound, saying what to
/// do, if its packs were never fetched.
Result<void> checkIsHere(const Store& store, const VersionEntry& base);

}  // namespace strata
