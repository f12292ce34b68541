#include "gui/jobs/store_session.h"

#include "core/config/user_folders.h"
#include "core/ops/versions/init_store.h"
#include "core/store/catalog/check_dates.h"
#include "gui/jobs/store_follower.h"
#include "hub/open_transport.h"

namespace strata::gui {
namespace {

namespace fs = std::filesystem;

struct OpenedStore {
  StorePtr store;
  std::optional<std::int64_t> operation;  ///< the last one before the snapshot
  SnapshotPtr snapshot;
};

Result<OpenedStore> openStore(const fs::path& folder, StoreSession::Opening opening) {
  if (opening == StoreSession::Opening::Create) {
    if (!Store::isStore(folder)) STRATA_TRY(hub::refuseInsideRemote(folder));
    STRATA_TRY(initStore({folder}));
  }
  STRATA_TRY(std::unique_ptr<Store> store, Store::open(folder));
  OpenedStore opened{std::move(store), StoreFollower::lastOperation(folder), {}};
  STRATA_TRY(opened.snapshot, takeSnapshot(*opened.store));
  opened.store->setLockWait(
      {.longest = std::chrono::seconds(opened.snapshot->config.number("wait"))});
  return opened;
}

}  // namespace

Result<SnapshotPtr> takeSnapshot(const Store& store) {
  auto snapshot = std::make_shared<StoreSnapshot>();
  snapshot->folder = store.folder().string();
  auto config = Config::load(userConfigFile(), store.folder() / "config.toml");
  // Settings that cannot be read are told on their page; the models are shown all the same.
  if (!config) config = Config::load({}, std::nullopt);
  STRATA_TRY(snapshot->config, std::move(config));
  snapshot->checkedLatelySince = checkedLatelySince(snapshot->config);
  STRATA_TRY(ListReport list, listVersions(store, {.allVersions = true}));
  snapshot->rows = std::move(list.rows);
  snapshot->totals = list.totals;
  STRATA_TRY(snapshot->info, storeInfo(store));
  STRATA_TRY(snapshot->trash, listTrash(store));
  STRATA_TRY(snapshot->next, nextReversals(store));
  STRATA_TRY(snapshot->damaged, damagedManifests(store.folder()));
  return SnapshotPtr(std::move(snapshot));
}

StoreSession::StoreSession(QObject* parent) : QObject(parent) {
  qRegisterMetaType<SnapshotPtr>();
  followThread_.setObjectName(QStringLiteral("store follower"));
  followThread_.start();
}

StoreSession::~StoreSession() {
  if (follower_) follower_->deleteLater();
  followThread_.quit();
  followThread_.wait();
}

void StoreSession::open(const QString& folder, Opening how) {
  close();
  folder_ = folder;
  emit opening(folder);
  auto* job = new OpJob<OpenedStore>(
      tr("Opening %1").arg(folder),
      how == Opening::Create ? tr("The store could not be made")
                             : tr("The store could not be opened"),
      [path = fs::path(folder.toStdString()), how](const std::stop_token&, const ProgressSink&) {
        return openStore(path, how);
      });
  opening_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job != opening_) return;
    store_ = job->report().store;
    snapshot_ = job->report().snapshot;
    emit opened();
    emit listed(snapshot_);
    follow(job->report().operation);
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == opening_) emit failed(problem);
  });
  queue_.start(job, JobQueue::Lane::Read);
}

void StoreSession::close() {
  opening_.clear();
  listing_.clear();
  isStale_ = false;
  if (follower_) follower_->deleteLater();
  follower_.clear();
  folder_.clear();
  snapshot_.reset();
  if (store_) {
    store_.reset();
    emit closed();
  }
}

void StoreSession::refresh() {
  if (!store_) return;
  if (listing_) {
    isStale_ = true;
    return;
  }
  auto* job = new OpJob<SnapshotPtr>(tr("Listing"), tr("The store could not be read"),
                                     [store = store_](const std::stop_token&, const ProgressSink&) {
                                       return takeSnapshot(*store);
                                     });
  listing_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job != listing_) return;
    snapshot_ = job->report();
    emit listed(snapshot_);
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == listing_) emit failed(problem);
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job != listing_) return;
    listing_.clear();
    if (std::exchange(isStale_, false)) refresh();
  });
  queue_.start(job, JobQueue::Lane::Read);
}

void StoreSession::follow(std::optional<std::int64_t> known) {
  auto* follower = new StoreFollower(store_, known);
  follower->moveToThread(&followThread_);
  connect(follower, &StoreFollower::changed, this, &StoreSession::refresh);
  connect(follower, &StoreFollower::touched, this, &StoreSession::touched);
  connect(follower, &StoreFollower::remotesTouched, this, &StoreSession::remotesTouched);
  connect(follower, &StoreFollower::gone, this, [this, follower] {
    if (follower == follower_) lose();
  });
  follower_ = follower;
  QMetaObject::invokeMethod(follower, &StoreFollower::begin, Qt::QueuedConnection);
}

void StoreSession::lose() {
  const QString folder = folder_;
  close();
  folder_ = folder;
  Problem problem = problemFrom(
      tr("The store is gone from its place"),
      {ErrorCode::NoStore, folder.toStdString() + ": is not the store any more that was opened"});
  problem.advice =
      tr("Somebody moved or deleted it, or its disk is not mounted. Bring it back and try again, "
         "or open it where it is now.");
  emit gone(problem);
}

}  // namespace strata::gui
