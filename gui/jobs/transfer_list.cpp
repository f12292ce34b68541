#include "gui/jobs/transfer_list.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <algorithm>

#include "gui/jobs/remote_ops.h"
#include "gui/models/wording.h"

namespace strata::gui {
namespace {

using State = Transfer::State;
using Direction = Transfer::Direction;

constexpr qint64 kMostBytes = 1'000'000;  // of the file that keeps the list

QString fileOf(const QString& folder) { return folder + QStringLiteral("/transfers.json"); }

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

}  // namespace

QByteArray toJson(const std::vector<Transfer>& transfers) {
  QJsonArray rows;
  for (const Transfer& transfer : transfers) {
    if (transfer.isOver()) continue;
    rows << QJsonObject{
        {QStringLiteral("push"), transfer.direction == Direction::Push},
        {QStringLiteral("remote"), transfer.remote},
        {QStringLiteral("references"), QJsonArray::fromStringList(transfer.references)}};
  }
  return QJsonDocument(rows).toJson();
}

std::vector<Transfer> transfersFromJson(const QByteArray& json) {
  std::vector<Transfer> transfers;
  const QJsonArray rows = QJsonDocument::fromJson(json).array();
  for (const QJsonValue& value : rows) {
    const QJsonObject row = value.toObject();
    Transfer transfer;
    transfer.direction = row[QStringLiteral("push")].toBool() ? Direction::Push : Direction::Pull;
    transfer.remote = row[QStringLiteral("remote")].toString();
    for (const QJsonValue& reference : row[QStringLiteral("references")].toArray()) {
      if (reference.isString()) transfer.references << reference.toString();
    }
    transfer.state = State::Interrupted;
    if (!transfer.remote.isEmpty()) transfers.push_back(std::move(transfer));
  }
  return transfers;
}

TransferList::TransferList(StoreSession& session, QObject* parent)
    : QObject(parent), session_(session) {
  wait_.setSingleShot(true);
  connect(&wait_, &QTimer::timeout, this, &TransferList::runNext);
  connect(&session_, &StoreSession::opened, this, &TransferList::load);
  connect(&session_, &StoreSession::closed, this, [this] {
    if (job_) job_->cancel();
    job_.clear();
    wait_.stop();
    transfers_.clear();
    emit changed();
  });
}

Transfer* TransferList::find(int id) {
  const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                  [id](const Transfer& one) { return one.id == id; });
  return found == transfers_.end() ? nullptr : &*found;
}

int TransferList::openCount() const {
  return static_cast<int>(std::count_if(transfers_.begin(), transfers_.end(),
                                        [](const Transfer& one) { return !one.isOver(); }));
}

void TransferList::load() {
  folder_ = session_.folder();
  auto* job = new OpJob<QByteArray>(
      tr("Reading transfers"), tr("The transfers could not be read"),
      [file = fileOf(folder_)](const std::stop_token&, const ProgressSink&) -> Result<QByteArray> {
        QFile in(file);
        if (!in.open(QIODevice::ReadOnly)) return QByteArray();
        return in.read(kMostBytes);
      });
  connect(job, &Job::finished, this, [this, job, folder = folder_] {
    if (folder != session_.folder()) return;
    for (Transfer& kept : transfersFromJson(job->report())) {
      kept.id = nextId_++;
      kept.words = tr("not over when the window was closed");
      transfers_.push_back(std::move(kept));
    }
    emit changed();
  });
  session_.queue().start(job, JobQueue::Lane::Read);
}

void TransferList::save() {
  auto* job = new OpJob<bool>(
      tr("Keeping transfers"), tr("The transfers could not be kept"),
      [file = fileOf(folder_), json = toJson(transfers_)](const std::stop_token&,
                                                          const ProgressSink&) -> Result<bool> {
        QSaveFile out(file);
        if (!out.open(QIODevice::WriteOnly) || out.write(json) != json.size() || !out.commit()) {
          return fail(ErrorCode::Io, out.errorString().toStdString());
        }
        return true;
      });
  session_.queue().start(job, JobQueue::Lane::Read);
}

void TransferList::add(Direction direction, const QString& remote, const QStringList& references) {
  Transfer transfer;
  transfer.id = nextId_++;
  transfer.direction = direction;
  transfer.remote = remote;
  transfer.references = references;
  transfers_.push_back(std::move(transfer));
  save();
  emit changed();
  runNext();
}

void TransferList::cancel(int id) {
  Transfer* transfer = find(id);
  if (transfer == nullptr) return;
  if (transfer->state == State::Running && job_) {
    job_->cancel();  // conclude() takes it off
    return;
  }
  std::erase_if(transfers_, [id](const Transfer& one) { return one.id == id; });
  save();
  emit changed();
}

void TransferList::retry(int id) {
  Transfer* transfer = find(id);
  if (transfer == nullptr || transfer->state == State::Running) return;
  transfer->state = State::Waiting;
  transfer->attempt = 1;
  transfer->words.clear();
  save();
  emit changed();
  runNext();
}

void TransferList::resumeAll() {
  for (Transfer& transfer : transfers_) {
    if (transfer.state != State::Interrupted) continue;
    transfer.state = State::Waiting;
    transfer.words.clear();
  }
  emit changed();
  runNext();
}

void TransferList::clearOver() {
  std::erase_if(transfers_, [](const Transfer& one) { return one.isOver(); });
  emit changed();
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
  std::vector<std::string> references;
  for (const QString& reference : transfer.references)
    references.push_back(reference.toStdString());
  const int id = transfer.id;
  const auto join = [this, id](auto* job, auto&& wordsOf) {
    job_ = job;
    connect(job, &Job::progressed, this, [this, id](const JobProgress& progress) {
      if (Transfer* one = find(id)) one->progress = progress;
      emit changed();
    });
    connect(job, &Job::ended, this, [this, id, job, wordsOf] {
      conclude(id, job, job->state() == Job::State::Finished ? wordsOf(job->report()) : QString());
    });
    session_.queue().start(job, JobQueue::Lane::Write);
  };
  if (transfer.direction == Direction::Push) {
    join(pushJob(session_.store(), transfer.remote, {.references = references}),
         [](const PushReport& report) {
           return report.failed.empty() ? pushWords(report) : failedWords(report.failed);
         });
  } else {
    join(pullJob(session_.store(), transfer.remote, {.references = references}),
         [](const PullReport& report) {
           return report.failed.empty() ? pullWords(report) : failedWords(report.failed);
         });
  }
  emit changed();
}

void TransferList::conclude(int id, Job* job, const QString& words) {
  if (job != job_) return;
  job_.clear();
  Transfer* transfer = find(id);
  if (transfer == nullptr) return runNext();
  const Job::State state = job->state();
  if (state == Job::State::Cancelled) {
    std::erase_if(transfers_, [id](const Transfer& one) { return one.id == id; });
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
      transfer->words = problem.why + QStringLiteral("  [%1]").arg(problem.number);
    }
  }
  save();
  emit changed();
  if (transfer = find(id); transfer != nullptr && transfer->isOver()) emit ended(*transfer);
  runNext();
}

}  // namespace strata::gui
