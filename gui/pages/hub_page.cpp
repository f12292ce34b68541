#include "gui/pages/hub_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSplitter>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/jobs/hub_model_ops.h"
#include "gui/jobs/remote_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/dialogs/import_choice.h"
#include "gui/widgets/look/flow_layout.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/look/open_outside.h"
#include "gui/widgets/panes/repository_pane.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kSizeSort = -1;  // beside the orders of the place itself

bool isOnHub(const FoundRow& hit) { return hit.url.startsWith(QStringLiteral("hf://")); }

/// The page of a repository on the web; empty for other places.
QUrl webPage(const FoundRow& hit) {
  return isOnHub(hit) ? QUrl(QStringLiteral("https://huggingface.co/") + hit.url.mid(5)) : QUrl();
}

/// What a plain model would be called here: the repository's name.
QString nameFor(const FoundRow& hit) {
  return plainName(hit.url.section(u'/', -1).section(u'@', 0, 0));
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
      size_(new QComboBox),
      license_(new QComboBox),
      onlyStrata_(new QCheckBox(tr("Only versions"))),
      search_(new QPushButton(icon(QStringLiteral("search")), tr("Search"))),
      get_(new QPushButton(icon(QStringLiteral("pull")), tr("Get..."))),
      open_(new QPushButton(tr("Open page"))),
      age_(new QLabel),
      import_(new ImportChoice(bench)),
      progress_(new QProgressBar),
      repository_(new RepositoryPane(bench)),
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
  keepRoom(*progress_);
  progress_->hide();
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(8, 8, 8, 8);
  all->addWidget(makeBar());
  all->addWidget(progress_);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(view_);
  split->addWidget(repository_);
  split->setSizes({340, 260});
  split->setChildrenCollapsible(false);
  all->addWidget(split, 1);
  all->addWidget(banner_);
  all->addWidget(makeActions());
  connect(search_, &QPushButton::clicked, this, &HubPage::search);
  connect(words_, &QLineEdit::returnPressed, this, &HubPage::search);
  view_->proxy()->setCondition([this](int row) {
    const QString license = license_->currentData().toString();
    return isOfSize(table_->row(row), static_cast<FoundSize>(size_->currentData().toInt())) &&
           (license.isEmpty() || table_->row(row).license == license);
  });
  for (const QComboBox* const box : {size_, license_}) {
    connect(box, &QComboBox::currentIndexChanged, view_->proxy(),
            [this] { view_->proxy()->invalidate(); });
  }
  connect(view_, &TableView::rowChanged, this, &HubPage::showCurrent);
  connect(view_, &TableView::rowActivated, this, &HubPage::get);
  connect(get_, &QPushButton::clicked, this, &HubPage::get);
  connect(open_, &QPushButton::clicked, this, [this] {
    if (current() != nullptr) openOutside(webPage(*current()), *banner_);
  });
  connect(repository_, &RepositoryPane::linkRequested, this,
          [this](const QUrl& link) { openOutside(link, *banner_); });
  connect(import_, &ImportChoice::changed, this, &HubPage::updateButtons);
  connect(&bench_.session(), &StoreSession::listed, this, &HubPage::fillBases);
  fillPlaces({});
  updateButtons();
  loadFound();
}

HubPage::~HubPage() {
  view_->disconnect(this);  // it tells that its rows go, when there is nobody to listen any more
}

QWidget* HubPage::makeBar() {
  nameChoice(*place_, tr("Where to search"));
  place_->setEditable(true);
  place_->lineEdit()->setAccessibleName(place_->accessibleName());
  place_->setMinimumWidth(150);
  place_->setToolTip(
      tr("A remote of this store, or hf://ORG, oci://HOST, s3://BUCKET, file:///DIR"));
  words_->setAccessibleName(tr("Words in the models' names"));
  words_->setPlaceholderText(tr("distilbert onnx"));
  nameChoice(*base_, tr("Made from"));
  nameChoice(*sort_, tr("Order"));
  using Sort = ModelQuery::Sort;
  sort_->addItem(tr("by relevance"), static_cast<int>(Sort::Relevance));
  sort_->addItem(tr("by downloads"), static_cast<int>(Sort::Downloads));
  sort_->addItem(tr("by likes"), static_cast<int>(Sort::Likes));
  sort_->addItem(tr("newest first"), static_cast<int>(Sort::Updated));
  sort_->addItem(tr("least to fetch first"), kSizeSort);
  nameChoice(*size_, tr("Size"));
  size_->setToolTip(tr("Of what has to be fetched"));
  size_->addItem(tr("any size"), static_cast<int>(FoundSize::Any));
  size_->addItem(tr("up to 50 MB"), static_cast<int>(FoundSize::UpTo50Megabytes));
  size_->addItem(tr("up to 500 MB"), static_cast<int>(FoundSize::UpTo500Megabytes));
  size_->addItem(tr("over 500 MB"), static_cast<int>(FoundSize::Over500Megabytes));
  nameChoice(*license_, tr("License"));
  license_->setToolTip(tr("As the place words it; the next search asks for it, too"));
  fillLicenses();
  // The longest text would make the window wider than small screens are.
  for (QComboBox* const box : {place_, base_, size_, license_, sort_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
  }
  auto* copy = new CommandButton(bench_, [this] { return commands(); });
  words_->setMinimumWidth(180);
  auto* bar = new QWidget;
  auto* line = new FlowLayout(bar);
  line->addWidget(place_);
  line->addWidget(words_);
  line->addWidget(base_);
  line->addWidget(onlyStrata_);
  line->addWidget(size_);
  line->addWidget(license_);
  line->addWidget(sort_);
  line->addWidget(search_);
  line->addWidget(copy);
  return bar;
}

QWidget* HubPage::makeActions() {
  auto* bar = new QWidget;
  auto* line = new QHBoxLayout(bar);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(age_, 1);
  line->addWidget(import_);
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

/// The usual ones and those that were found.
void HubPage::fillLicenses() {
  QStringList licenses{QStringLiteral("apache-2.0"),   QStringLiteral("mit"),
                       QStringLiteral("bsd-3-clause"), QStringLiteral("cc-by-4.0"),
                       QStringLiteral("cc-by-nc-4.0"), QStringLiteral("openrail"),
                       QStringLiteral("gpl-3.0"),      QStringLiteral("other")};
  for (const FoundRow& row : found_.rows) {
    if (!row.license.isEmpty()) licenses << row.license;
  }
  const QString kept = license_->currentData().toString();
  if (!kept.isEmpty()) licenses << kept;
  licenses.removeDuplicates();
  const QSignalBlocker quiet(license_);
  license_->clear();
  license_->addItem(tr("any license"), QString());
  for (const QString& one : licenses) license_->addItem(one, one);
  license_->setCurrentIndex(std::max(0, license_->findData(kept)));
}

SearchRequest HubPage::request() const {
  const int sort = sort_->currentData().toInt();
  return {.place = remoteUrl(place_->currentText().trimmed()),
          .words = words_->text().trimmed(),
          .base = base_->currentData().toString(),
          .license = license_->currentData().toString(),
          .onlyStrata = onlyStrata_->isChecked(),
          .smallestFirst = sort == kSizeSort,
          .sort = sort == kSizeSort ? ModelQuery::Sort::Relevance
                                    : static_cast<ModelQuery::Sort>(sort)};
}

QString HubPage::commandLine() const {
  static const QString kSizes[] = {QString(), QStringLiteral("50MB"), QStringLiteral("500MB"),
                                   QString()};
  static const QString kSorts[] = {QString(), QStringLiteral("downloads"), QStringLiteral("likes"),
                                   QStringLiteral("updated")};
  const SearchRequest wanted = request();
  CommandText command = bench_.command(QStringLiteral("search"));
  return command.words(wanted.words.split(u' ', Qt::SkipEmptyParts))
      .option(QStringLiteral("--remote"),
              wanted.place == QStringLiteral("hf://") ? QString() : wanted.place)
      .option(QStringLiteral("--base"), wanted.base)
      .option(QStringLiteral("--license"), wanted.license)
      .flag(QStringLiteral("--strata"), wanted.onlyStrata)
      .option(QStringLiteral("--sort"),
              wanted.smallestFirst ? QStringLiteral("size") : kSorts[static_cast<int>(wanted.sort)])
      .option(QStringLiteral("--max-size"), kSizes[size_->currentIndex()])
      .text();
}

QStringList HubPage::commands() const {
  QStringList all{commandLine()};
  const FoundRow* hit = current();
  if (hit != nullptr && hit->isPlain()) {
    all << import_->command(hit->url);
  }
  return all;
}

void HubPage::loadFound() {
  auto* job = loadFoundJob();
  connect(job, &Job::finished, this, [this, job] {
    if (found_.foundAt == 0) {
      found_ = job->report();
      showFound();
    }
    emit loaded();
  });
  bench_.read(job);
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
  found_ = {.request = request(), .rows = {}, .foundAt = QDateTime::currentSecsSinceEpoch()};
  for (const SearchHit& hit : report.hits) found_.rows.push_back(foundRow(hit));
  view_->setEmptyText(tr("Nothing was found."));
  showFound();
  if (!report.problems.empty()) {
    banner_->showNotice(Banner::Kind::Notice,
                        tr("%n place(s) could not be looked into", nullptr,
                           static_cast<int>(report.problems.size())),
                        joined(report.problems, QStringLiteral("\n")));
  }
  auto* job = keepFoundJob(found_);
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  bench_.read(job);
}

void HubPage::showFound() {
  fillLicenses();
  table_->setRows(found_.rows);
  view_->fitColumns();
  const QString place =
      found_.request.place.isEmpty() ? QStringLiteral("hf://") : found_.request.place;
  age_->setText(found_.foundAt == 0 ? QString()
                                    : tr("%n model(s) found on %1, %2", nullptr,
                                         static_cast<int>(found_.rows.size()))
                                          .arg(place, agoText(found_.foundAt)));
  age_->setToolTip(dateText(found_.foundAt));
  showCurrent();
}

const FoundRow* HubPage::current() const {
  const int row = view_->currentRow();
  return row < 0 ? nullptr : &table_->row(row);
}

void HubPage::showCurrent() {
  const FoundRow* hit = current();
  if (hit != nullptr) import_->setName(nameFor(*hit));
  repository_->showRepository(hit, found_.request.place);
  updateButtons();
}

void HubPage::get() {
  const FoundRow* hit = current();
  if (hit == nullptr) return;
  if (hit->isPlain()) return importPlain(*hit);
  emit getRequested(hit->url);
}

void HubPage::importPlain(const FoundRow& model) {
  auto* job =
      importHubModelJob(bench_.store(), {model.url, found_.request.place}, import_->choice());
  banner_->showNotice(Banner::Kind::Notice, job->title(),
                      tr("It is fetched, checked by its hashes and stored. The bar below shows how "
                         "far it is and stops it."));
  connect(job, &Job::failed, banner_, &Banner::showProblem);
  connect(job, &Job::cancelled, this, [this] {
    banner_->showNotice(Banner::Kind::Notice,
                        tr("Stopped. What came is kept for the next try of this import."));
  });
  connect(job, &Job::finished, this, [this, job] {
    const QString label = labelText(job->report().version);
    banner_->showNotice(Banner::Kind::Good, tr("Stored %1").arg(label),
                        tr("%1 from %2")
                            .arg(bytesText(job->report().version.originalBytes),
                                 text(job->report().version.sourceUrl)));
    banner_->addAction(tr("Details"), [this, label] { emit bench_.showVersion(label); });
    bench_.session().refresh();
    emit imported(label);
  });
  bench_.write(job);
}

void HubPage::updateButtons() {
  const FoundRow* hit = current();
  const bool isPlain = hit != nullptr && hit->isPlain();
  import_->setVisible(isPlain);
  get_->setText(isPlain ? tr("Import") : tr("Get..."));
  get_->setEnabled(isPlain ? import_->isWhole() : hit != nullptr && hit->hasVersions());
  open_->setEnabled(hit != nullptr && !webPage(*hit).isEmpty());
}

}  // namespace strata::gui
