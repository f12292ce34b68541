#include "core/ops/versions/add_list.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/ops/exchange/fetch_remote.h"
#include "core/ops/exchange/pull_versions.h"
#include "core/ops/quantize/add_quantized.h"
#include "core/progress_meter.h"
#include "core/store/objects/probe.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"
#include "core/transfer/transfer_log.h"

namespace strata {
namespace {

using Kind = AddListEvent::Kind;

class ListAddition {
 public:
  ListAddition(Store& store, const AddListOptions& options, const AddListCalls& calls,
               const std::stop_token& stop, const ProgressSink& progress)
      : store_(store), options_(options), calls_(calls), stop_(stop), progress_(progress) {}

  Result<AddListReport> run() {
    const Stopwatch watch;
    STRATA_TRY(readRemote());
    const std::string command = makeCommandToken();
    for (const ListedModel& model : options_.models) {
      auto done = withOpen(model.file,
                           [&](const ModelSource& source) { return take(model, source, command); });
      if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "stopped");
      if (!done) noteFailed(model, std::move(done).error());
      STRATA_TRY(pushIfDue());
    }
    STRATA_TRY(pushRest());
    forgetEarlier();
    report_.seconds = watch.seconds();
    return std::move(report_);
  }

 private:
  /// So that versions get numbers that are free there, too.
  Result<void> readRemote() {
    if (options_.remote == nullptr) return {};
    const std::string& name = options_.push.keptAs;
    const auto read = readList(store_, *options_.remote, name, stop_);
    if (!read && read.error().code == ErrorCode::NotFound) {
      STRATA_TRY(const auto former, readFormer(store_, name));
      if (!former || former->isNew) return {};  // the first push makes it
    }
    if (!read) return fail(read.error());
    if (!read->listing.isNew) {
      STRATA_TRY(keepFetched(store_, name, read->listing, read->formerNumber));
    }
    there_ = RemoteLibrary::from(read->listing);
    return {};
  }

  /// Calls `work` with a model while it is open.
  template <typename Work>
  Result<void> withOpen(const std::string& file, Work work) {
    Result<void> done;
    if (auto source = calls_.open(file)) {
      done = work(**source);
    } else {
      done = fail(std::move(source).error());
    }
    if (calls_.onClosed) calls_.onClosed(file);
    return done;
  }

  Result<void> take(const ListedModel& model, const ModelSource& source,
                    const std::string& command) {
    STRATA_TRY(const bool isThere, remoteHas(model, source));
    if (isThere) {
      ++report_.there;
      tell({.kind = Kind::There, .model = &model});
      return {};
    }
    AddOptions add = options_.add;
    add.name = model.name;
    add.command = command;
    add.anyStands = true;
    if (!model.base.empty()) chooseBase(model.base, add);
    STRATA_TRY(bringBase(add));
    STRATA_TRY(const AddReport added,
               addByPlan(store_, source, add, options_.plan, stop_, progress_));
    const bool isNew =
        added.outcome == AddReport::Outcome::Stored || added.outcome == AddReport::Outcome::Shared;
    ++(isNew ? report_.stored : report_.known);
    if (options_.remote != nullptr) waiting_.push_back(added.version.label());
    tell({.kind = Kind::Added, .model = &model, .added = &added});
    return {};
  }

  static void chooseBase(const std::string& base, AddOptions& add) {
    add.base = {};
    add.baseChoice = base == "none"   ? BaseChoice::None
                     : base == "auto" ? BaseChoice::Auto
                                      : BaseChoice::Reference;
    if (add.baseChoice == BaseChoice::Reference) add.base = base;
  }

  /// Whether a version there has this name and these bytes. What a lossy one restores to is not
  /// known before it is coded.
  Result<bool> remoteHas(const ListedModel& model, const ModelSource& source) {
    const auto versions = there_.named(model.name);
    if (versions.empty() || options_.plan) return false;
    STRATA_TRY(const Digest content, hashModel(source));
    const auto listed = std::ranges::find_if(
        versions, [&](const RemoteVersion& one) { return one.ref.contentDigest == content; });
    if (listed == versions.end()) return false;
    if (!hasObjects(*listed)) return false;  // the push mends it
    // A run that was killed may have sent it, and not come to say so.
    STRATA_TRY(const auto here, store_.catalog().withContent(content));
    for (const VersionEntry& one : here) {
      if (one.name == model.name) sent_.insert(one.label());
    }
    return true;
  }

  /// Whether the remote has what a version needs, parents included, by sizes: who hears that a
  /// model is there may delete it here. Each object is asked for once.
  bool hasObjects(const RemoteVersion& version) {
    std::vector<RemoteObject> unknown;
    std::set<const RemoteVersion*> line;
    for (const RemoteVersion* one = &version; one != nullptr && line.insert(one).second;) {
      for (const RemoteObject& object : one->objects()) {
        if (!seenThere_.contains(object.digest)) unknown.push_back(object);
      }
      one = one->parentDigest ? there_.withContent(*one->parentDigest) : nullptr;
    }
    if (unknown.empty()) return true;
    const auto sizes = options_.remote->sizesOf(unknown, stop_);
    return sizes && std::ranges::all_of(unknown, [&](const RemoteObject& object) {
             const auto size = sizes->find(object.digest);
             const bool isThere = size != sizes->end() && size->second == object.byteCount;
             if (isThere) seenThere_.insert(object.digest);
             return isThere;
           });
  }

  /// A worker's store is empty at first: it fetches a base that it lacks, once.
  Result<void> bringBase(AddOptions& add) {
    if (isRemoteUrl(add.base)) return bringFetched(add);
    if (add.baseChoice != BaseChoice::Reference || options_.remote == nullptr) return {};
    const auto here = store_.resolve(add.base);
    if (here || here.error().code != ErrorCode::NotFound) return {};
    const auto found = there_.select({&add.base, 1}, 0);
    if (!found || found->empty()) {
      return fail(ErrorCode::NotFound, add.base + ": neither the store nor " +
                                           options_.push.keptAs + " has such a base");
    }
    const PullOptions pull{.references = {found->front()->ref.label()},
                           .parallel = options_.push.parallel,
                           .keptAs = options_.push.keptAs};
    STRATA_TRY(const PullReport pulled,
               pullVersions(store_, *options_.remote, pull, stop_, progress_));
    if (!pulled.failed.empty()) return fail(pulled.failed.front().error);
    return {};
  }

  Result<void> bringFetched(AddOptions& add) {
    std::string& known = fetched_[add.base];
    if (known.empty()) {
      AddOptions base{.name = nameOfBase(add.base),
                      .baseChoice = BaseChoice::None,
                      .effort = add.effort,
                      .command = add.command,
                      .anyStands = true,
                      .memoryBytes = add.memoryBytes,
                      .device = add.device};
      const auto stored = withOpen(add.base, [&](const ModelSource& source) -> Result<void> {
        STRATA_TRY(const AddReport added, addVersion(store_, source, base, stop_, progress_));
        known = added.version.label();
        return {};
      });
      if (!stored) return fail(stored.error());
    }
    add.base = known;
    return {};
  }

  void noteFailed(const ListedModel& model, Error error) {
    tell({.kind = Kind::Failed, .model = &model, .error = &error});
    report_.failed.push_back({model, std::move(error)});
  }

  Result<void> pushIfDue() {
    constexpr double kStoringForEachPush = 4;
    if (waiting_.empty()) return {};
    if (sinceLastPush_.seconds() < kStoringForEachPush * lastPushSeconds_) return {};
    const auto pushed = push();
    if (pushed) return {};
    if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "stopped");
    if (!std::exchange(isSaid_, true)) tell({.kind = Kind::Waiting, .error = &pushed.error()});
    return {};
  }

  Result<void> pushRest() {
    if (waiting_.empty()) return {};
    const auto pushed = push();
    if (stop_.stop_requested()) return fail(ErrorCode::Cancelled, "stopped");
    if (!pushed) unsent_ = {{options_.push.keptAs, pushed.error()}};
    report_.unsent = std::move(unsent_);
    return {};
  }

  /// Sends what waits. What did not go waits on.
  Result<void> push() {
    const Stopwatch watch;
    PushOptions options = options_.push;
    options.references = waiting_;
    auto pushed = pushVersions(store_, *options_.remote, options, stop_, progress_);
    lastPushSeconds_ = watch.seconds();
    sinceLastPush_ = Stopwatch();
    if (!pushed) return fail(std::move(pushed).error());
    for (const PushReport::Item& item : pushed->pushed) sent_.insert(item.version.label());
    for (const VersionEntry& one : pushed->alreadyThere) sent_.insert(one.label());
    std::erase_if(waiting_, [&](const std::string& label) { return sent_.contains(label); });
    report_.pushed += pushed->pushed.size();
    report_.pushedBytes += pushed->byteCount;
    unsent_.clear();
    for (const FailedTransfer& one : pushed->failed) {
      if (!one.isMemory) unsent_.push_back(one);
    }
    tell({.kind = Kind::Pushed, .pushed = &*pushed});
    return {};
  }

  /// A push of a run that was killed is listed as one to go on with, and all of it went now.
  void forgetEarlier() const {
    if (options_.remote == nullptr) return;
    const auto listed = listTransfers(store_);
    if (!listed) return;
    std::vector<std::int64_t> ids;
    for (const TransferEntry& entry : *listed) {
      const TransferRequest& request = entry.request;
      const bool isDone = std::all_of(request.references.begin(), request.references.end(),
                                      [&](const auto& label) { return sent_.contains(label); });
      const bool isOurs = request.direction == TransferRequest::Direction::Push &&
                          request.remote == options_.push.keptAs && !request.references.empty();
      if (isOurs && isDone && !entry.isLive()) ids.push_back(entry.id);
    }
    if (!ids.empty()) static_cast<void>(forgetTransfers(store_, ids));
  }

  void tell(const AddListEvent& event) const {
    if (calls_.onEvent) calls_.onEvent(event);
  }

  Store& store_;
  const AddListOptions& options_;
  const AddListCalls& calls_;
  const std::stop_token& stop_;
  const ProgressSink& progress_;
  RemoteLibrary there_;                         ///< as the remote was before the first line
  std::set<Digest> seenThere_;                  ///< objects that the remote was asked for and has
  std::vector<std::string> waiting_;            ///< labels of versions that did not go yet
  std::map<std::string, std::string> fetched_;  ///< labels of bases, by their URLs
  std::set<std::string> sent_;                  ///< labels of those that are there by now
  std::vector<FailedTransfer> unsent_;          ///< of the last push
  bool isSaid_ = false;                         ///< that pushes fail
  double lastPushSeconds_ = 0;
  Stopwatch sinceLastPush_;
  AddListReport report_;
};

}  // namespace

Result<AddListReport> addList(Store& store, const AddListOptions& options,
                              const AddListCalls& calls, std::stop_token stop,
                              const ProgressSink& progress) {
  return ListAddition(store, options, calls, stop, progress).run();
}

}  // namespace strata
