#include "core/ops/versions/prune_versions.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/ops/detail/version_removal.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/refs/reference.h"
#include "core/text/glob.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

using Row = PruneReport::Row;

Result<void> checkRules(const KeepRules& keep) {
  if (keep.isEmpty()) {
    return fail(ErrorCode::InvalidArgument,
                "nothing says which versions stay: give --keep-last, --keep-every, --keep-tagged "
                "or --keep-best");
  }
  for (const auto& [name, count] :
       {std::pair("--keep-last", keep.last), std::pair("--keep-every", keep.every)}) {
    if (count && *count == 0) {
      return fail(ErrorCode::InvalidArgument, fmt::format("{}: is 0, expected 1 or more", name));
    }
  }
  return {};
}

/// The names that the patterns mean, each once.
Result<std::set<std::string>> namesMeant(const Store& store, const StoreWriter* writer,
                                         const std::vector<std::string>& patterns) {
  const Catalog& catalog = writer != nullptr ? writer->catalog() : store.catalog();
  STRATA_TRY(const auto all, catalog.versions());
  std::set<std::string> names;
  for (const std::string& pattern : patterns) {
    if (!isGlob(pattern)) {
      STRATA_TRY(const Reference reference, parseReference(pattern));
      if (reference.kind != Reference::Kind::Newest) {
        return fail(ErrorCode::InvalidArgument,
                    pattern + ": is no name; the rules are for all versions of a name");
      }
      STRATA_TRY(const VersionEntry newest,
                 writer != nullptr ? writer->resolve(pattern) : store.resolveChecked(pattern));
      names.insert(newest.name);
      continue;
    }
    const std::size_t before = names.size();
    bool isAny = false;
    for (const VersionEntry& version : all) {
      if (!matchesGlob(version.name, pattern)) continue;
      names.insert(version.name);
      isAny = true;
    }
    if (!isAny && names.size() == before) {
      return fail(ErrorCode::NotFound, pattern + ": matches no name");
    }
  }
  return names;
}

/// The score of a metric that counts: on data that the settings were not chosen on, if there is
/// one.
std::map<std::string, double> scoresOf(const Manifest& manifest) {
  std::map<std::string, double> scores;
  std::set<std::string> tested;
  for (const QualityScore& one : manifest.quality) {
    if (!std::isfinite(one.score)) continue;
    const bool isTest = one.data == "test";
    if (!isTest && tested.contains(one.metric)) continue;
    scores[one.metric] = one.score;
    if (isTest) tested.insert(one.metric);
  }
  return scores;
}

/// Of versions with equal scores the newest is the best.
Result<void> keepBest(const Store& store, std::vector<Row>& rows) {
  std::map<std::string, std::pair<double, Row*>> best;  // by metric
  for (Row& row : rows) {
    const VersionEntry& version = row.version;
    if (!version.lossy) continue;
    const auto manifest = readManifest(store, version.manifestDigest, version.contentDigest);
    if (!manifest) return fail(manifest.error().within(version.label()));
    for (const auto& [metric, score] : scoresOf(*manifest)) {
      const auto [at, isFirst] = best.try_emplace(metric, score, &row);
      if (!isFirst && score > at->second.first) at->second = {score, &row};
    }
  }
  if (best.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: none of its versions has a score, so none is the best; scores "
                            "come from \"add --evaluator\"",
                            rows.front().version.name));
  }
  for (const auto& [metric, found] : best) {
    found.second->reasons.push_back(fmt::format("best {} {:.4g}", metric, found.first));
  }
  return {};
}

/// All versions of a name, the newest first, with why each stays.
Result<std::vector<Row>> rowsOf(const Store& store, const Catalog& catalog, const std::string& name,
                                const KeepRules& keep) {
  STRATA_TRY(std::vector<VersionEntry> versions, catalog.versionsOf(name));
  std::vector<Row> rows;
  for (auto version = versions.rbegin(); version != versions.rend(); ++version) {
    Row row{std::move(*version), {}};
    if (keep.last && rows.size() < *keep.last) {
      row.reasons.push_back(fmt::format("last {}", *keep.last));
    }
    if (keep.every && row.version.number % *keep.every == 0) {
      row.reasons.push_back(fmt::format("every {}", *keep.every));
    }
    for (const std::string& tag : row.version.tags) {
      if (keep.tagged) row.reasons.push_back("tag " + tag);
    }
    rows.push_back(std::move(row));
  }
  if (keep.best && !rows.empty()) STRATA_TRY(keepBest(store, rows));
  return rows;
}

}  // namespace

Result<PruneReport> pruneVersions(Store& store, const PruneOptions& options) {
  STRATA_TRY(checkRules(options.keep));
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(writer, store.lock("prune", {}, Store::Purse::Reserve));
  }
  const Catalog& catalog = writer ? writer->catalog() : store.catalog();
  STRATA_TRY(const auto names, namesMeant(store, writer.get(), options.names));
  PruneReport report;
  std::vector<VersionEntry> leaving;
  for (const std::string& name : names) {
    STRATA_TRY(std::vector<Row> rows, rowsOf(store, catalog, name, options.keep));
    for (Row& row : rows) {
      if (row.reasons.empty()) leaving.push_back(row.version);
      report.rows.push_back(std::move(row));
    }
  }
  STRATA_TRY(report.removal, foretellRemoval(store, catalog, std::move(leaving), false));
  if (!writer || report.removal.versions.empty()) return report;
  for (const VersionEntry& version : report.removal.versions) {
    STRATA_TRY(const VersionEntry agreed, writer->resolve(version.label()));
  }
  STRATA_TRY(carryOutRemoval(*writer, "prune", false, report.removal));
  return report;
}

}  // namespace strata
