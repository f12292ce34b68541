#include "hub/folder/folder_transport.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

#include "core/io/durable_folder.h"
#include "core/io/failed_as.h"
#include "core/io/free_space.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/store_location.h"
#include "core/text/json_text.h"
#include "core/transfer/ref_index.h"
#include "hub/append_file.h"
#include "hub/folder/ref_files.h"
#include "hub/generation.h"
#include "hub/http/url.h"

#include <nlohmann/json.hpp>

namespace strata::hub {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr const char* kMarker = "strata.json";
constexpr std::string_view kPages = "pages";
constexpr std::array kFolders = {"objects", "pages", "refs", "tmp"};

/// UTC.
std::int64_t secondsSinceEpoch(fs::file_time_type time) {
  const auto wall = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(wall.time_since_epoch()).count();
}

/// A first push that was cut off leaves some of our folders, and no marker.
/// One that is there is damaged, if this is asked.
bool holdsOtherFiles(const fs::path& folder) {
  std::error_code status;
  for (const auto& entry : fs::directory_iterator(folder, status)) {
    const std::string name = entry.path().filename().string();
    const bool isFolder = std::find(kFolders.begin(), kFolders.end(), name) != kFolders.end();
    if (!isFolder && name != kMarker) return true;
  }
  return false;
}

}  // namespace

bool FolderTransport::isMadeAt(const fs::path& folder) {
  std::error_code status;
  return fs::exists(folder / kMarker, status) && fs::is_directory(folder / "objects", status);
}

std::string FolderTransport::url() const {
  return "file://" + encodePath(fs::absolute(folder_).lexically_normal().string());
}

fs::path FolderTransport::pathOf(const Digest& digest) const { return objectPath(folder_, digest); }

Result<void> FolderTransport::checkFolders() const {
  for (const char* name : kFolders) {
    const fs::path place = folder_ / name;
    std::error_code status;
    const fs::file_type type = fs::symlink_status(place, status).type();
    if (type == fs::file_type::directory || type == fs::file_type::not_found) continue;
    if (type == fs::file_type::none) return fail(osError(place, "look at", status.value()));
    const bool isLink = type == fs::file_type::symlink;
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: is {}, expected a folder of the remote itself; {}", place.string(),
                            isLink ? "a link" : "a file",
                            isLink ? "only a remote as a whole may be a link"
                                   : "move it away, then push --repair makes the folder again"));
  }
  return {};
}

Result<std::uint64_t> FolderTransport::markerFormat() const {
  STRATA_TRY(const std::string text, readRefFile(folder_ / kMarker));
  STRATA_TRY(const nlohmann::json marker, parseJson(text, (folder_ / kMarker).string()));
  const auto format = countMember(marker, "format");
  if (format && *format > 0) return *format;
  return fail(ErrorCode::CorruptData, (folder_ / kMarker).string() + ": has no format");
}

Result<bool> FolderTransport::isRemote() const {
  STRATA_TRY(checkFolders());
  std::error_code status;
  const bool hasMarker = fs::exists(folder_ / kMarker, status);
  if (status) return fail(osError(folder_ / kMarker, "look at", status.value()));
  if (!hasMarker) {
    STRATA_TRY(refuseInsideStore(folder_));
    return false;
  }
  auto format = markerFormat();
  if (!format && format.error().code == ErrorCode::CorruptData) {
    // Where there are lists it is as good as lost: the next push writes it again.
    STRATA_TRY(const std::vector<std::uint64_t> all, listNumbers(folder_));
    if (!all.empty()) return false;
  }
  if (!format) return fail(std::move(format).error());
  if (*format > static_cast<std::uint64_t>(kIndexFormat)) {
    return fail(ErrorCode::FormatTooNew,
                fmt::format("{}: has format {}, this program reads {}",
                            (folder_ / kMarker).string(), *format, kIndexFormat));
  }
  wasRemote_ = true;
  return true;
}

Result<void> FolderTransport::prepare() const {
  const bool wasRemote = wasRemote_;  // before another thread finds what another pusher makes
  STRATA_TRY(const bool isThere, isRemote());
  if (isThere) return makeFolders();
  if (wasRemote) {
    return fail(ErrorCode::Io,
                folder_.string() + ": was a remote a moment ago and is gone; is it still mounted?");
  }
  if (holdsOtherFiles(folder_)) {
    // Another thread or program may have made it a remote since.
    STRATA_TRY(const bool isNow, isRemote());
    if (isNow) return makeFolders();
    return fail(ErrorCode::InvalidArgument,
                folder_.string() + ": holds other files; a remote needs a folder of its own");
  }
  STRATA_TRY(makeDurableFolder(folder_));
  STRATA_TRY(makeFolders());
  STRATA_TRY(syncFolder(folder_));
  STRATA_TRY(makeRoom(folder_ / kMarker));
  return writeFileWhole(folder_ / "tmp", folder_ / kMarker,
                        fmt::format("{{\"format\":{}}}\n", kIndexFormat));
}

/// Programs that copy or pack folders leave out those that are empty.
Result<void> FolderTransport::makeFolders() const {
  bool isAnyNew = false;
  for (const char* name : kFolders) {
    // That of pages comes with the first of them.
    if (name == kPages) continue;
    STRATA_TRY(const bool isNew, makeStoreFolder(folder_ / name));
    isAnyNew = isAnyNew || isNew;
  }
  return isAnyNew ? syncFolder(folder_) : Result<void>();
}

Result<TransportTraits> FolderTransport::probe(std::stop_token) {
  STRATA_TRY(const bool isThere, isRemote());
  TransportTraits traits{.server = "folder"};
  std::error_code status;
  fs::path place = folder_;
  while (!fs::exists(place, status) && place.has_relative_path()) place = place.parent_path();
  if (::access(place.c_str(), W_OK) != 0) traits.refs = RefSafety::ReadOnly;
  if (traits.refs == RefSafety::Atomic && !claimsAreAtomic(folder_ / "tmp")) {
    traits.refs = RefSafety::LastWriterWins;
    traits.notes.emplace_back(
        "its file system has neither hard links nor renames that replace nothing");
  }
  if (!isThere) {
    STRATA_TRY(const std::vector<std::uint64_t> all, listNumbers(folder_));
    traits.notes.emplace_back(
        all.empty()
            ? std::string("nothing was pushed here yet")
            : fmt::format("{} is missing or damaged; the next push writes it again", kMarker));
  }
  return traits;
}

Result<ObjectSizes> FolderTransport::sizesOf(std::span<const RemoteObject> objects,
                                             std::stop_token stop) {
  ObjectSizes found;
  for (const RemoteObject& object : objects) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    STRATA_TRY(const auto byteCount, fileBytes(pathOf(object.digest)));
    if (byteCount) found[object.digest] = *byteCount;
  }
  return found;
}

Result<ObjectsThere> FolderTransport::has(std::span<const RemoteObject> objects,
                                          std::stop_token stop) {
  // A network share may show what it had before somebody deleted it, until a folder is opened.
  for (const RemoteObject& object : objects) {
    std::error_code ignored;
    fs::directory_iterator(pathOf(object.digest).parent_path(), ignored);
  }
  STRATA_TRY(ObjectsThere there, Transport::has(objects, stop));
  // Another pusher may have been killed before these names were on the disk.
  std::set<fs::path> folders;
  for (const Digest& digest : there.kept) folders.insert(pathOf(digest).parent_path());
  std::error_code status;
  if (fs::exists(folder_ / "refs", status)) folders.insert(folder_ / "refs");
  for (const fs::path& folder : folders) STRATA_TRY(syncFolder(folder));
  return there;
}

Result<void> FolderTransport::checkSpace(std::uint64_t byteCount) {
  return checkFreeSpace(folder_, byteCount);
}

TransferMeter FolderTransport::limited(const TransferMeter& meter, const std::stop_token& stop) {
  return [this, &meter, &stop](std::int64_t bytes) {
    if (bytes > 0) limit_.pass(static_cast<std::uint64_t>(bytes), stop);
    if (meter) meter(bytes);
  };
}

Result<void> FolderTransport::put(const RemoteObject& object, const ObjectSource& source,
                                  std::stop_token stop, const TransferMeter& meter) {
  const fs::path place = pathOf(object.digest);
  STRATA_TRY(const auto there, fileBytes(place));
  if (there != object.byteCount) return replace(object, source, stop, meter);
  STRATA_TRY(prepare());
  return syncFolder(place.parent_path());
}

Result<void> FolderTransport::replace(const RemoteObject& object, const ObjectSource& source,
                                      std::stop_token stop, const TransferMeter& meter) {
  STRATA_TRY(prepare());
  const fs::path place = pathOf(object.digest);
  STRATA_TRY(TempFile file, TempFile::createForStore(folder_ / "tmp", "object"));
  Sha256 hash;
  const TransferMeter tell = limited(meter, stop);
  std::vector<std::byte> block(std::min<std::uint64_t>(kBlockBytes, source.byteCount()));
  for (std::uint64_t offset = 0; offset < source.byteCount(); offset += block.size()) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    block.resize(std::min<std::uint64_t>(block.size(), source.byteCount() - offset));
    STRATA_TRY(source.read(offset, block));
    hash.update(block);
    STRATA_TRY(file.append(block));
    tell(static_cast<std::int64_t>(block.size()));
  }
  if (file.byteCount() != object.byteCount || hash.finish() != object.digest) {
    return fail(ErrorCode::CorruptData,
                fmt::format("object {}: its bytes in this store do not match its hash",
                            toHex(object.digest)));
  }
  STRATA_TRY(makeRoom(place));
  STRATA_TRY(makeStoreFolder(place.parent_path()));
  STRATA_TRY(file.makeReadOnly());
  return file.moveTo(place);
}

Result<void> FolderTransport::get(const RemoteObject& object, std::uint64_t firstByte,
                                  ObjectSink& sink, std::stop_token stop,
                                  const TransferMeter& meter) {
  const fs::path place = pathOf(object.digest);
  STRATA_TRY(const auto byteCount, fileBytes(place));
  if (!byteCount) {
    return fail(ErrorCode::NotFound,
                fmt::format("object {} is not at {}", toHex(object.digest), url()));
  }
  if (*byteCount != object.byteCount || firstByte > *byteCount) {
    return fail(ErrorCode::CorruptData,
                fmt::format("object {} at {} has {} bytes, expected {}", toHex(object.digest),
                            url(), *byteCount, object.byteCount));
  }
  return appendFile(place, firstByte, *byteCount, sink, stop, limited(meter, stop));
}

Result<std::size_t> FolderTransport::abandonUploads(std::stop_token /*stop*/) {
  constexpr std::int64_t kOldSeconds = 86'400;  // who writes one touches it; clocks differ
  STRATA_TRY(checkFolders());
  return clearFiles(secondsSinceEpoch(fs::file_time_type::clock::now()) - kOldSeconds,
                    ScratchWish::Delete);
}

Result<std::size_t> FolderTransport::clearScratch(std::int64_t changedBy, ScratchWish wish,
                                                  std::stop_token stop) {
  STRATA_TRY(checkFolders());
  STRATA_TRY(const std::size_t files, clearFiles(changedBy, wish));
  STRATA_TRY(const std::size_t pages, lists_.clearPages(wish, stop));
  return files + pages;
}

Result<std::size_t> FolderTransport::clearFiles(std::int64_t changedBy, ScratchWish wish) const {
  std::size_t count = 0;
  std::error_code status;
  for (fs::directory_iterator entries(folder_ / "tmp", status);
       !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const fs::path& file = entries->path();
    std::error_code gone;
    const auto written = entries->last_write_time(gone);
    if (gone || file.extension() != ".tmp") continue;
    if (secondsSinceEpoch(written) > changedBy) continue;
    if (wish == ScratchWish::Count || fs::remove(file, gone)) ++count;
  }
  if (status && !failedAs(status, std::errc::no_such_file_or_directory)) {
    return fail(osError(folder_ / "tmp", "list", status.value()));
  }
  return count;
}

Result<bool> FolderTransport::stillLists(const RefListing& head, std::stop_token stop) {
  return lists_.isNewest(head.generation, head.etag, stop);
}

Result<RefListing> FolderTransport::listing(Unreadable unreadable, const std::stop_token& stop) {
  std::error_code status;
  const bool isThere = fs::exists(folder_, status);
  if (status) return fail(osError(folder_, "look at", status.value()));
  if (!isThere) {
    return fail(ErrorCode::NotFound, folder_.string() + ": no such folder");
  }
  // A lost marker alone makes no remote new or empty: the next push writes it again.
  STRATA_TRY(const bool hasMarker, isRemote());
  STRATA_TRY(GenerationLists::Found found, lists_.newest(unreadable, stop));
  const bool isNew = !hasMarker && found.highest == 0;
  RefListing listing = listingOf(std::move(found), ListTag::Text);
  listing.isNew = isNew;
  return listing;
}

Result<RefListing> FolderTransport::readRefs(std::stop_token stop) {
  return listing(Unreadable::Fails, stop);
}

Result<RefListing> FolderTransport::salvageRefs(std::stop_token stop) {
  return listing(Unreadable::Passed, stop);
}

Result<void> FolderTransport::checkList(std::stop_token stop) { return lists_.checkPages(stop); }

IndexChange FolderTransport::changing(std::optional<std::uint64_t> above) {
  return [this, above](const auto& edit, const std::stop_token& stop) -> Result<RefOutcome> {
    STRATA_TRY(isRemote());
    return lists_.change(edit, above, stop);
  };
}

Result<RefOutcome> FolderTransport::advanceRefs(const RefPush& push, std::stop_token stop) {
  STRATA_TRY(prepare());
  // The folders of the objects, whoever made them, are on the disk before a ref needs them.
  STRATA_TRY(syncFolder(folder_ / "objects"));
  STRATA_TRY(syncFolder(folder_));
  return advanceIndex(changing(push.above), push, stop);
}

Result<std::vector<StockedObject>> FolderTransport::listObjects(std::stop_token stop) {
  STRATA_TRY(checkFolders());
  std::vector<StockedObject> found;
  std::error_code status;
  fs::recursive_directory_iterator entries(folder_ / "objects", status);
  if (failedAs(status, std::errc::no_such_file_or_directory)) return found;
  for (; !status && entries != fs::recursive_directory_iterator(); entries.increment(status)) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    const auto digest = digestFromHex(entries->path().filename().string());
    if (entries.depth() != 1 || !digest || pathOf(*digest) != entries->path()) continue;
    std::error_code gone;
    const std::uintmax_t byteCount = entries->file_size(gone);
    const auto changedAt = gone ? fs::file_time_type() : entries->last_write_time(gone);
    if (gone) continue;
    found.push_back({*digest, byteCount, secondsSinceEpoch(changedAt)});
  }
  if (status) return fail(osError(folder_ / "objects", "list", status.value()));
  return found;
}

Result<Sweep> FolderTransport::sweep(const RefListing& seen, std::span<const Digest> objects,
                                     std::stop_token stop) {
  STRATA_TRY(prepare());  // it takes objects aside in a folder that may be gone
  SweptRemote remote{url(), changing(), {}, clock_};
  remote.takeAside = [&](const Digest& digest) { return aside_.take(digest); };
  remote.putBack = [&](const Digest& digest) { return aside_.putBack(digest); };
  remote.erase = [&](const Digest& digest, const std::stop_token&) { return aside_.erase(digest); };
  return sweepIndex(remote, seen, objects, stop);
}

Result<void> FolderTransport::awaitSweep(std::stop_token stop) {
  // Who will write there gives a lost marker back: earlier programs see no version without it.
  STRATA_TRY(const std::vector<std::uint64_t> all, listNumbers(folder_));
  if (!all.empty()) STRATA_TRY(prepare());
  STRATA_TRY(awaitIndexSweep({url(), changing(), {}, clock_, onWait_}, stop));
  return aside_.putAllBack();
}

Result<std::vector<std::string>> remotesBelow(const fs::path& folder) {
  std::error_code status;
  if (fs::exists(folder / kMarker, status)) return std::vector{FolderTransport(folder).url()};
  std::vector<std::string> found;
  fs::directory_iterator entries(folder, status);
  if (status) return fail(osError(folder, "list", status.value()));
  for (const fs::directory_entry& entry : entries) {
    if (fs::exists(entry.path() / kMarker, status)) {
      found.push_back(FolderTransport(entry.path()).url());
    }
  }
  return found;
}

}  // namespace strata::hub
