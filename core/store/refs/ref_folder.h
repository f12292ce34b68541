#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/version_entry.h"

namespace strata {

/// A tag as its ref file keeps it.
struct TagRef {
  std::string name;
  std::string tag;
  std::uint32_t number = 0;
  std::string note;
  std::int64_t taggedAt = 0;  ///< seconds since 1970, UTC

  friend bool operator==(const TagRef&, const TagRef&) = default;
};

/// Where a version that was pulled without its packs has them.
struct AwaitedPacks {
  std::string remote;     ///< a name or URL; empty: not known
  std::string reference;  ///< the version there: "sst2:v2"
  /// What the remote said each of the manifest's packs takes; empty: not known.
  std::vector<std::uint64_t> packBytes = {};

  friend bool operator==(const AwaitedPacks&, const AwaitedPacks&) = default;
};

/// What people said about a version and what was fixed when it was added: all that a manifest does
/// not hold and that must survive the loss of the catalog.
struct VersionRef {
  std::string name;
  std::uint32_t number = 0;
  Digest contentDigest;
  Digest manifestDigest;
  std::int64_t addedAt = 0;
  std::int64_t removedAt = 0;  ///< 0 unless in the trash
  std::string note;
  std::string license;
  std::string sourceUrl;
  std::uint64_t storedBytes = 0;
  std::uint64_t probe = 0;  ///< of the model's files (core/store/objects/probe.h); 0 if not known
  std::string signature;    ///< of a base, for finding it again; binary
  /// In the trash: those that it had when it was removed. Else: those that it was added with and
  /// that have no files yet (giveTags); empty once the writer was done.
  std::vector<TagRef> tags;
  /// Set from a pull of its manifest alone until its packs are here: those that are not are no
  /// damage. Of this store: remotes neither see nor set it.
  std::optional<AwaitedPacks> awaited = {};
  /// In the trash only: it was removed for good, and others are differences to it
  /// (VersionEntry::isUnlisted).
  bool isUnlisted = false;

  std::string label() const { return name + ":v" + std::to_string(number); }
  Place place() const noexcept { return removedAt == 0 ? Place::Live : Place::Trash; }
  friend bool operator==(const VersionRef&, const VersionRef&) = default;
};

/// What several refs become, all or none (core/store/refs/ref_change.h).
struct RefChange {
  std::vector<VersionRef> versions;     ///< each at its place, and nowhere else
  std::vector<TagRef> tags = {};        ///< put, from wherever they were
  std::vector<TagRef> erasedTags = {};  ///< taken away, as they are now
  /// What the log of operations will say of it, a text (core/store/refs/operation.h); empty:
  /// nothing.
  std::string operation = {};
  /// Versions that get other numbers, as they are now. The first of them is the first of `versions`
  /// under its new number, and so on.
  std::vector<VersionRef> renumbered = {};

  /// The number that a version has before the change, given the one after it, or the other way
  /// round. 0: it keeps its number.
  std::uint32_t otherNumber(std::string_view name, std::uint32_t number) const;
};

/// What is kept of a name beside its versions.
struct LastNumber {
  std::uint32_t number = 0;  ///< highest that an emptied trash held, or that moved with a rename
  std::string movedTo = {};  ///< the name that the versions up to it have since; empty: none
  /// What the numbers of versions that left the name stood for: contents, by their first
  /// kFormerDigits digits. A number is never given to another content than it had.
  std::map<std::uint32_t, std::string> former = {};
  std::uint32_t unknownTo = 0;  ///< of numbers up to it that `former` lacks, nobody knows
  /// What lossy versions among those that left were made of, in as many digits: who has the model
  /// still, such as a watcher, knows that it was here.
  std::map<std::uint32_t, std::string> sources = {};

  static constexpr std::size_t kFormerDigits = 16;

  /// Whether a version of this content may have the number.
  bool allows(std::uint32_t one, const Digest& content) const;
};

/// The ref files of a store: small JSON texts, each with a checksum, each replaced as a whole.
///
///     refs/NAME/v3.json          a version
///     refs/NAME/tags/prod.json   a tag
///     refs/NAME/last.json        highest number that an emptied trash held, so that none is reused
///     refs/NAME/was.json         only while it is renamed: its former name (ref_rename.h)
///     trash/NAME/v2.json         a removed version and the tags it had
///     trash/NAME/v2.gone         the same, only while it is deleted for good (eraseTrashed)
///     refs/NAME/v3.json.damaged  one that cannot be read, set aside by a repair (ref_aside.h)
///     change.json                only while several refs change together (ref_change.h)
///
/// Writes go through a temporary file, are synced and renamed. Only the holder of the write lock
/// calls what changes something. Functions fail with CorruptData, naming the file, or Io, NoSpace.
/// Nothing is read, written or deleted through a link (store_places.h). Files and folders of other
/// names are left alone.
class RefFolder {
 public:
  explicit RefFolder(const std::filesystem::path& storeFolder);

  /// The number of the version whose ref has a file of this name at `place`, or has while it is
  /// deleted; 0 for other names.
  static std::uint32_t versionOf(std::string_view fileName, Place place);
  /// Whether a file of this name beside the refs says something of the name.
  static bool isNote(std::string_view fileName);

  /// Which versions there are, by name; numbers ascend. Reads folders, not files.
  using Numbers = std::map<std::string, std::vector<std::uint32_t>>;
  Result<Numbers> versionNumbers(Place place = Place::Live) const;
  /// All names with anything kept of them, live or in the trash, sorted.
  Result<std::vector<std::string>> names() const;
  Result<std::vector<std::uint32_t>> versionNumbers(std::string_view name,
                                                    Place place = Place::Live) const;

  /// The versions that are being deleted for good.
  Result<Numbers> goingNumbers() const;

  std::filesystem::path versionPath(std::string_view name, std::uint32_t number,
                                    Place place = Place::Live) const;
  std::filesystem::path tagPath(std::string_view name, std::string_view tag) const;
  std::filesystem::path lastNumberPath(std::string_view name) const;
  std::filesystem::path formerNamePath(std::string_view name) const;
  std::filesystem::path changePath() const;

  Result<VersionRef> readVersion(std::string_view name, std::uint32_t number,
                                 Place place = Place::Live) const;
  Result<VersionRef> readGoing(std::string_view name, std::uint32_t number) const;
  Result<TagRef> readTag(std::string_view name, std::string_view tag) const;
  /// Names of the tags of `name`, sorted. Reads a folder, not files.
  Result<std::vector<std::string>> tagNames(std::string_view name) const;
  /// 0 if nothing is recorded.
  Result<LastNumber> readLastNumber(std::string_view name) const;
  /// Nothing unless several refs change together.
  Result<std::optional<RefChange>> readChange() const;
  /// Empty unless a rename to `name` is under way.
  Result<std::string> readFormerName(std::string_view name) const;

  /// Whether this user may change the refs of a name: asked before a change that counts before its
  /// refs are in place. Fails with Io.
  Result<void> checkMayChange(std::string_view name) const;

  Result<void> writeVersion(const VersionRef& ref) const;
  /// At the place that the ref says. Fails with InvalidArgument if the version has a ref there: one
  /// is never written over another.
  Result<void> writeNewVersion(const VersionRef& ref) const;
  Result<void> writeTrashed(const VersionRef& ref) const;
  Result<void> writeTag(const TagRef& ref) const;
  Result<void> writeChange(const RefChange& change) const;
  Result<void> writeLastNumber(std::string_view name, const LastNumber& last) const;
  Result<void> writeFormerName(std::string_view name, std::string_view former) const;

  /// Marks a version of the trash as being deleted for good. Fails with NotFound if it has no ref.
  Result<void> markGoing(std::string_view name, std::uint32_t number) const;
  /// The version is in the trash again. It need not be marked.
  Result<void> unmarkGoing(std::string_view name, std::uint32_t number) const;
  /// Gives a version's ref file a name that the store does not use, "v1.json.damaged", and returns
  /// that. Fails with CorruptData if it is no file.
  Result<std::filesystem::path> setAside(std::string_view name, std::uint32_t number,
                                         Place place) const;
  /// The same for a tag's, "prod.json.damaged".
  Result<std::filesystem::path> setTagAside(std::string_view name, std::string_view tag) const;
  /// The same for `was.json`, "was.json.damaged".
  Result<std::filesystem::path> setFormerNameAside(std::string_view name) const;
  /// Keeps a copy of `change.json` as "change.json.damaged" beside it, and returns where.
  Result<std::filesystem::path> copyChangeAside() const;

  /// These need not exist.
  Result<void> eraseVersion(std::string_view name, std::uint32_t number,
                            Place place = Place::Live) const;
  Result<void> eraseGoing(std::string_view name, std::uint32_t number) const;
  Result<void> eraseTag(std::string_view name, std::string_view tag) const;
  Result<void> eraseFormerName(std::string_view name) const;
  Result<void> eraseChange() const;

 private:
  const std::filesystem::path& folderOf(Place place) const;
  Result<std::string> readText(const std::filesystem::path& file) const;
  Result<VersionRef> readVersionFile(const std::filesystem::path& file, std::string_view name,
                                     std::uint32_t number) const;
  Result<std::vector<std::string>> filesIn(const std::filesystem::path& folder) const;
  Result<std::vector<std::uint32_t>> numbersIn(const std::filesystem::path& folder,
                                               std::string_view end) const;
  Result<Numbers> allNumbersIn(const std::filesystem::path& folder, std::string_view end) const;
  Result<std::filesystem::path> setAside(const std::filesystem::path& from) const;
  Result<std::string> readNote(std::string_view name, std::string_view fileName) const;
  Result<void> makeFolderOf(const std::filesystem::path& file) const;
  Result<void> write(const std::filesystem::path& file, std::string_view text) const;
  Result<void> erase(const std::filesystem::path& file) const;

  std::filesystem::path store_;
  std::filesystem::path refs_;
  std::filesystem::path trash_;
  std::filesystem::path temporary_;
};

/// Writes the tags that a live version's ref carries, then the ref without them.
/// Fails with NoSpace or Io.
Result<void> giveTags(const RefFolder& refs, VersionRef ref);

/// The text of a ref file and back. `text` is untrusted: fails with CorruptData.
std::string serializeVersionRef(const VersionRef& ref);
Result<VersionRef> parseVersionRef(std::string_view text);
std::string serializeTagRef(const TagRef& ref);
std::string serializeLastNumber(std::string_view name, const LastNumber& last);
Result<LastNumber> parseLastNumber(std::string_view text);
Result<TagRef> parseTagRef(std::string_view text);
std::string serializeRefChange(const RefChange& change);
Result<RefChange> parseRefChange(std::string_view text);

}  // namespace strata
