#include "gui/pages/hub_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/jobs/remote_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kSizeSort = -1;  // beside the orders of the place itself

bool isVersions(const SearchHit& hit) { return hit.model.kind == FoundModel::Kind::Strata; }

/// The page of a repository on the web; empty for other places.
QUrl webPage(const SearchHit& hit) {
  const QString url = text(hit.model.url);
  if (!url.startsWith(QStringLiteral("hf://"))) return {};
  return QUrl(QStringLiteral("https://huggingface.co/") + url.mid(5));
}

}  // namespace

HubPage::HubPage(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(new Banner),
      place_(new QComboBox),
      words_(new QLineEdit),
      base_(new QComboBox),
      sort_(new QComboBox),
      onlyStrata_(new QCheckBox(tr("Only versions"))),
      search_(new QPushButton(icon(QStringLiteral("search")), tr("Search"))),
      get_(new QPushButton(icon(QStringLiteral("pull")), tr("Get..."))),
      open_(new QPushButton(tr("Open page"))),
      progress_(new QProgressBar),
      table_(makeHitTable(this)),
      view_(new TableView(tr("Models that were found"))) {
  view_->setRecords(table_);
  view_->setWideColumn(6);
  view_->setSortingEnabled(false);  // the order is the place's
  view_->setEmptyText(
      tr("Type what to look for and press Search.\nOf repositories that Strata "
         "pushed to, only what is not here is counted."));
  progress_->setRange(0, 0);
  progress_->setMaximumHeight(6);
  progress_->setTextVisible(false);
  progress_->setAccessibleName(tr("Progress of the search"));
  progress_->hide();
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(banner_);
  all->addWidget(makeBar());
  all->addWidget(progress_);
  all->addWidget(view_, 1);
  all->addWidget(makeActions());
  connect(search_, &QPushButton::clicked, this, &HubPage::search);
  connect(words_, &QLineEdit::returnPressed, this, &HubPage::search);
  connect(view_, &TableView::rowChanged, this, &HubPage::updateButtons);
  connect(view_, &TableView::rowActivated, this, &HubPage::get);
  connect(get_, &QPushButton::clicked, this, &HubPage::get);
  connect(open_, &QPushButton::clicked, this, [this] {
    if (current() != nullptr) QDesktopServices::openUrl(webPage(*current()));
  });
  connect(&bench_.session(), &StoreSession::listed, this, &HubPage::fillBases);
  fillPlaces({});
  updateButtons();
}

QWidget* HubPage::makeBar() {
  place_->setAccessibleName(tr("Where to search"));
  place_->setEditable(true);
  place_->setMinimumWidth(180);
  place_->setToolTip(
      tr("A remote of this store, or hf://ORG, oci://HOST, s3://BUCKET, file:///DIR"));
  words_->setAccessibleName(tr("Words in the models' names"));
  words_->setPlaceholderText(tr("distilbert onnx"));
  base_->setAccessibleName(tr("Made from"));
  base_->setMinimumWidth(120);
  sort_->setAccessibleName(tr("Order"));
  using Sort = ModelQuery::Sort;
  sort_->addItem(tr("by relevance"), static_cast<int>(Sort::Relevance));
  sort_->addItem(tr("by downloads"), static_cast<int>(Sort::Downloads));
  sort_->addItem(tr("by likes"), static_cast<int>(Sort::Likes));
  sort_->addItem(tr("newest first"), static_cast<int>(Sort::Updated));
  sort_->addItem(tr("least to fetch first"), kSizeSort);
  auto* copy = new CommandButton(bench_, [this] { return QStringList{commandLine()}; });
  auto* bar = new QWidget;
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(place_);
  line->addWidget(words_, 1);
  line->addWidget(base_);
  line->addWidget(onlyStrata_);
  line->addWidget(sort_);
  line->addWidget(search_);
  line->addWidget(copy);
  return bar;
}

QWidget* HubPage::makeActions() {
  auto* bar = new QWidget;
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(new QLabel(tr("Plain models are imported by a command, which Get copies.")), 1);
  line->addWidget(open_);
  line->addWidget(get_);
  return bar;
}

void HubPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  loadRemotes();
}

void HubPage::loadRemotes() {
  auto* job = remotesJob(bench_.store());
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] { fillPlaces(job->report()); });
  bench_.read(job);
}

void HubPage::fillPlaces(const RemoteList& list) {
  const QString kept = place_->currentText();
  place_->clear();
  place_->addItem(QStringLiteral("hf://"));
  for (const RemoteConfig& remote : list.remotes) place_->addItem(text(remote.name));
  if (!kept.isEmpty()) place_->setCurrentText(kept);
}

void HubPage::fillBases() {
  const QString kept = base_->currentData().toString();
  base_->clear();
  base_->addItem(tr("from any base"), QString());
  for (const ListRow& row : bench_.session().snapshot()->rows) {
    if (!row.version.isBase()) continue;
    const QString label = labelText(row.version);
    base_->addItem(tr("from %1").arg(label), label);
  }
  base_->setCurrentIndex(std::max(0, base_->findData(kept)));
}

SearchRequest HubPage::request() const {
  const int sort = sort_->currentData().toInt();
  return {.place = place_->currentText().trimmed(),
          .words = words_->text().trimmed(),
          .base = base_->currentData().toString(),
          .onlyStrata = onlyStrata_->isChecked(),
          .smallestFirst = sort == kSizeSort,
          .sort = sort == kSizeSort ? ModelQuery::Sort::Relevance
                                    : static_cast<ModelQuery::Sort>(sort)};
}

QString HubPage::commandLine() const {
  static const QString kSorts[] = {QString(), QStringLiteral("downloads"), QStringLiteral("likes"),
                                   QStringLiteral("updated")};
  const SearchRequest wanted = request();
  CommandText command = bench_.command(QStringLiteral("search"));
  return command.words(wanted.words.split(u' ', Qt::SkipEmptyParts))
      .option(QStringLiteral("--remote"),
              wanted.place == QStringLiteral("hf://") ? QString() : wanted.place)
      .option(QStringLiteral("--base"), wanted.base)
      .flag(QStringLiteral("--strata"), wanted.onlyStrata)
      .option(QStringLiteral("--sort"),
              wanted.smallestFirst ? QStringLiteral("size") : kSorts[static_cast<int>(wanted.sort)])
      .text();
}

void HubPage::search() {
  if (job_) job_->cancel();
  banner_->clear();
  progress_->show();
  auto* job = searchJob(bench_.store(), request());
  job_ = job;
  connect(job, &Job::finished, this, [this, job] {
    if (job == job_) showReport(job->report());
  });
  connect(job, &Job::failed, this, [this, job](const Problem& problem) {
    if (job != job_) return;
    banner_->showProblem(problem);  // what was found before stays
    banner_->addAction(tr("Try again"), [this] { search(); });
  });
  connect(job, &Job::ended, this, [this, job] {
    if (job != job_) return;
    job_.clear();
    progress_->hide();
    emit searched();
  });
  bench_.read(job);
}

void HubPage::showReport(const ModelSearchReport& report) {
  table_->setRows(report.hits);
  view_->setEmptyText(tr("Nothing was found."));
  view_->fitColumns();
  if (!report.problems.empty()) {
    banner_->showNotice(Banner::Kind::Notice,
                        tr("%n place(s) could not be looked into", nullptr,
                           static_cast<int>(report.problems.size())),
                        joined(report.problems, QStringLiteral("\n")));
  }
  updateButtons();
}

const SearchHit* HubPage::current() const {
  const int row = view_->currentRow();
  return row < 0 ? nullptr : &table_->row(row);
}

void HubPage::get() {
  if (current() == nullptr) return;
  const QString url = text(current()->model.url);
  if (isVersions(*current())) {
    emit getRequested(url);
    return;
  }
  bench_.copy(bench_.command(QStringLiteral("import"))
                  .word(url)
                  .option(QStringLiteral("--name"), url.section(u'/', -1).section(u'@', 0, 0))
                  .text(),
              tr("the command"));
}

void HubPage::updateButtons() {
  const SearchHit* hit = current();
  get_->setEnabled(hit != nullptr);
  get_->setText(hit != nullptr && !isVersions(*hit) ? tr("Copy import command") : tr("Get..."));
  open_->setEnabled(hit != nullptr && !webPage(*hit).isEmpty());
}

}  // namespace strata::gui
