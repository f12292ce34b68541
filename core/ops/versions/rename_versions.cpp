#include "core/ops/versions/rename_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/store/asked_remotes.h"
#include "core/store/refs/ref_rename.h"
#include "core/store/refs/reference.h"
#include "core/store/store_writer.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/transfer_log.h"

namespace strata {
namespace {

/// "v1, v2, v3"; the first eight of many.
std::string numbersText(const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < numbers.size() && i < kShown; ++i) {
    text += fmt::format("{}v{}", i > 0 ? ", " : "", numbers[i]);
  }
  if (numbers.size() > kShown) text += fmt::format(" and {} more", numbers.size() - kShown);
  return text;
}

/// Those of the trash that were deleted for good: others are differences to them.
Result<std::vector<std::uint32_t>> namelessAmong(const RefFolder& refs, const std::string& name,
                                                 const std::vector<std::uint32_t>& trashed) {
  std::vector<std::uint32_t> nameless;
  for (const std::uint32_t number : trashed) {
    STRATA_TRY(const VersionRef ref, refs.readVersion(name, number, Place::Trash));
    if (ref.isUnlisted) nameless.push_back(number);
  }
  return nameless;
}

/// Whether the versions that `to` had went to other names, the last of them `name`.
Result<bool> cameFrom(const RefFolder& refs, std::string to, const std::string& name) {
  for (int hops = 0; hops < 100 && !to.empty(); ++hops) {
    STRATA_TRY(const LastNumber last, refs.readLastNumber(to));
    if (last.movedTo == name) return true;
    to = last.movedTo;
  }
  return false;
}

/// A number of a name means one content for ever. `had`: the highest that the new name has had.
Result<void> checkNumbers(const RefFolder& refs, const RenameOptions& options, std::uint32_t had) {
  const std::string& to = options.newName;
  STRATA_TRY(const LastNumber last, refs.readLastNumber(to));
  // Earlier programs did not note what the numbers stood for, but where the versions went.
  STRATA_TRY(const bool isReturn, cameFrom(refs, to, options.name));
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto numbers, refs.versionNumbers(options.name, place));
    for (const std::uint32_t number : numbers) {
      const bool isNoted = last.former.contains(number);
      if (number > had || (isReturn && !isNoted)) continue;
      STRATA_TRY(const VersionRef ref, refs.readVersion(options.name, number, place));
      if (isNoted && last.allows(number, ref.contentDigest)) continue;
      return fail(ErrorCode::InvalidArgument,
                  isReturn
                      ? fmt::format("{0}: {0}:v{1} was another model since, and numbers are not "
                                    "used again",
                                    to, number)
                      : fmt::format("{}: had versions up to v{} before, and numbers are not used "
                                    "again",
                                    to, had));
    }
  }
  return {};
}

/// Nothing else may have the new name or have had its numbers. The files count: the catalog does
/// not list what it could not read.
Result<void> checkFree(const RefFolder& refs, const RenameOptions& options) {
  const std::string& to = options.newName;
  STRATA_TRY(const auto live, refs.versionNumbers(to));
  if (!live.empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: is in use: it has {}", to, numbersText(live)));
  }
  STRATA_TRY(const auto trashed, refs.versionNumbers(to, Place::Trash));
  STRATA_TRY(const auto nameless, namelessAmong(refs, to, trashed));
  if (nameless.size() < trashed.size()) {
    std::vector<std::uint32_t> named;
    std::set_difference(trashed.begin(), trashed.end(), nameless.begin(), nameless.end(),
                        std::back_inserter(named));
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{0}: is the name of versions in the trash: {1}; \"strata trash "
                            "restore {0}:v{2}\" brings one back, to be renamed itself, and "
                            "\"strata trash empty {0}:v{2}\" deletes it for good",
                            to, numbersText(named), named.back()));
  }
  STRATA_TRY(const auto moving, refs.versionNumbers(options.name));
  STRATA_TRY(const auto movingTrash, refs.versionNumbers(options.name, Place::Trash));
  // They keep their numbers, beside which others may come.
  const bool areInTheWay = std::ranges::any_of(nameless, [&](std::uint32_t number) {
    return std::ranges::binary_search(moving, number) ||
           std::ranges::binary_search(movingTrash, number);
  });
  if (areInTheWay) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: was the name of {}, deleted for good and kept for other versions; "
                            "\"strata gc --recode\" frees what exact versions need",
                            to, numbersText(nameless)));
  }
  STRATA_TRY(const std::uint32_t had, highestNumber(refs, to));
  return had == 0 ? Result<void>() : checkNumbers(refs, options, had);
}

/// A number means one content, also on the remotes.
Result<void> checkRemotes(const Store& store, const Catalog& catalog,
                          const RenameOptions& options) {
  STRATA_TRY(const AskedRemotes asked, AskedRemotes::load(store.folder()));
  for (const Place place : {Place::Live, Place::Trash}) {
    STRATA_TRY(const auto versions, catalog.versionsOf(options.name, place));
    for (const VersionEntry& one : versions) {
      if (one.isUnlisted) continue;
      if (asked.allows(options.newName, one.number, one.contentDigest)) continue;
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{0}: a remote lists another {0}:v{1} than {2} would be; take "
                              "another name",
                              options.newName, one.number, one.label()));
    }
  }
  return {};
}

/// A push goes on by the names that it was asked for.
Result<void> checkNoPush(const Store& store, const std::string& name) {
  STRATA_TRY(const auto transfers, listTransfers(store));
  for (const TransferEntry& transfer : transfers) {
    const TransferRequest& request = transfer.request;
    if (request.direction != TransferRequest::Direction::Push) continue;
    for (const std::string& word : request.references) {
      const auto reference = parseReference(word);
      if (!reference || reference->name != name) continue;
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{}: its push to {} is not over (transfer {}); let it end or remove "
                              "it from the list first",
                              name, request.remote, transfer.id));
    }
  }
  return {};
}

/// By what they listed; one of which that cannot be read is left out.
std::vector<std::string> remotesWith(const Store& store, const std::string& name) {
  std::vector<std::string> remotes;
  const auto list = RemoteList::load(store.folder());
  if (!list) return remotes;
  for (const RemoteConfig& remote : list->remotes) {
    const auto fetched = readFetched(store.folder(), remote.name);
    if (!fetched || !*fetched) continue;
    const RemoteLibrary library = RemoteLibrary::from((*fetched)->listing);
    const bool hasIt =
        std::any_of(library.versions.begin(), library.versions.end(),
                    [&](const RemoteVersion& version) { return version.ref.name == name; });
    if (hasIt) remotes.push_back(remote.name);
  }
  return remotes;
}

Result<void> checkNames(const RenameOptions& options) {
  STRATA_TRY(const Reference reference, parseReference(options.name));
  if (reference.kind != Reference::Kind::Newest) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: all versions of a name are renamed together; give the name alone",
                            options.name));
  }
  STRATA_TRY(checkName(options.newName));
  if (options.name == options.newName) {
    return fail(ErrorCode::InvalidArgument, options.name + ": is its name already");
  }
  return {};
}

}  // namespace

Result<void> checkRename(const Store& store, const Catalog& catalog, const RenameOptions& options) {
  STRATA_TRY(checkNames(options));
  STRATA_TRY(const auto live, catalog.versionsOf(options.name));
  if (live.empty()) {
    STRATA_TRY(const auto trashed, catalog.versionsOf(options.name, Place::Trash));
    return fail(ErrorCode::NotFound,
                fmt::format("{}: {}", options.name,
                            trashed.empty() ? "nothing has this name"
                                            : "all its versions are in the trash; restore one"));
  }
  // A rename writes both notes anew: the numbers that a damaged one held would be lost.
  for (const std::string& name : {options.newName, options.name}) {
    const auto last = store.refs().readLastNumber(name);
    if (!last) return fail(last.error());
  }
  STRATA_TRY(checkFree(store.refs(), options));
  STRATA_TRY(checkRemotes(store, catalog, options));
  return checkNoPush(store, options.name);
}

Result<RenameReport> renameVersions(Store& store, const RenameOptions& options) {
  STRATA_TRY(checkNames(options));
  std::unique_ptr<StoreWriter> writer;
  if (!options.dryRun) {
    STRATA_TRY(ensureAsked(store.folder()));
    STRATA_TRY(writer, store.lock("rename"));
  }
  const Catalog& catalog = writer ? writer->catalog() : store.catalog();
  RenameReport report;
  STRATA_TRY(report.versions, catalog.versionsOf(options.name));
  STRATA_TRY(const auto trashed, catalog.versionsOf(options.name, Place::Trash));
  STRATA_TRY(checkRename(store, catalog, options));
  report.trashedCount = static_cast<std::uint64_t>(std::count_if(
      trashed.begin(), trashed.end(), [](const VersionEntry& one) { return !one.isUnlisted; }));
  report.remotes = remotesWith(store, options.name);
  if (writer) STRATA_TRY(writer->renameVersions(options.name, options.newName));
  for (VersionEntry& version : report.versions) version.name = options.newName;
  return report;
}

}  // namespace strata
