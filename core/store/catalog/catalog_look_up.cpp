#include <fmt/format.h>

#include "core/store/catalog/catalog.h"
#include "core/store/detail/catalog_state.h"

// What is asked of a name that has thousands of versions, without reading all of each.

namespace strata {

using sqlite::Statement;

Result<RefFolder::Numbers> Catalog::numbers(Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      fmt::format("SELECT v.name, v.number FROM versions v JOIN manifests m"
                                  " ON m.id = v.manifest WHERE {} ORDER BY v.name, v.number",
                                  placeCondition(place)));
  RefFolder::Numbers numbers;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    numbers[row.text(0)].push_back(countIn(row, 1));
    return {};
  }));
  return numbers;
}

Result<std::vector<std::uint32_t>> Catalog::numbersOf(std::string_view name, Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      fmt::format("SELECT v.number FROM versions v JOIN manifests m"
                                  " ON m.id = v.manifest WHERE v.name = ? AND {}"
                                  " ORDER BY v.number",
                                  placeCondition(place)));
  statement.bind(name);
  std::vector<std::uint32_t> numbers;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    numbers.push_back(countIn(row, 0));
    return {};
  }));
  return numbers;
}

Result<std::vector<VersionEntry>> Catalog::tagged(std::string_view name,
                                                  std::string_view tag) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT number FROM tags WHERE name = ? AND tag = ? AND in_trash = 0"
                      " ORDER BY number");
  statement.bind(name).bind(tag);
  std::vector<VersionEntry> versions;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    STRATA_TRY(auto found, version(name, countIn(row, 0)));
    if (found) versions.push_back(*std::move(found));
    return {};
  }));
  return versions;
}

Result<std::optional<TagRef>> Catalog::tag(std::string_view name, std::string_view tag) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      "SELECT number, note, tagged_at FROM tags"
                      " WHERE name = ? AND tag = ? AND in_trash = 0 ORDER BY number LIMIT 1");
  STRATA_TRY(const bool isRow, statement.bind(name).bind(tag).step());
  if (!isRow) return std::nullopt;
  return TagRef{std::string(name), std::string(tag), countIn(statement, 0), statement.text(1),
                statement.integer(2)};
}

Result<std::vector<VersionEntry>> Catalog::outlines(Place place) const {
  const std::lock_guard guard(state_->mutex);
  Statement statement(state_->database,
                      fmt::format("SELECT v.name, v.number, v.added_at, v.removed_at, m.content,"
                                  " m.parent, m.depth, m.lossy"
                                  " FROM versions v JOIN manifests m ON m.id = v.manifest"
                                  " WHERE {} ORDER BY v.name, v.number",
                                  placeCondition(place)));
  std::vector<VersionEntry> entries;
  STRATA_TRY(forEachRow(statement, [&](Statement& row) -> Result<void> {
    VersionEntry& entry = entries.emplace_back();
    entry.name = row.text(0);
    entry.number = countIn(row, 1);
    entry.addedAt = row.integer(2);
    entry.removedAt = row.integer(3);
    STRATA_TRY(entry.contentDigest, requiredDigest(row, 4));
    if (!row.isNull(5)) {
      STRATA_TRY(entry.parentDigest, requiredDigest(row, 5));
    }
    entry.depth = countIn(row, 6);
    entry.lossy = row.integer(7) != 0;
    return {};
  }));
  return entries;
}

}  // namespace strata
