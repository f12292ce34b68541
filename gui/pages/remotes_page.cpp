#include "gui/pages/remotes_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/jobs/transfer_list.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/choice_name.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/filter_edit.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/push_pane.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

/// A short name for a remote: the organisation, bucket or folder of its URL.
QString nameFor(const QString& url) {
  const QStringList parts = url.section(QStringLiteral("://"), 1).split(u'/', Qt::SkipEmptyParts);
  if (parts.isEmpty()) return QStringLiteral("hub");
  QString name = url.startsWith(QStringLiteral("file:")) ? parts.back() : parts.front();
  for (QChar& c : name) {
    if (c.unicode() >= 128 || !(c.isLetterOrNumber() || c == u'-' || c == u'_')) c = u'-';
  }
  return name;
}

/// What the page says of a remote; the usual role has its URL alone.
constexpr int kShownRole = Qt::UserRole + 1;

}  // namespace

RemotesPage::RemotesPage(Workbench& bench, TransferList& transfers, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      transfers_(transfers),
      banner_(new Banner),
      remote_(new QComboBox),
      url_(new QLabel),
      age_(new QLabel),
      fetch_(new QPushButton(icon(QStringLiteral("refresh")), tr("Ask again"))),
      pull_(new QPushButton(icon(QStringLiteral("pull")), tr("Pull"))),
      pushAll_(new QPushButton(icon(QStringLiteral("push")), tr("Push all..."))),
      forget_(new QPushButton(tr("Forget"))),
      progress_(new QProgressBar),
      newName_(new QLineEdit),
      newUrl_(new QLineEdit),
      add_(new QPushButton(tr("Add remote"))),
      table_(makeRemoteTable(this)),
      view_(new TableView(tr("Versions of the remote"))),
      pushPane_(new PushPane(bench)),
      middle_(new QStackedWidget) {
  view_->setRecords(table_);
  nameChoice(*remote_, tr("Remote"));
  remote_->setMinimumWidth(160);
  url_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  url_->setAccessibleName(tr("URL of the remote"));
  progress_->setRange(0, 0);
  progress_->setMaximumHeight(6);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Waiting for the remote"));
  progress_->hide();
  auto* filter = new FilterEdit(tr("Filter by name, tag or note"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(banner_);
  all->addWidget(makeBar());
  all->addWidget(progress_);
  auto* listing = new QWidget;
  auto* column = new QVBoxLayout(listing);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(filter);
  column->addWidget(view_, 1);
  middle_->addWidget(listing);
  middle_->addWidget(pushPane_);
  all->addWidget(middle_, 1);
  all->addWidget(makeNewRemote());

  connect(filter, &FilterEdit::filterChanged, view_, &TableView::setFilter);
  filter->serve(view_);
  connect(pushPane_, &PushPane::closed, this, [this] { middle_->setCurrentIndex(0); });
  connect(pushPane_, &PushPane::pushRequested, this, [this](const TransferRequest& request) {
    transfers_.add(request);
    emit transfersRequested();
  });
  connect(remote_, &QComboBox::currentIndexChanged, this, &RemotesPage::loadState);
  connect(fetch_, &QPushButton::clicked, this, &RemotesPage::fetch);
  connect(pull_, &QPushButton::clicked, this, &RemotesPage::pull);
  connect(pushAll_, &QPushButton::clicked, this, [this] { push({}); });
  connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &RemotesPage::updateButtons);
  connect(forget_, &QPushButton::clicked, this, [this] {
    auto* job = forgetRemoteJob(bench_.store(), remote_->currentText());
    connect(job, &Job::failed, banner_, &Banner::showProblem);
    connect(job, &Job::finished, this, [this, job] { showRemotes(job->report()); });
    bench_.read(job);
  });
  connect(&bench_.session(), &StoreSession::opened, this, &RemotesPage::loadRemotes);
  connect(&transfers_, &TransferList::ended, this, [this](const Transfer& transfer) {
    if (transfer.state == Transfer::State::Done) bench_.session().refresh();
    if (transfer.remote != remote_->currentText()) return;
    transfer.direction == Transfer::Direction::Push ? fetch() : loadState();
  });
  updateButtons();
}

QWidget* RemotesPage::makeBar() {
  auto* bar = new QWidget;
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(new QLabel(tr("Remote")));
  line->addWidget(remote_);
  line->addWidget(url_, 1);
  line->addWidget(age_);
  for (QPushButton* button : {fetch_, pull_, pushAll_, forget_}) line->addWidget(button);
  line->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  return bar;
}

QStringList RemotesPage::commands() const {
  const auto command = [this](const char* name) { return bench_.command(QLatin1String(name)); };
  const QString remote = remote_->currentText();
  QStringList all;
  if (add_->isEnabled()) {
    all << command("remote")
               .words(
                   {QStringLiteral("add"), newName_->text().trimmed(), newUrl_->text().trimmed()})
               .text();
  }
  if (remote.isEmpty()) return all;
  all << command("fetch").word(remote).text();
  if (!chosen().isEmpty()) all << command("pull").words(chosen()).word(remote).text();
  return all << command("push").word(remote).text()
             << command("remote").words({QStringLiteral("remove"), remote}).text();
}

QStringList RemotesPage::chosen() const {
  QStringList labels;
  for (const int row : view_->selectedRows()) labels << text(table_->row(row).version.ref.label());
  return labels;
}

QWidget* RemotesPage::makeNewRemote() {
  auto* bar = new QWidget;
  newName_->setAccessibleName(tr("Name of a new remote"));
  newName_->setPlaceholderText(tr("name"));
  newName_->setMaximumWidth(140);
  newUrl_->setAccessibleName(tr("URL of a new remote"));
  newUrl_->setPlaceholderText(tr("hf://org/repo   oci://host/repo   s3://bucket   file:///folder"));
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(new QLabel(tr("New remote")));
  line->addWidget(newName_);
  line->addWidget(newUrl_, 1);
  line->addWidget(add_);
  const auto check = [this] {
    add_->setEnabled(!newName_->text().isEmpty() && !newUrl_->text().isEmpty());
  };
  connect(newName_, &QLineEdit::textChanged, this, check);
  connect(newUrl_, &QLineEdit::textChanged, this, check);
  connect(add_, &QPushButton::clicked, this,
          [this] { addRemote(newName_->text().trimmed(), newUrl_->text().trimmed()); });
  check();
  return bar;
}

void RemotesPage::offer(const QString& url) {
  for (int i = 0; i < remote_->count(); ++i) {
    if (!url.isEmpty() && remote_->itemData(i).toString() == url) {
      remote_->setCurrentIndex(i);
      return fetch();
    }
  }
  newUrl_->setText(url);
  newName_->setText(url.isEmpty() ? QString() : nameFor(url));
  url.isEmpty() ? newUrl_->setFocus() : newName_->setFocus();
  banner_->showNotice(Banner::Kind::Notice,
                      url.isEmpty() ? tr("Which remote?") : tr("Get from %1").arg(url),
                      tr("Give it a name below and add it: its versions are listed here, and Pull "
                         "brings those you choose."));
}

void RemotesPage::addRemote(const QString& name, const QString& url) {
  auto* job = saveRemoteJob(bench_.store(), {.name = name.toStdString(), .url = url.toStdString()});
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, name] {
    banner_->clear();
    newName_->clear();
    newUrl_->clear();
    showRemotes(job->report());
    remote_->setCurrentText(name);
    fetch();
  });
  bench_.read(job);
}

void RemotesPage::loadRemotes() {
  auto* job = remotesJob(bench_.store());
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] { showRemotes(job->report()); });
  bench_.read(job);
}

void RemotesPage::showRemotes(const RemoteList& list) {
  const QString kept = remote_->currentText();
  {
    const QSignalBlocker quiet(remote_);
    remote_->clear();
    for (const RemoteConfig& remote : list.remotes) {
      QString shown = text(remote.url);
      if (remote.insecure) {
        shown += QStringLiteral(" – ") + tr("its certificate is not checked; others may read and "
                                            "change what is sent");
      }
      remote_->addItem(text(remote.name), exactText(remote.url));
      remote_->setItemData(remote_->count() - 1, shown, kShownRole);
    }
    const int place = remote_->findText(kept.isEmpty() ? text(list.defaultName) : kept);
    remote_->setCurrentIndex(place < 0 ? (remote_->count() > 0 ? 0 : -1) : place);
  }
  emit remotesChanged();
  loadState();
}

void RemotesPage::loadState() {
  middle_->setCurrentIndex(0);
  table_->setRows({});
  url_->setText(remote_->currentData(kShownRole).toString());
  age_->clear();
  view_->setEmptyText(remote_->count() == 0
                          ? tr("This store has no remotes yet.\nA remote is a folder, a hub or a "
                               "bucket that versions are pushed to and pulled from; add one below.")
                          : tr("Nothing is known of this remote yet. Press Ask again."));
  updateButtons();
  if (remote_->currentIndex() >= 0) {
    follow(remoteStateJob(bench_.store(), remote_->currentText()));
  }
}

void RemotesPage::fetch() {
  if (remote_->currentIndex() < 0) return;
  banner_->clear();
  progress_->show();
  follow(fetchJob(bench_.store(), remote_->currentText()));
}

void RemotesPage::follow(OpJob<RemoteState>* job) {
  if (job_) job_->cancel();
  job_ = job;
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != job_) return;
    banner_->showProblem(problem.ofForeignData(
        tr("What came is no list of versions: check the remote's URL, or ask again later.")));
    banner_->addAction(tr("Try again"), [this] { fetch(); });
    emit listed();
  });
  connect(job, &Job::finished, this, [this, job] {
    if (job == job_) showState(job->report());
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job == job_) progress_->hide();
  });
  bench_.read(job);
}

void RemotesPage::showState(const RemoteState& state) {
  table_->setRows(state.rows);
  age_->setText(state.fetchedAt == 0 ? QString() : tr("as of %1").arg(dateText(state.fetchedAt)));
  if (state.fetchedAt != 0) view_->setEmptyText(tr("The remote has no versions yet."));
  if (!state.problems.empty()) {
    banner_->showNotice(Banner::Kind::Trouble,
                        tr("%n entry(s) of the remote cannot be read", nullptr,
                           static_cast<int>(state.problems.size())),
                        joined(state.problems, QStringLiteral("\n")));
  }
  updateButtons();
  emit listed();
}

void RemotesPage::pull() {
  const QStringList labels = chosen();
  if (labels.isEmpty()) return;
  transfers_.add(Transfer::Direction::Pull, remote_->currentText(), labels);
  emit transfersRequested();
}

void RemotesPage::push(const QStringList& labels) {
  if (remote_->currentIndex() < 0) {
    banner_->showNotice(Banner::Kind::Notice, tr("There is no remote to push to yet."),
                        tr("Add one below."));
    return;
  }
  PushOptions options;
  options.dryRun = true;
  for (const QString& label : labels) options.references.push_back(label.toStdString());
  banner_->clear();
  middle_->setCurrentIndex(0);
  progress_->show();
  auto* job = pushJob(bench_.store(), remote_->currentText(), options);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job, labels] { showPushPlan(labels, job->report()); });
  connect(job, &Job::ended, this, [this] {
    progress_->hide();
    emit planned();
  });
  bench_.read(job);
}

void RemotesPage::showPushPlan(const QStringList& labels, const PushReport& report) {
  const QString remote = remote_->currentText();
  if (report.pushed.empty() && report.failed.empty()) {
    banner_->showNotice(Banner::Kind::Good, tr("Everything is on %1 already.").arg(remote));
    return;
  }
  pushPane_->showPlan(remote, remote_->currentData().toString(), labels, report);
  middle_->setCurrentWidget(pushPane_);
}

void RemotesPage::updateButtons() {
  const bool hasRemote = remote_->currentIndex() >= 0;
  for (QPushButton* button : {fetch_, pushAll_, forget_}) button->setEnabled(hasRemote);
  pull_->setEnabled(hasRemote && !view_->selectedRows().isEmpty());
}

}  // namespace strata::gui
