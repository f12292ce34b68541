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
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/look/flow_layout.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/panes/pull_pane.h"
#include "gui/widgets/panes/push_pane.h"
#include "gui/widgets/views/filter_edit.h"
#include "gui/widgets/views/table_view.h"
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
      pull_(new QPushButton(icon(QStringLiteral("pull")), tr("Pull..."))),
      pushAll_(new QPushButton(icon(QStringLiteral("push")), tr("Push all..."))),
      forget_(new QPushButton(tr("Forget"))),
      progress_(new QProgressBar),
      newName_(new QLineEdit),
      newUrl_(new QLineEdit),
      add_(new QPushButton(tr("Add remote"))),
      table_(makeRemoteTable(this)),
      view_(new TableView(tr("Versions of the remote"))),
      pushPane_(new PushPane(bench)),
      pullPane_(new PullPane(bench)),
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
  keepRoom(*progress_);
  progress_->hide();
  auto* filter = new FilterEdit(tr("Filter by name, tag or note"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(makeBar());
  all->addWidget(progress_);
  auto* listing = new QWidget;
  auto* column = new QVBoxLayout(listing);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(filter);
  column->addWidget(view_, 1);
  middle_->addWidget(listing);
  middle_->addWidget(pushPane_);
  middle_->addWidget(pullPane_);
  all->addWidget(middle_, 1);
  all->addWidget(banner_);
  all->addWidget(makeNewRemote());

  connect(filter, &FilterEdit::filterChanged, view_, &TableView::setFilter);
  filter->serve(view_);
  const auto start = [this](const TransferRequest& request) {
    transfers_.add(request);
    emit transfersRequested();
  };
  connect(pushPane_, &PushPane::closed, this, [this] { middle_->setCurrentIndex(0); });
  connect(pushPane_, &PushPane::pushRequested, this, start);
  connect(pullPane_, &PullPane::closed, this, [this] { middle_->setCurrentIndex(0); });
  connect(pullPane_, &PullPane::pullRequested, this, [this, start](const TransferRequest& request) {
    transfers_.agree(pullPane_->bases());
    start(request);
  });
  connect(pullPane_, &PullPane::planRequested, this, &RemotesPage::planPull);
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
  auto* line = new FlowLayout(bar);
  url_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  url_->setMinimumWidth(60);  // long ones are cut
  line->addWidget(new QLabel(tr("Remote")));
  line->addWidget(remote_);
  line->addWidget(url_);
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
               .words({QStringLiteral("add"), newName_->text().trimmed(),
                       remoteUrl(newUrl_->text().trimmed())})
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
  newUrl_->setPlaceholderText(tr("hf://org/repo   oci://host/repo   s3://bucket   /folder"));
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
          [this] { addRemote(newName_->text().trimmed(), remoteUrl(newUrl_->text().trimmed())); });
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
  planning_.clear();
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
  refreshListing();
}

void RemotesPage::refreshListing() {
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
                        tr("%n ref(s) of the remote cannot be read", nullptr,
                           static_cast<int>(state.problems.size())),
                        joined(state.problems, QStringLiteral("\n")));
  }
  updateButtons();
  emit listed();
}

void RemotesPage::pull() {
  TransferRequest request{.direction = TransferRequest::Direction::Pull,
                          .remote = remote_->currentText().toStdString()};
  for (const QString& label : chosen()) request.references.push_back(label.toStdString());
  if (!request.references.empty()) planPull(request);
}

void RemotesPage::planPull(const TransferRequest& request) {
  banner_->clear();
  PullOptions options = pullOptionsOf(request);
  options.dryRun = true;
  auto* job = pullJob(bench_.store(), text(request.remote), options);
  connect(job, &Job::finished, this, [this, job, request] {
    if (job == planning_) showPullPlan(request, job->report());
  });
  followPlan(job);
}

void RemotesPage::showPullPlan(const TransferRequest& request, const PullReport& report) {
  if (report.pulled.empty() && report.completed.empty() && report.failed.empty()) {
    middle_->setCurrentIndex(0);
    banner_->showNotice(
        Banner::Kind::Good,
        tr("%1: all of it is here already.").arg(joined(request.references, QStringLiteral(", "))));
    return refreshListing();
  }
  pullPane_->showPlan(request, report);
  middle_->setCurrentWidget(pullPane_);
}

void RemotesPage::followPlan(Job* job) {
  planning_ = job;
  progress_->show();
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job == planning_) banner_->showProblem(problem);
  });
  connect(job, &Job::ended, this, [this, job] {
    if (!job_) progress_->hide();
    if (job == planning_) emit planned();
  });
  bench_.read(job);
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
  const QString remote = remote_->currentText();
  auto* job = pushJob(bench_.store(), remote, options);
  connect(job, &Job::finished, this, [this, job, remote, labels] {
    if (job == planning_) showPushPlan(remote, labels, job->report());
  });
  followPlan(job);
}

void RemotesPage::showPushPlan(const QString& remote, const QStringList& labels,
                               const PushReport& report) {
  if (!PushPane::isWorthShowing(report)) {
    banner_->showNotice(
        Banner::Kind::Good,
        labels.isEmpty() ? tr("All versions are on %1 already.").arg(remote)
                         : tr("On %1 already: %2").arg(remote, labels.join(QStringLiteral(", "))));
    return refreshListing();  // which said something else, or the list is old
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
