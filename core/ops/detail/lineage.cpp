#include "core/ops/detail/lineage.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/archive/read/lineage_limit.h"
#include "core/store/objects/rebuildable_contents.h"

namespace strata {

Result<Lineage> Lineage::load(const Catalog& catalog) {
  STRATA_TRY(std::vector<VersionEntry> live, catalog.versions(Place::Live));
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog.versions(Place::Trash));
  return made(std::move(live), std::move(trashed));
}

Result<Lineage> Lineage::outline(const Catalog& catalog) {
  STRATA_TRY(std::vector<VersionEntry> live, catalog.outlines(Place::Live));
  STRATA_TRY(std::vector<VersionEntry> trashed, catalog.outlines(Place::Trash));
  return made(std::move(live), std::move(trashed));
}

Result<Lineage> Lineage::of(const Catalog& catalog, std::vector<Digest> contents) {
  std::set<Digest> seen;
  std::vector<VersionEntry> live;
  std::vector<VersionEntry> trashed;
  while (!contents.empty()) {
    const Digest content = contents.back();
    contents.pop_back();
    if (!seen.insert(content).second) continue;
    STRATA_TRY(std::vector<VersionEntry> versions, catalog.withContent(content));
    for (VersionEntry& one : versions) {
      if (one.parentDigest) contents.push_back(*one.parentDigest);
      (one.place() == Place::Live ? live : trashed).push_back(std::move(one));
    }
  }
  for (auto* const versions : {&live, &trashed}) {
    std::ranges::sort(*versions, {}, [](const VersionEntry& one) {
      return std::pair(std::string_view(one.name), one.number);
    });
  }
  return made(std::move(live), std::move(trashed));
}

Result<Lineage> Lineage::of(const Catalog& catalog, const VersionEntry& version) {
  std::vector<Digest> contents{version.contentDigest};
  if (version.parentDigest) contents.push_back(*version.parentDigest);
  return of(catalog, std::move(contents));
}

/// Both by names and numbers.
Lineage Lineage::made(std::vector<VersionEntry> live, std::vector<VersionEntry> trashed) {
  Lineage lineage;
  lineage.entries_ = std::move(live);
  std::stable_sort(lineage.entries_.begin(), lineage.entries_.end(),
                   [](const auto& a, const auto& b) { return a.addedAt < b.addedAt; });
  for (std::size_t i = 0; i < lineage.entries_.size(); ++i) {
    const VersionEntry& one = lineage.entries_[i];
    lineage.live_.emplace(std::pair(one.contentDigest, one.name), i);
  }
  std::move(trashed.begin(), trashed.end(), std::back_inserter(lineage.entries_));
  std::vector<Descent> copies;
  for (const VersionEntry& one : lineage.entries_) {
    copies.push_back({one.contentDigest, one.parentDigest});
  }
  lineage.byContent_ = copiesToRebuild(copies);
  return lineage;
}

const VersionEntry* Lineage::find(const Digest& content) const {
  const auto found = byContent_.find(content);
  return found == byContent_.end() ? nullptr : &entries_[found->second];
}

const VersionEntry* Lineage::parentOf(const VersionEntry& version) const {
  return version.parentDigest ? find(*version.parentDigest) : nullptr;
}

std::vector<const VersionEntry*> Lineage::lineOf(const VersionEntry& version) const {
  std::vector<const VersionEntry*> line{&version};
  while (line.size() <= kMostParents) {
    const VersionEntry* parent = parentOf(*line.back());
    if (parent == nullptr) break;
    line.push_back(parent);
  }
  return line;
}

const VersionEntry& Lineage::rootOf(const VersionEntry& version) const {
  return *lineOf(version).back();
}

std::uint32_t Lineage::depthOf(const VersionEntry& version) const {
  const auto line = lineOf(version);
  const auto known = static_cast<std::uint32_t>(line.size() - 1);
  return line.back()->isBase() ? known : std::max(known, version.depth);
}

std::string Lineage::labelOf(const Digest& content) const {
  const VersionEntry* const found = find(content);
  const bool isNamed = found != nullptr && !found->isUnlisted;
  return isNamed ? found->label() : "@" + shortHex(content);
}

std::string Lineage::labelOf(const Digest& content, const std::string& name) const {
  const auto own = live_.find({content, name});
  return own == live_.end() ? labelOf(content) : entries_[own->second].label();
}

std::string Lineage::parentLabel(const VersionEntry& version) const {
  return version.parentDigest ? labelOf(*version.parentDigest, version.name) : std::string{};
}

std::string Lineage::baseLabel(const VersionEntry& version) const {
  if (version.isBase()) return {};
  const VersionEntry& root = rootOf(version);
  if (&root == &version) return parentLabel(version);
  return labelOf(root.contentDigest, version.name);
}

}  // namespace strata
