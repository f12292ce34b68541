#include "core/store/refs/ref_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>

#include "core/io/durable_folder.h"
#include "core/io/mapped_file.h"
#include "core/io/os_error.h"
#include "core/io/temp_file.h"
#include "core/store/refs/ref_aside.h"
#include "core/store/refs/reference.h"
#include "core/store/store_places.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// Links are among the folders, so that whoever goes on with one refuses it.
enum class Listed { All, Folders };

bool isListed(DIR* folder, const ::dirent& entry, Listed listed) {
  if (std::string_view(entry.d_name) == "." || std::string_view(entry.d_name) == "..") return false;
  if (listed == Listed::All) return true;
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR || entry.d_type == DT_LNK;
  struct stat info {};
  const int looked = ::fstatat(::dirfd(folder), entry.d_name, &info, AT_SYMLINK_NOFOLLOW);
  return looked == 0 && (S_ISDIR(info.st_mode) || S_ISLNK(info.st_mode));
}

/// Gives `take` the names of what lies in `folder`, in any order; none if there is no such folder.
/// There may be thousands, and each command lists those of a name: none of them is looked at.
template <typename Take>
Result<void> forEachName(const fs::path& folder, Listed listed, Take take) {
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), &::closedir);
  if (opened == nullptr && errno == ENOENT) return {};
  if (opened == nullptr) return fail(osError(folder, "list", errno));
  for (errno = 0;; errno = 0) {
    const ::dirent* const entry = ::readdir(opened.get());
    if (entry == nullptr && errno != 0) return fail(osError(folder, "list", errno));
    if (entry == nullptr) return {};
    if (isListed(opened.get(), *entry, listed)) take(std::string_view(entry->d_name));
  }
}

/// Sorted.
Result<std::vector<std::string>> namesIn(const fs::path& folder, Listed listed) {
  std::vector<std::string> names;
  STRATA_TRY(forEachName(folder, listed, [&](std::string_view name) { names.emplace_back(name); }));
  std::sort(names.begin(), names.end());
  return names;
}

constexpr std::string_view kRefEnd = ".json";
constexpr std::string_view kGoingEnd = ".gone";

/// The number of "v12.json", where `end` is ".json"; 0 for other names.
std::uint32_t numberOf(std::string_view fileName, std::string_view end) {
  if (!fileName.starts_with('v') || !fileName.ends_with(end)) return 0;
  const std::string_view digits = fileName.substr(1, fileName.size() - end.size() - 1);
  std::uint32_t number = 0;
  const auto [stopped, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool isWhole = status == std::errc{} && stopped == digits.data() + digits.size();
  return isWhole ? number : 0;
}

constexpr std::string_view kLastFile = "last.json";
constexpr std::string_view kFormerFile = "was.json";

std::string fileName(std::uint32_t number, std::string_view end = kRefEnd) {
  return fmt::format("v{}{}", number, end);
}

/// A name that nothing has, for what is set aside.
fs::path freeAside(const fs::path& from) {
  fs::path to = from.string() + kAsideEnd;
  std::error_code status;
  for (int copy = 2; fs::exists(fs::symlink_status(to, status)); ++copy) {
    to = fmt::format("{}{}-{}", from.string(), kAsideEnd, copy);
  }
  return to;
}

}  // namespace

RefFolder::RefFolder(const fs::path& storeFolder)
    : store_(storeFolder),
      refs_(storeFolder / "refs"),
      trash_(storeFolder / "trash"),
      temporary_(storeFolder / "tmp") {}

std::uint32_t RefFolder::versionOf(std::string_view fileName, Place place) {
  const std::uint32_t number = numberOf(fileName, kRefEnd);
  return number == 0 && place == Place::Trash ? numberOf(fileName, kGoingEnd) : number;
}

bool RefFolder::isNote(std::string_view fileName) {
  return fileName == kLastFile || fileName == kFormerFile;
}

Result<std::vector<std::string>> RefFolder::filesIn(const fs::path& folder) const {
  STRATA_TRY(checkOwnFolder(store_, folder));
  return namesIn(folder, Listed::All);
}

Result<std::vector<std::uint32_t>> RefFolder::numbersIn(const fs::path& folder,
                                                        std::string_view end) const {
  STRATA_TRY(checkOwnFolder(store_, folder));
  std::vector<std::uint32_t> numbers;
  STRATA_TRY(forEachName(folder, Listed::All, [&](std::string_view name) {
    if (const std::uint32_t number = numberOf(name, end); number != 0) numbers.push_back(number);
  }));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

Result<RefFolder::Numbers> RefFolder::allNumbersIn(const fs::path& folder,
                                                   std::string_view end) const {
  STRATA_TRY(checkOwnFolder(store_, folder));
  STRATA_TRY(const std::vector<std::string> names, namesIn(folder, Listed::Folders));
  Numbers all;
  for (const std::string& key : names) {
    const auto name = nameOfKey(key);
    if (!name) continue;
    STRATA_TRY(std::vector<std::uint32_t> numbers, numbersIn(folder / key, end));
    if (!numbers.empty()) all.emplace(*name, std::move(numbers));
  }
  return all;
}

Result<std::string> RefFolder::readText(const fs::path& file) const {
  STRATA_TRY(checkOwnFile(store_, file));
  STRATA_TRY(const MappedFile mapped, MappedFile::open(file));
  std::string text(reinterpret_cast<const char*>(mapped.bytes().data()), mapped.bytes().size());
  STRATA_TRY(mapped.checkRead());
  return text;
}

Result<VersionRef> RefFolder::readVersionFile(const fs::path& file, std::string_view name,
                                              std::uint32_t number) const {
  STRATA_TRY(const std::string text, readText(file));
  Result<VersionRef> ref = parseVersionRef(text);
  if (!ref) return fail(ref.error().within(file.string()));
  if (ref->name != name || ref->number != number) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: is the ref of {}", file.string(), ref->label()));
  }
  return ref;
}

Result<void> RefFolder::makeFolderOf(const fs::path& file) const {
  const fs::path folder = file.parent_path();
  STRATA_TRY(checkOwnFolder(store_, folder));
  // That of a name comes before its tags.
  if (folder.parent_path() != refs_ && folder.parent_path() != trash_) {
    STRATA_TRY(makeSyncedFolder(folder.parent_path()));
  }
  return makeSyncedFolder(folder);
}

Result<void> RefFolder::write(const fs::path& file, std::string_view text) const {
  STRATA_TRY(makeFolderOf(file));
  STRATA_TRY(checkOwnFile(store_, file));
  return writeFileWhole(temporary_, file, text);
}

Result<void> RefFolder::erase(const fs::path& file) const {
  STRATA_TRY(checkOwnFolder(store_, file.parent_path()));
  if (::unlink(file.c_str()) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    const Error failed = osError(file, "delete", errno);
    STRATA_TRY(checkOwnFile(store_, file));
    return fail(failed);
  }
  STRATA_TRY(syncFolder(file.parent_path()));
  // Empty folders of names go, too; those in use refuse.
  if (file.parent_path() != store_) ::rmdir(file.parent_path().c_str());
  return {};
}

const fs::path& RefFolder::folderOf(Place place) const {
  return place == Place::Live ? refs_ : trash_;
}

Result<RefFolder::Numbers> RefFolder::versionNumbers(Place place) const {
  return allNumbersIn(folderOf(place), kRefEnd);
}

Result<RefFolder::Numbers> RefFolder::goingNumbers() const {
  return allNumbersIn(trash_, kGoingEnd);
}

Result<std::vector<std::string>> RefFolder::names() const {
  STRATA_TRY(checkOwnFolder(store_, refs_));
  STRATA_TRY(checkOwnFolder(store_, trash_));
  STRATA_TRY(std::vector<std::string> names, namesIn(refs_, Listed::Folders));
  STRATA_TRY(const std::vector<std::string> trashed, namesIn(trash_, Listed::Folders));
  names.insert(names.end(), trashed.begin(), trashed.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> known;
  for (const std::string& key : names) {
    if (auto name = nameOfKey(key)) known.push_back(*std::move(name));
  }
  std::sort(known.begin(), known.end());
  return known;
}

Result<std::vector<std::uint32_t>> RefFolder::versionNumbers(std::string_view name,
                                                             Place place) const {
  return numbersIn(folderOf(place) / nameKey(name), kRefEnd);
}

fs::path RefFolder::versionPath(std::string_view name, std::uint32_t number, Place place) const {
  return folderOf(place) / nameKey(name) / fileName(number);
}

fs::path RefFolder::tagPath(std::string_view name, std::string_view tag) const {
  return refs_ / nameKey(name) / "tags" / (std::string(tag) + ".json");
}

fs::path RefFolder::lastNumberPath(std::string_view name) const {
  return refs_ / nameKey(name) / kLastFile;
}

fs::path RefFolder::formerNamePath(std::string_view name) const {
  return refs_ / nameKey(name) / kFormerFile;
}

Result<VersionRef> RefFolder::readVersion(std::string_view name, std::uint32_t number,
                                          Place place) const {
  return readVersionFile(versionPath(name, number, place), name, number);
}

Result<VersionRef> RefFolder::readGoing(std::string_view name, std::uint32_t number) const {
  return readVersionFile(trash_ / nameKey(name) / fileName(number, kGoingEnd), name, number);
}

Result<TagRef> RefFolder::readTag(std::string_view name, std::string_view tag) const {
  const fs::path file = tagPath(name, tag);
  STRATA_TRY(const std::string text, readText(file));
  Result<TagRef> ref = parseTagRef(text);
  if (!ref) return fail(ref.error().within(file.string()));
  if (ref->name != name || ref->tag != tag) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: is the ref of {}:{}", file.string(), ref->name, ref->tag));
  }
  return ref;
}

Result<std::vector<std::string>> RefFolder::tagNames(std::string_view name) const {
  STRATA_TRY(const std::vector<std::string> files, filesIn(refs_ / nameKey(name) / "tags"));
  std::vector<std::string> tags;
  for (const std::string& file : files) {
    const std::string_view stem = std::string_view(file).substr(0, file.rfind(".json"));
    if (file.ends_with(".json") && checkTag(stem)) tags.emplace_back(stem);
  }
  return tags;
}

// Kept as the refs of tags: "last" points to the number.
Result<std::string> RefFolder::readNote(std::string_view name, std::string_view fileName) const {
  const fs::path file = refs_ / nameKey(name) / fileName;
  Result<std::string> text = readText(file);
  if (!text && text.error().code == ErrorCode::NotFound) return std::string();
  if (!text) return fail(text.error());
  Result<TagRef> ref = parseTagRef(*text);
  if (!ref) return fail(ref.error().within(file.string()));
  // The note is another name, or empty; it becomes a part of paths.
  const bool isItsOwn = ref->name == name && ref->tag + std::string(kRefEnd) == fileName;
  if (!isItsOwn || ref->note == name || (!ref->note.empty() && !checkName(ref->note))) {
    return fail(ErrorCode::CorruptData, file.string() + ": says nothing of a name of this store");
  }
  return text;
}

Result<LastNumber> RefFolder::readLastNumber(std::string_view name) const {
  STRATA_TRY(const std::string text, readNote(name, kLastFile));
  if (text.empty()) return LastNumber{};
  auto last = parseLastNumber(text);
  if (!last) return fail(last.error().within(lastNumberPath(name).string()));
  return last;
}

Result<std::string> RefFolder::readFormerName(std::string_view name) const {
  STRATA_TRY(const std::string text, readNote(name, kFormerFile));
  if (text.empty()) return text;
  STRATA_TRY(TagRef ref, parseTagRef(text));
  return std::move(ref.note);
}

Result<void> RefFolder::checkMayChange(std::string_view name) const {
  for (const fs::path& folder :
       {refs_ / nameKey(name), refs_ / nameKey(name) / "tags", trash_ / nameKey(name)}) {
    if (::access(folder.c_str(), W_OK | X_OK) == 0 || errno == ENOENT) continue;
    return fail(osError(folder, "write to", errno));
  }
  return {};
}

Result<void> RefFolder::writeVersion(const VersionRef& ref) const {
  return write(versionPath(ref.name, ref.number), serializeVersionRef(ref));
}

Result<void> RefFolder::writeNewVersion(const VersionRef& ref) const {
  const fs::path path = versionPath(ref.name, ref.number, ref.place());
  STRATA_TRY(makeFolderOf(path));
  STRATA_TRY(TempFile file, TempFile::createForStore(temporary_, "write"));
  const std::string text = serializeVersionRef(ref);
  STRATA_TRY(file.append(std::as_bytes(std::span(text))));
  return file.moveToNew(path);
}

Result<void> RefFolder::writeTrashed(const VersionRef& ref) const {
  return write(versionPath(ref.name, ref.number, Place::Trash), serializeVersionRef(ref));
}

Result<void> RefFolder::writeTag(const TagRef& ref) const {
  return write(tagPath(ref.name, ref.tag), serializeTagRef(ref));
}

Result<void> RefFolder::writeLastNumber(std::string_view name, const LastNumber& last) const {
  return write(refs_ / nameKey(name) / kLastFile, serializeLastNumber(name, last));
}

Result<void> RefFolder::writeFormerName(std::string_view name, std::string_view former) const {
  const TagRef note{std::string(name), "was", 1, std::string(former)};
  return write(refs_ / nameKey(name) / kFormerFile, serializeTagRef(note));
}

fs::path RefFolder::changePath() const { return store_ / kChangeFile; }

Result<std::optional<RefChange>> RefFolder::readChange() const {
  const fs::path file = changePath();
  const Result<std::string> text = readText(file);
  if (!text && text.error().code == ErrorCode::NotFound) return std::nullopt;
  if (!text) return fail(text.error());
  Result<RefChange> change = parseRefChange(*text);
  if (!change) return fail(change.error().within(file.string()));
  return *std::move(change);
}

Result<void> RefFolder::writeChange(const RefChange& change) const {
  return writeFileWhole(temporary_, changePath(), serializeRefChange(change));
}

Result<void> RefFolder::eraseChange() const { return erase(changePath()); }

Result<void> RefFolder::markGoing(std::string_view name, std::uint32_t number) const {
  const fs::path from = versionPath(name, number, Place::Trash);
  const fs::path to = trash_ / nameKey(name) / fileName(number, kGoingEnd);
  STRATA_TRY(checkOwnFile(store_, from));
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(osError(from, "move", errno));
  return syncFolder(from.parent_path());
}

Result<fs::path> RefFolder::setAside(const fs::path& from) const {
  STRATA_TRY(checkOwnFile(store_, from));
  const fs::path to = freeAside(from);
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(osError(from, "move", errno));
  STRATA_TRY(syncFolder(from.parent_path()));
  return to;
}

Result<fs::path> RefFolder::setAside(std::string_view name, std::uint32_t number,
                                     Place place) const {
  return setAside(versionPath(name, number, place));
}

Result<fs::path> RefFolder::setTagAside(std::string_view name, std::string_view tag) const {
  return setAside(tagPath(name, tag));
}

Result<fs::path> RefFolder::setFormerNameAside(std::string_view name) const {
  return setAside(formerNamePath(name));
}

Result<fs::path> RefFolder::copyChangeAside() const {
  const fs::path from = changePath();
  STRATA_TRY(const std::string text, readText(from));
  const fs::path to = freeAside(from);
  STRATA_TRY(writeFileWhole(temporary_, to, text));
  return to;
}

Result<void> RefFolder::unmarkGoing(std::string_view name, std::uint32_t number) const {
  const fs::path from = trash_ / nameKey(name) / fileName(number, kGoingEnd);
  const fs::path to = versionPath(name, number, Place::Trash);
  STRATA_TRY(checkOwnFile(store_, from));
  if (::rename(from.c_str(), to.c_str()) == 0) return syncFolder(to.parent_path());
  if (errno == ENOENT) return {};
  return fail(osError(from, "move", errno));
}

Result<void> RefFolder::eraseGoing(std::string_view name, std::uint32_t number) const {
  return erase(trash_ / nameKey(name) / fileName(number, kGoingEnd));
}

Result<void> RefFolder::eraseVersion(std::string_view name, std::uint32_t number,
                                     Place place) const {
  return erase(versionPath(name, number, place));
}

Result<void> RefFolder::eraseTag(std::string_view name, std::string_view tag) const {
  STRATA_TRY(erase(tagPath(name, tag)));
  ::rmdir((refs_ / nameKey(name)).c_str());
  return {};
}

Result<void> RefFolder::eraseFormerName(std::string_view name) const {
  return erase(refs_ / nameKey(name) / kFormerFile);
}

Result<void> giveTags(const RefFolder& refs, VersionRef ref) {
  if (ref.tags.empty()) return {};
  for (TagRef& tag : ref.tags) {
    tag.name = ref.name;
    tag.number = ref.number;
    STRATA_TRY(refs.writeTag(tag));
  }
  ref.tags.clear();
  return refs.writeVersion(ref);
}

}  // namespace strata
