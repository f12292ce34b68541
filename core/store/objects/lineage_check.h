#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/progress.h"
#include "core/store/store.h"

namespace strata {

/// Tells whether versions restore, by the hashes of all objects that a restore of them reads: their
/// own and those of every parent. Asked before a version counts as stored already.
///
/// Each object is hashed once in the life of a check, so one check serves all versions of a
/// content, before the write lock is taken and under it.
class LineageCheck {
 public:
  /// `store` must outlive the check.
  explicit LineageCheck(const Store& store) : store_(store) {}

  /// Whether `version` restores from the manifest that it rests on. Packs of its own that were
  /// never pulled count as damage; those of its parents do not.
  /// Fails with FormatTooNew, Cancelled.
  Result<bool> isSound(const VersionEntry& version, const std::stop_token& stop,
                       const ProgressSink& progress);

  /// The same, but what it awaits from a remote counts as sound: that is no damage. Fails as
  /// isSound.
  Result<bool> isSoundOrAwaited(const VersionEntry& version, const std::stop_token& stop,
                                const ProgressSink& progress);

  /// Whether a difference to `version` could be restored. Whatever manifest of its content a
  /// restore takes is looked at. Fails as isSound.
  Result<bool> servesAsParent(const VersionEntry& version, const std::stop_token& stop,
                              const ProgressSink& progress);

 private:
  Result<bool> areSound(const std::vector<Digest>& packs, const std::string& label,
                        const std::stop_token& stop, const ProgressSink& progress);

  const Store& store_;
  std::map<Digest, bool> isSound_;  ///< by object
};

}  // namespace strata
