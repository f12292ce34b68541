#include "core/ops/exchange/fetch_remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/io/folder_mutex.h"
#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/detail/agreed_tags.h"
#include "core/ops/exchange/detail/kept_listing.h"
#include "core/ops/exchange/detail/remote_file.h"
#include "core/ops/exchange/detail/seen_lists.h"
#include "core/ops/exchange/version_matching.h"
#include "core/store/store_writer.h"
#include "core/text/wording.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path fileOf(const fs::path& storeFolder, const std::string& name) {
  return remoteFile(storeFolder, name, ".json");
}

/// Nothing where there is none.
Result<std::optional<MappedFile>> openKept(const fs::path& file) {
  STRATA_TRY(checkIsOwnFile(file));
  auto mapped = MappedFile::open(file);
  if (!mapped && mapped.error().code == ErrorCode::NotFound) return std::nullopt;
  if (!mapped) return fail(std::move(mapped).error());
  return *std::move(mapped);
}

std::string_view textOf(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Of what is kept under a name. Nothing where that cannot be told.
std::optional<FetchedListing> headUnder(const fs::path& storeFolder, const std::string& name) {
  const auto kept = openKept(fileOf(storeFolder, name)).value_or(std::nullopt);
  return kept ? headKept(textOf(*kept)) : std::nullopt;
}

bool isLater(const FetchedListing& one, const FetchedListing& other) {
  if (one.fetchedAt != other.fetchedAt) return one.fetchedAt > other.fetchedAt;
  return one.listing.generation > other.listing.generation;
}

/// The name under which the place of a remote was asked last.
std::string latestName(const fs::path& storeFolder, const std::string& name) {
  std::string latest = name;
  auto head = headUnder(storeFolder, name);
  std::error_code ignored;
  // What is damaged is said.
  if (!head && fs::exists(fileOf(storeFolder, name), ignored)) return name;
  for (const std::string& other : otherNames(storeFolder, name)) {
    auto one = headUnder(storeFolder, other);
    if (!one || (head && !isLater(*one, *head))) continue;
    latest = other;
    head = std::move(one);
  }
  return latest;
}

/// As readFetched, of the place, under whatever name it was asked.
Result<std::optional<FetchedListing>> readLatest(const fs::path& storeFolder,
                                                 const std::string& name) {
  const std::string latest = latestName(storeFolder, name);
  STRATA_TRY(auto fetched, readFetched(storeFolder, latest));
  const bool isLost =
      !fetched && (rememberAgreed(storeFolder, name) || isListLost(storeFolder, name));
  if (isLost) {
    return fail(ErrorCode::CorruptData, fileOf(storeFolder, name).string() + ": is missing");
  }
  return fetched;
}

using Counts = FetchedListing::Counts;

Result<void> keep(const Store& store, const std::string& name, const RefListing& listing,
                  std::uint64_t known, std::optional<Counts> counts = {}) {
  const fs::path file = fileOf(store.folder(), name);
  STRATA_TRY(makeStoreFolder(file.parent_path()));
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(file.parent_path()));
  STRATA_TRY(makeRoomFor(file));
  const auto now = openKept(file).value_or(std::nullopt);
  const auto before = now ? parseMarks(textOf(*now), "") : Result<KeptMarks>(KeptMarks{});
  const KeptMarks marks = before.value_or(KeptMarks{});
  const bool isRead = marks.generation > listing.generation && marks.generation != known &&
                      latestName(store.folder(), name) == name;
  if (isRead) return {};  // after this one
  STRATA_TRY(beginAgreed(store.folder(), name));
  FetchedListing fetched{listing, currentTime(), counts};
  if (!listing.unseen.empty()) {
    const auto seen = readLatest(store.folder(), name).value_or(std::nullopt);
    if (seen) fetched.listing.found = foundBy(seen->listing, listing, listing.refs);
  }
  // Earlier programs leave it out of the lists that they write.
  if (!listing.isNew && listing.identity.empty()) fetched.listing.identity = marks.identity;
  if (isNoted(store.folder(), name)) {
    STRATA_TRY(noteAsked(store.folder(), name, fetched.listing));
  }
  STRATA_TRY(const std::string text, keptText(fetched));
  STRATA_TRY(writeFileWhole(store.folder() / "tmp", file, text));
  return noteAsked(store.folder(), name, fetched.listing);
}

/// Of what is kept, that it was asked for again. Another process may have kept a newer list since.
Result<void> keepAgain(const Store& store, const std::string& name, const RefListing& listing) {
  const fs::path file = fileOf(store.folder(), name);
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(file.parent_path()));
  STRATA_TRY(const auto now, openKept(file));
  const auto head = now ? headKept(textOf(*now)) : std::nullopt;
  const bool isIt =
      head && head->listing.generation == listing.generation && head->listing.etag == listing.etag;
  if (!isIt) return {};
  STRATA_TRY(const std::string text, keptAgain(textOf(*now), currentTime()));
  return writeFileWhole(store.folder() / "tmp", file, text);
}

/// Where the remote lists what is kept of it, and nothing is to be said of that. Nothing where all
/// of it has to be looked at: then that tells, too, what is wrong.
Result<std::optional<FetchReport>> fetchUnchanged(const Store& store, Transport& remote,
                                                  const std::string& name,
                                                  const std::stop_token& stop) {
  if (!lostAgreed(store.folder(), name).empty()) return std::nullopt;
  if (latestName(store.folder(), name) != name || !isNoted(store.folder(), name)) {
    return std::nullopt;
  }
  const auto kept = openKept(fileOf(store.folder(), name)).value_or(std::nullopt);
  const auto head = kept ? headKept(textOf(*kept)) : std::nullopt;
  if (!head || !head->counts || head->listing.etag.empty()) return std::nullopt;
  const Result<bool> isSame = remote.stillLists(head->listing, stop);
  if (!isSame && isSame.error().code == ErrorCode::Cancelled) return fail(isSame.error());
  if (!isSame || !*isSame) return std::nullopt;
  STRATA_TRY(keepAgain(store, name, head->listing));
  FetchReport report;
  report.versionCount = head->counts->versions;
  report.tagCount = head->counts->tags;
  return report;
}

using Ref = std::map<std::string, RefText>::value_type;

bool isTagMovedSince(const Ref& before, const Ref& now) {
  const auto old = parseRemoteTag(before.first, before.second);
  const auto tag = parseRemoteTag(now.first, now.second);
  return old && tag && tag->taggedAt > old->taggedAt;
}

/// Of a folder or bucket that is gone a transport knows no more than that.
Result<RefListing> readRefs(Transport& remote, const std::optional<RefListing>& known,
                            const std::stop_token& stop) {
  Result<RefListing> listing = remote.readRefs(stop);
  if (listing || listing.error().code != ErrorCode::NotFound || !known) return listing;
  const std::size_t count = RemoteLibrary::from(*known).versions.size();
  if (count == 0) return listing;
  return fail(ErrorCode::NotFound,
              fmt::format("{}; it listed {} when it was last asked: it was deleted or moved, or "
                          "its share is not mounted; push --create makes it anew",
                          listing.error().message, wordCount(count, "version")));
}

}  // namespace

Result<void> keepFetched(const Store& store, const std::string& name, const RefListing& listing,
                         std::uint64_t known) {
  if (name.empty()) return {};
  return keep(store, name, listing, known).map_error([](Error error) {
    error.message = fmt::format(
        "{}; what the remote lists now is not kept here, so a list that it loses later "
        "would go unnoticed; fetch keeps it",
        error.message);
    return error;
  });
}

Error afterRemoval(Error error) {
  error.message = "it is off the remote's list; but " + error.message;
  return error;
}

Result<std::optional<RefListing>> readKnown(const Store& store, const std::string& name) {
  if (name.empty()) return std::nullopt;
  auto kept = readLatest(store.folder(), name);
  if (!kept) {
    return fail(kept.error().code,
                fmt::format("{}; whether the remote lost versions since is not known, so nothing "
                            "is done; fetch takes what it lists now",
                            kept.error().message));
  }
  return *kept ? std::optional(std::move((*kept)->listing)) : std::nullopt;
}

Result<ListRead> readList(const Store& store, Transport& remote, const std::string& name,
                          const std::stop_token& stop) {
  STRATA_TRY(const auto known, readKnown(store, name));
  if (known) remote.know(*known);
  STRATA_TRY(RefListing listing, readRefs(remote, known, stop));
  STRATA_TRY(noteReplaced(remote, known, listing, stop));
  STRATA_TRY(checkStillThere(known, remote.url(), listing));
  std::string notice = olderListText(listing, known);
  return ListRead{std::move(listing), known ? known->generation : 0, std::move(notice)};
}

std::string olderListText(const RefListing& listing, const std::optional<RefListing>& known) {
  if (!known || listing.isNew || listing.generation == 0) return {};
  if (isOtherRemote(known->identity, listing)) {
    return "it is another remote than the one that was last asked: it was deleted and made anew; "
           "nothing of it is missing, and tags and notes that differ count as moved on both sides";
  }
  if (listing.generation >= known->generation) return {};
  return fmt::format(
      "its list of versions has number {}, and had {} when it was last asked; nothing of it is "
      "missing, so the list was made anew there, or an older copy put back",
      listing.generation, known->generation);
}

Result<void> checkStillThere(const std::optional<RefListing>& known, const std::string& url,
                             const RefListing& listing) {
  if (!known) return {};
  if (listing.isNew) {
    const std::size_t count = RemoteLibrary::from(*known).versions.size();
    if (count == 0) return {};
    return fail(
        ErrorCode::NotFound,
        fmt::format(
            "{}: no remote is there, and it listed {} when it was last asked; it was deleted, or "
            "its share is not mounted; push --create makes it anew",
            url, wordCount(count, "version")));
  }
  const std::string why = wayBack(*known, listing);
  if (why.empty()) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: {}; push --repair brings back what is lost, fetch --accept-older "
                          "takes what it lists now",
                          url, why));
}

Result<void> checkIsMade(const std::string& url, const RefListing& listing) {
  if (!listing.isNew) return {};
  return fail(ErrorCode::NotFound,
              url + ": no remote is there; nobody has pushed, or its share is not mounted");
}

namespace {

/// Whether names of `kept` are missing.
bool lacksNames(const RefListing& kept, const RefListing& listing) {
  return std::any_of(kept.refs.begin(), kept.refs.end(),
                     [&](const auto& ref) { return !listing.refs.contains(ref.first); });
}

/// The same of versions alone: tags that are missing may have been taken off.
bool lacksVersions(const RefListing& kept, const RefListing& listing) {
  return std::any_of(kept.refs.begin(), kept.refs.end(), [&](const auto& ref) {
    const auto parts = parseRefName(ref.first);
    return !(parts && parts->isTag()) && !listing.refs.contains(ref.first);
  });
}

/// Who mended a list that could not be read may not have seen it.
std::string lostByMending(const RefListing& kept, const RefListing& listing) {
  const bool isMended =
      listing.mendedAbove == kept.generation || listing.unseen.contains(kept.generation);
  if (!isMended || !lacksNames(kept, listing)) return {};
  return fmt::format(
      "its list of versions was mended since, and lacks some that list {} had when it was last "
      "asked; a store mended it that had not seen them, or they were removed since",
      kept.generation);
}

}  // namespace

Result<void> noteReplaced(Transport& remote, const std::optional<RefListing>& known,
                          RefListing& listing, const std::stop_token& stop) {
  const bool mayBe = known && known->generation > 0 && listing.generation > known->generation &&
                     !isOtherRemote(known->identity, listing) && lacksVersions(*known, listing);
  if (!mayBe) return {};
  STRATA_TRY(auto refs, remote.refsOf(known->generation, stop));
  if (!refs) return {};
  RefListing there;
  there.refs = *std::move(refs);
  if (lacksVersions(*known, there)) listing.replaced = known->generation;
  return {};
}

std::string wayBack(const RefListing& kept, const RefListing& listing) {
  if (kept.generation == 0) return {};
  if (isOtherRemote(kept.identity, listing) && lacksNames(kept, listing)) {
    return fmt::format(
        "it is another remote than the one that was last asked: it was deleted and made anew, and "
        "lacks some that list {} had",
        kept.generation);
  }
  if (isOtherRemote(kept.identity, listing)) return {};
  const bool isReplaced = listing.replaced == kept.generation && lacksVersions(kept, listing);
  if (isReplaced) {
    return fmt::format(
        "its list {} says something else than when it was last asked; the one that this store saw "
        "was lost, and others have pushed since",
        kept.generation);
  }
  if (listing.generation > kept.generation) return lostByMending(kept, listing);
  const bool isLower = listing.generation < kept.generation;
  const auto isThere = [&](const auto& ref) {
    const auto found = listing.refs.find(ref.first);
    if (found == listing.refs.end()) return false;
    return found->second == ref.second || (isLower && isTagMovedSince(ref, *found));
  };
  if (std::all_of(kept.refs.begin(), kept.refs.end(), isThere)) return {};
  if (isLower) {
    return fmt::format(
        "its list of versions has number {}, and had {} when it was last asked; the "
        "newest list was lost, or an older copy put back",
        listing.generation, kept.generation);
  }
  return fmt::format(
      "its list of versions has number {}, as when it was last asked, and says "
      "something else; it is damaged, or an older copy was put back and pushed to",
      listing.generation);
}

Result<std::optional<FetchedListing>> readFetched(const fs::path& storeFolder,
                                                  const std::string& name) {
  const fs::path file = fileOf(storeFolder, name);
  STRATA_TRY(const auto mapped, openKept(file));
  if (!mapped) return std::nullopt;
  STRATA_TRY(FetchedListing fetched, parseKept(textOf(*mapped), file.string()));
  return fetched;
}

void renameFetched(const fs::path& storeFolder, const std::string& name,
                   const std::string& newName) {
  std::error_code ignored;
  fs::rename(fileOf(storeFolder, name), fileOf(storeFolder, newName), ignored);
  renameAgreed(storeFolder, name, newName);
}

namespace {

/// That it was asked stays known.
void eraseFetched(const fs::path& storeFolder, const std::string& name) {
  std::error_code ignored;
  fs::remove(fileOf(storeFolder, name), ignored);
  forgetAgreed(storeFolder, name);
}

}  // namespace

void setFetchedAside(const fs::path& storeFolder, const std::string& name, const std::string& url) {
  const auto own = headUnder(storeFolder, name);
  const auto there = headUnder(storeFolder, url);
  if (!own || (there && isLater(*there, *own))) return eraseFetched(storeFolder, name);
  renameFetched(storeFolder, name, url);
}

void forgetPlace(const fs::path& storeFolder, const std::string& name) {
  forgetAsked(storeFolder, name);
  for (const std::string& other : otherNames(storeFolder, name)) eraseFetched(storeFolder, other);
  eraseFetched(storeFolder, name);
}

void forgetFetched(const fs::path& storeFolder, const std::string& name) {
  forgetAsked(storeFolder, name);
  eraseFetched(storeFolder, name);
}

Result<FetchReport> fetchRemote(const Store& store, Transport& remote, const std::string& name,
                                std::stop_token stop, const FetchOptions& options) {
  if (!options.acceptOlder) {
    STRATA_TRY(auto unchanged, fetchUnchanged(store, remote, name, stop));
    if (unchanged) return *std::move(unchanged);
  }
  std::vector<std::string> odd = oddPlaces(store.folder(), name);
  // Damaged, it is written anew: this is what the user does where others refuse.
  const auto before = readLatest(store.folder(), name);
  const auto seen = before && *before ? std::optional((*before)->listing) : std::nullopt;
  if (seen) remote.know(*seen);
  STRATA_TRY(RefListing listing, readRefs(remote, seen, stop));
  STRATA_TRY(noteReplaced(remote, seen, listing, stop));
  if (before && *before && (!options.acceptOlder || listing.isNew)) {
    STRATA_TRY(checkStillThere((*before)->listing, remote.url(), listing));
  }
  const std::uint64_t known = before && *before ? (*before)->listing.generation : 0;
  STRATA_TRY(keepDoubts(store, name, listing));
  // What the user takes for older is not taken for newer by the next pull.
  const bool mayBeOlder =
      !before || (seen && options.acceptOlder && !wayBack(*seen, listing).empty());
  if (mayBeOlder) {
    STRATA_TRY(doubtAgreed(store, name, seen.value_or(RefListing{}), listing));
  }
  // So that all counts as to push.
  if (listing.isNew) STRATA_TRY(keepFetched(store, name, listing, known));
  STRATA_TRY(checkIsMade(remote.url(), listing));
  const RemoteLibrary library = RemoteLibrary::from(listing);
  FetchReport report;
  report.versionCount = library.versions.size();
  report.tagCount = library.tags.size();
  report.elsewhere = library.basesElsewhere();
  report.problems = library.problems;
  std::move(odd.begin(), odd.end(), std::back_inserter(report.problems));
  if (!before) {
    report.problems.push_back(fmt::format(
        "{}; whether versions were lost on the remote since is not known", before.error().message));
  }
  if (std::string older = olderListText(listing, seen); !older.empty() && !options.acceptOlder) {
    report.problems.push_back(std::move(older));
  }
  std::vector<const RemoteVersion*> unknown;
  for (const RemoteVersion& version : library.versions) {
    const bool wasKnown =
        before && *before && (*before)->listing.refs.contains(refNameOf(version.ref));
    if (!wasKnown) unknown.push_back(&version);
  }
  if (!unknown.empty()) {
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
    for (const RemoteVersion* const version : unknown) {
      if (matching.here(*version) == nullptr) report.newVersions.push_back(*version);
    }
  }
  // What was lost is kept anew, with its doubts.
  const bool isLost = !lostAgreed(store.folder(), name).empty();
  if (isLost) {
    report.problems.push_back(
        "which tags and notes were agreed on was lost here: those that differ count as moved on "
        "both sides");
    STRATA_TRY(keepAgreed(store, name, library));
  }
  const bool isPlain = report.problems.empty() && report.elsewhere.empty();
  STRATA_TRY(
      keep(store, name, listing, known,
           isPlain ? std::optional(Counts{report.versionCount, report.tagCount}) : std::nullopt));
  return report;
}

}  // namespace strata
