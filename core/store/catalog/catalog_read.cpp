#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/store/catalog/catalog.h"
#include "core/store/detail/catalog_state.h"
#include "core/store/run_tags.h"

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

/// The columns of kColumns, in their order.
Result<VersionEntry> readEntry(const Statement& row) {
  VersionEntry entry;
  entry.name = row.text(0);
  entry.number = countIn(row, 1);
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
  entry.depth = countIn(row, 11);
  entry.format = row.text(12);
  entry.effort = row.text(13);
  entry.profile = row.text(14);
  entry.lossy = row.integer(15) != 0;
  entry.originalBytes = static_cast<std::uint64_t>(row.integer(16));
  entry.fileCount = countIn(row, 17);
  entry.tensorCount = countIn(row, 18);
  entry.changedTensors = countIn(row, 19);
  entry.sameTensors = countIn(row, 20);
  entry.newTensors = countIn(row, 21);
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

/// Adds the tags of all entries, of which there are many, with one query.
Result<void> fillAllTags(const Database& database, std::vector<VersionEntry>& entries) {
  std::map<std::pair<std::string, std::uint32_t>, VersionEntry*> live;
  std::map<std::pair<std::string, std::uint32_t>, VersionEntry*> trashed;
  for (VersionEntry& entry : entries) {
    (entry.place() == Place::Live ? live : trashed)[{entry.name, entry.number}] = &entry;
  }
  Statement statement(database, "SELECT name, number, in_trash, tag FROM tags ORDER BY tag");
  return forEachRow(statement, [&](Statement& row) -> Result<void> {
    const auto& places = row.integer(2) == 0 ? live : trashed;
    const auto found = places.find({row.text(0), countIn(row, 1)});
    if (found != places.end()) found->second->tags.push_back(row.text(3));
    return {};
  });
}

/// So many entries are sooner looked up one by one; for more one query reads the whole table.
constexpr std::size_t kFew = 8;

/// Adds each entry's tags.
Result<void> fillTags(const Database& database, std::vector<VersionEntry>& entries) {
  if (entries.size() > kFew) return fillAllTags(database, entries);
  for (VersionEntry& entry : entries) {
    Statement statement(database,
                        "SELECT tag FROM tags WHERE name = ? AND number = ? AND in_trash = ?"
                        " ORDER BY tag");
    statement.bind(std::string_view(entry.name)).bind(std::int64_t{entry.number});
    statement.bind(std::int64_t{entry.place() != Place::Live});
    STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
      entry.tags.push_back(row.text(0));
      return {};
    }));
  }
  return {};
}

Result<void> fillAllChecks(const Database& database, std::vector<VersionEntry>& entries) {
  std::map<Digest, std::int64_t> dates;
  Statement statement(database, "SELECT manifest, checked_at FROM checks");
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    if (const auto manifest = row.digest(0)) dates.emplace(*manifest, row.integer(1));
    return {};
  }));
  for (VersionEntry& entry : entries) {
    const auto found = dates.find(entry.manifestDigest);
    if (found != dates.end()) entry.checkedAt = found->second;
  }
  return {};
}

/// Adds when each entry was last found sound.
Result<void> fillChecks(const Database& database, std::vector<VersionEntry>& entries) {
  STRATA_TRY(const bool hasChecks, hasTable(database, "checks"));
  if (!hasChecks) return {};
  if (entries.size() > kFew) return fillAllChecks(database, entries);
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
  const auto isLive = [](const VersionEntry& one) { return one.place() == Place::Live; };
  if (std::all_of(entries.begin(), entries.end(), isLive)) return {};
  STRATA_TRY(const bool hasUnlisted, hasTable(database, "unlisted"));
  if (!hasUnlisted) return {};
  Statement statement(database, "SELECT 1 FROM unlisted WHERE name = ? AND number = ?");
  for (VersionEntry& entry : entries) {
    if (isLive(entry)) continue;
    statement.bind(std::string_view(entry.name)).bind(std::int64_t{entry.number});
    STRATA_TRY(entry.isUnlisted, statement.step());
    statement.reset();
  }
  return {};
}

Result<std::vector<VersionEntry>> finish(const Database& database, Statement& statement) {
  STRATA_TRY(std::vector<VersionEntry> entries, readEntries(statement));
  if (entries.empty()) return entries;
  STRATA_TRY(fillTags(database, entries));
  STRATA_TRY(fillChecks(database, entries));
  STRATA_TRY(fillUnlisted(database, entries));
  return entries;
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
  static_assert(kWeightsOnly == "weights-only");
  // From the few manifests of that kind, which have an index, to the versions that rest on them.
  Statement byDate(state_->database,
                   "SELECT 1 FROM manifests m CROSS JOIN versions v ON v.manifest = m.id"
                   " WHERE m.lossy != 0 AND m.profile = 'weights-only'"
                   " AND v.name = ? AND v.removed_at = 0 LIMIT 1");
  STRATA_TRY(const bool isByDate, byDate.bind(name).step());
  // newestOf() decides. Where numbers alone count, it is the last one; else one of the last date.
  const char* const which =
      isByDate ? "AND v.added_at = (SELECT max(o.added_at) FROM versions o JOIN manifests p"
                 " ON p.id = o.manifest WHERE o.name = ?1 AND o.removed_at = 0)"
               : "ORDER BY v.number DESC LIMIT 1";
  Statement statement(state_->database,
                      fmt::format("{} WHERE v.name = ?1 AND v.removed_at = 0 {}", kColumns, which));
  statement.bind(name);
  STRATA_TRY(const std::vector<VersionEntry> found, finish(state_->database, statement));
  if (found.empty()) return std::nullopt;
  return isByDate ? newestOfDate(found) : found.front();
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
  const auto filledWith = [&](char digit) {
    std::string whole(hex);
    whole.resize(2 * sizeof(Digest), digit);
    return digestFromHex(whole);
  };
  const auto first = filledWith('0');
  const auto last = filledWith('f');
  if (!first || !last || hex.size() > 2 * sizeof(Digest)) return std::vector<VersionEntry>{};
  for (const char* column : {"m.content", "m.digest"}) {
    Statement statement(state_->database, fmt::format("{} WHERE {} AND {} BETWEEN ? AND ?"
                                                      " ORDER BY v.added_at, v.name, v.number",
                                                      kColumns, placeCondition(place), column));
    statement.bind(*first).bind(*last);
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
    visit(row.text(0), countIn(row, 1), row.blob(2));
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
    tags.push_back({row.text(0), row.text(1), countIn(row, 2), row.text(3), row.integer(4)});
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
  return isRow ? countIn(statement, 0) : 0;
}

Result<std::int64_t> Catalog::dataVersion() const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database, "PRAGMA data_version");
  STRATA_TRY(const bool isRow, statement.step());
  return isRow ? statement.integer(0) : 0;
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

}  // namespace strata
