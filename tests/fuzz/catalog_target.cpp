#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/codec/entropy/byte_io.h"
#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/operation_history.h"
#include "core/transfer/transfer_log.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/sample_store.h"
#include "tests/support/temp_folder.h"

namespace strata::test {
namespace {

/// A cell of a table: which one, and what it says then.
struct CellChange {
  std::uint8_t table = 0;
  std::uint8_t column = 0;
  std::uint8_t row = 0;
  std::uint8_t kind = 0;  ///< of the value
  std::string value;
};

constexpr std::array kTables{"manifests",      "versions", "finding",          "tags",
                             "names",          "objects",  "manifest_objects", "awaited",
                             "operations",     "checks",   "transfers",        "operation_steps",
                             "operation_parts"};

/// Text of an input: bytes to be changed in the database file, cells of its tables, or an entry of
/// the log of operations.
class CatalogTarget final : public FuzzTarget {
 public:
  CatalogTarget() {
    const auto store = makeSampleStore(folder_ / "store");
    const auto versions = store->catalog().versions(Place::Live);
    for (const VersionEntry& entry : versions.value()) {
      manifests_[entry.label()] = entry.manifestDigest;
    }
    const auto operations = store->catalog().operations(1);
    entry_ = serializeOperation(operations.value().front());
    listTransfers(*store).value();
    whole_ = readWhole(file());
  }

  std::vector<std::string> seeds() const override {
    return {std::string("P\0\x01\x64\xff", 5),
            std::string("P\x03\0\x10\x01\x04\0\x20\x7f", 9),
            cells({{1, 0, 0, 2, "sst2"}}),
            cells({{1, 2, 1, 0, "2"}}),
            cells({{3, 2, 0, 0, "1"}}),
            cells({{0, 1, 1, 3, std::string(32, 'x')}}),
            cells({{5, 2, 2, 0, "-1"}, {0, 9, 0, 0, "9223372036854775807"}}),
            cells({{8, 2, 0, 2, "\x1b[2J\xff"}, {2, 2, 0, 1, ""}}),
            cells({{11, 2, 1, 2, "{}"}, {12, 3, 0, 2, "{}"}}),
            cells({{12, 1, 0, 0, "1"}}),
            "L" + entry_,
            R"(L{"at":1,"detail":"sst2","from":"sst2","kind":"rename","to":"x","token":"t"})"};
  }

  std::string broken(std::string_view input) override {
    if (input.empty()) return {};
    const char kind = input.front();
    input.remove_prefix(1);
    std::string damaged = whole_;
    if (kind != 'C' && kind != 'L') changeBytes(damaged, input);
    // Never the file of before: the database library keeps what it knows of one by its name.
    for (const char* const end : {"", "-wal", "-shm"}) std::filesystem::remove(file() += end);
    writeWhole(file(), damaged);
    if (kind == 'C') changeCells(input);
    if (kind == 'L') changeEntry(input);
    return brokenByReading();
  }

 private:
  std::filesystem::path file() const { return folder_ / "store/catalog.sqlite"; }

  static std::string cells(const std::vector<CellChange>& changes) {
    std::string input = "C";
    for (const CellChange& change : changes) {
      input += static_cast<char>(change.table);
      input += static_cast<char>(change.column);
      input += static_cast<char>(change.row);
      input += static_cast<char>(change.kind);
      input += static_cast<char>(change.value.size());
      input += change.value;
    }
    return input;
  }

  /// Four bytes each: three for the place, one for the new byte.
  static void changeBytes(std::string& bytes, std::string_view input) {
    for (; input.size() >= 4; input.remove_prefix(4)) {
      const auto digit = [&](std::size_t i) { return static_cast<unsigned char>(input[i]); };
      const std::size_t at = (digit(0) << 16U | digit(1) << 8U | digit(2)) % bytes.size();
      bytes[at] = input[3];
    }
  }

  void changeCells(std::string_view input) {
    sqlite3* database = nullptr;
    ::sqlite3_open(file().c_str(), &database);
    ::sqlite3_exec(database, "PRAGMA synchronous=OFF; PRAGMA ignore_check_constraints=ON", nullptr,
                   nullptr, nullptr);
    for (ByteReader in(std::as_bytes(std::span(input))); !in.rest().empty();) {
      CellChange change{in.byte(), in.byte(), in.byte(), in.byte(), {}};
      const auto bytes = in.bytes(std::min<std::size_t>(in.byte(), in.rest().size()));
      if (in.failed()) break;
      change.value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      changeCell(database, change);
    }
    ::sqlite3_close(database);
  }

  /// All entries of the log say this.
  void changeEntry(std::string_view steps) const {
    sqlite3* database = nullptr;
    ::sqlite3_open(file().c_str(), &database);
    ::sqlite3_exec(database, "PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
    sqlite3_stmt* statement = nullptr;
    ::sqlite3_prepare_v2(database, "UPDATE operation_steps SET steps = ?", -1, &statement, nullptr);
    ::sqlite3_bind_text(statement, 1, steps.data(), static_cast<int>(steps.size()),
                        SQLITE_TRANSIENT);
    ::sqlite3_step(statement);
    ::sqlite3_finalize(statement);
    ::sqlite3_close(database);
  }

  static void changeCell(sqlite3* database, const CellChange& change) {
    const char* const table = kTables[change.table % kTables.size()];
    const std::string columns = fmt::format(
        "SELECT name FROM pragma_table_info('{}') LIMIT 1 OFFSET {}", table, change.column % 20);
    sqlite3_stmt* row = nullptr;
    std::string column;
    ::sqlite3_prepare_v2(database, columns.c_str(), -1, &row, nullptr);
    if (::sqlite3_step(row) == SQLITE_ROW) {
      column = reinterpret_cast<const char*>(::sqlite3_column_text(row, 0));
    }
    ::sqlite3_finalize(row);
    if (column.empty()) return;
    // A changed key of a table without row ids is a row of its own.
    const std::string update = fmt::format(
        "UPDATE OR REPLACE {0} SET {1} = ? WHERE {1} = (SELECT {1} FROM {0} LIMIT 1 OFFSET {2})",
        table, column, change.row % 16);
    sqlite3_stmt* statement = nullptr;
    ::sqlite3_prepare_v2(database, update.c_str(), -1, &statement, nullptr);
    bind(statement, change);
    ::sqlite3_step(statement);
    ::sqlite3_finalize(statement);
  }

  static void bind(sqlite3_stmt* statement, const CellChange& change) {
    const int count = static_cast<int>(change.value.size());
    switch (change.kind % 4) {
      case 0:
        ::sqlite3_bind_int64(statement, 1, std::strtoll(change.value.c_str(), nullptr, 10));
        break;
      case 1:
        ::sqlite3_bind_double(statement, 1, std::strtod(change.value.c_str(), nullptr));
        break;
      case 2:
        ::sqlite3_bind_text(statement, 1, change.value.data(), count, SQLITE_TRANSIENT);
        break;
      default:
        ::sqlite3_bind_blob(statement, 1, change.value.data(), count, SQLITE_TRANSIENT);
    }
  }

  /// Everything that reads the catalog. A version that is found is the one that its ref names.
  std::string brokenByReading() const {
    const auto store = Store::open(folder_ / "store");
    if (!store) return brokenBy(store.error());
    const Catalog& catalog = (*store)->catalog();
    static_cast<void>(listVersions(**store, {.allVersions = true}));
    static_cast<void>(listVersions(**store, {.filter = "ratio>1,checked<2026-03-01"}));
    static_cast<void>(listTransfers(**store));
    static_cast<void>(catalog.totals());
    static_cast<void>(catalog.tags());
    static_cast<void>(catalog.objects());
    static_cast<void>(catalog.awaitedPacks());
    static_cast<void>(catalog.forEachSignature([](auto, auto, auto) {}));
    static_cast<void>(catalog.objectUses());
    static_cast<void>(catalog.versions(Place::Trash));
    for (const auto& [label, manifest] : manifests_) {
      const auto found = (*store)->resolveChecked(label);
      if (found && (found->label() != label || found->manifestDigest != manifest)) {
        return fmt::format("{} is {} with another manifest", label, found->label());
      }
      if (!found && !brokenBy(found.error()).empty()) return brokenBy(found.error());
    }
    return brokenByLog(**store);
  }

  /// What `history`, `undo` and `redo` read. An entry is written back as it was read.
  static std::string brokenByLog(Store& store) {
    const auto log = operationHistory(store, {});
    if (!log) return brokenBy(log.error());
    for (const Operation& entry : *log) {
      const std::string written = serializeOperation(entry);
      const auto again = parseOperation(written);
      const bool hasSteps = !entry.versions.empty() || !entry.tags.empty();
      if (hasSteps && (!again || serializeOperation(*again) != written)) {
        return "an entry of the log is not read back: " + written;
      }
      static_cast<void>(stepTexts(entry));
      static_cast<void>(canTakeBack(store, entry));
      const auto undone = undoOperation(store, {.id = entry.id, .dryRun = true});
      if (!undone && !brokenBy(undone.error()).empty()) return brokenBy(undone.error());
    }
    const auto redone = undoOperation(store, {.again = true, .dryRun = true});
    return redone ? std::string() : brokenBy(redone.error());
  }

  TempFolder folder_;
  std::string whole_;
  std::string entry_;                        ///< the last one of the log
  std::map<std::string, Digest> manifests_;  ///< of the live versions, by label
};

}  // namespace

std::unique_ptr<FuzzTarget> makeCatalogTarget() { return std::make_unique<CatalogTarget>(); }

}  // namespace strata::test
