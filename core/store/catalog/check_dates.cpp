#include "core/store/catalog/check_dates.h"

#include <fmt/format.h>

#include "core/store/detail/catalog_state.h"

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr const char* kDamageTable =
    "CREATE TABLE IF NOT EXISTS damages("
    "manifest BLOB PRIMARY KEY, found_at INTEGER NOT NULL) WITHOUT ROWID";

/// Objects, not versions: of thousands that stand on a damaged one, all but that are as they were.
constexpr const char* kDamagedObjectTable =
    "CREATE TABLE IF NOT EXISTS damaged_objects(digest BLOB PRIMARY KEY) WITHOUT ROWID";

Result<Database> openCatalog(const std::filesystem::path& storeFolder, Database::Mode mode) {
  const std::filesystem::path file = storeFolder / "catalog.sqlite";
  std::error_code status;
  if (!std::filesystem::exists(file, status)) {
    return fail(ErrorCode::NotFound, file.string() + ": does not exist");
  }
  return Database::open(file, mode);
}

Result<void> forEachOf(const Database& database, const char* change,
                       std::span<const Digest> digests) {
  Statement statement(database, change);
  for (const Digest& digest : digests) STRATA_TRY(statement.bind(digest).run());
  return {};
}

Result<void> write(const Database& database, const CheckOutcome& outcome, std::int64_t at) {
  STRATA_TRY(database.run(kCheckTable));
  STRATA_TRY(database.run(kDamageTable));
  STRATA_TRY(database.run(kDamagedObjectTable));
  Statement sound(database, "INSERT OR REPLACE INTO checks(manifest, checked_at) VALUES(?, ?)");
  for (const Digest& manifest : outcome.sound) STRATA_TRY(sound.bind(manifest).bind(at).run());
  STRATA_TRY(forEachOf(database, "DELETE FROM damages WHERE manifest = ?", outcome.sound));
  STRATA_TRY(forEachOf(database, "DELETE FROM checks WHERE manifest = ?", outcome.damaged));
  Statement damaged(database, "INSERT OR REPLACE INTO damages(manifest, found_at) VALUES(?, ?)");
  for (const Digest& manifest : outcome.damaged) STRATA_TRY(damaged.bind(manifest).bind(at).run());
  STRATA_TRY(
      database.run("DELETE FROM damages WHERE manifest NOT IN (SELECT digest FROM manifests)"));
  STRATA_TRY(forEachOf(database, "INSERT OR IGNORE INTO damaged_objects(digest) VALUES(?)",
                       outcome.damagedObjects));
  STRATA_TRY(
      forEachOf(database, "DELETE FROM damaged_objects WHERE digest = ?", outcome.soundObjects));
  STRATA_TRY(
      database.run("DELETE FROM damaged_objects WHERE digest NOT IN (SELECT digest FROM objects)"));
  // Who follows the store sees by the log that there is something new.
  Statement log(database, "INSERT INTO operations(at, kind, detail) VALUES(?, 'verify', ?)");
  const std::string detail =
      fmt::format("{} sound, {} damaged", outcome.sound.size(), outcome.damaged.size());
  return log.bind(at).bind(std::string_view(detail)).run();
}

}  // namespace

Result<void> noteChecks(const std::filesystem::path& storeFolder, const CheckOutcome& outcome,
                        std::int64_t at) {
  STRATA_TRY(const Database database, openCatalog(storeFolder, Database::Mode::Write));
  STRATA_TRY(database.run("PRAGMA synchronous = NORMAL"));
  return sqlite::inTransaction(database, [&] { return write(database, outcome, at); });
}

Result<std::map<Digest, std::int64_t>> damagedManifests(const std::filesystem::path& storeFolder) {
  STRATA_TRY(const Database database, openCatalog(storeFolder, Database::Mode::Read));
  std::map<Digest, std::int64_t> damaged;
  STRATA_TRY(const bool isMade, hasTable(database, "damages"));
  if (!isMade) return damaged;
  Statement statement(database, "SELECT manifest, found_at FROM damages");
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    if (const auto manifest = row.digest(0)) damaged.emplace(*manifest, row.integer(1));
    return {};
  }));
  return damaged;
}

Result<std::set<Digest>> damagedObjects(const std::filesystem::path& storeFolder) {
  STRATA_TRY(const Database database, openCatalog(storeFolder, Database::Mode::Read));
  std::set<Digest> damaged;
  STRATA_TRY(const bool isMade, hasTable(database, "damaged_objects"));
  if (!isMade) return damaged;
  Statement statement(database, "SELECT digest FROM damaged_objects");
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    if (const auto digest = row.digest(0)) damaged.insert(*digest);
    return {};
  }));
  return damaged;
}

Result<void> forgetDamage(const std::filesystem::path& storeFolder,
                          std::span<const Digest> manifests) {
  STRATA_TRY(const Database database, openCatalog(storeFolder, Database::Mode::Write));
  STRATA_TRY(const bool isMade, hasTable(database, "damages"));
  if (!isMade) return {};
  return forEachOf(database, "DELETE FROM damages WHERE manifest = ?", manifests);
}

}  // namespace strata
