#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/ops/exchange/detail/pull/pulled_signatures.h"
#include "core/ops/exchange/detail/pull/pulled_tags.h"

namespace strata {

/// What a pull has fetched.
struct Pulled {
  Store& store;
  const PullOptions& options;
  const std::map<ListedObject, Error>& failures;  ///< objects that did not come
  /// What manifests that came say, by their digests; of others nothing was read.
  const std::map<Digest, ManifestSummary>& summaries;
  const PulledSignatures& signatures;
  PulledTags& tags;
};

/// Makes versions of what is here now, parents first, under the store's write lock. Notes in the
/// report which ones came and which did not. Fails with NoSpace, StoreLocked, Cancelled, Io.
Result<void> listPulled(const Pulled& from, const PullPlan& plan, const RemoteLibrary& library,
                        const std::stop_token& stop, PullReport& report);

/// Bytes of all.
std::uint64_t sumOf(const std::vector<RemoteObject>& objects);

}  // namespace strata
