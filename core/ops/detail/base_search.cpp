#include "core/ops/detail/base_search.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/match/signature.h"
#include "core/ops/detail/awaited_amounts.h"
#include "core/ops/versions/add_version.h"

namespace strata {
namespace {

/// A found base has to promise at least this much over no base at all …
constexpr double kMostShareOfFoundBase = 0.95;
/// … and to have a like weight for at least this share of the model.
constexpr double kLeastMatchedShare = 0.05;
/// What a parent more in the line has to save.
constexpr double kGainOfParent = 0.02;
/// Compared in full, which takes milliseconds each: so many versions, and so many more bases, which
/// may be like the model under other names.
constexpr std::size_t kMostCompared = 32;

struct Screened {
  double share = 1;
  const VersionEntry* version = nullptr;
  std::uint32_t depth = 0;  ///< by the lineage: that of a row is stale once a parent was recoded
};

double price(double share, std::uint32_t depth) noexcept {
  return share * (1 + kGainOfParent * depth);
}

class Search {
 public:
  Search(const Catalog& catalog, const Lineage& lineage, const BaseSearch& search)
      : catalog_(catalog), lineage_(lineage), search_(search) {}

  Result<std::vector<BaseCandidate>> run(const std::string& signature) {
    STRATA_TRY(const AwaitedAmounts awaited, AwaitedAmounts::load(catalog_, lineage_));
    STRATA_TRY(const SignatureRanker ranker, SignatureRanker::make(signature));
    STRATA_TRY(const std::vector<Screened> screened, screen(ranker));
    std::size_t bases = 0;
    std::vector<BaseCandidate> found;
    for (const Screened& one : screened) {
      const VersionEntry& version = *one.version;
      const bool isAmongBest = found.size() - std::min(found.size(), bases) < kMostCompared;
      const bool isWanted = isAmongBest || (version.isBase() && bases < kMostCompared);
      if (!isWanted || !mayServe(version, awaited)) continue;
      STRATA_TRY(const std::string kept, catalog_.signatureOf(version.name, version.number));
      const auto rank = ranker.rank(kept);
      if (!rank) continue;
      if (version.isBase()) ++bases;
      found.push_back({version, rank->matchedShare, rank->estimatedShare,
                       rank->estimatedShare <= kMostShareOfFoundBase &&
                           rank->matchedShare >= kLeastMatchedShare});
    }
    std::stable_sort(found.begin(), found.end(), [this](const auto& a, const auto& b) {
      const std::uint32_t depthA = lineage_.depthOf(a.version);
      const std::uint32_t depthB = lineage_.depthOf(b.version);
      return std::pair(price(a.estimatedShare, depthA), depthA) <
             std::pair(price(b.estimatedShare, depthB), depthB);
    });
    for (BaseCandidate& one : found) {
      STRATA_TRY(auto whole, catalog_.version(one.version.name, one.version.number));
      if (whole) one.version = *std::move(whole);
    }
    return found;
  }

 private:
  /// All live versions of the kinds wanted, the likest first; of equal ones the last added.
  Result<std::vector<Screened>> screen(const SignatureRanker& ranker) const {
    std::map<std::pair<std::string_view, std::uint32_t>, const VersionEntry*> live;
    for (const VersionEntry& version : lineage_.versions()) {
      const bool isWanted = version.isBase() || (search_.kinds == BaseKinds::All && !version.lossy);
      if (version.place() == Place::Live && isWanted) {
        live.emplace(std::pair(std::string_view(version.name), version.number), &version);
      }
    }
    std::vector<Screened> screened;
    STRATA_TRY(catalog_.forEachSignature([&](std::string_view name, std::uint32_t number,
                                             std::string_view signature) {
      const auto found = live.find({name, number});
      if (found == live.end()) return;
      const auto rank = ranker.screen(signature);
      if (rank)
        screened.push_back({rank->estimatedShare, found->second, lineage_.depthOf(*found->second)});
    }));
    std::sort(screened.begin(), screened.end(), [](const Screened& a, const Screened& b) {
      const auto key = [](const Screened& one) {
        return std::tuple(price(one.share, one.depth), one.depth, -one.version->addedAt,
                          std::string_view(one.version->name), one.version->number);
      };
      return key(a) < key(b);
    });
    return screened;
  }

  bool mayServe(const VersionEntry& version, const AwaitedAmounts& awaited) const {
    if (search_.without && isInLine(lineage_, version, *search_.without)) return false;
    if (std::ranges::count(search_.useless, version.contentDigest) > 0) return false;
    if (version.isBase()) return true;
    return lineage_.depthOf(version) < kMaxChainDepth && lineage_.rootOf(version).isBase() &&
           awaited.of(version).packCount == 0;
  }

  const Catalog& catalog_;
  const Lineage& lineage_;
  const BaseSearch& search_;
};

}  // namespace

Result<std::vector<BaseCandidate>> searchBases(const Catalog& catalog, const Lineage& lineage,
                                               const std::string& signature,
                                               const BaseSearch& search) {
  return Search(catalog, lineage, search).run(signature);
}

bool isInLine(const Lineage& lineage, const VersionEntry& version, const Digest& content) {
  const auto line = lineage.lineOf(version);
  return std::any_of(line.begin(), line.end(),
                     [&](const VersionEntry* one) { return one->contentDigest == content; });
}

}  // namespace strata
