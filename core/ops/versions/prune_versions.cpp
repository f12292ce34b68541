#include "core/ops/versions/prune_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "core/ops/detail/version_removal.h"
#include "core/ops/runs/run_versions.h"
#include "core/ops/versions/detail/best_versions.h"
#include "core/ops/versions/trash.h"
#include "core/store/objects/lineage_check.h"
#include "core/store/refs/reference.h"
#include "core/store/store_writer.h"
#include "core/text/glob.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

using Row = PruneReport::Row;

Result<void> checkRules(const PruneOptions& options) {
  const KeepRules& keep = options.keep;
  if (!keep.metric.empty() && !keep.best) {
    return fail(ErrorCode::InvalidArgument, "--metric: is for --keep-best alone");
  }
  if (keep.isEmpty() && !options.keepOptimizer) {
    return fail(ErrorCode::InvalidArgument,
                "nothing says which versions stay: give --keep-last, --keep-every, --keep-tagged "
                "or --keep-best; or --keep-optimizer, which leaves optimizers alone out");
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

/// All versions of a name, the newest first, with why each stays; and which are the best.
Result<PruneReport> rowsOf(const Store& store, const Catalog& catalog, const std::string& name,
                           const KeepRules& keep) {
  STRATA_TRY(std::vector<VersionEntry> versions, catalog.versionsOf(name));
  sortNewestFirst(store, versions);
  std::vector<BestVersion> best;
  if (keep.best && !versions.empty()) {
    STRATA_TRY(best, bestVersions(store, versions, keep.metric));
  }
  std::vector<Row> rows;
  LineageCheck check(store);
  std::uint64_t last = 0;
  for (VersionEntry& version : versions) {
    Row row{std::move(version), {}};
    if (keep.last && last < *keep.last) {
      // What cannot be read takes no place of what can.
      STRATA_TRY(const bool isSound, check.isSoundOrAwaited(row.version, {}, {}));
      row.reasons.push_back(isSound ? fmt::format("last {}", *keep.last) : "damaged");
      if (isSound) ++last;
    }
    if (keep.every && row.version.number % *keep.every == 0) {
      row.reasons.push_back(fmt::format("every {}", *keep.every));
    }
    for (const std::string& tag : row.version.tags) {
      if (keep.tagged) row.reasons.push_back("tag " + tag);
    }
    if (keep.isEmpty()) row.reasons.push_back("all stay");
    rows.push_back(std::move(row));
  }
  PruneReport report;
  for (BestVersion& one : best) {
    Row& row = rows[one.at];
    row.reasons.push_back(fmt::format("best {} {:.4g} ({})", one.metric, one.score,
                                      one.isMoreBetter ? "max" : "min"));
    report.best.push_back(
        {row.version.label(), std::move(one.metric), one.score, one.isMoreBetter});
  }
  report.rows = std::move(rows);
  return report;
}

/// One call of pruneVersions.
class Pruning {
 public:
  Pruning(Store& store, const PruneOptions& options) : store_(store), options_(options) {}

  Result<PruneReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(removeVersions());
    if (options_.keepOptimizer) {
      const auto dropped = dropOptimizers(stop, progress);
      // What was done is done, and the caller has to know of it.
      if (!dropped) report_.optimizers.ended = dropped.error();
    }
    if (options_.dryRun || report_.optimizers.dropped.empty()) return std::move(report_);
    const auto trash = listTrash(store_);
    if (!trash && !report_.optimizers.ended) report_.optimizers.ended = trash.error();
    if (!trash) return std::move(report_);
    report_.freeableBytes = trash->freeableBytes;
    report_.removal.trashBytes = trash->freeableBytes;
    return std::move(report_);
  }

 private:
  Result<void> removeVersions() {
    std::unique_ptr<StoreWriter> writer;
    if (!options_.dryRun) {
      STRATA_TRY(writer, store_.lock("prune", {}, Store::Purse::Reserve));
      writer->beginCommand(command_);
    }
    const Catalog& catalog = writer ? writer->catalog() : store_.catalog();
    STRATA_TRY(names_, namesMeant(store_, writer.get(), options_.names));
    std::vector<VersionEntry> leaving;
    for (const std::string& name : names_) {
      STRATA_TRY(PruneReport of, rowsOf(store_, catalog, name, options_.keep));
      std::ranges::move(of.best, std::back_inserter(report_.best));
      for (Row& row : of.rows) {
        if (row.reasons.empty()) leaving.push_back(row.version);
        report_.rows.push_back(std::move(row));
      }
    }
    STRATA_TRY(report_.removal, foretellRemoval(store_, catalog, std::move(leaving), false));
    if (!writer || report_.removal.versions.empty()) return {};
    for (const VersionEntry& version : report_.removal.versions) {
      STRATA_TRY(const VersionEntry agreed, writer->resolve(version.label()));
    }
    return carryOutRemoval(*writer, "prune", false, report_.removal);
  }

  Result<void> dropOptimizers(const std::stop_token& stop, const ProgressSink& progress) {
    std::map<std::string, std::set<std::uint32_t>> leaving;
    for (const VersionEntry& version : report_.removal.versions) {
      leaving[version.name].insert(version.number);
    }
    for (const std::string& name : names_) {
      // All that was there may be in the trash by now.
      STRATA_TRY(const auto newest, store_.catalog().newest(name));
      if (!newest) continue;
      STRATA_TRY(DropOptimizerReport done, dropOptimizer(store_,
                                                         {.run = name,
                                                          .keepLast = *options_.keepOptimizer,
                                                          .without = leaving[name],
                                                          .command = command_,
                                                          .dryRun = options_.dryRun,
                                                          .memoryBytes = options_.memoryBytes,
                                                          .device = options_.device},
                                                         stop, progress));
      auto& all = report_.optimizers;
      std::move(done.dropped.begin(), done.dropped.end(), std::back_inserter(all.dropped));
      std::move(done.kept.begin(), done.kept.end(), std::back_inserter(all.kept));
      if (done.ended) return fail(*std::move(done.ended));
    }
    return {};
  }

  Store& store_;
  const PruneOptions& options_;
  std::string command_ = makeCommandToken();
  std::set<std::string> names_;
  PruneReport report_;
};

}  // namespace

Result<PruneReport> pruneVersions(Store& store, const PruneOptions& options,
                                  const std::stop_token& stop, const ProgressSink& progress) {
  STRATA_TRY(checkRules(options));
  return Pruning(store, options).run(stop, progress);
}

}  // namespace strata
