#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "core/digest.h"
#include "core/result.h"

namespace strata::sqlite {

/// Readers wait this long for the short moments in which SQLite itself needs them to.
inline constexpr int kBusyTimeoutMs = 10'000;

/// Prepared statements of one connection that nobody uses now, by their SQL. To prepare one takes
/// far longer than to run it. Safe to use from several threads.
class StatementCache {
 public:
  StatementCache() = default;
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  /// Null where there is none.
  sqlite3_stmt* take(std::string_view sql);
  /// Finalizes it where there are enough.
  void give(std::string_view sql, sqlite3_stmt* statement);

 private:
  std::mutex mutex_;
  std::multimap<std::string, sqlite3_stmt*, std::less<>> statements_;
};

/// An open database. Move-only; statements must die before it.
class Database {
 public:
  enum class Mode { Read, Write, Create, Memory };
  static Result<Database> open(const std::filesystem::path& file, Mode mode);

  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  ~Database();

  sqlite3* handle() const noexcept { return handle_; }
  StatementCache& statements() const noexcept { return *statements_; }
  /// Runs statements that give no rows.
  Result<void> run(const char* sql) const;
  /// The failure of the last call on this connection.
  Error error(std::string_view action) const;
  const std::filesystem::path& file() const noexcept { return file_; }

 private:
  explicit Database(std::filesystem::path file) : file_(std::move(file)) {}
  /// `parameters` end the URI. Opening for reading looks into the file.
  Result<void> connect(Mode mode, std::string_view parameters);

  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
  std::unique_ptr<StatementCache> statements_ = std::make_unique<StatementCache>();
};

/// Runs `change` in a transaction of a writer, which ends with it: kept, or undone where it fails.
Result<void> inTransaction(const Database& database, const std::function<Result<void>()>& change);

/// One prepared statement, which goes back to the cache. A problem while preparing or binding shows
/// in the first step.
class Statement {
 public:
  Statement(const Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Binds the next parameter. Texts and digests are copied.
  Statement& bind(std::int64_t value);
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind(const Digest& digest);
  Statement& bindBlob(std::string_view bytes);
  Statement& bindNull();

  /// True at a row, false after the last.
  Result<bool> step();
  /// Runs a statement without rows to its end.
  Result<void> run();
  /// Makes the statement ready for new values.
  void reset();

  /// Of the current row. Other types are converted; NULL is 0 or empty.
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::string blob(int column) const;
  bool isNull(int column) const;
  /// Nothing if the column is no blob of 32 bytes.
  std::optional<Digest> digest(int column) const;

 private:
  const Database& database_;
  std::string sql_;
  sqlite3_stmt* handle_ = nullptr;
  int nextParameter_ = 1;
  int problem_ = SQLITE_OK;
};

}  // namespace strata::sqlite
