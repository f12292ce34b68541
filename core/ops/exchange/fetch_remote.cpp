#include "core/ops/exchange/fetch_remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/io/folder_mutex.h"
#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/ops/exchange/detail/kept/kept_place.h"
#include "core/ops/exchange/detail/kept/remote_file.h"
#include "core/ops/exchange/detail/kept/seen_lists.h"
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

/// Of what is kept of a place. Nothing where that cannot be told.
std::optional<FetchedListing> headUnder(const fs::path& storeFolder, const std::string& name) {
  const auto kept = openKept(fileOf(storeFolder, name)).value_or(std::nullopt);
  return kept ? headKept(textOf(*kept)) : std::nullopt;
}

/// As readFetched, of what is joined.
Result<std::optional<FetchedListing>> readPlace(const fs::path& storeFolder,
                                                const std::string& name) {
  const fs::path file = fileOf(storeFolder, name);
  STRATA_TRY(const auto mapped, openKept(file));
  if (!mapped) return std::nullopt;
  STRATA_TRY(FetchedListing fetched, parseKept(textOf(*mapped), file.string()));
  return fetched;
}

/// As readFetched, but where what is kept was lost: fails with CorruptData.
Result<std::optional<FetchedListing>> readLatest(const fs::path& storeFolder,
                                                 const std::string& name) {
  STRATA_TRY(auto fetched, readFetched(storeFolder, name));
  STRATA_TRY(checkOtherStems(storeFolder, name));
  const bool isLost =
      !fetched && (rememberAgreed(storeFolder, name) || isListLost(storeFolder, name));
  if (isLost) {
    return fail(ErrorCode::CorruptData, fileOf(storeFolder, name).string() + ": is missing");
  }
  return fetched;
}

/// What the place of a remote is known to have been told by this store.
std::set<Digest> takenOffBefore(const fs::path& storeFolder, const std::string& name) {
  auto head = headUnder(storeFolder, name);
  return head ? std::move(head->listing.takenOff) : std::set<Digest>();
}

void eraseListed(std::set<Digest>& contents, const RefListing& listing) {
  if (contents.empty()) return;
  const RemoteLibrary library = RemoteLibrary::from(listing);
  for (const RemoteVersion* const version : library.all()) {
    contents.erase(version->ref.contentDigest);
  }
}

using Counts = FetchedListing::Counts;

Result<void> keep(const Store& store, const std::string& name, const RefListing& listing,
                  std::uint64_t formerNumber, std::optional<Counts> counts = {},
                  bool isOlderAccepted = false) {
  const fs::path file = fileOf(store.folder(), name);
  STRATA_TRY(makeStoreFolder(file.parent_path()));
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(file.parent_path()));
  STRATA_TRY(makeRoomFor(file));
  const auto now = openKept(file).value_or(std::nullopt);
  const auto before = now ? parseMarks(textOf(*now), "") : Result<KeptMarks>(KeptMarks{});
  const KeptMarks marks = before.value_or(KeptMarks{});
  const bool isRead = marks.generation > listing.generation && marks.generation != formerNumber;
  if (isRead) return {};  // after this one
  if (isOtherRemote(marks.identity, listing)) {
    STRATA_TRY(keepReplaced(store.folder(), name, marks.identity));
  }
  STRATA_TRY(beginAgreed(store.folder(), name));
  FetchedListing fetched{listing, currentTime(), counts};
  if (!listing.unseen.empty()) {
    const auto stored = readPlace(store.folder(), name).value_or(std::nullopt);
    if (stored) fetched.listing.found = foundBy(stored->listing, listing, listing.refs);
  }
  if (const auto head = headUnder(store.folder(), name); head && !isOlderAccepted) {
    const bool isUnknown = descentOf(head->listing, listing) == ListDescent::Unknown;
    const auto stored =
        isUnknown ? readPlace(store.folder(), name).value_or(std::nullopt) : std::nullopt;
    fetched.listing.missing = missingIn(stored ? stored->listing : head->listing, listing);
  }
  fetched.listing.takenOff.merge(takenOffBefore(store.folder(), name));
  eraseListed(fetched.listing.takenOff, listing);
  // Earlier programs leave it out of the lists that they write.
  if (!listing.isNew && listing.identity.empty()) fetched.listing.identity = marks.identity;
  if (isNoted(store.folder(), name)) {
    STRATA_TRY(noteAsked(store.folder(), name, fetched.listing));
  }
  STRATA_TRY(const std::string text, keptText(fetched));
  STRATA_TRY(writeFileWhole(store.folder() / "tmp", file, text));
  eraseOtherStems(store.folder(), name);
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
  joinKept(store.folder(), name);
  if (!checkOtherStems(store.folder(), name) || !isNoted(store.folder(), name)) return std::nullopt;
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

/// Of a folder or bucket that is gone a transport knows no more than that.
Result<RefListing> readRefs(Transport& remote, const std::optional<RefListing>& former,
                            const std::stop_token& stop) {
  Result<RefListing> listing = remote.readRefs(stop);
  if (listing || listing.error().code != ErrorCode::NotFound || !former) return listing;
  const std::size_t count = RemoteLibrary::from(*former).versions.size();
  if (count == 0) return listing;
  return fail(ErrorCode::NotFound,
              fmt::format("{}; it listed {} when it was last asked: it was deleted or moved, or "
                          "its share is not mounted; push --create makes it anew",
                          listing.error().message, wordCount(count, "version")));
}

}  // namespace

Result<void> keepFetched(const Store& store, const std::string& name, const RefListing& listing,
                         std::uint64_t formerNumber) {
  if (name.empty()) return {};
  return keep(store, name, listing, formerNumber).map_error([](Error error) {
    error.message = fmt::format(
        "{}; what the remote lists now is not kept here, so a list that it loses later "
        "would go unnoticed; fetch keeps it",
        error.message);
    return error;
  });
}

RefListing listingMade(Transport& remote, RefListing listing) {
  auto made = remote.written();
  if (!made) return nextListing(std::move(listing));
  made->takenOff = std::move(listing.takenOff);
  return *std::move(made);
}

Error afterRemoval(Error error) {
  error.message = "it is off the remote's list; but " + error.message;
  return error;
}

Result<std::optional<RefListing>> readFormer(const Store& store, const std::string& name) {
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

Result<void> recognize(const Store& store, const std::string& name, const RefListing& listing,
                       std::optional<RefListing>& former) {
  if (former || listing.isMixed) return {};
  STRATA_TRY(const bool isAdopted, adoptKept(store.folder(), name, listing.identity));
  if (!isAdopted) return {};
  STRATA_TRY(former, readFormer(store, name));
  return {};
}

Result<ListRead> readList(const Store& store, Transport& remote, const std::string& name,
                          const std::stop_token& stop) {
  STRATA_TRY(auto former, readFormer(store, name));
  if (former) remote.know(*former);
  STRATA_TRY(RefListing listing, readRefs(remote, former, stop));
  STRATA_TRY(recognize(store, name, listing, former));
  STRATA_TRY(noteReplaced(remote, former, listing, stop));
  STRATA_TRY(checkStillThere(former, remote.url(), listing));
  std::string notice = olderListText(listing, former);
  if (former) listing.takenOff = former->takenOff;
  listing.missing = missingIn(former, listing);
  return ListRead{std::move(listing), former ? former->generation : 0, std::move(notice)};
}

Result<std::optional<FetchedListing>> readFetched(const fs::path& storeFolder,
                                                  const std::string& name) {
  joinKept(storeFolder, name);
  return readPlace(storeFolder, name);
}

void renameFetched(const fs::path& storeFolder, const std::string& name,
                   const std::string& newName) {
  moveKept(storeFolder, stemOf(name), stemOf(newName));
}

void setFetchedAside(const fs::path& storeFolder, const std::string& name, const std::string& url) {
  moveKept(storeFolder, stemOf(name), stemOf(url));
}

Result<void> forgetPlace(const fs::path& storeFolder, const std::string& name) {
  if (const auto marks = readMarks(storeFolder, name).value_or(std::nullopt)) {
    STRATA_TRY(const FolderMutex lock, FolderMutex::take(storeFolder / "remotes"));
    STRATA_TRY(keepReplaced(storeFolder, name, marks->identity));
  }
  forgetFetched(storeFolder, name);
  return {};
}

void forgetFetched(const fs::path& storeFolder, const std::string& name) {
  forgetAsked(storeFolder, name);
  eraseOtherStems(storeFolder, name);
  eraseKept(storeFolder, leadingStem(storeFolder, name));
}

Result<FetchReport> fetchRemote(const Store& store, Transport& remote, const std::string& name,
                                std::stop_token stop, const FetchOptions& options) {
  if (!options.acceptOlder) {
    STRATA_TRY(auto unchanged, fetchUnchanged(store, remote, name, stop));
    if (unchanged) return *std::move(unchanged);
  }
  std::vector<std::string> odd = oddPlaces(store.folder(), name);
  // Damaged, it is written anew: this is what the user does where others refuse.
  auto before = readLatest(store.folder(), name);
  auto former = before && *before ? std::optional((*before)->listing) : std::nullopt;
  if (former) remote.know(*former);
  STRATA_TRY(RefListing listing, readRefs(remote, former, stop));
  if (before) STRATA_TRY(recognize(store, name, listing, former));
  if (before && !*before && former) before = readLatest(store.folder(), name);
  STRATA_TRY(noteReplaced(remote, former, listing, stop));
  if (!options.acceptOlder || listing.isNew) {
    const auto last = before && *before ? std::optional((*before)->listing) : std::nullopt;
    STRATA_TRY(checkStillThere(last, remote.url(), listing));
  }
  if (former && isOtherRemote(former->identity, listing)) {
    // What is known of the one that is back counts, and nothing of that was accepted.
    STRATA_TRY(const bool isBack, takeReplaced(store.folder(), name, listing.identity));
    if (isBack) return fetchRemote(store, remote, name, std::move(stop));
  }
  const std::uint64_t formerNumber = before && *before ? (*before)->listing.generation : 0;
  STRATA_TRY(keepDoubts(store, name, listing));
  // What the user takes for older is not taken for newer by the next pull.
  const bool mayBeOlder =
      !before || (former && options.acceptOlder && !wayBack(*former, listing).empty());
  if (mayBeOlder) {
    STRATA_TRY(doubtAgreed(store, name, former.value_or(RefListing{}), listing));
  }
  // So that all counts as to push.
  if (listing.isNew) STRATA_TRY(keepFetched(store, name, listing, formerNumber));
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
  if (std::string older = olderListText(listing, former); !older.empty() && !options.acceptOlder) {
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
      keep(store, name, listing, formerNumber,
           isPlain ? std::optional(Counts{report.versionCount, report.tagCount}) : std::nullopt,
           options.acceptOlder));
  return report;
}

}  // namespace strata
