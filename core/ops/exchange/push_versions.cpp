#include "core/ops/exchange/push_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/ops/exchange/detail/kept_transfer.h"
#include "core/ops/exchange/detail/push/plain_push.h"
#include "core/ops/exchange/detail/push/push_listing.h"
#include "core/ops/exchange/detail/push/push_plan.h"
#include "core/ops/exchange/detail/push/push_sending.h"
#include "core/ops/exchange/detail/push/pushed_order.h"
#include "core/ops/exchange/detail/push/remote_mending.h"
#include "core/ops/exchange/detail/push/signature_moves.h"
#include "core/ops/exchange/version_matching.h"
#include "core/transfer/transfer_log.h"

namespace strata {
namespace {

class Push {
 public:
  Push(Store& store, Transport& remote, const PushOptions& options)
      : store_(store),
        remote_(remote),
        options_(options),
        list_(store, remote, options),
        mending_(store, remote, options) {}

  Result<PushReport> run(const std::stop_token& stop, const ProgressSink& progress) {
    STRATA_TRY(const std::vector<VersionEntry> named, versionsNamed(store_, options_));
    STRATA_TRY(versions_, versionsToPush(store_, named, options_));
    STRATA_TRY(const TransportTraits traits, remote_.probe(stop));
    if (traits.refs == RefSafety::ReadOnly) {
      return fail(ErrorCode::LoginRequired, remote_.url() + ": can be read only");
    }
    report_.refsAreAtomic = traits.refs == RefSafety::Atomic;
    asksEachObject_ = !traits.listsObjects;
    STRATA_TRY(const RefListing listing, list_.read(stop));
    report_.olderList = list_.olderText(listing);
    STRATA_TRY(PushPlan plan, list_.planFor(versions_, listing));
    STRATA_TRY(findMissing(plan, stop, progress));
    if (list_.noteLost(plan.lostThere)) {
      forgetMissing();
      STRATA_TRY(plan, list_.planFor(versions_, listing));
      STRATA_TRY(findMissing(plan, stop, progress));
    }
    STRATA_TRY(planPlain(plan, named, stop));
    STRATA_TRY(remote_.checkSpace(bytesToSend()).map_error(ofRemote));
    if (options_.dryRun) return describe(std::move(plan));
    STRATA_TRY(const std::unique_ptr<TransferClaim> claim, keep());
    Result<PushReport> done =
        sendAll(std::move(plan), stop, claim ? claim->noting(progress) : progress,
                claim ? claim->noting(progress, report_.byteCount) : progress);
    conclude(claim.get(), done);
    if (done && done->failed.empty()) endLeftUploads(stop);
    // A push that goes on with this one asks for versions by their numbers here.
    const bool isWhole = done && done->failed.empty();
    if (isWhole && options_.renumber) takeNumbers(store_, options_.keptAs, *done, stop);
    return done;
  }

 private:
  /// What pushes that are over left there to go on with, unless another of this remote is listed. A
  /// failure leaves it to the next push.
  void endLeftUploads(const std::stop_token& stop) {
    const auto listed = listTransfers(store_);
    const bool isWanted =
        !listed || std::any_of(listed->begin(), listed->end(), [&](const auto& one) {
          return one.request.direction == TransferRequest::Direction::Push &&
                 one.request.remote == options_.keptAs;
        });
    if (!isWanted) static_cast<void>(remote_.abandonUploads(stop));
  }

  Result<PushReport> sendAll(PushPlan plan, const std::stop_token& stop,
                             const ProgressSink& progress, const ProgressSink& plainProgress) {
    STRATA_TRY(send(plan, stop, progress));
    STRATA_TRY(sendPlain(plan, stop, plainProgress));
    return advance(std::move(plan), stop, progress);
  }

  std::uint64_t bytesToSend() const {
    return report_.byteCount + (plain_ ? plain_->report().sentBytes : 0);
  }

  /// Whether such a push was stopped before: this one ends its entry.
  bool isListed(const TransferRequest& request) const {
    const auto listed = listTransfers(store_);
    return listed && std::any_of(listed->begin(), listed->end(), [&](const auto& one) {
             return !one.isLive() && one.request == request;
           });
  }

  /// A push that moves bytes is kept in the catalog until it is over; null for others.
  Result<std::unique_ptr<TransferClaim>> keep() const {
    const std::uint64_t bytes = bytesToSend();
    if (options_.keptAs.empty() || options_.repair) return nullptr;
    TransferRequest request = requestOf(options_);
    for (std::string& word : request.references) {
      if (isGlob(word)) continue;
      STRATA_TRY(const VersionEntry version, store_.resolve(word));
      word = version.label();  // the newest may be another one by then
    }
    if (bytes == 0 && !isListed(request)) return nullptr;
    return TransferClaim::take(store_, request, TransferEntry::State::Running, bytes);
  }

  void forgetMissing() {
    missing_.clear();
    report_.packCount = report_.manifestCount = 0;
    report_.byteCount = report_.skippedBytes = 0;
  }

  Result<void> findMissing(PushPlan& plan, const std::stop_token& stop,
                           const ProgressSink& progress) {
    // Thousands of requests for a library of which nothing is new.
    const bool isAboutAll = options_.references.empty() && !options_.repair;
    report_.objectsAsked = !isAboutAll || !asksEachObject_ || !plan.items.empty();
    if (!report_.objectsAsked) plan.there.clear();
    const std::vector<RemoteObject> all = objectsOf(plan);
    STRATA_TRY(ObjectsThere there, remote_.has(all, stop));
    if (options_.repair) STRATA_TRY(mending_.findDamaged(all, there, stop, progress));
    STRATA_TRY(auto awaited, awaitedPacksOf(store_, plan));
    std::erase_if(awaited, [&](const auto& one) { return there.kept.contains(one.first); });
    leaveOut(plan, awaited);
    STRATA_TRY(mending_.plan(plan, there.visible, stop));
    std::set<Digest> wanted;
    for (const PlannedPush& item : plan.items) {
      for (const RemoteObject& object : item.version.objects()) wanted.insert(object.digest);
    }
    for (const RemoteObject& object : all) {
      const bool isWanted = wanted.contains(object.digest);
      const bool isMended = mending_.objects().contains(object.digest);
      const bool isKept =
          there.kept.contains(object.digest) && (!isMended || mending_.wasSent(object.digest));
      if (isWanted && isKept) report_.skippedBytes += object.byteCount;
      if (isKept || (!isWanted && !isMended)) continue;
      missing_.push_back(object);
      report_.byteCount += object.byteCount;
      ++(object.kind == RemoteObject::Kind::Pack ? report_.packCount : report_.manifestCount);
    }
    return planSignatures(plan, stop);
  }

  /// They belong to the list, not to what a version brings along.
  Result<void> planSignatures(PushPlan& plan, const std::stop_token& stop) {
    packSignatures(plan);
    if (options_.repair) return mendSignatures(store_, remote_, mending_, plan, stop);
    // Of a registry each changed ref is an artifact.
    if (!asksEachObject_) moveSignatures(plan);
    return {};
  }

  /// What the remote will call a version; empty where it will not list it.
  Result<std::string> labelAfter(const PushPlan& plan, const VersionEntry& version) const {
    const RemoteLibrary after = RemoteLibrary::from(plan.listingAfter());
    STRATA_TRY(const VersionMatching matching, VersionMatching::load(store_.catalog(), after));
    const RemoteVersion* const there = matching.there(version);
    return there == nullptr ? std::string() : there->ref.label();
  }

  Result<void> planPlain(const PushPlan& plan, const std::vector<VersionEntry>& named,
                         const std::stop_token& stop) {
    if (!options_.plain || named.empty()) {
      report_.plainStanding = standingPlain(remote_, stop).value_or(std::string());
      return {};
    }
    plainVersion_ = plainVersionOf(named);
    STRATA_TRY(std::string label, labelAfter(plan, plainVersion_));
    if (label.empty()) return {};  // its number is taken: reported as failed
    STRATA_TRY(plain_, PlainPush::open(store_, plainVersion_, std::move(label)));
    return plain_->plan(remote_, stop);
  }

  /// After the objects; what fails leaves the versions themselves alone.
  Result<void> sendPlain(PushPlan& plan, const std::stop_token& stop,
                         const ProgressSink& progress) {
    if (!plain_) return {};
    STRATA_TRY(const std::string label, labelAfter(plan, plainVersion_));
    const Result<void> sent = label.empty()
                                  ? fail(plan.failed.front().error)
                                  : plain_->send(remote_, options_.parallel, stop, progress);
    if (sent) return {};
    if (sent.error().code == ErrorCode::Cancelled) return sent;
    plan.failed.push_back({"plain files of " + plain_->report().version, ofRemote(sent.error())});
    plain_.reset();
    return {};
  }

  Result<void> send(PushPlan& plan, const std::stop_token& stop, const ProgressSink& progress) {
    if (missing_.empty()) return {};
    STRATA_TRY(const auto failures, sendObjects(mending_, missing_, report_.byteCount,
                                                options_.parallel, stop, progress));
    leaveOut(plan, failures);
    mending_.leaveOut(plan, failures);
    return {};
  }

  void noteKept(PushPlan& plan, const Result<void>& kept) const {
    if (!kept) plan.failed.push_back({"the list of " + options_.keptAs, kept.error(), true});
  }

  static std::set<std::string> labelsThere(const PushReport& report) {
    std::set<std::string> labels;
    for (const PushReport::Item& item : report.pushed) labels.insert(item.version.label());
    for (const VersionEntry& one : report.alreadyThere) labels.insert(one.label());
    return labels;
  }

  PushReport describe(PushPlan plan) {
    std::map<Digest, std::uint64_t> unsent;
    for (const RemoteObject& object : missing_) unsent.emplace(object.digest, object.byteCount);
    for (PlannedPush& item : plan.items) {
      const bool isNameless = item.version.ref.isUnlisted;
      // Its number there is nothing to ask for.
      PushReport::Item pushed{item.entry, isNameless ? item.entry.number : item.version.ref.number};
      pushed.isNameless = isNameless;
      for (const RemoteObject& object : item.version.objects()) {
        const auto found = unsent.find(object.digest);
        if (found == unsent.end()) continue;
        pushed.sentBytes += found->second;
        unsent.erase(found);
      }
      report_.pushed.push_back(std::move(pushed));
    }
    report_.mended = mending_.versionsOf(plan);
    report_.listMended = plan.above.has_value();
    const bool isBack = options_.repair && plan.failed.empty() && !plan.changed.empty();
    if (report_.listMended || isBack) report_.olderList.clear();
    for (VersionMet& met : plan.alreadyThere) {
      report_.alreadyThere.push_back(std::move(met.entry));
    }
    report_.failed = std::move(plan.failed);
    report_.turned = std::move(plan.turned);
    report_.renumbered = std::move(plan.renumbered);
    const std::set<std::string> there = labelsThere(report_);
    std::erase_if(report_.renumbered,
                  [&](const auto& one) { return !there.contains(one.version.label()); });
    report_.leftOut = std::move(plan.leftOut);
    for (const PlannedTag* const tag : plan.tagsToSend()) {
      if (tag->said) report_.tags.push_back(*tag->said);
    }
    static_cast<PushRemarks&>(report_) = static_cast<PushRemarks&&>(plan);
    report_.notesElsewhere.insert(report_.notesElsewhere.end(), plan.notesInDoubt.begin(),
                                  plan.notesInDoubt.end());
    if (plain_) report_.plain = plain_->report();
    return std::move(report_);
  }

  /// The version whose plain files stand there after the push.
  std::string plainAfter() const {
    return plain_ ? plain_->report().version : report_.plainStanding;
  }

  std::string summaryOf(const PushPlan& plan) const {
    if (!options_.message.empty()) return options_.message;
    if (plan.items.empty() && plain_) return "plain files of " + plain_->report().version;
    const bool isTold = plan.changed.size() > plan.notes.size();
    const bool isMended = !mending_.objects().empty() || isTold || plan.above;
    if (plan.items.empty() && !isMended && !plan.notes.empty()) return "edit notes";
    if (plan.items.empty() && isMended) return "mend versions";
    if (plan.items.empty() && !plan.tagsToSend().empty()) return "move tags";
    std::string text = "push";
    constexpr std::size_t kNamed = 4;
    for (std::size_t i = 0; i < std::min(kNamed, plan.items.size()); ++i) {
      text += (i == 0 ? " " : ", ") + plan.items[i].version.ref.label();
    }
    if (plan.items.size() > kNamed) text += fmt::format(" and {} more", plan.items.size() - kNamed);
    return text;
  }

  /// What was there, or had no need to be, may be missing after what others did.
  Result<void> sendAgain(PushPlan& plan, const std::stop_token& stop,
                         const ProgressSink& progress) {
    const std::uint64_t skippedBytes = report_.skippedBytes;
    const std::vector<RemoteObject> sent = std::exchange(missing_, {});
    STRATA_TRY(findMissing(plan, stop, progress));
    STRATA_TRY(send(plan, stop, progress));
    missing_.insert(missing_.end(), sent.begin(), sent.end());
    report_.skippedBytes = skippedBytes;
    return {};
  }

  /// Moves the refs; after another pusher came first, by what there is by then.
  Result<PushReport> advance(PushPlan plan, const std::stop_token& stop,
                             const ProgressSink& progress) {
    // Each attempt that is lost is another's push that went through.
    constexpr int kAttempts = 32;
    std::vector<FailedTransfer> unsent = plan.failed;
    // Each plan says anew whose numbers are taken, and what stands on those.
    std::erase_if(unsent, [&](const auto& one) { return plan.taken.contains(one.label); });
    std::set<std::string> left;
    for (const FailedTransfer& failure : unsent) left.insert(failure.label);
    for (int attempt = 1;; ++attempt) {
      STRATA_TRY(sendSignatures(remote_, plan, options_.parallel, stop));
      const std::vector<RefUpdate> updates = plan.updates(mending_.objects());
      const std::optional<PlainSet> plain = plain_ ? plain_->change() : std::nullopt;
      if (updates.empty() && !plain && !plan.above && plan.seenLists.empty()) {
        if (!plan.failed.empty() && plan.alreadyThere.empty()) {
          return fail(plan.failed.front().error);
        }
        // Parts of the list that are known by their hashes were not read.
        STRATA_TRY(remote_.checkList(stop).map_error(ofRemote));
        noteKept(plan, list_.keepSeen(plan.listing));
        return describe(std::move(plan));
      }
      RefPush push{updates, summaryOf(plan), {}, plain};
      push.endedSweeps = plan.listing.endedSweeps;
      push.above = plan.aboveNumber();
      push.identity = plan.identity;
      push.unseen = plan.unseenLists();
      push.seenLists = plan.seenLists;
      push.follows = plan.listsFollowed();
      if (options_.cards) {
        push.cards = options_.cards(RemoteLibrary::from(plan.listingAfter()), plainAfter());
      }
      STRATA_TRY(const RefOutcome outcome, remote_.advanceRefs(push, stop).map_error(ofRemote));
      if (outcome == RefOutcome::Advanced) {
        const Result<void> kept = list_.keepAfter(plan, stop);
        mending_.confirm(plan, stop, progress);
        noteKept(plan, kept);
        return describe(std::move(plan));
      }
      if (attempt == kAttempts) break;
      STRATA_TRY(const RefListing listing, list_.readAgain(stop));
      std::vector<VersionEntry> again = versions_;
      std::erase_if(again, [&](const VersionEntry& one) { return left.contains(one.label()); });
      STRATA_TRY(plan, list_.planFor(again, listing));
      std::erase_if(plan.failed, [&](const auto& one) { return left.contains(one.label); });
      plan.failed.insert(plan.failed.begin(), unsent.begin(), unsent.end());
      STRATA_TRY(sendAgain(plan, stop, progress));
    }
    return fail(ErrorCode::Network,
                fmt::format("{}: others pushed at the same time, {} times in a row; nothing is "
                            "lost, push again",
                            remote_.url(), kAttempts));
  }

  Store& store_;
  Transport& remote_;
  const PushOptions& options_;
  std::vector<VersionEntry> versions_;
  std::vector<RemoteObject> missing_;
  PushListing list_;
  RemoteMending mending_;
  std::optional<PlainPush> plain_;
  VersionEntry plainVersion_;
  bool asksEachObject_ = false;
  PushReport report_;
};

}  // namespace

TransferRequest requestOf(const PushOptions& options) {
  return {.direction = TransferRequest::Direction::Push,
          .remote = options.keptAs,
          .references = options.references,
          .withBase = options.withBase,
          .tags = options.tags,
          .forceTags = options.forceTags,
          .renumber = options.renumber,
          .plain = options.plain,
          .makePublic = options.makePublic,
          .message = options.message};
}

PushOptions pushOptionsOf(const TransferRequest& request) {
  return {.references = request.references,
          .withBase = request.withBase,
          .tags = request.tags,
          .forceTags = request.forceTags,
          .renumber = request.renumber,
          .plain = request.plain,
          .message = request.message,
          .keptAs = request.remote,
          .makePublic = request.makePublic};
}

Result<PushReport> pushVersions(Store& store, Transport& remote, const PushOptions& options,
                                std::stop_token stop, const ProgressSink& progress) {
  return Push(store, remote, options).run(stop, progress);
}

}  // namespace strata
