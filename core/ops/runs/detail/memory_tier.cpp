#include "core/ops/runs/detail/memory_tier.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <span>
#include <system_error>
#include <utility>

#include "core/digest.h"
#include "core/io/free_space.h"
#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/owned/owned_folder.h"
#include "core/io/temp_file.h"
#include "core/io/text_file.h"
#include "core/ops/runs/detail/staged_checkpoint.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCopy = "copy-";               ///< to be stored
constexpr std::string_view kAside = "aside-";             ///< no use, and kept
constexpr std::string_view kHalf = ".strata-copying-";    ///< being copied
constexpr std::string_view kDeleted = ".strata-memory-";  ///< being deleted
constexpr std::string_view kList = "strata-files.txt";    ///< in each
constexpr std::uintmax_t kMostListBytes = std::uintmax_t{64} << 20;

/// Whether a folder is this user's, and nobody else can put anything into it.
bool isOurs(const fs::path& folder) noexcept {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

std::uint64_t sizeOf(const fs::path& path) {
  std::error_code problem;
  if (fs::is_directory(fs::symlink_status(path, problem))) return bytesUnder(path);
  const std::uintmax_t bytes = fs::file_size(path, problem);
  return problem ? 0 : bytes;
}

/// What the name of such a folder says: "copy-7-500" is the seventh copy, of step 500.
struct NameOfCopy {
  std::uint64_t number = 0;
  std::uint64_t step = 0;
};

NameOfCopy readName(const fs::path& folder) {
  const std::string name = folder.filename().string();
  NameOfCopy read;
  const char* const end = name.data() + name.size();
  const auto [at, status] =
      std::from_chars(name.data() + std::min(name.find('-') + 1, name.size()), end, read.number);
  if (status == std::errc() && at != end && *at == '-') std::from_chars(at + 1, end, read.step);
  return read;
}

/// The checkpoint in such a folder. Of one that is gone the list knows the name.
MemoryTier::Copy copyIn(const fs::path& folder) {
  MemoryTier::Copy copy{.folder = folder, .place = {}};
  auto places = CheckpointScan(folder).look();
  if (places && !places->empty()) {
    copy.place = std::move(places->front());
  } else if (const auto listed = MemoryTier::listed(copy); listed && !listed->name().empty()) {
    copy.place.path = folder / listed->name();
  }
  if (const NameOfCopy name = readName(folder); name.step > 0) copy.place.step = name.step;
  return copy;
}

std::vector<MemoryTier::Copy> copiesIn(const std::vector<fs::path>& folders) {
  std::vector<MemoryTier::Copy> copies;
  for (const fs::path& folder : folders) copies.push_back(copyIn(folder));
  return copies;
}

Error damagedCopy(const std::string& why) {
  return {ErrorCode::CorruptData, "its copy in memory is damaged: " + why};
}

}  // namespace

MemoryTier::MemoryTier(const fs::path& memory, const fs::path& storeFolder, const std::string& run,
                       std::uint64_t mostBytes)
    : mostBytes_(mostBytes) {
  std::error_code problem;
  const fs::path store = fs::weakly_canonical(storeFolder, problem);
  const std::string text = (problem ? storeFolder : store).string() + '\n' + run;
  const Digest digest = sha256(std::as_bytes(std::span(text)));
  const fs::path around = memory.empty() ? fs::path("/dev/shm") : memory;
  folder_ = around / ("strata-run-" + toHex(digest).substr(0, 32));
}

Result<void> MemoryTier::makeFolder() const {
  if (::mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return fail(osError(folder_, "make", errno));
  }
  if (isOurs(folder_)) return {};
  return fail(ErrorCode::Io, folder_.string() + ": is not this user's alone, so it is not used");
}

Result<bool> MemoryTier::copy(const CheckpointPlace& checkpoint, const CheckpointTools& tools,
                              const std::stop_token& stop) const {
  STRATA_TRY(makeFolder());
  const std::uint64_t bytes = sizeOf(checkpoint.path);
  STRATA_TRY(const std::uint64_t free, freeBytes(folder_));
  if (bytes > free || usedBytes() + bytes > mostBytes_) return false;
  const std::string name = checkpoint.path.filename().string();
  const fs::path half = folder_ / (std::string(kHalf) + randomName());
  const auto make = [&]() -> Result<void> {
    std::error_code problem;
    fs::create_directory(half, problem);
    if (problem) return fail(osError(half, "make", problem.value()));
    STRATA_TRY(const auto files, CopiedFiles::copy(checkpoint.path, half / name, stop));
    if (stampOf(checkpoint.path) != checkpoint.stamp) {
      return changedWhileRead(name, "its files are others now");
    }
    STRATA_TRY(const auto state, tools.check(half / name));
    if (!state.isFinished()) return fail(ErrorCode::Io, "is not finished: " + state.unfinished);
    STRATA_TRY(writeTextFile(half / kList, files.text(), S_IRUSR | S_IWUSR));
    const fs::path to = nextFolder(kCopy, checkpoint.step);
    fs::rename(half, to, problem);
    if (problem) return fail(osError(to, "rename to", problem.value()));
    return {};
  };
  const auto made = make();
  std::error_code ignored;
  if (!made) fs::remove_all(half, ignored);
  if (!made) return fail(made.error());
  return true;
}

std::vector<MemoryTier::Copy> MemoryTier::waiting() const {
  std::vector<Copy> copies = copiesIn(foldersNamed(kCopy));
  std::ranges::sort(copies, {}, [](const Copy& copy) {
    return std::pair(copy.place.step.value_or(0), readName(copy.folder).number);
  });
  return copies;
}

std::vector<MemoryTier::Copy> MemoryTier::unfinished() const {
  std::vector<Copy> copies = copiesIn(foldersNamed(kHalf));
  for (const fs::path& one : foldersNamed("")) {
    const std::string name = one.filename().string();
    const bool isOurs =
        name.starts_with('.') || name.starts_with(kCopy) || name.starts_with(kAside);
    if (!isOurs) copies.push_back({.folder = one, .place = {.path = one}});
  }
  return copies;
}

std::vector<MemoryTier::Copy> MemoryTier::aside() const { return copiesIn(foldersNamed(kAside)); }

Result<CopiedFiles> MemoryTier::listed(const Copy& copy) {
  const auto file = MappedFile::open(copy.folder / kList);
  if (!file && file.error().code == ErrorCode::NotFound) {
    return fail(damagedCopy("the list of its files is not there"));
  }
  if (!file) return fail(file.error());
  const auto bytes = file->bytes();
  if (bytes.size() > kMostListBytes) return fail(damagedCopy("the list of its files is damaged"));
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto files = CopiedFiles::parse(text);
  if (!files) return fail(damagedCopy(files.error().message));
  return files;
}

Result<void> MemoryTier::check(const Copy& copy, const fs::path& files,
                               const std::stop_token& stop) {
  STRATA_TRY(const auto listed, MemoryTier::listed(copy));
  std::error_code status;
  if (!fs::exists(files, status)) return fail(damagedCopy("its files are not there"));
  STRATA_TRY(const auto found, CopiedFiles::of(files, stop));
  const auto difference = listed.differenceTo(found);
  if (difference) return fail(damagedCopy(*difference));
  return {};
}

void MemoryTier::drop(const Copy& copy) const {
  std::error_code problem;
  const fs::path hidden = folder_ / (std::string(kDeleted) + randomName());
  fs::rename(copy.folder, hidden, problem);  // who reads it sees that it is gone, and no half of it
  if (!problem) fs::remove_all(hidden, problem);
}

Result<MemoryTier::Copy> MemoryTier::setAside(const Copy& copy) const {
  std::error_code problem;
  const fs::path to = nextFolder(kAside, copy.place.step);
  const bool isBare = copy.folder == copy.place.path;
  if (isBare) fs::create_directory(to, problem);
  fs::rename(copy.folder, isBare ? to / copy.folder.filename() : to, problem);
  if (problem) return fail(osError(to, "rename to", problem.value()));
  return copyIn(to);
}

Result<void> MemoryTier::takeBack(const Copy& copy) const {
  std::error_code problem;
  const fs::path to = nextFolder(kCopy, copy.place.step);
  fs::rename(copy.folder, to, problem);
  if (problem) return fail(osError(to, "rename to", problem.value()));
  return {};
}

void MemoryTier::clean() const {
  if (!isOurs(folder_)) return;
  std::error_code problem;
  for (const std::string_view start : {kCopy, kAside, kHalf}) {
    for (const fs::path& one : foldersNamed(start)) OwnedFolder::removeDead(one, kStagingPrefix);
  }
  for (const fs::path& one : foldersNamed(kDeleted)) fs::remove_all(one, problem);
  for (const Copy& one : aside()) {
    if (!fs::exists(one.place.path, problem)) drop(one);
  }
  ::rmdir(folder_.c_str());  // where nothing is in it
}

std::vector<fs::path> MemoryTier::foldersNamed(std::string_view start) const {
  std::vector<fs::path> folders;
  if (!isOurs(folder_)) return folders;
  std::error_code problem;
  for (fs::directory_iterator at(folder_, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().filename().string().starts_with(start)) folders.push_back(at->path());
  }
  std::ranges::sort(folders, {},
                    [](const fs::path& one) { return std::pair(readName(one).number, one); });
  return folders;
}

/// Numbers grow, so that they say in which order copies were made.
fs::path MemoryTier::nextFolder(std::string_view start, std::optional<std::uint64_t> step) const {
  std::uint64_t last = 0;
  for (const std::string_view any : {kCopy, kAside}) {
    for (const fs::path& one : foldersNamed(any)) last = std::max(last, readName(one).number);
  }
  return folder_ / fmt::format("{}{}-{}", start, last + 1, step.value_or(0));
}

/// Links that the watcher made of a copy which it stores take nothing. It may delete copies
/// meanwhile: the others count all the same.
std::uint64_t MemoryTier::usedBytes() const {
  std::uint64_t bytes = 0;
  for (const fs::path& copy : foldersNamed("")) {
    std::error_code problem;
    if (!fs::is_directory(copy, problem)) {
      bytes += sizeOf(copy);
      continue;
    }
    fs::recursive_directory_iterator at(copy, problem);
    for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
      std::error_code vanished;
      const bool isStaged = at->path().filename().string().starts_with(kStagingPrefix);
      if (isStaged) at.disable_recursion_pending();
      const bool isFile = at->is_regular_file(vanished);
      const std::uintmax_t size = isFile ? at->file_size(vanished) : 0;
      if (!vanished) bytes += size;
    }
  }
  return bytes;
}

}  // namespace strata
