#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/store/catalog.h"
#include "core/store/detail/catalog_state.h"

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr const char* kColumns =
    "SELECT v.name, v.number, v.added_at, v.removed_at, v.note, v.license, v.source,"
    " v.stored_bytes, m.content, m.digest, m.parent, m.depth, m.format, m.effort, m.profile,"
    " m.lossy, m.original_bytes, m.file_count, m.tensor_count, m.changed_tensors,"
    " m.same_tensors, m.new_tensors, m.relative_change"
    " FROM versions v JOIN manifests m ON m.id = v.manifest ";

Result<Digest> requiredDigest(const Statement& row, int column) {
  const auto digest = row.digest(column);
  if (digest) return *digest;
  return fail(ErrorCode::CorruptData, "the catalog holds a digest that is not 32 bytes");
}

std::uint32_t count(const Statement& row, int column) {
  return static_cast<std::uint32_t>(row.integer(column));
}

/// The columns of kColumns, in their order.
Result<VersionEntry> readEntry(const Statement& row) {
  VersionEntry entry;
  entry.name = row.text(0);
  entry.number = count(row, 1);
  entry.addedAt = row.integer(2);
  entry.removedAt = row.integer(3);
  entry.note = row.text(4);
  entry.license = row.text(5);
  entry.sourceUrl = row.text(6);
  entry.storedBytes = static_cast<std::uint64_t>(row.integer(7));
  STRATA_TRY(entry.contentDigest, requiredDigest(row, 8));
  STRATA_TRY(entry.manifestDigest, requiredDigest(row, 9));
  if (!row.isNull(10)) {
    STRATA_TRY(entry.parentDigest, requiredDigest(row, 10));
  }
  entry.depth = count(row, 11);
  entry.format = row.text(12);
  entry.effort = row.text(13);
  entry.profile = row.text(14);
  entry.lossy = row.integer(15) != 0;
  entry.originalBytes = static_cast<std::uint64_t>(row.integer(16));
  entry.fileCount = count(row, 17);
  entry.tensorCount = count(row, 18);
  entry.changedTensors = count(row, 19);
  entry.sameTensors = count(row, 20);
  entry.newTensors = count(row, 21);
  entry.relativeChange = row.real(22);
  return entry;
}

Result<std::vector<VersionEntry>> readEntries(Statement& statement) {
  std::vector<VersionEntry> entries;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(VersionEntry entry, readEntry(row));
    entries.push_back(std::move(entry));
    return {};
  }));
  return entries;
}

/// Adds each entry's tags, with one query for all.
Result<void> fillTags(const Database& database, std::vector<VersionEntry>& entries) {
  if (entries.empty()) return {};
  std::map<std::pair<std::string, std::uint32_t>, VersionEntry*> live;
  std::map<std::pair<std::string, std::uint32_t>, VersionEntry*> trashed;
  for (VersionEntry& entry : entries) {
    (entry.place() == Place::Live ? live : trashed)[{entry.name, entry.number}] = &entry;
  }
  Statement statement(database, "SELECT name, number, in_trash, tag FROM tags ORDER BY tag");
  return forEachRow(statement, [&](Statement& row) -> Result<void> {
    const auto& places = row.integer(2) == 0 ? live : trashed;
    const auto found = places.find({row.text(0), count(row, 1)});
    if (found != places.end()) found->second->tags.push_back(row.text(3));
    return {};
  });
}

/// Adds when each entry was last found sound.
Result<void> fillChecks(const Database& database, std::vector<VersionEntry>& entries) {
  STRATA_TRY(const bool hasChecks, hasTable(database, "checks"));
  if (!hasChecks) return {};
  Statement statement(database, "SELECT checked_at FROM checks WHERE manifest = ?");
  for (VersionEntry& entry : entries) {
    STRATA_TRY(const bool isRow, statement.bind(entry.manifestDigest).step());
    if (isRow) entry.checkedAt = statement.integer(0);
    statement.reset();
  }
  return {};
}

/// Marks those that no name leads to.
Result<void> fillUnlisted(const Database& database, std::vector<VersionEntry>& entries) {
  STRATA_TRY(const bool hasUnlisted, hasTable(database, "unlisted"));
  if (!hasUnlisted) return {};
  Statement statement(database, "SELECT 1 FROM unlisted WHERE name = ? AND number = ?");
  for (VersionEntry& entry : entries) {
    if (entry.place() == Place::Live) continue;
    statement.bind(std::string_view(entry.name)).bind(std::int64_t{entry.number});
    STRATA_TRY(entry.isUnlisted, statement.step());
    statement.reset();
  }
  return {};
}

const char* placeCondition(Place place) {
  return place == Place::Live ? "v.removed_at = 0" : "v.removed_at != 0";
}

Result<std::vector<VersionEntry>> finish(const Database& database, Statement& statement) {
  STRATA_TRY(std::vector<VersionEntry> entries, readEntries(statement));
  STRATA_TRY(fillTags(database, entries));
  STRATA_TRY(fillChecks(database, entries));
  STRATA_TRY(fillUnlisted(database, entries));
  return entries;
}

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

Result<std::vector<VersionEntry>> Catalog::versions(Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database, fmt::format("{} WHERE {} ORDER BY v.name, v.number",
                                                    kColumns, placeCondition(place)));
  return finish(state_->database, statement);
}

Result<std::vector<VersionEntry>> Catalog::versionsOf(std::string_view name, Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database, fmt::format("{} WHERE v.name = ? AND {} ORDER BY v.number",
                                                    kColumns, placeCondition(place)));
  statement.bind(name);
  return finish(state_->database, statement);
}

Result<std::optional<VersionEntry>> Catalog::version(std::string_view name, std::uint32_t number,
                                                     Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database, fmt::format("{} WHERE v.name = ? AND v.number = ? AND {}",
                                                    kColumns, placeCondition(place)));
  statement.bind(name).bind(std::int64_t{number});
  STRATA_TRY(std::vector<VersionEntry> found, finish(state_->database, statement));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<std::optional<VersionEntry>> Catalog::newest(std::string_view name) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(
      state_->database,
      fmt::format("{} WHERE v.name = ? AND v.removed_at = 0 ORDER BY v.number DESC LIMIT 1",
                  kColumns));
  statement.bind(name);
  STRATA_TRY(std::vector<VersionEntry> found, finish(state_->database, statement));
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

Result<std::vector<VersionEntry>> Catalog::withContent(const Digest& content) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      fmt::format("{} WHERE m.content = ?"
                                  " ORDER BY v.removed_at != 0, v.added_at, v.name, v.number",
                                  kColumns));
  statement.bind(content);
  return finish(state_->database, statement);
}

Result<std::vector<VersionEntry>> Catalog::withHash(std::string_view hex, Place place) const {
  const std::lock_guard guard(state_->mutex);
  for (const char* column : {"m.content", "m.digest"}) {
    Statement statement(state_->database,
                        fmt::format("{} WHERE {} AND substr(lower(hex({})), 1, {}) = ?"
                                    " ORDER BY v.added_at, v.name, v.number",
                                    kColumns, placeCondition(place), column, hex.size()));
    statement.bind(hex);
    STRATA_TRY(std::vector<VersionEntry> found, finish(state_->database, statement));
    if (!found.empty()) return found;
  }
  return std::vector<VersionEntry>{};
}

Result<std::vector<VersionEntry>> Catalog::dependants(const Digest& content, Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      fmt::format("{} WHERE m.parent = ? AND {} ORDER BY v.name, v.number",
                                  kColumns, placeCondition(place)));
  statement.bind(content);
  return finish(state_->database, statement);
}

Result<std::vector<Digest>> Catalog::manifestsWithContent(const Digest& content) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT m.digest FROM manifests m JOIN versions v ON v.manifest = m.id"
                      " WHERE m.content = ? GROUP BY m.id"
                      " ORDER BY min(v.removed_at != 0), m.depth, m.id");
  statement.bind(content);
  std::vector<Digest> digests;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(const Digest digest, requiredDigest(row, 0));
    digests.push_back(digest);
    return {};
  }));
  return digests;
}

Result<std::vector<VersionEntry>> Catalog::withProbe(std::uint64_t probe,
                                                     std::uint64_t originalBytes) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      fmt::format("{} JOIN finding f ON f.name = v.name AND f.number = v.number"
                                  " WHERE f.original_bytes = ? AND f.probe IN (?, 0)"
                                  " ORDER BY v.removed_at != 0, v.added_at, v.name, v.number",
                                  kColumns));
  statement.bind(static_cast<std::int64_t>(originalBytes)).bind(static_cast<std::int64_t>(probe));
  return finish(state_->database, statement);
}

Result<void> Catalog::forEachSignature(const SignatureVisitor& visit) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT f.name, f.number, f.signature FROM finding f"
                      " JOIN versions v ON v.name = f.name AND v.number = f.number"
                      " WHERE v.removed_at = 0 AND length(f.signature) > 0");
  return forEachRow(statement, [&](Statement& row) -> Result<void> {
    visit(row.text(0), count(row, 1), row.blob(2));
    return {};
  });
}

Result<std::string> Catalog::signatureOf(std::string_view name, std::uint32_t number) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT signature FROM finding WHERE name = ? AND number = ?");
  statement.bind(name).bind(std::int64_t{number});
  STRATA_TRY(const bool isRow, statement.step());
  return isRow ? statement.blob(0) : std::string{};
}

Result<std::vector<TagRef>> Catalog::tags(std::string_view name) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT name, tag, number, note, tagged_at FROM tags"
                      " WHERE in_trash = 0 AND (?1 = '' OR name = ?1) ORDER BY name, tag");
  statement.bind(name);
  std::vector<TagRef> tags;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    tags.push_back({row.text(0), row.text(1), count(row, 2), row.text(3), row.integer(4)});
    return {};
  }));
  return tags;
}

Result<std::uint32_t> Catalog::lastNumber(std::string_view name) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(
      state_->database,
      "SELECT max((SELECT coalesce(max(last_number), 0) FROM names WHERE name = ?1),"
      " (SELECT coalesce(max(number), 0) FROM versions WHERE name = ?1))");
  statement.bind(name);
  STRATA_TRY(const bool isRow, statement.step());
  return isRow ? count(statement, 0) : 0;
}

Result<std::int64_t> Catalog::dataVersion() const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database, "PRAGMA data_version");
  STRATA_TRY(const bool isRow, statement.step());
  return isRow ? statement.integer(0) : 0;
}

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
    if (!isDropped.contains({row.text(3), count(row, 4)})) stays = true;
    return {};
  }));
  std::vector<CatalogObject> only;
  for (const auto& [digest, state] : needed) {
    if (!state.second) only.push_back(state.first);
  }
  return only;
}

Result<CatalogTotals> Catalog::totals() const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasUnlisted, hasTable(state_->database, "unlisted"));
  const std::string unlisted = hasUnlisted ? "(SELECT count(*) FROM unlisted)" : "0";
  Statement statement(
      state_->database,
      "SELECT (SELECT count(*) FROM versions v JOIN manifests m ON m.id = v.manifest"
      "   WHERE v.removed_at = 0 AND m.parent IS NOT NULL),"
      " (SELECT count(*) FROM versions v JOIN manifests m ON m.id = v.manifest"
      "   WHERE v.removed_at = 0 AND m.parent IS NULL),"
      " (SELECT count(DISTINCT name) FROM versions WHERE removed_at = 0),"
      " (SELECT count(*) FROM tags WHERE in_trash = 0),"
      " (SELECT count(*) FROM versions WHERE removed_at != 0) - " +
          unlisted +
          ","
          " (SELECT coalesce(sum(m.original_bytes), 0) FROM versions v"
          "   JOIN manifests m ON m.id = v.manifest WHERE v.removed_at = 0),"
          " (SELECT count(*) FROM objects), (SELECT coalesce(sum(byte_count), 0) FROM objects)");
  STRATA_TRY(const bool hasAwaited, state_->hasAwaited());
  Statement awaited(state_->database,
                    hasAwaited ? "SELECT count(*), coalesce(sum(o.byte_count), 0) FROM awaited a"
                                 " JOIN objects o ON o.id = a.object"
                               : "SELECT 0, 0");
  STRATA_TRY(const bool isCounted, awaited.step());
  STRATA_TRY(const bool isRow, statement.step());
  if (!isRow || !isCounted) return fail(ErrorCode::Internal, "no row of totals");
  const auto number = [&](int column) {
    return static_cast<std::uint64_t>(statement.integer(column));
  };
  const auto packs = static_cast<std::uint64_t>(awaited.integer(0));
  const auto bytes = static_cast<std::uint64_t>(awaited.integer(1));
  return CatalogTotals{number(0), number(1),         number(2),         number(3), number(4),
                       number(5), number(6) - packs, number(7) - bytes, packs,     bytes};
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

Result<std::vector<Operation>> Catalog::operations(std::size_t limit) const {
  const std::lock_guard guard(state_->mutex);
  STRATA_TRY(const bool hasSteps, hasTable(state_->database, "operation_steps"));
  Statement statement(
      state_->database,
      fmt::format("SELECT o.id, o.at, o.kind, o.detail, {} FROM operations o {}"
                  " ORDER BY o.id DESC LIMIT ?",
                  hasSteps ? "coalesce(s.steps, ''), coalesce(s.undone, 0)" : "'', 0",
                  hasSteps ? "LEFT JOIN operation_steps s ON s.operation = o.id" : ""));
  statement.bind(limit == 0 ? std::int64_t{-1} : static_cast<std::int64_t>(limit));
  std::vector<Operation> operations;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    Operation operation;
    // One whose steps are damaged cannot be taken back.
    if (auto parsed = parseOperation(row.text(4))) operation = *std::move(parsed);
    operation.id = row.integer(0);
    operation.at = row.integer(1);
    operation.kind = row.text(2);
    operation.detail = row.text(3);
    operation.isUndone = row.integer(5) != 0;
    operations.push_back(std::move(operation));
    return {};
  }));
  return operations;
}

}  // namespace strata
