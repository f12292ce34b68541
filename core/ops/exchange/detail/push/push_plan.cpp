#include "core/ops/exchange/detail/push/push_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/ops/detail/lineage.h"
#include "core/ops/detail/version_removal.h"
#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/push/pushed_notes.h"
#include "core/ops/exchange/detail/push/pushed_order.h"
#include "core/ops/exchange/detail/push/pushed_tags.h"
#include "core/ops/exchange/version_matching.h"
#include "core/store/catalog/manifest_summary.h"
#include "core/store/store_writer.h"

namespace strata {
namespace {

Result<std::vector<VersionEntry>> namedVersions(const Store& store,
                                                const std::vector<std::string>& references) {
  STRATA_TRY(const std::vector<VersionEntry> all, store.catalog().versions());
  if (references.empty()) return all;
  std::vector<VersionEntry> named;
  for (const std::string& word : references) {
    if (!isGlob(word)) {
      STRATA_TRY(VersionEntry version, store.resolve(word));
      named.push_back(std::move(version));
      continue;
    }
    STRATA_TRY(const auto matching, matchingVersions(all, word));
    named.insert(named.end(), matching.begin(), matching.end());
  }
  return named;
}

/// Enough to tell contents apart; the rest of a number does what it does for names.
constexpr std::size_t kNamelessDigits = 16;

class Planning {
 public:
  Planning(const Store& store, const RefListing& listing, const PushOptions& options)
      : store_(store), options_(options), library_(RemoteLibrary::from(listing)) {
    plan_.listing = listing;
  }

  Result<PushPlan> run(const std::vector<VersionEntry>& versions) {
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store_.catalog(), library_));
    Agreed agreed = agreedFor(store_, options_.keptAs, plan_.listing);
    STRATA_TRY(const TagMatching tags, TagMatching::load(store_.catalog(), matching, agreed));
    for (const VersionEntry& entry : versions) {
      const bool isRemoved = entry.place() == Place::Trash;
      if (isRemoved && library_.withContent(entry.contentDigest) != nullptr) continue;
      const RemoteVersion* const there = matching.there(entry);
      STRATA_TRY(const std::uint32_t number, place(entry, there));
      if (number > 0) order_.place(entry, number);
      if (number > 0 && !isRemoved) noteNumber(entry, number);
      if (there != nullptr && !options_.repair) placeNote(agreed.notes, entry, *there, plan_);
      if (number > 0 && options_.tags && !isRemoved) {
        const PlacedVersion placed{entry, number, there != nullptr};
        STRATA_TRY(placeTags(store_, placed, tags, options_, plan_));
      }
    }
    if (options_.tags) noteRemovedTags(library_, met_, tags, plan_);
    STRATA_TRY(completeThere());
    plan_.turned = order_.turned(plan_.items, library_, matching);
    // Of a library of which some is new, the rest is looked at by the next push.
    const bool isAboutAll = options_.references.empty() && !options_.repair;
    if (!isAboutAll || plan_.items.empty()) {
      for (const RemoteVersion* const version : met_) noteThere(*version);
    }
    if (options_.repair) onlyRepair();
    return std::move(plan_);
  }

 private:
  /// A version of the remote, and those that it is a difference to there.
  void noteThere(const RemoteVersion& version) {
    const RemoteVersion* at = &version;
    while (at != nullptr && noted_.insert(at->ref.label()).second) {
      plan_.there.push_back({*at, at->ref.label()});
      at = at->parentDigest ? library_.withContent(*at->parentDigest) : nullptr;
    }
  }

  /// Nothing new but parents that versions there lack.
  void onlyRepair() {
    if (options_.references.empty()) {
      for (const RemoteVersion* const version : library_.all()) noteThere(*version);
    }
    std::set<Digest> wanted;  // contents that no version there has
    const auto want = [&](const RemoteVersion& version) {
      const auto& parent = version.parentDigest;
      if (parent && library_.withContent(*parent) == nullptr) wanted.insert(*parent);
    };
    for (const VersionThere& one : plan_.there) want(one.version);
    std::map<Digest, const PlannedPush*> first;  // one of each content is enough
    for (const PlannedPush& item : plan_.items) first.emplace(item.entry.contentDigest, &item);
    std::vector<PlannedPush> kept;
    for (auto item = plan_.items.rbegin(); item != plan_.items.rend(); ++item) {
      const Digest& content = item->entry.contentDigest;
      if (first.at(content) != &*item || !wanted.contains(content)) continue;
      want(item->version);
      kept.push_back(std::move(*item));
    }
    plan_.items.assign(std::make_move_iterator(kept.rbegin()),
                       std::make_move_iterator(kept.rend()));
    plan_.failed.clear();  // numbers that are taken
    plan_.taken.clear();
    plan_.turned.clear();
    plan_.renumbered.clear();
    plan_.leftOut.clear();
    plan_.tags.clear();
    plan_.tagsTakenThere.clear();
    plan_.tagsInDoubt.clear();
    plan_.tagsRemovedHere.clear();
    plan_.tagsElsewhere.clear();
    plan_.tagsOfOtherSnapshots.clear();
    plan_.tagsMovedThere.clear();
  }

  /// That it has another number there is said, and what has its own.
  void noteNumber(const VersionEntry& entry, std::uint32_t number) {
    if (number == entry.number) return;
    PushReport::Renumbered renumbered{entry, number};
    const RemoteVersion* const other = library_.find(entry.name, entry.number);
    const bool isOther = other != nullptr && other->ref.contentDigest != entry.contentDigest;
    if (isOther) renumbered.other = other->ref.contentDigest;
    plan_.renumbered.push_back(std::move(renumbered));
  }

  /// The number that the version has or gets there; 0 where it cannot go.
  Result<std::uint32_t> place(const VersionEntry& entry, const RemoteVersion* there) {
    if (there != nullptr) {
      plan_.alreadyThere.push_back({entry, there->ref.label()});
      met_.push_back(there);
      STRATA_TRY(const bool isOther, mayHaveOtherModes(store_, entry, *there));
      if (isOther) plan_.modesElsewhere.push_back(entry.label());
      if (!options_.withBase && !options_.repair && !there->base) STRATA_TRY(tellBase(*there));
      return there->ref.number;
    }
    const auto [highest, isFirst] = highest_.try_emplace(entry.name, 0);
    if (isFirst) {
      STRATA_TRY(highest->second, highestOf(entry.name));
    }
    PlannedPush item{entry, {}, {}};
    STRATA_TRY(item.version, describeVersion(store_, entry));
    const std::string refName = refNameOf(item.version.ref);
    if (const auto* const nameless = namelessThere(library_, refName, entry.contentDigest)) {
      item.replaces = plan_.listing.refs.at(refName);
      keepCoding(item.version, *nameless);
    }
    const bool isTaken = (plan_.listing.refs.contains(refName) && !item.replaces) ||
                         planned_.contains(refName) || isOutOfOrder(item);
    // Nobody asks for a removed one by its number.
    if (isTaken && !options_.renumber && !item.version.ref.isUnlisted) {
      const RemoteVersion* const other = library_.find(entry.name, entry.number);
      refuse(std::move(item),
             {ErrorCode::InvalidArgument,
              fmt::format("{}: the remote has another {} ({}), this one is {}; --renumber takes "
                          "the next number there",
                          entry.label(), entry.label(),
                          other ? shortHex(other->ref.contentDigest) : "unreadable",
                          shortHex(entry.contentDigest))});
      return 0;
    }
    if (isTaken && highest->second == UINT32_MAX) {
      refuse(std::move(item),
             {ErrorCode::LimitExceeded,
              fmt::format("{}: v{} of {} is given, so no number is left there; rename it here and "
                          "push it again",
                          entry.label(), highest->second, entry.name)});
      return 0;
    }
    if (isTaken) {
      item.version.ref.number = highest->second + 1;
      item.replaces.reset();
      if (!item.version.ref.isUnlisted) moved_.insert(entry.name);
    }
    STRATA_TRY(const bool goes, take(std::move(item)));
    if (!goes) return 0;
    const std::uint32_t number = plan_.items.back().version.ref.number;
    highest->second = std::max(highest->second, number);
    return number;
  }

  /// Its number is another's there, or none is left.
  void refuse(PlannedPush item, Error error) {
    plan_.failed.push_back({item.entry.label(), std::move(error)});
    plan_.taken.insert(item.entry.label());
    const Digest content = item.entry.contentDigest;
    taken_.try_emplace(content, Taken{std::move(item), plan_.failed.size() - 1});
  }

  /// After its parents. False if it cannot be listed.
  Result<bool> take(PlannedPush item) {
    const Digest content = item.entry.contentDigest;
    if (const auto& parent = item.version.parentDigest) {
      STRATA_TRY(complete(*parent));
      if (const RemoteVersion* const there = library_.withContent(*parent)) noteThere(*there);
    }
    if (!options_.withBase) STRATA_TRY(leaveOutBase(item.version));
    if (const Result<void> fits = checkListed(item.version); !fits) {
      plan_.failed.push_back({item.entry.label(), fits.error().within(item.entry.label())});
      unlistable_.insert(content);
      return false;
    }
    planned_.insert(refNameOf(item.version.ref));
    going_.insert(content);
    plan_.items.push_back(std::move(item));
    return true;
  }

  /// What stands on a content that is listed, or will be, needs its whole lineage there: what
  /// others have the numbers of goes along without its name.
  Result<void> complete(const Digest& content) {
    if (going_.contains(content) || unlistable_.contains(content)) return {};
    if (const RemoteVersion* const there = library_.withContent(content)) {
      if (!completed_.insert(content).second || !there->parentDigest) return {};
      return complete(*there->parentDigest);
    }
    const auto taken = taken_.find(content);
    if (taken == taken_.end() || !completed_.insert(content).second) return {};
    PlannedPush item = taken->second.item;
    VersionRef& ref = item.version.ref;
    ref.isUnlisted = true;
    ref.removedAt = currentTime();
    ref.tags.clear();
    ref.name = "parent-" + toHex(content).substr(0, kNamelessDigits);
    for (ref.number = 1; isUsed(refNameOf(ref));) ++ref.number;
    item.version.scores.clear();
    STRATA_TRY(take(std::move(item)));
    return {};
  }

  bool isUsed(const std::string& refName) const {
    return plan_.listing.refs.contains(refName) || planned_.contains(refName);
  }

  /// The lineages of what is there already, and what to say of those whose numbers are taken.
  Result<void> completeThere() {
    const bool isAll = options_.repair && options_.references.empty();
    for (const RemoteVersion* const version : isAll ? library_.all() : met_) {
      STRATA_TRY(complete(version->ref.contentDigest));
    }
    for (const auto& [content, taken] : taken_) {
      const RemoteVersion* const there = library_.withContent(content);
      const bool isThere = there != nullptr && there->ref.isUnlisted;
      if (!isThere && !going_.contains(content)) continue;
      plan_.failed[taken.failure].error.message +=
          isThere ? "; it is there without its name, for those that are differences to it"
                  : "; it goes along without its name, for those that are differences to it";
    }
    return {};
  }

  /// What nobody could read must not be written: the reader has the limits. Fails with
  /// LimitExceeded, also for what stands on a version that did not pass.
  Result<void> checkListed(const RemoteVersion& version) const {
    const auto& parent = version.parentDigest;
    const bool isStranded = parent && unlistable_.contains(*parent) && !going_.contains(*parent) &&
                            library_.withContent(*parent) == nullptr;
    if (isStranded) {
      return fail(ErrorCode::LimitExceeded, "its parent cannot be listed on a remote");
    }
    RemoteVersion listed = version;
    listed.ref.signature.clear();  // lies beside the list
    const auto read = parseRemoteVersion(refNameOf(listed.ref), toRefText(listed));
    return read ? Result<void>() : fail(ErrorCode::LimitExceeded, read.error().message);
  }

  /// Where the parent is neither there nor on its way, a receiver is told of it.
  Result<void> leaveOutBase(RemoteVersion& version) {
    const auto& parent = version.parentDigest;
    if (!parent || library_.withContent(*parent) != nullptr || going_.contains(*parent)) return {};
    const auto [known, isNew] = leftOut_.try_emplace(*parent);
    if (isNew) {
      STRATA_TRY(const auto bases, store_.catalog().withContent(*parent));
      if (bases.empty()) return {};
      const auto fetchable = std::find_if(
          bases.begin(), bases.end(), [](const auto& one) { return isFetchable(one.sourceUrl); });
      if (fetchable != bases.end()) {
        STRATA_TRY(known->second, elsewhereOf(*fetchable));
        plan_.leftOut.push_back({*fetchable, fetchable->sourceUrl});
      } else {
        plan_.leftOut.push_back({bases.front(), {}});
      }
    }
    version.base = known->second;
    return {};
  }

  /// A version that went when nobody knew where its base lies.
  Result<void> tellBase(const RemoteVersion& there) {
    RemoteVersion told = there;
    STRATA_TRY(leaveOutBase(told));
    if (!told.base) return {};
    const std::string name = refNameOf(told.ref);
    RefText& text = plan_.listing.refs.at(name);
    plan_.changed.emplace(name, std::exchange(text, toRefText(told)));
    plan_.told.insert(name);
    return {};
  }

  Result<BaseElsewhere> elsewhereOf(const VersionEntry& base) const {
    STRATA_TRY(const Manifest manifest,
               readManifest(store_, base.manifestDigest, base.contentDigest));
    const bool isFile = base.format != "folder" && manifest.files.size() == 1;
    return BaseElsewhere{base.contentDigest, base.name, base.sourceUrl,
                         isFile ? manifest.files[0].path : std::string(), base.originalBytes};
  }

  /// Of the numbers of a name that are given there; with `renumber` on either side.
  Result<std::uint32_t> highestOf(const std::string& name) const {
    std::uint32_t highest = 0;
    for (const RemoteVersion* const version : library_.all()) {
      if (version->ref.name == name) highest = std::max(highest, version->ref.number);
    }
    if (!options_.renumber) return highest;
    const auto next = nextNumberOf(store_, store_.catalog(), name, Digest{});
    if (!next && next.error().code == ErrorCode::LimitExceeded) return UINT32_MAX;
    if (!next) return next;
    return std::max(highest, *next - 1);
  }

  /// Whether its number would put a version before its parent, or before an older one of its name
  /// that gets a new number.
  bool isOutOfOrder(const PlannedPush& item) const {
    if (!options_.renumber) return false;
    const bool isNamed = !item.version.ref.isUnlisted;
    return order_.isBelowParent(item) || (isNamed && moved_.contains(item.entry.name));
  }

  /// A version whose number another content has there.
  struct Taken {
    PlannedPush item;
    std::size_t failure = 0;  ///< its place in PushPlan::failed
  };

  const Store& store_;
  const PushOptions& options_;
  RemoteLibrary library_;
  std::map<std::string, std::uint32_t> highest_;  ///< number of each name, there or planned
  std::set<std::string> planned_;                 ///< names of refs
  std::set<std::string> moved_;                   ///< names whose versions get new numbers
  std::set<Digest> unlistable_;                   ///< contents that failed checkListed
  std::set<Digest> going_;                        ///< contents of the plan's items
  std::map<Digest, Taken> taken_;                 ///< by content
  std::set<Digest> completed_;                    ///< whose lineages were walked
  PushedOrder order_;
  std::map<Digest, std::optional<BaseElsewhere>> leftOut_;  ///< by content
  std::set<std::string> noted_;                             ///< labels of `there`
  std::vector<const RemoteVersion*> met_;                   ///< that are pushed and there already
  PushPlan plan_;
};

}  // namespace

Result<std::vector<VersionEntry>> versionsNamed(const Store& store, const PushOptions& options) {
  return namedVersions(store, options.references);
}

Result<std::vector<VersionEntry>> versionsToPush(const Store& store,
                                                 const std::vector<VersionEntry>& named,
                                                 const PushOptions& options) {
  STRATA_TRY(const Lineage lineage, Lineage::load(store.catalog()));
  std::vector<VersionEntry> ordered;
  std::set<std::string> seen;
  std::set<std::string> asked;
  for (const VersionEntry& version : named) asked.insert(version.label());
  for (const VersionEntry& version : named) {
    const std::vector<const VersionEntry*> line = lineage.lineOf(version);
    for (auto one = line.rbegin(); one != line.rend(); ++one) {
      const bool isAsked = !options.references.empty() && asked.contains((*one)->label());
      if ((*one)->isBase() && !isAsked && !options.withBase) continue;
      if (seen.insert((*one)->label()).second) ordered.push_back(**one);
    }
  }
  return ordered;
}

Result<PushPlan> planPush(const Store& store, const std::vector<VersionEntry>& versions,
                          const RefListing& listing, const PushOptions& options) {
  return Planning(store, listing, options).run(versions);
}

}  // namespace strata
