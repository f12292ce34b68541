#include <fmt/format.h>

#include "core/store/catalog/catalog.h"
#include "core/store/detail/catalog_state.h"

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

Result<std::int64_t> idOf(const Database& database, const char* table, const Digest& digest) {
  Statement statement(database, fmt::format("SELECT id FROM {} WHERE digest = ?", table));
  statement.bind(digest);
  STRATA_TRY(const bool isRow, statement.step());
  if (!isRow) return fail(ErrorCode::Internal, "a row that was just written is not there");
  return statement.integer(0);
}

std::int64_t integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }

Result<void> putManifest(const Database& database, const VersionEntry& entry) {
  Statement statement(database,
                      "INSERT INTO manifests(digest, content, parent, depth, format, effort,"
                      " profile, lossy, original_bytes, file_count, tensor_count, changed_tensors,"
                      " same_tensors, new_tensors, relative_change)"
                      " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                      " ON CONFLICT(digest) DO NOTHING");
  statement.bind(entry.manifestDigest).bind(entry.contentDigest);
  entry.parentDigest ? statement.bind(*entry.parentDigest) : statement.bindNull();
  statement.bind(std::int64_t{entry.depth})
      .bind(std::string_view(entry.format))
      .bind(std::string_view(entry.effort))
      .bind(std::string_view(entry.profile))
      .bind(std::int64_t{entry.lossy})
      .bind(integer(entry.originalBytes))
      .bind(std::int64_t{entry.fileCount})
      .bind(std::int64_t{entry.tensorCount})
      .bind(std::int64_t{entry.changedTensors})
      .bind(std::int64_t{entry.sameTensors})
      .bind(std::int64_t{entry.newTensors})
      .bind(entry.relativeChange);
  return statement.run();
}

Result<void> putObject(const Database& database, std::int64_t manifest,
                       const CatalogObject& object) {
  Statement insert(database,
                   "INSERT INTO objects(digest, byte_count, is_manifest) VALUES(?, ?, ?)"
                   " ON CONFLICT(digest) DO UPDATE SET byte_count = excluded.byte_count"
                   " WHERE excluded.byte_count != 0");
  insert.bind(object.digest).bind(integer(object.byteCount));
  STRATA_TRY(insert.bind(std::int64_t{object.isManifest}).run());
  STRATA_TRY(const std::int64_t id, idOf(database, "objects", object.digest));
  if (object.isAwaited) {
    Statement await(database, "INSERT OR IGNORE INTO awaited(object) VALUES(?)");
    STRATA_TRY(await.bind(id).run());
  }
  Statement link(database, "INSERT OR IGNORE INTO manifest_objects(manifest, object) VALUES(?, ?)");
  return link.bind(manifest).bind(id).run();
}

Result<void> putTrashedTags(const Database& database, const VersionRef& ref) {
  for (const TagRef& tag : ref.tags) {
    Statement statement(database,
                        "INSERT OR REPLACE INTO tags(name, tag, number, note, tagged_at, in_trash)"
                        " VALUES(?, ?, ?, ?, ?, 1)");
    statement.bind(std::string_view(ref.name)).bind(std::string_view(tag.tag));
    statement.bind(std::int64_t{ref.number}).bind(std::string_view(tag.note)).bind(tag.taggedAt);
    STRATA_TRY(statement.run());
  }
  return {};
}

}  // namespace

Result<void> Catalog::putVersion(const VersionRef& ref, const ManifestSummary& manifest) {
  const Database& database = state_->database;
  const VersionEntry& entry = manifest.entry;
  STRATA_TRY(putManifest(database, entry));
  STRATA_TRY(const std::int64_t id, idOf(database, "manifests", entry.manifestDigest));
  STRATA_TRY(putObject(database, id, {entry.manifestDigest, manifest.manifestBytes, true}));
  for (std::size_t i = 0; i < manifest.packs.size(); ++i) {
    CatalogObject pack{manifest.packs[i], manifest.packBytes[i]};
    const bool isHere = manifest.packsHere.contains(pack.digest);
    pack.isAwaited = ref.awaited && !isHere;
    const bool isSizeKnown = ref.awaited && i < ref.awaited->packBytes.size();
    if (pack.byteCount == 0 && isSizeKnown) pack.byteCount = ref.awaited->packBytes[i];
    STRATA_TRY(putObject(database, id, pack));
    if (isHere) STRATA_TRY(noteArrival(pack.digest));
  }
  STRATA_TRY(eraseVersion(ref.name, ref.number));
  Statement version(database,
                    "INSERT INTO versions(name, number, manifest, added_at, removed_at, note,"
                    " license, source, stored_bytes) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)");
  version.bind(std::string_view(ref.name)).bind(std::int64_t{ref.number}).bind(id);
  version.bind(ref.addedAt).bind(ref.removedAt).bind(std::string_view(ref.note));
  version.bind(std::string_view(ref.license)).bind(std::string_view(ref.sourceUrl));
  STRATA_TRY(version.bind(integer(ref.storedBytes)).run());
  Statement finding(database,
                    "INSERT OR REPLACE INTO finding(name, number, probe, original_bytes, is_base,"
                    " signature) VALUES(?, ?, ?, ?, ?, ?)");
  finding.bind(std::string_view(ref.name)).bind(std::int64_t{ref.number});
  finding.bind(integer(ref.probe)).bind(integer(entry.originalBytes));
  STRATA_TRY(finding.bind(std::int64_t{entry.isBase()}).bindBlob(ref.signature).run());
  if (ref.isUnlisted) STRATA_TRY(markUnlisted(ref.name, ref.number));
  if (ref.removedAt != 0) return putTrashedTags(database, ref);
  return noteLastNumber(ref.name, ref.number);
}

Result<void> Catalog::noteArrival(const Digest& pack) {
  Statement statement(
      state_->database,
      "DELETE FROM awaited WHERE object = (SELECT id FROM objects WHERE digest = ?)");
  return statement.bind(pack).run();
}

Result<void> Catalog::eraseVersion(std::string_view name, std::uint32_t number) {
  for (const char* table : {"versions", "finding", "unlisted", "tags"}) {
    const bool isTags = std::string_view(table) == "tags";
    Statement statement(state_->database,
                        fmt::format("DELETE FROM {} WHERE name = ? AND number = ?{}", table,
                                    isTags ? " AND in_trash = 1" : ""));
    STRATA_TRY(statement.bind(name).bind(std::int64_t{number}).run());
  }
  return {};
}

Result<void> Catalog::markRemoved(std::string_view name, std::uint32_t number,
                                  std::int64_t removedAt) {
  Statement version(state_->database,
                    "UPDATE versions SET removed_at = ? WHERE name = ? AND number = ?");
  STRATA_TRY(version.bind(removedAt).bind(name).bind(std::int64_t{number}).run());
  Statement listed(state_->database, "DELETE FROM unlisted WHERE name = ? AND number = ?");
  STRATA_TRY(listed.bind(name).bind(std::int64_t{number}).run());
  Statement tags(state_->database,
                 "UPDATE OR REPLACE tags SET in_trash = ? WHERE name = ? AND number = ?");
  return tags.bind(std::int64_t{removedAt != 0}).bind(name).bind(std::int64_t{number}).run();
}

Result<void> Catalog::markUnlisted(std::string_view name, std::uint32_t number) {
  STRATA_TRY(eraseTrashedTags(name, number));
  Statement statement(state_->database,
                      "INSERT OR IGNORE INTO unlisted(name, number) VALUES(?, ?)");
  return statement.bind(name).bind(std::int64_t{number}).run();
}

Result<void> Catalog::setWords(const VersionRef& ref) {
  Statement version(state_->database,
                    "UPDATE versions SET note = ?1, license = ?2, source = ?3 WHERE name = ?4 AND "
                    "number = ?5 AND (note != ?1 OR license != ?2 OR source != ?3)");
  version.bind(std::string_view(ref.note)).bind(std::string_view(ref.license));
  version.bind(std::string_view(ref.sourceUrl)).bind(std::string_view(ref.name));
  return version.bind(std::int64_t{ref.number}).run();
}

Result<void> Catalog::renameVersions(std::string_view name, std::string_view to) {
  STRATA_TRY(const std::uint32_t last, lastNumber(name));
  for (const char* table : {"versions", "finding", "unlisted", "tags"}) {
    Statement statement(state_->database,
                        fmt::format("UPDATE {} SET name = ? WHERE name = ?", table));
    STRATA_TRY(statement.bind(to).bind(name).run());
  }
  return noteLastNumber(to, last);
}

Result<void> Catalog::putTag(const TagRef& tag) {
  STRATA_TRY(eraseTag(tag.name, tag.tag));
  Statement statement(state_->database,
                      "INSERT INTO tags(name, tag, number, note, tagged_at, in_trash)"
                      " VALUES(?, ?, ?, ?, ?, 0)");
  statement.bind(std::string_view(tag.name)).bind(std::string_view(tag.tag));
  statement.bind(std::int64_t{tag.number}).bind(std::string_view(tag.note)).bind(tag.taggedAt);
  return statement.run();
}

Result<void> Catalog::eraseTag(std::string_view name, std::string_view tag) {
  Statement statement(state_->database,
                      "DELETE FROM tags WHERE name = ? AND tag = ? AND in_trash = 0");
  return statement.bind(name).bind(tag).run();
}

Result<void> Catalog::eraseTrashedTags(std::string_view name, std::uint32_t number) {
  Statement statement(state_->database,
                      "DELETE FROM tags WHERE name = ? AND number = ? AND in_trash = 1");
  return statement.bind(name).bind(std::int64_t{number}).run();
}

Result<void> Catalog::noteLastNumber(std::string_view name, std::uint32_t number) {
  Statement statement(state_->database,
                      "INSERT INTO names(name, last_number) VALUES(?, ?) ON CONFLICT(name)"
                      " DO UPDATE SET last_number = max(last_number, excluded.last_number)");
  return statement.bind(name).bind(std::int64_t{number}).run();
}

Result<void> Catalog::dropUnused() {
  return state_->database.run(
      "DELETE FROM manifest_objects WHERE manifest NOT IN (SELECT manifest FROM versions);"
      "DELETE FROM manifests WHERE id NOT IN (SELECT manifest FROM versions);"
      "DELETE FROM objects WHERE id NOT IN (SELECT object FROM manifest_objects);"
      "DELETE FROM awaited WHERE object NOT IN (SELECT id FROM objects);"
      "DELETE FROM checks WHERE manifest NOT IN (SELECT digest FROM manifests);");
}

Result<void> Catalog::clear() {
  return state_->database.run(
      "DELETE FROM tags; DELETE FROM finding; DELETE FROM versions;"
      "DELETE FROM manifest_objects; DELETE FROM manifests; DELETE FROM objects;"
      "DELETE FROM awaited; DELETE FROM unlisted;");
}

}  // namespace strata
