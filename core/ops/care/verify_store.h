#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/digest.h"
#include "core/ops/care/damage.h"
#include "core/ops/care/unnamed_models.h"
#include "core/progress.h"
#include "core/result.h"
#include "core/store/parity/parity_check.h"
#include "core/store/store.h"

namespace strata {

struct VerifyOptions {
  enum class Level {
    Quick,    ///< objects exist with the right sizes, refs and manifests parse, catalog agrees
    Full,     ///< Quick, and the SHA-256 of every object
    Rebuild,  ///< Full, and every version is decoded and compared with its files' SHA-256
  };
  Level level = Level::Full;
  Device* device = nullptr;                  ///< decodes for Rebuild; borrowed; null: the CPU
  std::vector<std::string> references = {};  ///< these and their parents; empty: all, the trash too
};

/// A model that mends versions if it is added again.
struct MendingModel {
  std::string label;  ///< a version that holds it; empty if none does: others are differences to it
  Digest contentDigest;
  bool lossy = false;     ///< only the files that it was restored to are this model
  std::string file = {};  ///< what its file has to be called; empty: of a folder, or not known
  bool isWeightsOnly =
      false;                 ///< a snapshot without its optimizer: its checkpoint less those files
  std::string trashed = {};  ///< of such a one, the snapshot in the trash that a repair makes it of
};

/// A version that was pulled without its packs, or is a difference to one that was, and cannot be
/// restored until they are here.
struct AbsentVersion {
  std::string label;
  std::string pull;  ///< the command that brings the packs
};

struct VerifyReport {
  std::uint64_t versionCount = 0;  ///< checked, without bases and those that are not here
  std::uint64_t baseCount = 0;
  std::uint64_t objectCount = 0;
  std::uint64_t checkedBytes = 0;  ///< read from objects
  std::vector<Damage> damages;
  std::vector<std::string> damagedVersions;  ///< labels, sorted, each once
  std::vector<std::string> damagedInTrash;   ///< those of them that emptyTrash takes
  std::vector<std::string> damagedUnlisted;  ///< those without a name: they go with what needs them
  /// What mends objects of damaged versions without a remote, in this order: parents come before
  /// what is a difference to them, and may mend that, too.
  std::vector<MendingModel> toAdd;
  std::vector<AbsentVersion> absentVersions;  ///< sorted by label; a damaged one is not among them
  std::set<Digest> absentPacks;               ///< that those await
  /// What a writer that is at work, or that died, has not finished: "sst2:v2". No damage: the next
  /// command that writes settles it.
  std::vector<std::string> unfinished;
  /// Files among refs and objects that are not the store's. No damage, and nobody's to delete.
  std::vector<std::filesystem::path> foreign;
  /// Refs that a repair set aside, for nothing could be made of them. No damage any more.
  std::vector<std::filesystem::path> setAside;
  /// Whole models that no version names. No damage: a writer may have died just before it named
  /// one. Empty while a writer is at work.
  std::vector<UnnamedModel> unnamed;
  /// What parity protects. Nothing where the setting is off and there is none, or where only some
  /// versions were checked.
  std::optional<ParityState> parity;
  /// Damaged packs and manifests that parity brings back.
  std::set<Digest> rebuildable;
  std::optional<Error> notKept;  ///< why the time of the check is not in the catalog
  double seconds = 0;

  bool sound() const noexcept { return damages.empty(); }
};

/// Looks for damage. Damage is a report, not an error: it goes on to the end. Beside a writer it
/// looks again, and only what it finds each time is damage. What was never here
/// is no damage; a pack that another version came with is. The catalog keeps when each version was
/// last found sound (VersionEntry::checkedAt), but for Quick, which looks at no bytes.
/// Fails with InvalidArgument or NotFound (references), Cancelled, Device (a GPU was insisted on),
/// Io.
Result<VerifyReport> verifyStore(const Store& store, const VerifyOptions& options,
                                 std::stop_token stop, const ProgressSink& progress);

}  // namespace strata
