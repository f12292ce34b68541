#include "core/transfer/part_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/io/failed_as.h"
#include "core/io/open_file.h"
#include "core/io/os_error.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/store/store_places.h"
#include "core/transfer/transfer_queue.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".part";
constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::uint64_t kStretchBytes = std::uint64_t{4} << 20U;

/// Not a link either.
bool isFile(const fs::directory_entry& entry) {
  std::error_code gone;
  return entry.symlink_status(gone).type() == fs::file_type::regular;
}

/// Opens and locks; -1 if someone else holds it, with errno 0 then.
int openLocked(const fs::path& path) {
  constexpr int kAttempts = 8;
  for (int i = 0; i < kAttempts; ++i) {
    const int descriptor = openStoreFile(path, O_RDWR);
    if (descriptor < 0) return -1;
    // What is linked elsewhere, too, as by a copy of links, keeps its bytes there.
    struct stat info {};
    if (::fstat(descriptor, &info) == 0 && info.st_nlink > 1) {
      ::close(descriptor);
      if (::unlink(path.c_str()) != 0) return -1;
      continue;
    }
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && isStillNamed(descriptor, path)) {
      return descriptor;
    }
    const int reason = errno;
    ::close(descriptor);
    if (reason == EWOULDBLOCK) break;
  }
  errno = 0;
  return -1;
}

}  // namespace

PartFile::PartFile(fs::path path, int descriptor, const RemoteObject& object, bool isShared)
    : path_(std::move(path)), descriptor_(descriptor), object_(object), isShared_(isShared) {}

PartFile::PartFile(PartFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      object_(other.object_),
      isShared_(other.isShared_),
      hash_(std::move(other.hash_)),
      byteCount_(other.byteCount_) {}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  if (!isShared_ || byteCount_ == 0) ::unlink(path_.c_str());
  ::close(descriptor_);
}

Result<PartFile> PartFile::open(const fs::path& folder, const RemoteObject& object) {
  fs::path path = folder / (toHex(object.digest) + kEnding);
  int descriptor = openLocked(path);
  if (descriptor < 0 && errno == ENOENT) {  // the first of its store
    STRATA_TRY(makeStoreFolder(folder));
    descriptor = openLocked(path);
  }
  const bool isShared = descriptor >= 0;
  // Another process holds it, or another user's may not be written.
  if (!isShared && (errno == 0 || errno == EACCES)) {
    path = folder / fmt::format("{}.{}{}", toHex(object.digest), randomName(), kEnding);
    descriptor = openLocked(path);
  }
  if (descriptor < 0) return fail(osError(path, "create", errno));
  PartFile part(std::move(path), descriptor, object, isShared);
  STRATA_TRY(part.hashPrefix());
  return part;
}

Result<void> PartFile::hashPrefix() {
  struct stat info {};
  if (::fstat(descriptor_, &info) == 0 && info.st_size == 0) return {};  // as nearly always
  std::vector<std::byte> block(kBlockBytes);
  for (;;) {
    const ssize_t got = ::read(descriptor_, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(osError(path_, "read", errno));
    if (got == 0) break;
    hash_.update(std::span(block).first(static_cast<std::size_t>(got)));
    byteCount_ += static_cast<std::uint64_t>(got);
  }
  return byteCount_ > object_.byteCount ? restart() : Result<void>{};
}

Result<void> PartFile::append(std::span<const std::byte> bytes) {
  STRATA_TRY(writeAll(descriptor_, bytes, path_));
  hash_.update(bytes);
  const std::uint64_t first = byteCount_ / kStretchBytes * kStretchBytes;
  byteCount_ += bytes.size();
  if (byteCount_ - first >= kStretchBytes) {
    // To the disk while more comes, so that finish() waits for the last bytes only. Advice.
    static_cast<void>(::sync_file_range(descriptor_, static_cast<off_t>(first),
                                        static_cast<off_t>(byteCount_ - first),
                                        SYNC_FILE_RANGE_WRITE));
  }
  return {};
}

Result<void> PartFile::restart() {
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
    return fail(osError(path_, "empty", errno));
  }
  hash_ = Sha256();
  byteCount_ = 0;
  return {};
}

Result<void> PartFile::check() {
  const std::uint64_t got = byteCount_;
  const Digest digest = hash_.finish();
  if (got == object_.byteCount && digest == object_.digest) return {};
  STRATA_TRY(restart());
  return fail(ErrorCode::CorruptData,
              fmt::format("object {}: {} bytes with hash {} came, expected {} bytes with hash {}",
                          toHex(object_.digest), got, shortHex(digest), object_.byteCount,
                          shortHex(object_.digest)));
}

Result<void> PartFile::place(const ObjectFolder& objects) {
  if (::fsync(descriptor_) != 0) return fail(osError(path_, "sync", errno));
  STRATA_TRY(objects.adopt(path_, object_.digest));
  ::close(std::exchange(descriptor_, -1));
  return {};
}

Result<void> PartFile::placeUnsynced(const ObjectFolder& objects) {
  const fs::path place = objects.pathOf(object_.digest);
  const fs::path folder = place.parent_path();
  STRATA_TRY(checkOwnFolder(folder.parent_path().parent_path(), folder));
  STRATA_TRY(makeReadOnly(descriptor_, path_));
  int moved = ::rename(path_.c_str(), place.c_str());
  if (moved != 0 && errno == ENOENT) {  // the first of its folder
    STRATA_TRY(makeStoreFolder(folder));
    moved = ::rename(path_.c_str(), place.c_str());
  }
  if (moved != 0) return fail(osError(path_, "move", errno));
  ::close(std::exchange(descriptor_, -1));
  return {};
}

std::map<std::size_t, Error> PartFile::placeAll(std::span<PartFile> parts,
                                                const ObjectFolder& objects,
                                                const FileSystemSync& sync) {
  std::map<std::size_t, Error> failures;
  // A name never leads to bytes that are not on the disk.
  Result<void> synced = sync.run();
  for (std::size_t i = 0; synced && i < parts.size(); ++i) {
    const Result<void> placed = parts[i].placeUnsynced(objects);
    if (!placed) failures.emplace(i, placed.error());
  }
  if (synced) synced = sync.run();
  for (std::size_t i = 0; !synced && i < parts.size(); ++i) failures.emplace(i, synced.error());
  return failures;
}

Result<std::vector<LeftPart>> partsIn(const fs::path& folder) {
  constexpr std::size_t kDigits = 2 * sizeof(Digest);
  std::vector<LeftPart> parts;
  std::error_code status;
  fs::directory_iterator entries(folder, status);
  if (failedAs(status, std::errc::no_such_file_or_directory)) return parts;
  for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
    const fs::path& path = entries->path();
    const std::string name = path.filename().string();
    const auto digest = digestFromHex(name.substr(0, kDigits));
    if (path.extension() != kEnding || !digest || !isFile(*entries)) continue;
    const std::uintmax_t count = entries->file_size(status);
    if (failedAs(status, std::errc::no_such_file_or_directory))
      status.clear();  // finished by now
    else if (!status)
      parts.push_back({path, *digest, count, name == toHex(*digest) + kEnding});
  }
  if (status) return fail(osError(folder, "list", status.value()));
  std::sort(parts.begin(), parts.end(),
            [](const LeftPart& a, const LeftPart& b) { return a.path < b.path; });
  return parts;
}

bool isWritten(const LeftPart& part) {
  const int descriptor = ::open(part.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  // A shared lock conflicts with a writer's only.
  const bool isBusy = ::flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(descriptor);
  return isBusy;
}

bool removePart(const LeftPart& part) {
  const int descriptor = ::open(part.path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return errno == ENOENT;
  const bool isFree = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  const bool isGone = isFree && ::unlink(part.path.c_str()) == 0;
  ::close(descriptor);
  return isGone;
}

Result<void> MappedSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  const auto bytes = file_.bytes();
  if (offset > bytes.size() || out.size() > bytes.size() - offset) {
    return fail(ErrorCode::Internal, fmt::format("bytes {} to {} of {} were asked for", offset,
                                                 offset + out.size(), bytes.size()));
  }
  std::memcpy(out.data(), bytes.data() + offset, out.size());
  return file_.checkRead();
}

namespace {

/// The remote lists the object, so one that is not there is damage of the remote.
Result<void> getListed(Transport& transport, const RemoteObject& object, PartFile& part,
                       const std::stop_token& stop, const TransferMeter& meter) {
  Result<void> got = transport.get(object, part.byteCount(), part, stop, meter);
  if (got || got.error().code != ErrorCode::NotFound) return got;
  return fail(ErrorCode::CorruptData,
              got.error().message +
                  ", although it is listed there; \"strata remote verify\" names "
                  "all that is missing");
}

/// A whole part. What came damaged is fetched anew, twice.
Result<PartFile> fetchPart(Transport& transport, const fs::path& partsFolder,
                           const RemoteObject& object, const std::stop_token& stop,
                           const TransferMeter& meter) {
  constexpr int kAttempts = 3;
  STRATA_TRY(PartFile part, PartFile::open(partsFolder, object));
  if (meter) meter(static_cast<std::int64_t>(part.byteCount()));
  for (int attempt = 1;; ++attempt) {
    STRATA_TRY(getListed(transport, object, part, stop, meter));
    const std::uint64_t got = part.byteCount();
    const Result<void> checked = part.check();
    if (checked) return part;
    if (checked.error().code != ErrorCode::CorruptData || attempt == kAttempts) {
      return fail(checked.error());
    }
    if (meter) meter(-static_cast<std::int64_t>(got));
  }
}

/// How many may wait for a sync together. Each has a descriptor open; other pulls of this process
/// may have as many.
std::size_t mostSmallParts() {
  constexpr rlim_t kLeast = 250;
  constexpr rlim_t kMost = 8192;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kLeast;
  return std::clamp(limit.rlim_cur / 4, kLeast, kMost);
}

/// Small objects that came, until there are enough of them.
class SmallParts {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 20U;

  SmallParts(const ObjectFolder& objects, FileSystemSync sync, std::vector<Result<void>>& late)
      : objects_(objects), sync_(std::move(sync)), late_(late) {}

  /// From several threads; what it places fails or succeeds in `late`.
  void add(std::size_t index, PartFile part) {
    std::vector<PartFile> parts;
    std::vector<std::size_t> indices;
    {
      const std::scoped_lock lock(mutex_);
      parts_.push_back(std::move(part));
      indices_.push_back(index);
      if (parts_.size() < full_) return;
      parts.swap(parts_);
      indices.swap(indices_);
    }
    place(parts, indices);
  }

  /// When no thread adds any more.
  void placeRest() { place(parts_, indices_); }

 private:
  void place(std::vector<PartFile>& parts, const std::vector<std::size_t>& indices) {
    if (parts.size() <= FileSystemSync::kFew) {
      for (std::size_t i = 0; i < parts.size(); ++i) late_[indices[i]] = parts[i].place(objects_);
      return;
    }
    for (const auto& [i, error] : PartFile::placeAll(parts, objects_, sync_)) {
      late_[indices[i]] = fail(error);
    }
  }

  const ObjectFolder& objects_;
  FileSystemSync sync_;
  const std::size_t full_ = mostSmallParts();
  std::vector<Result<void>>& late_;  ///< each index belongs to one thread
  std::mutex mutex_;                 ///< guards the rest
  std::vector<PartFile> parts_;
  std::vector<std::size_t> indices_;
};

}  // namespace

std::vector<Result<void>> fetchObjects(Transport& transport, const fs::path& partsFolder,
                                       const ObjectFolder& objects,
                                       std::span<const RemoteObject> wanted, unsigned parallel,
                                       const std::stop_token& stop,
                                       const std::function<TransferMeter(std::size_t)>& meterOf) {
  std::vector<Result<void>> late(wanted.size());
  std::optional<SmallParts> small;
  if (wanted.size() > 1 && makeStoreFolder(partsFolder)) {
    auto sync = FileSystemSync::begin(partsFolder);
    if (sync) small.emplace(objects, *std::move(sync), late);
  }
  auto results = runTransfers(wanted.size(), parallel, stop, [&](std::size_t i) -> Result<void> {
    STRATA_TRY(PartFile part, fetchPart(transport, partsFolder, wanted[i], stop, meterOf(i)));
    if (!small || part.byteCount() > SmallParts::kMostBytes) return part.place(objects);
    small->add(i, std::move(part));
    return {};
  });
  if (small) small->placeRest();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i]) results[i] = std::move(late[i]);
  }
  return results;
}

}  // namespace strata
