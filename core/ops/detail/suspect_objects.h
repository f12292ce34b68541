#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stop_token>

#include "core/progress.h"
#include "core/store/store.h"

namespace strata {

/// Which objects are in a store as they should be, as a transfer asks it. A size tells, but for
/// those that the last verification found damaged: these are hashed, once each.
class SuspectObjects {
 public:
  /// `store` must outlive it. Where the catalog does not tell, none is known to be damaged.
  SuspectObjects(const Store& store, std::stop_token stop, ProgressSink progress);

  /// Fails with Cancelled.
  Result<bool> isHere(const Digest& digest, std::uint64_t byteCount) const;

  /// Whether all objects of a manifest are, and it itself. Fails with what the catalog fails with,
  /// Cancelled.
  Result<bool> areHere(const Catalog& catalog, const Digest& manifest) const;
  /// The same where packs that are awaited count, too: they are no loss.
  Result<bool> areHereOrAwaited(const Catalog& catalog, const Digest& manifest) const;

 private:
  enum class Awaited { Missing, Known };
  Result<bool> areHere(const Catalog& catalog, const Digest& manifest, Awaited awaited) const;

  const Store& store_;
  const std::stop_token stop_;
  const ProgressSink progress_;
  std::set<Digest> marked_;
  mutable std::map<Digest, bool> isSound_;  ///< of those
};

}  // namespace strata
