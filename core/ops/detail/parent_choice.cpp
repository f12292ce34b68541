#include "core/ops/detail/parent_choice.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/match/signature.h"
#include "core/ops/detail/lineage.h"
#include "core/store/store.h"

namespace strata {
namespace {

/// A found base has to promise at least this much over no base at all …
constexpr double kMostShareOfFoundBase = 0.95;
/// … and to have a like weight for at least this share of the model.
constexpr double kLeastMatchedShare = 0.05;
/// A longer chain costs time at each restore, so it has to win by more than noise.
constexpr double kGainOfChain = 0.98;

/// Share of the model that would be stored against `version`; 1 where nothing is known.
double estimatedShare(const Catalog& catalog, const VersionEntry& version,
                      const std::string& signature) {
  const auto kept = catalog.signatureOf(version.name, version.number);
  if (!kept || kept->empty()) return 1;
  const auto rank = compareSignatures(signature, *kept);
  return rank ? rank->estimatedShare : 1;
}

/// The stored base that serves best, if one does.
Result<std::optional<VersionEntry>> findBase(const Catalog& catalog, const std::string& signature) {
  STRATA_TRY(std::vector<BaseCandidate> ranked, rankCatalogBases(catalog, signature));
  if (ranked.empty() || !ranked.front().serves) return std::nullopt;
  return std::move(ranked.front().version);
}

bool isInLine(const Lineage& lineage, const VersionEntry& version, const Digest& content) {
  const auto line = lineage.lineOf(version);
  return std::any_of(line.begin(), line.end(),
                     [&](const VersionEntry* one) { return one->contentDigest == content; });
}

/// Base or newest version of the same line, whichever is cheaper to code against.
VersionEntry chainOrBase(const Catalog& catalog, const Lineage& lineage, const AddOptions& options,
                         const std::string& signature, const VersionEntry& base,
                         const VersionEntry& newest) {
  const bool isOfBase = isInLine(lineage, newest, base.contentDigest);
  const bool isDeep = newest.depth + 1 > kMaxChainDepth;
  if (!isOfBase || isDeep || options.chain == ChainPolicy::Never) return base;
  if (options.chain == ChainPolicy::Always || newest.contentDigest == base.contentDigest) {
    return newest;
  }
  const double againstNewest = estimatedShare(catalog, newest, signature);
  const double againstBase = estimatedShare(catalog, base, signature);
  return againstNewest < againstBase * kGainOfChain ? newest : base;
}

}  // namespace

Result<std::vector<BaseCandidate>> rankCatalogBases(const Catalog& catalog,
                                                    const std::string& signature) {
  STRATA_TRY(const std::vector<BaseSignature> bases, catalog.baseSignatures());
  std::vector<std::string_view> signatures;
  for (const BaseSignature& base : bases) signatures.push_back(base.signature);
  STRATA_TRY(const std::vector<RankedBase> ranked, rankBases(signature, signatures));
  std::vector<BaseCandidate> candidates;
  for (const RankedBase& one : ranked) {
    const BaseRank& rank = one.rank;
    candidates.push_back(
        {bases[one.index].version, rank.matchedShare, rank.estimatedShare,
         rank.estimatedShare <= kMostShareOfFoundBase && rank.matchedShare >= kLeastMatchedShare});
  }
  return candidates;
}

Result<ParentChoice> chooseParent(const Catalog& catalog, const AddOptions& options,
                                  const std::string& signature,
                                  const std::optional<Digest>& content) {
  ParentChoice choice;
  if (options.baseChoice == BaseChoice::None) return choice;
  STRATA_TRY(const Lineage lineage, Lineage::load(catalog));
  STRATA_TRY(std::optional<VersionEntry> newest, catalog.newest(options.name));
  // Nothing can be a difference to a version that has lost a parent.
  if (newest && lineage.rootOf(*newest).parentDigest) newest.reset();
  std::optional<VersionEntry> base;
  if (options.baseChoice == BaseChoice::Reference) {
    STRATA_TRY(base, resolveIn(catalog, options.base, Place::Live));
    // Deeper chains are not made, so the base of the one asked for stands in.
    if (base->depth + 1 > kMaxChainDepth) base = lineage.rootOf(*base);
  } else if (newest) {
    base = lineage.rootOf(*newest);
  } else {
    STRATA_TRY(base, findBase(catalog, signature));
    choice.wasChosen = base.has_value();
  }
  if (!base || (content && isInLine(lineage, *base, *content))) return choice;
  const bool canChain = newest && !(content && isInLine(lineage, *newest, *content));
  choice.parent =
      canChain ? chainOrBase(catalog, lineage, options, signature, *base, *newest) : *base;
  return choice;
}

}  // namespace strata
