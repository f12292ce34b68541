#include "core/store/catalog/number_notes.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "core/store/detail/catalog_state.h"
#include "core/store/read_errors.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/refs/reference.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using sqlite::Database;
using sqlite::Statement;

/// What the catalog knows of a name's numbers.
struct Known {
  std::uint32_t highest = 0;  ///< that any of its versions had
  std::uint32_t listed = 0;   ///< the highest of the versions that it lists
  std::optional<LastNumber> note;
};
using KnownNumbers = std::map<std::string, Known>;

/// Nothing for a text that is damaged, or another name's.
std::optional<LastNumber> noteOf(const std::string& name, const std::string& text) {
  const auto ref = parseTagRef(text);
  const bool isIts = ref && ref->name == name && ref->tag == "last" && ref->note != name &&
                     (ref->note.empty() || checkName(ref->note));
  auto last = isIts ? parseLastNumber(text) : Result<LastNumber>(LastNumber{});
  return isIts && last ? std::optional(*std::move(last)) : std::nullopt;
}

std::uint32_t numberIn(const Statement& row, int column) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(row.integer(column), 0, kMost));
}

/// Where the sizes are equal, the file is taken for what the catalog repeats, without reading it.
bool hasSize(const fs::path& file, std::int64_t size) {
  std::error_code problem;
  return fs::file_size(file, problem) == static_cast<std::uintmax_t>(size) && !problem;
}

Result<void> readNotes(const Database& database, const RefFolder& refs, NumberFiles files,
                       KnownNumbers& known) {
  Statement notes(database, "SELECT name, length(CAST(text AS BLOB)), text FROM number_notes");
  return forEachRow(notes, [&](Statement& row) -> Result<void> {
    std::string name = row.text(0);
    if (!checkName(name)) return {};
    const bool isAsNoted =
        files == NumberFiles::Changed && hasSize(refs.lastNumberPath(name), row.integer(1));
    if (isAsNoted) return {};
    if (auto note = noteOf(name, row.text(2))) known[std::move(name)].note = *std::move(note);
    return {};
  });
}

/// Of a catalog that an earlier program made.
Result<void> readHighest(const Database& database, KnownNumbers& known) {
  Statement names(database,
                  "SELECT n.name, n.last_number, (SELECT coalesce(max(v.number), 0)"
                  " FROM versions v WHERE v.name = n.name) FROM names n");
  return forEachRow(names, [&](Statement& row) -> Result<void> {
    std::string name = row.text(0);
    if (!checkName(name)) return {};
    Known& one = known[std::move(name)];
    one.highest = numberIn(row, 1);
    one.listed = numberIn(row, 2);
    return {};
  });
}

Result<KnownNumbers> readFormer(const fs::path& catalogFile, const RefFolder& refs,
                                NumberFiles files) {
  KnownNumbers known;
  std::error_code status;
  if (!fs::exists(catalogFile, status)) return known;
  STRATA_TRY(const Database database, Database::open(catalogFile, Database::Mode::Read));
  STRATA_TRY(const bool isMade, hasTable(database, kNumberNotes));
  if (isMade) STRATA_TRY(readNotes(database, refs, files, known));
  if (!isMade && files == NumberFiles::All) STRATA_TRY(readHighest(database, known));
  return known;
}

/// A number of which a file says nothing may be given to any content.
bool saysAll(const LastNumber& file, const LastNumber& note) {
  if (file.number < note.number) return false;
  return std::ranges::all_of(note.former, [&](const auto& former) {
    return file.former.contains(former.first) || former.first <= file.unknownTo;
  });
}

/// The later note goes first: a file that says less is from before it.
LastNumber together(LastNumber file, const LastNumber& note) {
  LastNumber whole = note;
  whole.number = std::max(whole.number, file.number);
  whole.unknownTo = std::max(whole.unknownTo, file.unknownTo);
  whole.former.merge(file.former);
  whole.sources.merge(file.sources);
  return whole;
}

/// What the file of a name has to say, if it does not say it.
Result<std::optional<LastNumber>> wholeOf(const RefFolder& refs, const std::string& name,
                                          const Known& known) {
  const auto file = refs.readLastNumber(name);
  if (!file && file.error().code != ErrorCode::CorruptData) {
    if (isUnusable(file.error().code)) return std::nullopt;
    return fail(file.error());
  }
  // Of one that is damaged and of no note, nobody knows what its numbers stood for.
  if (!file && !known.note) return std::nullopt;
  const auto listed = highestNumber(refs, name);
  // What lies in the place of its folders is damage of its own, and keeps writers off.
  if (!listed && listed.error().code == ErrorCode::CorruptData) return std::nullopt;
  STRATA_TRY(const std::uint32_t here, listed);
  LastNumber whole = file.value_or(LastNumber{});
  if (known.note && !saysAll(whole, *known.note)) whole = together(whole, *known.note);
  const std::uint32_t highest = std::max({here, known.listed, whole.number});
  if (known.highest > highest) whole.number = whole.unknownTo = known.highest;
  if (!file) whole.number = std::max(whole.number, highest);
  const bool isSame = file && whole.number == file->number && whole.former == file->former;
  return isSame ? std::nullopt : std::optional(std::move(whole));
}

}  // namespace

Result<void> noteNumbers(const fs::path& catalogFile, const RefFolder& refs,
                         const std::vector<std::string>& names) {
  STRATA_TRY(const Database database, Database::open(catalogFile, Database::Mode::Write));
  STRATA_TRY(database.run("PRAGMA synchronous = FULL"));
  return sqlite::inTransaction(database, [&]() -> Result<void> {
    STRATA_TRY(database.run(kNumberNoteTable));
    for (const std::string& name : names) {
      const auto last = refs.readLastNumber(name);
      if (!last && !isUnusable(last.error().code)) return fail(last.error());
      if (!last || last->number == 0) continue;
      Statement note(database, "INSERT OR REPLACE INTO number_notes(name, text) VALUES(?, ?)");
      const std::string text = serializeLastNumber(name, *last);
      STRATA_TRY(note.bind(std::string_view(name)).bind(std::string_view(text)).run());
    }
    return {};
  });
}

Result<void> noteAllNumbers(const fs::path& catalogFile, const RefFolder& refs) {
  STRATA_TRY(const std::vector<std::string> names, refs.names());
  return noteNumbers(catalogFile, refs, names);
}

Result<std::vector<LostNumberNote>> lostNumberNotes(const fs::path& catalogFile,
                                                    const RefFolder& refs, NumberFiles files) {
  STRATA_TRY(const KnownNumbers known, readFormer(catalogFile, refs, files));
  std::vector<LostNumberNote> lost;
  for (const auto& [name, one] : known) {
    STRATA_TRY(auto whole, wholeOf(refs, name, one));
    if (whole) lost.push_back({name, *std::move(whole)});
  }
  return lost;
}

Result<std::vector<std::string>> bringNumbersBack(const fs::path& catalogFile,
                                                  const RefFolder& refs, NumberFiles files) {
  STRATA_TRY(const std::vector<LostNumberNote> lost, lostNumberNotes(catalogFile, refs, files));
  std::vector<std::string> names;
  for (const LostNumberNote& one : lost) {
    const auto written = refs.writeLastNumber(one.name, one.whole);
    // Something else is in its place, which verify names.
    if (!written && !isUnusable(written.error().code)) return fail(written.error());
    if (written) names.push_back(one.name);
  }
  return names;
}

}  // namespace strata
