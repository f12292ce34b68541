#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/refs/operation.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/version_entry.h"

namespace strata {

/// Newest layout of the catalog that this program reads and writes.
inline constexpr std::uint32_t kCatalogSchema = 1;

/// What the catalog keeps of a manifest, so that lists need not open it.
struct ManifestSummary {
  VersionEntry entry;  ///< without name, number and what a ref says
  std::uint64_t manifestBytes = 0;
  std::vector<Digest> packs;
  std::vector<std::uint64_t> packBytes;  ///< one for each of `packs`
  std::set<Digest> packsHere = {};       ///< those of `packs` that are in the store
};

/// One object as the catalog knows it.
struct CatalogObject {
  Digest digest;
  std::uint64_t byteCount = 0;
  bool isManifest = false;
  bool isAwaited = false;  ///< a pack that its versions were pulled without and that is not here
};

/// A pack that restoring a content needs and that is awaited.
struct AwaitedPack {
  Digest contentDigest;
  Digest digest;
  std::uint64_t byteCount = 0;
};

/// The name, number and signature of a version.
using SignatureVisitor =
    std::function<void(std::string_view name, std::uint32_t number, std::string_view signature)>;

/// So many operations the catalog keeps, the latest, and so many of its own kinds (isOwnKind).
inline constexpr std::size_t kMostOperations = 1000;

struct CatalogTotals {
  std::uint64_t versionCount = 0;  ///< without bases
  std::uint64_t baseCount = 0;
  std::uint64_t nameCount = 0;
  std::uint64_t tagCount = 0;
  std::uint64_t trashedCount = 0;  ///< that can come back
  std::uint64_t originalBytes = 0;
  std::uint64_t objectCount = 0;  ///< without awaited packs, as objectBytes
  std::uint64_t objectBytes = 0;
  std::uint64_t awaitedPacks = 0;
  std::uint64_t awaitedBytes = 0;
};

/// The SQLite database that lists and look-ups read. It repeats what refs and manifests say.
///
/// Readers do not block and see the last committed state; only the holder of the write lock opens
/// it for writing. One instance may be used from several threads, one call at a time inside.
/// Functions fail with CorruptData (the database is damaged), NoSpace or Io.
class Catalog {
 public:
  /// Fails with NotFound if there is none, FormatTooNew, CorruptData.
  static Result<std::unique_ptr<Catalog>> openForReading(const std::filesystem::path& file);
  static Result<std::unique_ptr<Catalog>> openForWriting(const std::filesystem::path& file);
  /// Whether opening it added what an earlier program's catalog lacked: refs have to be read for
  /// it.
  bool wasExtended() const noexcept;
  static Result<std::unique_ptr<Catalog>> create(const std::filesystem::path& file);
  /// An empty one that no file keeps.
  static Result<std::unique_ptr<Catalog>> createInMemory();
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  /// Of the database library, such as "3.40.1".
  static std::string libraryVersion();

  /// All versions, sorted by name and number; with tags.
  Result<std::vector<VersionEntry>> versions(Place place = Place::Live) const;
  Result<std::vector<VersionEntry>> versionsOf(std::string_view name,
                                               Place place = Place::Live) const;
  Result<std::optional<VersionEntry>> version(std::string_view name, std::uint32_t number,
                                              Place place = Place::Live) const;
  /// As versions(), each with name, number, dates, content, parent, depth and `lossy` alone.
  Result<std::vector<VersionEntry>> outlines(Place place) const;
  /// Name and number alone of those that versions() and versionsOf() have.
  Result<RefFolder::Numbers> numbers(Place place = Place::Live) const;
  Result<std::vector<std::uint32_t>> numbersOf(std::string_view name,
                                               Place place = Place::Live) const;
  /// Those with a tag, by number: of a sound catalog one at most.
  Result<std::vector<VersionEntry>> tagged(std::string_view name, std::string_view tag) const;
  /// The one that newestOf() names (core/store/run_tags.h), without reading the others if possible.
  Result<std::optional<VersionEntry>> newest(std::string_view name) const;
  /// All versions with this content; the trash's, too, after the others.
  Result<std::vector<VersionEntry>> withContent(const Digest& content) const;
  /// Versions whose content digest, or else manifest digest, begins with `hex`.
  Result<std::vector<VersionEntry>> withHash(std::string_view hex, Place place = Place::Live) const;
  /// Versions that are differences to this content.
  Result<std::vector<VersionEntry>> dependants(const Digest& content, Place place) const;
  /// The manifests that hold this content, those of live versions and short chains first.
  Result<std::vector<Digest>> manifestsWithContent(const Digest& content) const;
  /// Versions of this size with this probe, or with an unknown one.
  Result<std::vector<VersionEntry>> withProbe(std::uint64_t probe,
                                              std::uint64_t originalBytes) const;
  /// Those of all live versions, in any order and one at a time: many do not fit into memory.
  Result<void> forEachSignature(const SignatureVisitor& visit) const;
  /// Empty if none is kept.
  Result<std::string> signatureOf(std::string_view name, std::uint32_t number) const;
  Result<std::vector<TagRef>> tags(std::string_view name = {}) const;
  Result<std::optional<TagRef>> tag(std::string_view name, std::string_view tag) const;
  /// Highest number that the name ever had; 0 for a new one.
  Result<std::uint32_t> lastNumber(std::string_view name) const;

  Result<std::vector<CatalogObject>> objects() const;
  Result<std::vector<CatalogObject>> objectsOf(const Digest& manifest) const;
  /// Objects that only the versions `dropped` need (pairs of name and number).
  Result<std::vector<CatalogObject>> objectsOnlyOf(const std::vector<VersionEntry>& dropped) const;
  Result<CatalogTotals> totals() const;
  /// Of the contents that no manifest holds whose packs are all here: those of one manifest each.
  Result<std::vector<AwaitedPack>> awaitedPacks() const;
  /// All of them, each once.
  Result<std::vector<CatalogObject>> awaitedObjects() const;
  /// Differs from an earlier answer of this instance if another one has committed since.
  Result<std::int64_t> dataVersion() const;
  /// Which versions need each object: digests of manifests by digest of object.
  Result<std::vector<std::pair<Digest, Digest>>> objectUses() const;
  /// The latest first; 0: all that are kept.
  Result<std::vector<Operation>> operations(std::size_t limit) const;
  /// What SQLite's own check finds, and tables that are not those of a catalog; none for a sound
  /// one.
  Result<std::vector<std::string>> integrityProblems() const;

  /// Runs `change` in one transaction, which is rolled back if it fails.
  Result<void> transact(const std::function<Result<void>()>& change);

  /// The rest is called inside of transact only.
  /// Packs that are not in the store are awaited if the ref says so.
  Result<void> putVersion(const VersionRef& ref, const ManifestSummary& manifest);
  /// A pack is in the store now.
  Result<void> noteArrival(const Digest& pack);
  Result<void> eraseVersion(std::string_view name, std::uint32_t number);
  /// The note, license and source of a version.
  Result<void> setWords(const VersionRef& ref);
  Result<void> markRemoved(std::string_view name, std::uint32_t number, std::int64_t removedAt);
  /// A version of the trash: no name leads to it from now on.
  Result<void> markUnlisted(std::string_view name, std::uint32_t number);
  /// With tags and the highest number, which stays that of `name`, too.
  Result<void> renameVersions(std::string_view name, std::string_view to);
  Result<void> putTag(const TagRef& tag);
  Result<void> eraseTag(std::string_view name, std::string_view tag);
  Result<void> eraseTrashedTags(std::string_view name, std::uint32_t number);
  Result<void> noteLastNumber(std::string_view name, std::uint32_t number);
  /// Forgets manifests and objects that no version, live or trashed, needs.
  Result<void> dropUnused();
  /// Forgets everything that refs and manifests can give back; highest numbers stay.
  Result<void> clear();
  /// Unless it is there already. What it takes back counts as undone from now on, what it does
  /// again as done.
  Result<void> log(const Operation& operation);

 private:
  struct State;
  static Result<std::unique_ptr<Catalog>> makeTables(std::unique_ptr<State> state);
  explicit Catalog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace strata
