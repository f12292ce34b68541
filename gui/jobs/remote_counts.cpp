#include "gui/jobs/remote_counts.h"

#include <utility>

namespace strata::gui {
namespace {

Result<std::vector<RemoteCount>> countsOf(const Store& store) {
  STRATA_TRY(RemoteList list, RemoteList::load(store.folder()));
  std::vector<RemoteCount> counts;
  for (RemoteConfig& remote : list.remotes) {
    // A listing that cannot be read is told on the page of the remote.
    auto difference = remoteDifference(store, remote.name).value_or(std::nullopt);
    counts.push_back({std::move(remote), difference});
  }
  return counts;
}

}  // namespace

RemoteCounts::RemoteCounts(StoreSession& session, QObject* parent)
    : QObject(parent), session_(session) {
  connect(&session_, &StoreSession::listed, this, &RemoteCounts::count);
  connect(&session_, &StoreSession::remotesTouched, this, &RemoteCounts::count);
  connect(&session_, &StoreSession::closed, this, [this] {
    job_.clear();
    take({});
  });
}

void RemoteCounts::count() {
  if (job_) {
    isStale_ = true;
    return;
  }
  auto* job = new OpJob<std::vector<RemoteCount>>(
      tr("Comparing with the remotes"), tr("The remotes could not be read"), session_.store(),
      [store = session_.store()](const std::stop_token&, const ProgressSink&) {
        return countsOf(*store);
      });
  job_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job == job_) take(job->report());
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job != job_) return;
    job_.clear();
    if (std::exchange(isStale_, false)) count();
  });
  session_.queue().start(job, JobQueue::Lane::Read);
}

void RemoteCounts::take(std::vector<RemoteCount> counts) {
  counts_ = std::move(counts);
  emit changed(counts_);
}

}  // namespace strata::gui
