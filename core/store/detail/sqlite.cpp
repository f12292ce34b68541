#include "core/store/detail/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/io/os_error.h"
#include "core/io/store_modes.h"

namespace strata::sqlite {
namespace {

ErrorCode codeOf(int problem) noexcept {
  switch (problem & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_ERROR:  // a table or column that should be there is not
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
      return ErrorCode::CorruptData;
    case SQLITE_FULL:
      return ErrorCode::NoSpace;
    default:
      return ErrorCode::Io;
  }
}

/// As a URI in which no character of the path means anything.
Result<std::string> uriOf(const std::filesystem::path& file) {
  std::string uri = "file:";
  std::error_code status;
  const std::filesystem::path whole = std::filesystem::absolute(file, status);
  if (status) return fail(osError(file, "open", status.value()));
  for (const char c : whole.string()) {
    const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '_' || c == '-';
    uri += isPlain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

/// As many as one connection has different ones, about.
constexpr std::size_t kMostCached = 64;

}  // namespace

StatementCache::~StatementCache() {
  for (const auto& [sql, statement] : statements_) ::sqlite3_finalize(statement);
}

sqlite3_stmt* StatementCache::take(std::string_view sql) {
  const std::lock_guard lock(mutex_);
  const auto found = statements_.find(sql);
  if (found == statements_.end()) return nullptr;
  sqlite3_stmt* const statement = found->second;
  statements_.erase(found);
  return statement;
}

void StatementCache::give(std::string_view sql, sqlite3_stmt* statement) {
  if (statement == nullptr) return;
  ::sqlite3_reset(statement);  // no lock stays, and no row
  ::sqlite3_clear_bindings(statement);
  const std::lock_guard lock(mutex_);
  if (statements_.size() < kMostCached) {
    statements_.emplace(sql, statement);
  } else {
    ::sqlite3_finalize(statement);
  }
}

Result<Database> Database::open(const std::filesystem::path& file, Mode mode) {
  Database database(file);
  Result<void> opened = database.connect(mode, {});
  // Where we may not write and nobody else is at it, SQLite has no place for its lock; then the
  // file does not change either.
  if (!opened && mode == Mode::Read && ::access(file.parent_path().c_str(), W_OK) != 0) {
    database = Database(file);
    opened = database.connect(mode, "?immutable=1");
  }
  if (!opened) return fail(std::move(opened).error());
  return database;
}

Result<void> Database::connect(Mode mode, std::string_view parameters) {
  if (mode == Mode::Create) {
    // SQLite takes an empty file for a new database, and gives its own files the same mode.
    const int descriptor = openStoreFile(file_, O_RDWR);
    if (descriptor < 0) return fail(osError(file_, "create", errno));
    ::close(descriptor);
  }
  std::string uri = ":memory:";
  if (mode != Mode::Memory) {
    STRATA_TRY(uri, uriOf(file_));
    uri += parameters;
  }
  int flags = SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_URI;
  flags |= mode == Mode::Read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::Create) flags |= SQLITE_OPEN_CREATE;
  if (::sqlite3_open_v2(uri.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    return fail(error("open"));
  }
  ::sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
  ::sqlite3_extended_result_codes(handle_, 1);
  STRATA_TRY(run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON"));
  // The first look into the file tells whether it can be read at all.
  return mode == Mode::Read ? run("PRAGMA schema_version") : Result<void>();
}

Database::Database(Database&& other) noexcept
    : file_(std::move(other.file_)),
      handle_(std::exchange(other.handle_, nullptr)),
      statements_(std::move(other.statements_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(handle_, other.handle_);
  std::swap(statements_, other.statements_);
  return *this;
}

Database::~Database() {
  statements_.reset();
  ::sqlite3_close_v2(handle_);
}

Result<void> Database::run(const char* sql) const {
  if (::sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return fail(error("use"));
}

Error Database::error(std::string_view action) const {
  if (handle_ == nullptr) return {ErrorCode::Io, file_.string() + ": out of memory"};
  return {codeOf(::sqlite3_extended_errcode(handle_)),
          fmt::format("{}: cannot {}: {}", file_.string(), action, ::sqlite3_errmsg(handle_))};
}

Result<void> inTransaction(const Database& database, const std::function<Result<void>()>& change) {
  STRATA_TRY(database.run("BEGIN IMMEDIATE"));
  Result<void> done = change();
  if (done) done = database.run("COMMIT");
  if (!done && !database.run("ROLLBACK")) {
    // SQLite has rolled back by itself after a full disk or an I/O error.
  }
  return done;
}

Statement::Statement(const Database& database, std::string_view sql)
    : database_(database), sql_(sql), handle_(database.statements().take(sql)) {
  if (handle_ != nullptr) return;
  problem_ = ::sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()),
                                  &handle_, nullptr);
}

Statement::~Statement() { database_.statements().give(sql_, handle_); }

Statement& Statement::bind(std::int64_t value) {
  if (problem_ == SQLITE_OK) problem_ = ::sqlite3_bind_int64(handle_, nextParameter_++, value);
  return *this;
}

Statement& Statement::bind(double value) {
  if (problem_ == SQLITE_OK) problem_ = ::sqlite3_bind_double(handle_, nextParameter_++, value);
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  if (problem_ == SQLITE_OK) {
    problem_ = ::sqlite3_bind_text64(handle_, nextParameter_++, text.data() ? text.data() : "",
                                     text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return *this;
}

Statement& Statement::bind(const Digest& digest) { return bindBlob(toBytes(digest)); }

Statement& Statement::bindBlob(std::string_view bytes) {
  if (problem_ == SQLITE_OK) {
    problem_ = ::sqlite3_bind_blob64(handle_, nextParameter_++, bytes.data() ? bytes.data() : "",
                                     bytes.size(), SQLITE_TRANSIENT);
  }
  return *this;
}

Statement& Statement::bindNull() {
  if (problem_ == SQLITE_OK) problem_ = ::sqlite3_bind_null(handle_, nextParameter_++);
  return *this;
}

Result<bool> Statement::step() {
  if (problem_ == SQLITE_OK) problem_ = ::sqlite3_step(handle_);
  const int outcome = std::exchange(problem_, SQLITE_OK);
  if (outcome == SQLITE_ROW) return true;
  if (outcome == SQLITE_DONE) return false;
  return fail(database_.error("use"));
}

Result<void> Statement::run() {
  while (true) {
    STRATA_TRY(const bool isRow, step());
    if (!isRow) break;
  }
  reset();
  return {};
}

void Statement::reset() {
  ::sqlite3_reset(handle_);
  nextParameter_ = 1;
}

std::int64_t Statement::integer(int column) const {
  return ::sqlite3_column_int64(handle_, column);
}

double Statement::real(int column) const { return ::sqlite3_column_double(handle_, column); }

std::string Statement::text(int column) const {
  const auto* bytes = ::sqlite3_column_text(handle_, column);
  if (bytes == nullptr) return {};
  return {reinterpret_cast<const char*>(bytes),
          static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
}

std::string Statement::blob(int column) const {
  const void* bytes = ::sqlite3_column_blob(handle_, column);
  if (bytes == nullptr) return {};
  return {static_cast<const char*>(bytes),
          static_cast<std::size_t>(::sqlite3_column_bytes(handle_, column))};
}

bool Statement::isNull(int column) const {
  return ::sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::optional<Digest> Statement::digest(int column) const { return digestFromBytes(blob(column)); }

}  // namespace strata::sqlite
