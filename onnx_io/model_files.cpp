#include "onnx_io/model_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "core/io/failed_as.h"
#include "core/model/file_mode.h"
#include "core/store/store.h"
#include "onnx_io/utf8.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 100'000;
constexpr int kMaxFolderDepth = 64;
constexpr std::string_view kIgnoreFile = ".strataignore";
constexpr std::size_t kMostIgnoreBytes = 1'000'000;

tl::unexpected<Error> refused(std::string_view name, fs::file_type type) {
  const std::string_view what = type == fs::file_type::fifo        ? "a fifo"
                                : type == fs::file_type::socket    ? "a socket"
                                : type == fs::file_type::block     ? "a block device"
                                : type == fs::file_type::character ? "a character device"
                                : type == fs::file_type::directory ? "a folder"
                                                                   : "neither file nor folder";
  return fail(ErrorCode::Unsupported,
              fmt::format("{}: is {}, expected a regular file", name, what));
}

/// What it means that a path out of a model, or a link in its folder, cannot be followed.
ErrorCode codeOf(std::error_code problem) noexcept {
  if (failedAs(problem, std::errc::no_such_file_or_directory) ||
      failedAs(problem, std::errc::not_a_directory)) {
    return ErrorCode::NotFound;
  }
  const bool isHostile = failedAs(problem, std::errc::too_many_symbolic_link_levels) ||
                         failedAs(problem, std::errc::filename_too_long);
  return isHostile ? ErrorCode::CorruptData : ErrorCode::Io;
}

bool isInside(const fs::path& root, const fs::path& place) {
  const auto [rootEnd, rest] = std::mismatch(root.begin(), root.end(), place.begin(), place.end());
  return rootEnd == root.end() && rest != place.end();
}

bool isCachedModel(const fs::path& folder) {
  return folder.filename().string().starts_with("models--");
}

/// The blobs that a snapshot in a Hugging Face cache consists of links to; else nothing. The model
/// may lie in a subfolder of the snapshot. `root` is without links.
fs::path blobsOf(const fs::path& root) {
  for (fs::path at = root; at.has_relative_path(); at = at.parent_path()) {
    const fs::path snapshots = at.parent_path();
    if (snapshots.filename() != "snapshots" || !isCachedModel(snapshots.parent_path())) continue;
    return snapshots.parent_path() / "blobs";
  }
  return {};
}

/// Splits at both kinds of slash, so that a model made on another system cannot climb out here.
bool climbsOut(std::string_view location) noexcept {
  while (!location.empty()) {
    const std::size_t end = std::min(location.find_first_of("/\\"), location.size());
    if (location.substr(0, end) == "..") return true;
    location.remove_prefix(std::min(end + 1, location.size()));
  }
  return false;
}

/// `location` below `folder` without empty and "." parts; nothing if it cannot be a relative path.
std::optional<std::string> relativePath(std::string_view folder, std::string_view location) {
  const bool isBad = location.empty() || location.front() == '/' || climbsOut(location) ||
                     location.find('\0') != std::string_view::npos || !isUtf8(location);
  if (isBad) return std::nullopt;
  std::string out(folder);
  while (!location.empty()) {
    const std::size_t end = std::min(location.find('/'), location.size());
    const std::string_view part = location.substr(0, end);
    if (!part.empty() && part != ".") {
      if (!out.empty()) out += '/';
      out += part;
    }
    location.remove_prefix(std::min(end + 1, location.size()));
  }
  if (out.size() == folder.size()) return std::nullopt;
  return out;
}

std::string_view folderOf(std::string_view name) noexcept {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

}  // namespace

Result<std::uint32_t> ModelFiles::add(std::string name) {
  if (!isUtf8(name)) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: file name is not UTF-8", toUtf8(name, kMaxNameBytes)));
  }
  auto mapped = MappedFile::open(root_ / name);
  if (!mapped) return fail(std::move(mapped).error());
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.push_back({name, FileKind::Other, mapped->bytes(), keptMode(mapped->mode())});
  mapped_.push_back(std::move(*mapped));
  numbers_.emplace(std::move(name), number);
  return number;
}

Result<void> ModelFiles::setRoot(fs::path root, Links links) {
  root_ = std::move(root);
  links_ = links;
  std::error_code problem;
  canonicalRoot_ = fs::canonical(root_, problem);
  if (problem) {
    return fail(ErrorCode::Io, root_.string() + ": cannot resolve: " + problem.message());
  }
  blobs_ = blobsOf(canonicalRoot_);
  return {};
}

Result<ModelFiles> ModelFiles::ofFile(const fs::path& path, Links links) {
  ModelFiles model;
  STRATA_TRY(model.setRoot(path.has_parent_path() ? path.parent_path() : fs::path("."), links));
  STRATA_TRY(model.add(path.filename().string()));
  return model;
}

/// A link or anything else of that name is left to the listing, which says what it is.
Result<void> ModelFiles::readIgnoreFile() {
  const fs::path file = root_ / kIgnoreFile;
  std::error_code problem;
  if (fs::symlink_status(file, problem).type() != fs::file_type::regular) return {};
  STRATA_TRY(const MappedFile mapped, MappedFile::open(file));
  const auto bytes = mapped.bytes();
  if (bytes.size() > kMostIgnoreBytes) {
    return fail(ErrorCode::LimitExceeded, fmt::format("{}: is {} bytes, at most {} are read",
                                                      kIgnoreFile, bytes.size(), kMostIgnoreBytes));
  }
  ignored_.addLines({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return {};
}

Result<ModelFiles> ModelFiles::ofFolder(const fs::path& folder, Links links,
                                        const std::vector<std::string>& exclude) {
  ModelFiles model;
  STRATA_TRY(model.setRoot(folder, links));
  STRATA_TRY(model.readIgnoreFile());
  for (const std::string& pattern : exclude) model.ignored_.add(pattern);
  std::error_code problem;
  if (isCachedModel(model.canonicalRoot_) && fs::is_directory(folder / "snapshots", problem)) {
    return fail(
        ErrorCode::Unsupported,
        "is a Hugging Face cache of a model, expected one of its folders snapshots/REVISION");
  }
  STRATA_TRY(model.addAll());
  return model;
}

/// What a folder holds.
struct ModelFiles::Listing {
  std::set<std::string> files;  ///< in the order of the paths, whatever the file system's is
  std::vector<std::string> skipped;
  std::vector<std::string> links;
  std::vector<std::string> emptyFolders;
};

Result<ModelFiles::Listing> ModelFiles::list() const {
  Listing out;
  std::error_code problem;
  fs::recursive_directory_iterator at(root_, problem);
  while (!problem && at != fs::recursive_directory_iterator()) {
    STRATA_TRY(listEntry(at, out));
    at.increment(problem);
  }
  if (problem) {
    return fail(ErrorCode::Io, root_.string() + ": cannot list: " + problem.message());
  }
  return out;
}

namespace {

/// Folders of other programs' histories, and of a store of ours: no files of a model, and a store
/// changes while it takes one.
bool isRepositoryFolder(const fs::path& place) {
  std::error_code problem;
  if (place.filename() == ".git") return true;
  return Store::isStore(place) &&
         (place.filename() == ".strata" || fs::is_directory(place / "objects", problem));
}

}  // namespace

Result<void> ModelFiles::listEntry(fs::recursive_directory_iterator& at, Listing& out) const {
  std::error_code problem;
  const fs::path& place = at->path();
  const std::string name = place.lexically_relative(root_).generic_string();
  const fs::file_type type = at->symlink_status(problem).type();
  const bool isFolder = type == fs::file_type::directory;
  const bool isRepository = isFolder && isRepositoryFolder(place);
  const IgnoreList::Verdict verdict = ignored_.verdict(name, isFolder);
  if (isRepository || verdict != IgnoreList::Verdict::Kept) {
    if (isFolder) at.disable_recursion_pending();
    const bool isSaid = !isRepository && verdict == IgnoreList::Verdict::Excluded;
    if (!isSaid) out.skipped.push_back(toUtf8(name, kMaxNameBytes));
    return {};
  }
  if (isFolder) {
    if (at.depth() >= kMaxFolderDepth) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("{}: folders nest deeper than {}", name, kMaxFolderDepth));
    }
    if (fs::is_empty(place, problem)) out.emptyFolders.push_back(toUtf8(name, kMaxNameBytes));
    return {};
  }
  if (type == fs::file_type::symlink) {
    STRATA_TRY(checkLink(place, name));
    if (blobs_.empty()) out.links.push_back(toUtf8(name, kMaxNameBytes));
  } else if (type != fs::file_type::regular) {
    return refused(name, type);
  }
  if (out.files.size() == kMaxFiles) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{}: holds more than {} files", root_.string(), kMaxFiles));
  }
  out.files.insert(name);
  return {};
}

Result<void> ModelFiles::addAll() {
  STRATA_TRY(Listing found, list());
  for (const std::string& name : found.files) STRATA_TRY(add(name));
  skipped_ = std::move(found.skipped);
  linkNames_ = std::move(found.links);
  emptyFolders_ = std::move(found.emptyFolders);
  for (auto* const names : {&linkNames_, &emptyFolders_}) std::sort(names->begin(), names->end());
  isComplete_ = true;
  return {};
}

Result<void> ModelFiles::checkListing() const {
  const auto found = list();
  if (!found) return changedWhileRead(root_.string(), found.error().message);
  for (const std::string& name : found->files) {
    if (!numbers_.contains(name)) return changedWhileRead(root_.string(), name + " is new");
  }
  return {};
}

Result<void> ModelFiles::checkUnchanged() const {
  for (const MappedFile& file : mapped_) STRATA_TRY(file.checkUnchanged());
  return isComplete_ ? checkListing() : Result<void>();
}

bool ModelFiles::mayLeadTo(const fs::path& target) const {
  if (links_ == Links::Followed || isInside(canonicalRoot_, target)) return true;
  return !blobs_.empty() && target.parent_path() == blobs_;
}

Result<void> ModelFiles::checkLink(const fs::path& place, const std::string& name) const {
  std::error_code problem;
  const fs::path target = fs::canonical(place, problem);
  if (problem) {
    return fail(codeOf(problem), fmt::format("{}: cannot be opened: {}", name, problem.message()));
  }
  const fs::file_type type = fs::status(target, problem).type();
  if (type == fs::file_type::directory && fs::is_symlink(place, problem)) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{}: leads to a folder, expected a link to a file; a line {} in the "
                            "folder's .strataignore leaves it out",
                            name, name));
  }
  if (!mayLeadTo(target)) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: leads to {}, expected a place inside the model's folder {}; with "
                            "--follow-links it is followed",
                            name, toUtf8(target.string(), kMaxNameBytes), canonicalRoot_.string()));
  }
  if (type != fs::file_type::regular) return refused(name, type);
  return {};
}

Result<std::uint32_t> ModelFiles::resolve(std::uint32_t referrer, std::string_view text) {
  // A copy: what is checked here is what is opened, even if the file is being written.
  const std::string location(text);
  const auto name = relativePath(folderOf(files_[referrer].path), location);
  if (!name) {
    return fail(ErrorCode::CorruptData,
                fmt::format("names '{}', expected a relative path inside the model's folder",
                            toUtf8(location, kMaxNameBytes)));
  }
  if (const auto known = numbers_.find(*name); known != numbers_.end()) return known->second;
  if (isComplete_) {
    return fail(ErrorCode::NotFound, fmt::format("external file {} is not there", *name));
  }
  if (files_.size() == kMaxFiles) {
    return fail(ErrorCode::LimitExceeded, fmt::format("names more than {} files", kMaxFiles));
  }
  if (const auto inside = checkLink(root_ / *name, *name); !inside) {
    return fail(inside.error().within("external file"));
  }
  return add(*name);
}

}  // namespace strata
