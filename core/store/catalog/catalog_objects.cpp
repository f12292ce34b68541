#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/store/catalog/catalog.h"
#include "core/store/detail/catalog_state.h"

// The objects that versions need.

namespace strata {
namespace {

using sqlite::Statement;

/// Whether the object `o` of a query is awaited: an expression of SQL.
const char* awaitedValue(bool hasAwaited) {
  return hasAwaited ? "o.id IN (SELECT object FROM awaited)" : "0";
}

Result<std::vector<CatalogObject>> readObjects(Statement& statement) {
  std::vector<CatalogObject> objects;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(const Digest digest, requiredDigest(row, 0));
    objects.push_back({digest, static_cast<std::uint64_t>(row.integer(1)), row.integer(2) != 0,
                       row.integer(3) != 0});
    return {};
  }));
  return objects;
}

}  // namespace

Result<std::vector<std::pair<Digest, Digest>>> Catalog::objectUses() const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT o.digest, m.digest FROM manifest_objects mo"
                      " JOIN objects o ON o.id = mo.object JOIN manifests m ON m.id = mo.manifest"
                      " ORDER BY o.digest, m.id");
  std::vector<std::pair<Digest, Digest>> uses;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(const Digest object, requiredDigest(row, 0));
    STRATA_TRY(const Digest manifest, requiredDigest(row, 1));
    uses.emplace_back(object, manifest);
    return {};
  }));
  return uses;
}

Result<std::vector<CatalogObject>> Catalog::objects() const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasAwaited, state_->hasAwaited());
  Statement statement(state_->database,
                      fmt::format("SELECT o.digest, o.byte_count, o.is_manifest, {}"
                                  " FROM objects o ORDER BY o.digest",
                                  awaitedValue(hasAwaited)));
  return readObjects(statement);
}

Result<std::vector<CatalogObject>> Catalog::objectsOf(const Digest& manifest) const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasAwaited, state_->hasAwaited());
  Statement statement(state_->database,
                      fmt::format("SELECT o.digest, o.byte_count, o.is_manifest, {} FROM objects o"
                                  " JOIN manifest_objects mo ON mo.object = o.id"
                                  " JOIN manifests m ON m.id = mo.manifest WHERE m.digest = ?"
                                  " ORDER BY o.is_manifest DESC, o.digest",
                                  awaitedValue(hasAwaited)));
  statement.bind(manifest);
  return readObjects(statement);
}

Result<std::vector<CatalogObject>> Catalog::objectsOnlyOf(
    const std::vector<VersionEntry>& dropped) const {
  const std::lock_guard guard(state_->mutex);
  std::map<std::pair<std::string, std::uint32_t>, bool> isDropped;
  for (const VersionEntry& entry : dropped) isDropped[{entry.name, entry.number}] = true;
  // For each object: whether a version that stays needs it.
  std::map<Digest, std::pair<CatalogObject, bool>> needed;
  STRATA_TRY(const bool hasAwaited, state_->hasAwaited());
  Statement statement(
      state_->database,
      fmt::format("SELECT o.digest, o.byte_count, o.is_manifest, v.name, v.number, {}"
                  " FROM objects o JOIN manifest_objects mo ON mo.object = o.id"
                  " JOIN versions v ON v.manifest = mo.manifest",
                  awaitedValue(hasAwaited)));
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(const Digest digest, requiredDigest(row, 0));
    const CatalogObject object{digest, static_cast<std::uint64_t>(row.integer(1)),
                               row.integer(2) != 0, row.integer(5) != 0};
    auto& [kept, stays] = needed.try_emplace(digest, object, false).first->second;
    if (!isDropped.contains({row.text(3), static_cast<std::uint32_t>(row.integer(4))}))
      stays = true;
    return {};
  }));
  std::vector<CatalogObject> only;
  for (const auto& [digest, state] : needed) {
    if (!state.second) only.push_back(state.first);
  }
  return only;
}

Result<std::vector<AwaitedPack>> Catalog::awaitedPacks() const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasAwaited, state_->hasAwaited());
  std::vector<AwaitedPack> packs;
  if (!hasAwaited) return packs;
  Statement statement(
      state_->database,
      "WITH cut(manifest) AS (SELECT DISTINCT mo.manifest FROM awaited a"
      "   JOIN manifest_objects mo ON mo.object = a.object),"
      " best(manifest) AS (SELECT min(id) FROM manifests"
      "   WHERE id IN (SELECT manifest FROM cut) AND content NOT IN"
      "    (SELECT content FROM manifests WHERE id NOT IN (SELECT manifest FROM cut))"
      "   GROUP BY content)"
      " SELECT m.content, o.digest, o.byte_count FROM best b"
      " JOIN manifests m ON m.id = b.manifest"
      " JOIN manifest_objects mo ON mo.manifest = m.id"
      " JOIN awaited a ON a.object = mo.object JOIN objects o ON o.id = a.object");
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(const Digest content, requiredDigest(row, 0));
    STRATA_TRY(const Digest digest, requiredDigest(row, 1));
    packs.push_back({content, digest, static_cast<std::uint64_t>(row.integer(2))});
    return {};
  }));
  return packs;
}

Result<std::vector<CatalogObject>> Catalog::awaitedObjects() const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasAwaited, state_->hasAwaited());
  if (!hasAwaited) return std::vector<CatalogObject>{};
  Statement statement(state_->database,
                      "SELECT o.digest, o.byte_count, o.is_manifest, 1 FROM awaited a"
                      " JOIN objects o ON o.id = a.object ORDER BY o.digest");
  return readObjects(statement);
}

}  // namespace strata
