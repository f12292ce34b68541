#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ops/detail/lineage.h"
#include "core/ops/inspect/rank_bases.h"
#include "core/store/catalog/catalog.h"

namespace strata {

/// What `searchBases` may answer.
struct BaseSearch {
  BaseKinds kinds = BaseKinds::All;
  std::optional<Digest> without = {};    ///< no version that is rebuilt through this content
  std::span<const Digest> useless = {};  ///< nor one of these contents
};

/// The stored versions that a model with this signature costs least to store against, the best
/// first: each parent more to decode has to save 2 %. All live versions are screened by their
/// signatures; the best are compared in full, and only they are answered.
/// Left out are versions that have lost a parent and chains that may not get longer. So are
/// versions that are no bases if their packs are not here or if they are lossy: the signature is
/// that of the model before it was quantized, which says nothing of a difference to what is left.
/// `lineage` may be an outline. Fails with CorruptData or Io.
Result<std::vector<BaseCandidate>> searchBases(const Catalog& catalog, const Lineage& lineage,
                                               const std::string& signature,
                                               const BaseSearch& search);

/// Whether restoring `version` goes through a version of this content.
bool isInLine(const Lineage& lineage, const VersionEntry& version, const Digest& content);

}  // namespace strata
