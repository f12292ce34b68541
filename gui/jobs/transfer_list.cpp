#include "gui/jobs/transfer_list.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <set>

#include "core/transfer/transfer_claim.h"
#include "gui/jobs/remote_ops.h"
#include "gui/models/wording.h"
#include "hub/store_remote.h"

namespace strata::gui {
namespace {

using State = Transfer::State;
using Direction = Transfer::Direction;

QString pushWords(const PushReport& report) {
  QString words =
      TransferList::tr("sent %n version(s), %1", nullptr, static_cast<int>(report.pushed.size()))
          .arg(bytesText(report.byteCount));
  if (!report.alreadyThere.empty()) {
    words +=
        TransferList::tr("; %n were there", nullptr, static_cast<int>(report.alreadyThere.size()));
  }
  return words;
}

QString pullWords(const PullReport& report) {
  QString words =
      TransferList::tr("got %n version(s), %1", nullptr, static_cast<int>(report.pulled.size()))
          .arg(bytesText(report.byteCount));
  if (!report.alreadyHere.empty()) {
    words +=
        TransferList::tr("; %n were here", nullptr, static_cast<int>(report.alreadyHere.size()));
  }
  return words;
}

QString failedWords(const std::vector<FailedTransfer>& failed) {
  QStringList lines;
  for (const FailedTransfer& one : failed) {
    lines << text(one.label) + QStringLiteral(": ") + text(one.error.message);
  }
  return lines.join(QStringLiteral("; "));
}

Transfer transferOf(const TransferRequest& request) {
  Transfer transfer;
  transfer.request = request;
  transfer.direction = request.direction;
  transfer.remote = exactText(request.remote);
  for (const std::string& reference : request.references)
    transfer.references << exactText(reference);
  return transfer;
}

/// Takes over what the catalog says of a transfer that this window does not run.
void takeOver(Transfer& transfer, const TransferEntry& entry) {
  transfer.entryId = entry.id;
  transfer.progress.doneBytes = static_cast<qint64>(std::min(entry.doneBytes, entry.totalBytes));
  transfer.progress.totalBytes = static_cast<qint64>(entry.totalBytes);
  transfer.progress.bytesPerSecond = 0;
  if (!entry.problem.empty()) transfer.words = text(entry.problem);
  if (entry.isLive()) {
    transfer.state = State::Elsewhere;
    transfer.words = TransferList::tr("process %1").arg(entry.processId);
  } else {
    transfer.state =
        entry.state == TransferEntry::State::Failed ? State::Failed : State::Interrupted;
  }
  transfer.isConfirmed = entry.isConfirmed;
  if (const auto confirmed = checkConfirmed(entry); !confirmed) {
    transfer.words = text(confirmed.error().message);
  }
}

}  // namespace

class TransferHold {
 public:
  void take(const Store& store, const TransferRequest& request) {
    const std::lock_guard guard(mutex_);
    if (isReleased_) return;
    claim_ = TransferClaim::take(store, request, TransferEntry::State::Waiting);
  }
  void release() {
    const std::lock_guard guard(mutex_);
    isReleased_ = true;
    claim_.reset();
  }

 private:
  std::mutex mutex_;  // guards both
  std::unique_ptr<TransferClaim> claim_;
  bool isReleased_ = false;
};

TransferList::TransferList(StoreSession& session, QObject* parent)
    : QObject(parent), session_(session) {
  wait_.setSingleShot(true);
  connect(&wait_, &QTimer::timeout, this, &TransferList::runNext);
  connect(&session_, &StoreSession::opened, this, &TransferList::look);
  connect(&session_, &StoreSession::touched, this, &TransferList::look);
  connect(&session_, &StoreSession::closed, this, [this] {
    if (job_) job_->cancel();
    job_.clear();
    looking_.clear();
    isStale_ = false;
    wait_.stop();
    transfers_.clear();
    emit changed();
  });
}

qint64 TransferList::stalledSeconds(const Transfer& transfer) const {
  if (transfer.state != State::Running || transfer.moved.elapsed() < stallMs_) return 0;
  return std::max<qint64>(1, transfer.moved.elapsed() / 1000);
}

Transfer* TransferList::find(int id) {
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [id](const Transfer& one) { return one.id == id; });
  return found == transfers_.end() ? nullptr : &*found;
}

int TransferList::openCount() const {
  return static_cast<int>(std::count_if(
      transfers_.begin(), transfers_.end(),
      [](const Transfer& one) { return !one.isOver() && one.state != State::Elsewhere; }));
}

void TransferList::look() {
  if (!session_.store()) return;
  if (looking_) {
    isStale_ = true;
    return;
  }
  auto* job = new OpJob<std::vector<TransferEntry>>(
      tr("Reading transfers"), tr("The transfers could not be read"),
      [store = session_.store()](const std::stop_token&, const ProgressSink&) {
        return listTransfers(*store);
      });
  looking_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job == looking_) merge(job->report());
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job != looking_) return;
    looking_.clear();
    if (std::exchange(isStale_, false)) look();
  });
  session_.queue().start(job, JobQueue::Lane::Read);
}

/// What this window runs it knows better; the rest is as the catalog says.
void TransferList::merge(const std::vector<TransferEntry>& entries) {
  std::set<std::int64_t> listed;
  for (const TransferEntry& entry : entries) {
    listed.insert(entry.id);
    if (entry.isLive() && entry.processId == ::getpid()) continue;
    const auto same = std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& one) {
      return one.entryId == entry.id ||
             (one.entryId == 0 && one.state != State::Done && one.request == entry.request);
    });
    if (same != transfers_.end()) {
      const bool isOurs = same->state == State::Waiting || same->state == State::Running;
      if (!isOurs) takeOver(*same, entry);
      continue;
    }
    Transfer transfer = transferOf(entry.request);
    transfer.id = nextId_++;
    takeOver(transfer, entry);
    transfers_.push_back(std::move(transfer));
  }
  std::erase_if(transfers_, [&](const Transfer& one) {
    const bool isOurs = one.entryId == 0 || one.state == State::Waiting ||
                        one.state == State::Running || one.state == State::Done;
    return !isOurs && !listed.contains(one.entryId);
  });
  emit changed();
}

/// Takes transfers off the catalog's list, unless another program runs them.
void TransferList::forget(std::vector<TransferRequest> requests) {
  if (requests.empty() || !session_.store()) return;
  auto* job =
      new OpJob<bool>(tr("Forgetting transfers"), tr("The transfers could not be forgotten"),
                      [store = session_.store(), requests = std::move(requests)](
                          const std::stop_token& stop, const ProgressSink&) -> Result<bool> {
                        STRATA_TRY(const std::vector<TransferEntry> entries, listTransfers(*store));
                        std::vector<std::int64_t> ids;
                        for (const TransferEntry& entry : entries) {
                          const bool isMeant = std::find(requests.begin(), requests.end(),
                                                         entry.request) != requests.end();
                          if (isMeant && !entry.isLive()) ids.push_back(entry.id);
                        }
                        if (!ids.empty()) STRATA_TRY(forgetTransfers(*store, ids));
                        // What cannot be ended now is ended by the next push.
                        const auto options = transportOptions(*store);
                        if (options) hub::endUploadsOf(*store, requests, *options, stop);
                        return true;
                      });
  session_.queue().start(job, JobQueue::Lane::Read);
}

/// Lets the catalog know what waits for its turn, so that it is there should the window be closed.
void TransferList::holdWaiting() {
  for (Transfer& transfer : transfers_) {
    if (transfer.state != State::Waiting || transfer.hold || !session_.store()) continue;
    transfer.hold = std::make_shared<TransferHold>();
    auto* job = new OpJob<bool>(
        tr("Keeping transfers"), tr("The transfers could not be kept"),
        [store = session_.store(), hold = transfer.hold, request = transfer.request](
            const std::stop_token&, const ProgressSink&) -> Result<bool> {
          hold->take(*store, request);
          return true;
        });
    session_.queue().start(job, JobQueue::Lane::Read);
  }
}

void TransferList::add(Direction direction, const QString& remote, const QStringList& references) {
  TransferRequest request{.direction = direction, .remote = remote.toStdString()};
  for (const QString& reference : references) {
    request.references.push_back(reference.toStdString());
  }
  add(request);
}

void TransferList::add(const TransferRequest& request) {
  Transfer transfer = transferOf(request);
  transfer.id = nextId_++;
  transfers_.push_back(std::move(transfer));
  emit changed();
  runNext();
  holdWaiting();
}

void TransferList::agree(const std::vector<BaseElsewhere>& bases) {
  agreed_.insert(agreed_.end(), bases.begin(), bases.end());
}

void TransferList::cancel(int id) {
  Transfer* transfer = find(id);
  if (transfer == nullptr || transfer->state == State::Elsewhere) return;
  if (transfer->state == State::Running && job_) {
    job_->cancel();  // conclude() takes it off
    return;
  }
  const TransferRequest request = transfer->request;
  const std::shared_ptr<TransferHold> hold = transfer->hold;
  std::erase_if(transfers_, [id](const Transfer& one) { return one.id == id; });
  emit changed();
  if (hold) hold->release();
  forget({request});
}

void TransferList::pause(int id) {
  Transfer* transfer = find(id);
  if (transfer == nullptr) return;
  if (transfer->state == State::Running && job_) {
    transfer->isPausing = true;
    job_->cancel();
  } else if (transfer->state == State::Waiting) {
    transfer->state = State::Interrupted;
    transfer->words.clear();
    if (transfer->hold) transfer->hold->release();
    transfer->hold.reset();
    emit changed();
  }
}

void TransferList::retry(int id) {
  Transfer* transfer = find(id);
  if (transfer == nullptr || !transfer->canGoOn()) return;
  transfer->state = State::Waiting;
  transfer->attempt = 1;
  transfer->words.clear();
  emit changed();
  runNext();
  holdWaiting();
}

void TransferList::resumeAll() {
  for (Transfer& transfer : transfers_) {
    if (transfer.state != State::Interrupted || !transfer.canGoOn()) continue;
    transfer.state = State::Waiting;
    transfer.words.clear();
  }
  emit changed();
  runNext();
  holdWaiting();
}

void TransferList::pauseAll() {
  // What runs last: the next one would start in its place.
  std::vector<int> running;
  std::vector<int> waiting;
  for (const Transfer& one : transfers_) {
    if (one.state == State::Running) running.push_back(one.id);
    if (one.state == State::Waiting) waiting.push_back(one.id);
  }
  for (const int id : waiting) pause(id);
  for (const int id : running) pause(id);
}

void TransferList::moveUp(int id) { swapWaiting(id, -1); }
void TransferList::moveDown(int id) { swapWaiting(id, 1); }

void TransferList::swapWaiting(int id, int direction) {
  std::vector<std::size_t> waiting;
  std::size_t place = 0;
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (transfers_[i].state != State::Waiting) continue;
    if (transfers_[i].id == id) place = waiting.size() + 1;
    waiting.push_back(i);
  }
  const std::size_t other = place + static_cast<std::size_t>(direction);
  if (place == 0 || other == 0 || other > waiting.size()) return;
  std::swap(transfers_[waiting[place - 1]], transfers_[waiting[other - 1]]);
  emit changed();
}

void TransferList::clearOver() {
  std::vector<TransferRequest> failed;
  for (const Transfer& one : transfers_) {
    if (one.state == State::Failed) failed.push_back(one.request);
  }
  std::erase_if(transfers_, [](const Transfer& one) { return one.isOver(); });
  emit changed();
  forget(std::move(failed));
}

void TransferList::runNext() {
  if (job_ || wait_.isActive() || !session_.store()) return;
  for (Transfer& transfer : transfers_) {
    if (transfer.state == State::Waiting) return start(transfer);
  }
}

void TransferList::start(Transfer& transfer) {
  transfer.state = State::Running;
  transfer.progress = {};
  transfer.problem = {};
  transfer.moved.start();
  const Before before = [hold = std::exchange(transfer.hold, nullptr)] {
    if (hold) hold->release();
  };
  const int id = transfer.id;
  const auto join = [this, id](auto* job, auto wordsOf) {
    job_ = job;
    connect(job, &Job::progressed, this, [this, id](const JobProgress& progress) {
      if (Transfer* one = find(id)) {
        if (progress.doneBytes > one->progress.doneBytes) one->moved.restart();
        one->progress = progress;
      }
      emit changed();
    });
    connect(job, &Job::ended, this, [this, id, job, wordsOf] {
      if (job->state() != Job::State::Finished) return conclude(id, job, {}, {});
      conclude(id, job, wordsOf(job->report()), job->report().failed);
    });
    session_.queue().start(job, JobQueue::Lane::Write);
  };
  if (transfer.direction == Direction::Push) {
    join(pushJob(session_.store(), transfer.remote, pushOptionsOf(transfer.request), before),
         pushWords);
  } else {
    join(pullJob(session_.store(), transfer.remote, pullOptionsOf(transfer.request), before,
                 agreed_),
         pullWords);
  }
  emit changed();
}

void TransferList::conclude(int id, Job* job, const QString& words,
                            const std::vector<FailedTransfer>& failed) {
  if (job != job_) return;
  job_.clear();
  Transfer* transfer = find(id);
  if (transfer == nullptr) return runNext();
  const Job::State state = job->state();
  if (state == Job::State::Cancelled && std::exchange(transfer->isPausing, false)) {
    transfer->state = State::Interrupted;
    transfer->words = tr("paused");
  } else if (state == Job::State::Cancelled) {
    forget({transfer->request});
    std::erase_if(transfers_, [id](const Transfer& one) { return one.id == id; });
  } else if (state == Job::State::Finished && !failed.empty()) {
    transfer->state = State::Failed;
    transfer->words = words + QStringLiteral("; ") + failedWords(failed);
    transfer->problem = problemFrom(
        tr("%n version(s) could not be transferred", nullptr, static_cast<int>(failed.size())),
        {failed.front().error.code, failedWords(failed).toStdString()});
  } else if (state == Job::State::Finished) {
    transfer->state = State::Done;
    transfer->words = words;
  } else {
    const Problem& problem = job->problem();
    const bool isWorthIt =
        problem.code == ErrorCode::Network || problem.code == ErrorCode::StoreLocked;
    if (isWorthIt && transfer->attempt < kMostAttempts) {
      const int delayMs = retryDelayMs_ << (transfer->attempt - 1);
      ++transfer->attempt;
      transfer->state = State::Waiting;
      transfer->words =
          tr("try %1 of %2 soon: %3").arg(transfer->attempt).arg(kMostAttempts).arg(problem.why);
      wait_.start(delayMs);
    } else {
      transfer->state = State::Failed;
      transfer->problem = problem;
      transfer->words = problem.why + QStringLiteral("  [%1]").arg(problem.number);
    }
  }
  emit changed();
  if (transfer = find(id); transfer != nullptr && transfer->isOver()) emit ended(*transfer);
  runNext();
  holdWaiting();
}

}  // namespace strata::gui
