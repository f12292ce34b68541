#include "gui/widgets/panes/repository_pane.h"

#include <QTabWidget>
#include <QVBoxLayout>

#include "gui/models/wording.h"
#include "gui/widgets/views/card_view.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kDelayMs = 250;  // walking through a list asks for the last one only

bool isOnHub(const FoundRow& model) { return model.url.startsWith(QStringLiteral("hf://")); }

}  // namespace

RepositoryPane::RepositoryPane(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      tabs_(new QTabWidget),
      card_(new CardView),
      files_(makeHubFileTable(this)),
      fileView_(new TableView(tr("Files of the repository"))),
      versions_(makeRemoteTable(this)),
      versionView_(new TableView(tr("Versions of the repository"))) {
  fileView_->setRecords(files_);
  versionView_->setRecords(versions_);
  tabs_->setDocumentMode(true);
  tabs_->setAccessibleName(tr("What the repository holds"));
  tabs_->addTab(card_, tr("Model card"));
  tabs_->addTab(fileView_, tr("Files"));
  tabs_->addTab(versionView_, tr("Versions and lineage"));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(tabs_);
  delay_.setSingleShot(true);
  delay_.setInterval(kDelayMs);
  connect(card_, &CardView::linkRequested, this, &RepositoryPane::linkRequested);
  connect(&delay_, &QTimer::timeout, this, &RepositoryPane::load);
  connect(tabs_, &QTabWidget::currentChanged, this, &RepositoryPane::load);
}

RepositoryPane::~RepositoryPane() { tabs_->disconnect(this); }

void RepositoryPane::showRepository(const FoundRow* model, const QString& place) {
  for (QPointer<Job>& job : jobs_) {
    if (job) job->cancel();
    job.clear();
  }
  std::fill(std::begin(isAsked_), std::end(isAsked_), false);
  model_ = model == nullptr ? FoundRow() : *model;
  place_ = place;
  card_->clear();
  files_->setRows({});
  versions_->setRows({});
  fileView_->setEmptyText({});
  versionView_->setEmptyText({});
  if (model == nullptr) return delay_.stop();
  say(tr("Asking %1...").arg(model_.url));
  delay_.start();
}

void RepositoryPane::load() {
  const int tab = tabs_->currentIndex();
  if (model_.url.isEmpty() || !isVisible() || isAsked_[tab]) return;
  isAsked_[tab] = true;
  say(tr("Asking %1...").arg(model_.url));
  switch (tab) {
    case Card:
      return loadCard();
    case Files:
      return loadFiles();
    default:
      return loadVersions();
  }
}

void RepositoryPane::say(const QString& words) {
  switch (tabs_->currentIndex()) {
    case Card:
      return card_->setPlainText(words);
    case Files:
      fileView_->setEmptyText(words);
      return fileView_->viewport()->update();
    default:
      versionView_->setEmptyText(words);
      versionView_->viewport()->update();
  }
}

template <typename ReportJob>
void RepositoryPane::run(ReportJob* job, std::function<void(ReportJob*)> show) {
  const int tab = tabs_->currentIndex();
  jobs_[tab] = job;
  connect(job, &Job::finished, this, [this, job, tab, show = std::move(show)] {
    if (job != jobs_[tab]) return;
    show(job);
    emit loaded();
  });
  connect(job, &Job::failed, this, [this, job, tab](const Problem& problem) {
    if (job != jobs_[tab]) return;
    const QString words = problem.what + u'\n' + problem.why;
    tab == Card    ? card_->setPlainText(words)
    : tab == Files ? fileView_->setEmptyText(words)
                   : versionView_->setEmptyText(words);
    emit loaded();
  });
  bench_.read(job);
}

void RepositoryPane::loadCard() {
  if (!isOnHub(model_)) {
    say(tr("Only repositories of a hub have model cards."));
    emit loaded();
    return;
  }
  run<OpJob<ModelCard>>(
      modelCardJob(bench_.store(), {model_.url, place_}), [this](OpJob<ModelCard>* job) {
        const QString& markdown = job->report().markdown;
        markdown.isEmpty() ? card_->setPlainText(tr("The repository has no model card."))
                           : card_->setCard(markdown);
      });
}

void RepositoryPane::loadFiles() {
  if (!isOnHub(model_)) {
    say(tr("Only repositories of a hub have plain files."));
    emit loaded();
    return;
  }
  run<OpJob<ModelFiles>>(modelFilesJob(bench_.store(), {model_.url, place_}),
                         [this](OpJob<ModelFiles>* job) {
                           fileView_->setEmptyText(tr("The repository has no plain files."));
                           files_->setRows(job->report());
                           fileView_->fitColumns();
                         });
}

void RepositoryPane::loadVersions() {
  if (!model_.hasVersions()) {
    say(tr("A plain model: it has no versions that Strata stored."));
    emit loaded();
    return;
  }
  run<OpJob<RemoteState>>(modelVersionsJob(bench_.store(), {model_.url, place_}),
                          [this](OpJob<RemoteState>* job) {
                            versionView_->setEmptyText(tr("It lists no versions."));
                            versions_->setRows(job->report().rows);
                            versionView_->fitColumns();
                          });
}

}  // namespace strata::gui
