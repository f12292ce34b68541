#include "core/ops/exchange/detail/push/push_listing.h"

#include <algorithm>

#include "core/ops/exchange/detail/kept/agreed_tags.h"
#include "core/ops/exchange/detail/kept/seen_lists.h"
#include "core/ops/exchange/detail/push/common_list.h"
#include "core/ops/exchange/detail/push/list_mending.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/remote_library.h"

namespace strata {

Result<RefListing> PushListing::read(const std::stop_token& stop) {
  auto former = readFormer(store_, options_.keptAs);
  // Where nobody can read the remote's list, nobody could fetch it first.
  if (!former && !mendsList()) return fail(std::move(former).error());
  former_ = former.value_or(std::nullopt);
  // Who mends looks at what is there.
  if (former_ && !options_.repair) remote_.know(*former_);
  if (!options_.dryRun) STRATA_TRY(awaitSweep(stop));
  STRATA_TRY(RefListing listing, readRefs(stop));
  if (former) STRATA_TRY(recognize(store_, options_.keptAs, listing, former_));
  STRATA_TRY(noteReplaced(remote_, former_, listing, stop));
  if (!former && listing.unreadable == 0) return fail(std::move(former).error());
  STRATA_TRY(checkPlace(listing));
  STRATA_TRY(confirmByStock(listing, stop));
  STRATA_TRY(findCommon(listing, stop));
  if (!options_.dryRun) doubts_ = keepDoubts(store_, options_.keptAs, listing);
  return listing;
}

Result<RefListing> PushListing::readAgain(const std::stop_token& stop) {
  STRATA_TRY(awaitSweep(stop));
  // Where it is damaged the first look has told what to do.
  former_ = readFormer(store_, options_.keptAs).value_or(std::nullopt);
  STRATA_TRY(RefListing listing, readRefs(stop));
  STRATA_TRY(noteReplaced(remote_, former_, listing, stop));
  STRATA_TRY(confirmByStock(listing, stop));
  STRATA_TRY(findCommon(listing, stop));
  doubts_ = keepDoubts(store_, options_.keptAs, listing);
  return listing;
}

Result<void> PushListing::confirmByStock(RefListing& listing, const std::stop_token& stop) const {
  const bool isInDoubt = mendsList() && former_ && isSeenInDoubt(*former_, listing);
  if (!isInDoubt || listing.confirmed == former_->generation) return {};
  const auto stock = remote_.listObjects(stop);
  if (!stock && stock.error().code == ErrorCode::Cancelled) return fail(stock.error());
  if (!stock) return {};
  std::set<Digest> named;
  for (const RefListing* const one : {&*former_, static_cast<const RefListing*>(&listing)}) {
    const RemoteLibrary library = RemoteLibrary::from(*one);
    for (const RemoteVersion* const version : library.all()) {
      for (const RemoteObject& object : version->allObjects()) named.insert(object.digest);
    }
  }
  const bool areNamed = std::all_of(stock->begin(), stock->end(), [&](const StockedObject& one) {
    return named.contains(one.digest);
  });
  if (areNamed) listing.confirmed = former_->generation;
  return {};
}

Result<void> PushListing::findCommon(const RefListing& listing, const std::stop_token& stop) {
  common_.reset();
  if (!mendsList() || !former_ || wayBack(*former_, listing).empty()) return {};
  STRATA_TRY(common_, commonList(remote_, *former_, listing, stop));
  return {};
}

std::string PushListing::olderText(const RefListing& listing) const {
  return olderListText(listing, former_);
}

/// Nobody deletes objects on a remote that does not exist yet.
Result<void> PushListing::awaitSweep(const std::stop_token& stop) const {
  const Result<void> waited = remote_.awaitSweep(stop);
  if (!waited && waited.error().code == ErrorCode::NotFound) return {};
  // Nor while nobody can read the list.
  if (!waited && waited.error().code == ErrorCode::CorruptData && writesListAnew()) return {};
  return waited;
}

Result<RefListing> PushListing::readRefs(const std::stop_token& stop) const {
  auto listing = remote_.readRefs(stop);
  if (!listing && listing.error().code == ErrorCode::CorruptData && writesListAnew()) {
    STRATA_TRY(RefListing salvaged, remote_.salvageRefs(stop));
    if (mendsList() || salvaged.generation == 0) return salvaged;
  }
  if (listing || listing.error().code != ErrorCode::NotFound) return listing;
  RefListing none;
  none.isNew = true;
  return none;
}

/// A place that is empty and was not is made anew only where that is asked for.
Result<void> PushListing::checkPlace(const RefListing& listing) const {
  if (mendsList() && !listing.isNew) return {};
  if (!options_.create || listing.generation > 0) {
    STRATA_TRY(checkStillThere(former_, remote_.url(), listing));
    return options_.repair ? checkIsMade(remote_.url(), listing) : Result<void>();
  }
  // A push that goes on with this one needs no such word.
  if (listing.isNew && !options_.dryRun) return forgetPlace(store_.folder(), options_.keptAs);
  return {};
}

Result<PushPlan> PushListing::planFor(const std::vector<VersionEntry>& versions,
                                      const RefListing& listing) const {
  if (!mendsList()) {
    STRATA_TRY(PushPlan plan, planPush(store_, versions, listing, options_));
    if (listing.unreadable > 0) plan.above = listing.unreadable;
    return marked(std::move(plan), listing);
  }
  STRATA_TRY(MendedList list, mendList(store_, listing, former_, common_, lost_));
  STRATA_TRY(PushPlan plan, planPush(store_, versions, list.listing, options_));
  plan.changed = std::move(list.changed);
  plan.above = list.above;
  plan.lastSeen = list.lastSeen;
  plan.notesInDoubt = std::move(list.notesInDoubt);
  plan.failed.insert(plan.failed.end(), list.failed.begin(), list.failed.end());
  return marked(std::move(plan), listing);
}

/// Whether versions that this store saw are not listed after the push.
bool PushListing::lacksAfter(const PushPlan& plan) const {
  RefListing after;
  after.refs = plan.listingAfter().refs;
  return lacksVersions(*former_, after);
}

PushPlan PushListing::marked(PushPlan plan, const RefListing& listing) const {
  plan.identity = listing.identity;
  const bool hasFormer = former_ && !listing.isNew;
  if (plan.identity.empty() && hasFormer) plan.identity = former_->identity;
  if (plan.identity.empty()) plan.identity = makeIdentity();
  // A number that was lost there is not given twice.
  if (options_.create && hasFormer && listing.generation < former_->generation) {
    plan.above = std::max(plan.above.value_or(0), former_->generation);
  }
  plan.unseen = unseenBy(former_, listing);
  if (listing.unreadable > 0 && former_) {
    plan.unseen.insert(former_->unseen.begin(), former_->unseen.end());
  }
  if (mendsList() && former_ && !former_->check.empty() && !lacksAfter(plan)) {
    plan.follows = joinStamps({{former_->generation, former_->check}},
                              former_->follows.value_or(std::vector<ListStamp>{}));
  }
  if (former_ && !listing.unseen.empty()) {
    plan.seenLists = foundBy(*former_, listing, plan.listingAfter().refs);
  }
  return plan;
}

bool PushListing::noteLost(const std::set<std::string>& labels) {
  if (!mendsList()) return false;
  const std::size_t before = lost_.size();
  lost_.insert(labels.begin(), labels.end());
  return lost_.size() > before;
}

Result<void> PushListing::keepSeen(const RefListing& listing) const {
  // Without its doubts a list that was mended would count as any other.
  STRATA_TRY(doubts_);
  STRATA_TRY(keepFetched(store_, options_.keptAs, listing, former_ ? former_->generation : 0));
  return keepAgreed(store_, options_.keptAs, RemoteLibrary::from(listing));
}

/// A remote's first list is read back: that tells its number. What could not be mended stays known.
Result<void> PushListing::keepAfter(const PushPlan& plan, const std::stop_token& stop) const {
  if (options_.keptAs.empty() || (plan.lastSeen > 0 && !plan.failed.empty())) return {};
  STRATA_TRY(doubtNotes(store_, options_.keptAs, plan.notesInDoubt));
  // Whoever counts lists counts from 1.
  const bool isFirst = plan.listing.isNew || plan.listing.revision == "0";
  if (auto made = remote_.written(); made && made->generation > 0) return keepSeen(*made);
  const auto made = isFirst ? remote_.readRefs(stop) : plan.listingAfter();
  return keepSeen(made ? *made : plan.listingAfter());
}

}  // namespace strata
