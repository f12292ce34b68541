#include "gui/widgets/views/chart_frame.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/widgets/look/icons.h"
#include "gui/widgets/views/table_view.h"

namespace strata::gui {

ChartFrame::ChartFrame(const QString& title, Chart* chart, QWidget* parent)
    : QWidget(parent),
      chart_(chart),
      title_(new QLabel(title)),
      tableButton_(new QToolButton),
      stack_(new QStackedWidget),
      view_(new TableView(tr("%1 as table").arg(title))),
      bar_(new QHBoxLayout) {
  auto* saveButton = new QToolButton;
  tableButton_->setIcon(icon(QStringLiteral("table")));
  tableButton_->setCheckable(true);
  tableButton_->setToolTip(tr("Show as table"));
  tableButton_->setAccessibleName(tr("Show %1 as table").arg(title));
  saveButton->setIcon(icon(QStringLiteral("export")));
  saveButton->setToolTip(tr("Save as SVG or PNG"));
  saveButton->setAccessibleName(tr("Save %1 as a picture").arg(title));
  for (QToolButton* button : {tableButton_, saveButton}) button->setAutoRaise(true);

  bar_->setContentsMargins(0, 0, 0, 0);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setMinimumWidth(20);
  bar_->addWidget(title_, 1);
  bar_->addWidget(tableButton_);
  bar_->addWidget(saveButton);

  view_->setSortingEnabled(false);  // rows are in the order of the chart
  auto* scroll = new QScrollArea;
  scroll->setWidget(chart_);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::StyledPanel);
  scroll->setFocusPolicy(Qt::NoFocus);
  stack_->addWidget(scroll);
  stack_->addWidget(view_);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(3);
  all->addLayout(bar_);
  all->addWidget(stack_, 1);

  connect(chart_, &Chart::dataReplaced, this, [this] {
    if (isTable()) fillTable();
  });
  connect(tableButton_, &QToolButton::toggled, this, &ChartFrame::showAsTable);
  connect(saveButton, &QToolButton::clicked, this, &ChartFrame::chooseFile);
}

void ChartFrame::setTitle(const QString& title) { title_->setText(title); }

bool ChartFrame::isTable() const { return stack_->currentWidget() == view_; }

void ChartFrame::showAsTable(bool asTable) {
  tableButton_->setChecked(asTable);
  if (asTable) fillTable();
  stack_->setCurrentIndex(asTable ? 1 : 0);
}

void ChartFrame::fillTable() {
  const ChartTable table = chart_->table();
  RecordTable<QStringList>::Columns columns;
  for (qsizetype i = 0; i < table.titles.size(); ++i) {
    columns.push_back({table.titles[i],
                       {},
                       table.numbers.contains(static_cast<int>(i)),
                       [i](const QStringList& row) { return row.value(i); }});
  }
  QAbstractItemModel* old = view_->proxy()->sourceModel();
  auto* model = new RecordTable<QStringList>(std::move(columns), view_);
  model->setRows(table.rows);
  view_->setRecords(model);
  delete old;
}

void ChartFrame::chooseFile() {
  auto* dialog = new QFileDialog(this, tr("Save the chart"), {}, tr("Pictures (*.svg *.png)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("svg"));
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    const bool isPng = file.endsWith(QStringLiteral(".png"), Qt::CaseInsensitive);
    emit exported(file, chart_->picture(isPng ? Chart::PictureKind::Png : Chart::PictureKind::Svg));
  });
  dialog->open();
}

}  // namespace strata::gui
