#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/runs/detail/memory_tier.h"
#include "core/result.h"
#include "core/store/store.h"

namespace strata {

/// What becomes of copies in memory that cannot be stored: damaged ones, those that a killed
/// watcher did not copy to the end, and those that a run refuses. A copy is deleted only where the
/// same checkpoint lies elsewhere. Else it is set aside, and the user is told where.
class UnstoredCopies {
 public:
  UnstoredCopies(const MemoryTier& tier, const Store& store, std::string run)
      : tier_(tier), store_(store), run_(std::move(run)) {}

  struct Fate {
    bool isTrainers = false;          ///< the trainer's own is to be stored in its place
    std::filesystem::path path = {};  ///< what `text` is about
    std::string text = {};            ///< what the user should know; empty: nothing
    /// Set aside; nothing where it was deleted.
    std::optional<MemoryTier::Copy> aside = {};
  };
  /// One that is not what was copied, says `why`. `own` is where its trainer had it.
  Fate ofDamaged(const MemoryTier::Copy& copy, const std::filesystem::path& own,
                 const std::string& why, const std::stop_token& stop) const;
  /// A sound one that is not stored, says `why`.
  Fate ofRefused(const MemoryTier::Copy& copy, const std::filesystem::path& own,
                 const std::string& why, const std::stop_token& stop) const;
  /// Those that earlier watchers left: half copies, and what was set aside. `folder` is the
  /// trainer's. Fates without a text are left out.
  std::vector<Fate> ofEarlier(const std::filesystem::path& folder,
                              const std::stop_token& stop) const;

 private:
  bool isStored(const CopiedFiles& files, const std::stop_token& stop) const;
  Fate setAside(const MemoryTier::Copy& copy, const std::string& why) const;

  const MemoryTier& tier_;
  const Store& store_;
  std::string run_;
};

}  // namespace strata
