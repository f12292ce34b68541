#include "core/ops/detail/parent_choice.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "core/match/signature.h"
#include "core/ops/detail/base_search.h"
#include "core/ops/detail/lineage.h"
#include "core/store/run_tags.h"
#include "core/store/store.h"

namespace strata {
namespace {

/// A longer chain costs time at each restore, so it has to win by more than noise.
constexpr double kGainOfChain = 0.98;
/// A version of another name has to win clearly: who looks at a name expects one line.
constexpr double kGainOfOtherName = 0.8;

/// How like the model is to `version`; nothing where that is not known.
std::optional<BaseRank> rankOf(const Catalog& catalog, const VersionEntry& version,
                               const std::string& signature) {
  const auto kept = catalog.signatureOf(version.name, version.number);
  if (!kept || kept->empty()) return std::nullopt;
  const auto rank = compareSignatures(signature, *kept);
  return rank ? std::optional(*rank) : std::nullopt;
}

/// Share of the model that would be stored against `version`; 1 where nothing is known.
double estimatedShare(const Catalog& catalog, const VersionEntry& version,
                      const std::string& signature) {
  const auto rank = rankOf(catalog, version, signature);
  return rank ? rank->estimatedShare : 1;
}

/// The newest version of the name that a snapshot can stand on. That is the newest one, unless it
/// is wrecked, as weights of NaN are: then the nearest one before it that most of the model has its
/// like in.
Result<VersionEntry> newestLike(const Catalog& catalog, const VersionEntry& newest,
                                const std::string& signature) {
  constexpr double kWrecked = 0.1;
  constexpr double kAlike = 0.5;
  constexpr std::size_t kMostLooks = 16;
  const auto rank = rankOf(catalog, newest, signature);
  if (!rank || rank->matchedShare >= kWrecked) return newest;
  STRATA_TRY(const Lineage lineage, Lineage::outline(catalog));
  STRATA_TRY(auto versions, catalog.versionsOf(newest.name));
  sortByAge(versions);
  std::ranges::reverse(versions);
  versions.resize(std::min(versions.size(), kMostLooks));
  for (const VersionEntry& one : versions) {
    if (lineage.rootOf(one).parentDigest) continue;
    const auto other = rankOf(catalog, one, signature);
    if (other && other->matchedShare >= kAlike) return one;
  }
  return newest;
}

/// Base or newest version of the same line, whichever is cheaper to code against.
VersionEntry chainOrBase(const Catalog& catalog, const Lineage& lineage, const AddOptions& options,
                         const std::string& signature, const VersionEntry& base,
                         const VersionEntry& newest) {
  const bool isOfBase = isInLine(lineage, newest, base.contentDigest);
  const bool isDeep = lineage.depthOf(newest) + 1 > kMaxChainDepth;
  if (!isOfBase || isDeep || options.chain == ChainPolicy::Never) return base;
  if (options.chain == ChainPolicy::Always || newest.contentDigest == base.contentDigest) {
    return newest;
  }
  const double againstNewest = estimatedShare(catalog, newest, signature);
  const double againstBase = estimatedShare(catalog, base, signature);
  return againstNewest < againstBase * kGainOfChain ? newest : base;
}

/// The stored version that serves best, if one does.
Result<std::optional<BaseCandidate>> findBase(const Catalog& catalog, const AddOptions& options,
                                              const std::string& signature,
                                              const std::optional<Digest>& content,
                                              std::span<const Digest> useless) {
  if (useless.size() >= kMostFound) return std::nullopt;
  STRATA_TRY(const Lineage lineage, Lineage::outline(catalog));
  const bool mayChain = options.chain != ChainPolicy::Never;
  STRATA_TRY(std::vector<BaseCandidate> ranked,
             searchBases(catalog, lineage, signature,
                         {.kinds = mayChain ? BaseKinds::All : BaseKinds::Bases,
                          .without = content,
                          .useless = useless}));
  if (ranked.empty() || !ranked.front().serves) return std::nullopt;
  return std::move(ranked.front());
}

/// Of versions that may be there.
Result<Lineage> lineageOf(const Catalog& catalog,
                          std::initializer_list<const std::optional<VersionEntry>*> versions) {
  std::vector<Digest> contents;
  for (const auto* const one : versions) {
    if (!*one) continue;
    contents.push_back((*one)->contentDigest);
    if ((*one)->parentDigest) contents.push_back(*(*one)->parentDigest);
  }
  return Lineage::of(catalog, std::move(contents));
}

}  // namespace

Result<ParentChoice> chooseParent(const Catalog& catalog, const AddOptions& options,
                                  const std::string& signature,
                                  const std::optional<Digest>& content,
                                  std::span<const Digest> useless) {
  ParentChoice choice;
  if (options.baseChoice == BaseChoice::None) return choice;
  STRATA_TRY(std::optional<VersionEntry> newest, catalog.newest(options.name));
  std::optional<VersionEntry> base;
  if (options.baseChoice == BaseChoice::Reference) {
    STRATA_TRY(base, resolveIn(catalog, options.base, Place::Live));
  }
  STRATA_TRY(Lineage lineage, lineageOf(catalog, {&newest, &base}));
  // Nothing can be a difference to a version that has lost a parent.
  if (newest && lineage.rootOf(*newest).parentDigest) newest.reset();
  if (newest && options.chain == ChainPolicy::Always) {
    STRATA_TRY(VersionEntry like, newestLike(catalog, *newest, signature));
    const bool isOther = like.number != newest->number;
    newest = std::move(like);
    if (isOther) {
      STRATA_TRY(lineage, lineageOf(catalog, {&newest, &base}));
    }
  }
  const bool mayFind =
      options.baseChoice == BaseChoice::Auto && (!newest || options.chain == ChainPolicy::Auto);
  std::optional<BaseCandidate> found;
  if (mayFind) {
    STRATA_TRY(found, findBase(catalog, options, signature, content, useless));
  }
  // Deeper chains are not made, so the base of the one asked for stands in.
  if (base && lineage.depthOf(*base) + 1 > kMaxChainDepth) base = lineage.rootOf(*base);
  if (!base && newest) base = lineage.rootOf(*newest);
  if (!newest && found) {
    return ParentChoice{.parent = std::move(found->version), .wasChosen = true};
  }
  if (!base || (content && isInLine(lineage, *base, *content))) return choice;
  const bool canChain = newest && !(content && isInLine(lineage, *newest, *content));
  choice.parent =
      canChain ? chainOrBase(catalog, lineage, options, signature, *base, *newest) : *base;
  const double gain =
      found && found->version.name == options.name ? kGainOfChain : kGainOfOtherName;
  const bool isOtherBetter =
      found && found->version.contentDigest != choice.parent->contentDigest &&
      found->estimatedShare < gain * estimatedShare(catalog, *choice.parent, signature);
  if (isOtherBetter) return ParentChoice{.parent = std::move(found->version), .wasChosen = true};
  return choice;
}

}  // namespace strata
