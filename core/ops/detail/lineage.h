#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/catalog/catalog.h"
#include "core/store/version_entry.h"

namespace strata {

/// Who is whose parent, from one reading of the catalog.
class Lineage {
 public:
  /// Of all versions, those in the trash, too.
  static Result<Lineage> load(const Catalog& catalog);

  /// The same, where versions() are Catalog::outlines(): quicker, and enough to choose among them.
  static Result<Lineage> outline(const Catalog& catalog);
  /// Of these contents, their parents, the parents of those, and so on: as much as it takes to say
  /// of their versions what load() would.
  static Result<Lineage> of(const Catalog& catalog, std::vector<Digest> contents);
  static Result<Lineage> of(const Catalog& catalog, const VersionEntry& version);

  /// All of them: the live ones, those added first before others, then the trash's.
  const std::vector<VersionEntry>& versions() const noexcept { return entries_; }

  /// A version with this content, the one to rebuild it from (copiesToRebuild()), live ones and
  /// early ones first; nullptr if there is none.
  const VersionEntry* find(const Digest& content) const;
  /// nullptr for a base, and where the parent is not in the store.
  const VersionEntry* parentOf(const VersionEntry& version) const;
  /// The end of the line of parents; the version itself for a base.
  const VersionEntry& rootOf(const VersionEntry& version) const;
  /// The version, its parent, that one's parent, and so on.
  std::vector<const VersionEntry*> lineOf(const VersionEntry& version) const;
  /// Parents to decode before the version, as they are now: what its manifest says is what there
  /// were when it was coded.
  std::uint32_t depthOf(const VersionEntry& version) const;
  /// "base:v1"; "@7c1f9e02" of what no name leads to.
  std::string labelOf(const Digest& content) const;
  /// The same of its parent; empty for a base. Of equal versions that of the version's own name.
  std::string parentLabel(const VersionEntry& version) const;
  std::string baseLabel(const VersionEntry& version) const;

 private:
  static Lineage made(std::vector<VersionEntry> live, std::vector<VersionEntry> trashed);
  /// Of equal versions the live one of this name, if there is one.
  std::string labelOf(const Digest& content, const std::string& name) const;

  std::vector<VersionEntry> entries_;
  std::map<std::pair<Digest, std::string>, std::size_t> live_;  ///< the first of content and name
  std::map<Digest, std::size_t> byContent_;
};

}  // namespace strata
