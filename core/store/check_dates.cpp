#include "core/store/check_dates.h"

#include <fmt/format.h>

#include "core/store/detail/catalog_state.h"

namespace strata {
namespace {

using sqlite::Database;
using sqlite::Statement;

Result<void> write(const Database& database, const CheckOutcome& outcome, std::int64_t at) {
  STRATA_TRY(database.run(kCheckTable));
  Statement sound(database, "INSERT OR REPLACE INTO checks(manifest, checked_at) VALUES(?, ?)");
  for (const Digest& manifest : outcome.sound) STRATA_TRY(sound.bind(manifest).bind(at).run());
  Statement damaged(database, "DELETE FROM checks WHERE manifest = ?");
  for (const Digest& manifest : outcome.damaged) STRATA_TRY(damaged.bind(manifest).run());
  // Who follows the store sees by the log that there is something new.
  Statement log(database, "INSERT INTO operations(at, kind, detail) VALUES(?, 'verify', ?)");
  const std::string detail =
      fmt::format("{} sound, {} damaged", outcome.sound.size(), outcome.damaged.size());
  return log.bind(at).bind(std::string_view(detail)).run();
}

}  // namespace

Result<void> noteChecks(const std::filesystem::path& storeFolder, const CheckOutcome& outcome,
                        std::int64_t at) {
  const std::filesystem::path file = storeFolder / "catalog.sqlite";
  std::error_code status;
  if (!std::filesystem::exists(file, status)) {
    return fail(ErrorCode::NotFound, file.string() + ": does not exist");
  }
  STRATA_TRY(const Database database, Database::open(file, Database::Mode::Write));
  STRATA_TRY(database.run("PRAGMA synchronous = NORMAL"));
  return sqlite::inTransaction(database, [&] { return write(database, outcome, at); });
}

}  // namespace strata
