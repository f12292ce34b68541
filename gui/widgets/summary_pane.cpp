#include "gui/widgets/summary_pane.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/models/wording.h"
#include "gui/widgets/icons.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

SummaryPane::SummaryPane(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      title_(new QLabel),
      hint_(new QLabel),
      facts_(new QWidget),
      form_(new QFormLayout(facts_)) {
  setMinimumWidth(230);
  QFont large = title_->font();
  large.setPointSizeF(large.pointSizeF() * 1.25);
  large.setBold(true);
  title_->setFont(large);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setWordWrap(true);
  hint_->setWordWrap(true);
  hint_->setAlignment(Qt::AlignTop);
  form_->setContentsMargins(0, 0, 0, 0);
  form_->setLabelAlignment(Qt::AlignLeft);
  form_->setHorizontalSpacing(14);

  hashLine_ = new QLabel;
  auto* copy = new QToolButton;
  copy->setIcon(icon(QStringLiteral("copy")));
  copy->setAutoRaise(true);
  copy->setToolTip(tr("Copy the whole hash"));
  copy->setAccessibleName(copy->toolTip());
  connect(copy, &QToolButton::clicked, this, [this] { bench_.copy(hash_, tr("the hash")); });
  auto* hashRow = new QHBoxLayout;
  hashRow->addWidget(hashLine_);
  hashRow->addWidget(copy);
  hashRow->addStretch();
  form_->addRow(tr("Hash"), hashRow);
  base_ = addLine(tr("Base"));
  parent_ = addLine(tr("Against"));
  original_ = addLine(tr("Original"));
  stored_ = addLine(tr("Stored"));
  here_ = addLine(tr("Packs"));
  ratio_ = addLine(tr("Ratio"));
  change_ = addLine(tr("Change"));
  fidelity_ = addLine(tr("Fidelity"));
  tensors_ = addLine(tr("Tensors"));
  tags_ = addLine(tr("Tags"));
  added_ = addLine(tr("Added"));
  source_ = addLine(tr("Source"));
  license_ = addLine(tr("License"));
  note_ = addLine(tr("Note"));

  auto* details = new QPushButton(tr("Details"));
  auto* restore = new QPushButton(icon(QStringLiteral("restore")), tr("Restore..."));
  connect(details, &QPushButton::clicked, this, [this] { emit bench_.showVersion(label_); });
  connect(restore, &QPushButton::clicked, this, [this] { emit bench_.restore(label_); });
  auto* buttons = lineOf({details, restore});
  buttons->addStretch();
  form_->addRow(buttons);

  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 10, 12, 10);
  all->addWidget(title_);
  all->addWidget(hint_);
  all->addWidget(facts_);
  all->addStretch();
  setVersion(nullptr);
}

QLabel* SummaryPane::addLine(const QString& name) {
  auto* value = new QLabel;
  value->setTextInteractionFlags(Qt::TextSelectableByMouse);
  value->setWordWrap(true);
  value->setAccessibleName(name);
  form_->addRow(name, value);
  return value;
}

void SummaryPane::setVersion(const ListRow* row) {
  facts_->setVisible(row != nullptr);
  hint_->setVisible(row == nullptr);
  if (row == nullptr) {
    title_->setText(tr("No selection"));
    hint_->setText(
        tr("Select a version to see it in short; select two and press Ctrl+D to compare "
           "them."));
    return;
  }
  const VersionEntry& version = row->version;
  label_ = labelText(version);
  hash_ = text(toHex(version.contentDigest));
  title_->setText(label_);
  hashLine_->setText(hashText(version.contentDigest));
  const auto set = [this](QLabel* line, const QString& value, const QString& hint = {}) {
    line->setText(value);
    line->setToolTip(hint);
    const bool isShown = !value.isEmpty();
    line->setVisible(isShown);
    form_->labelForField(line)->setVisible(isShown);
  };
  set(base_, version.isBase() ? tr("is a base itself") : text(row->baseLabel));
  set(parent_, row->parentLabel == row->baseLabel ? QString() : text(row->parentLabel));
  set(original_, bytesText(version.originalBytes), exactBytesText(version.originalBytes));
  set(stored_, bytesText(version.storedBytes), exactBytesText(version.storedBytes));
  set(here_, awaitedText(row->awaited), awaitedHint(row->awaited));
  set(ratio_, ratioText(version.ratio()), tr("Original / stored; the base is not counted"));
  set(change_, version.isBase() ? QString() : errorText(version.relativeChange),
      tr("L2 norm of the difference, relative to the parent"));
  set(fidelity_, fidelityText(version));
  set(tensors_, version.isBase() ? QString::number(version.tensorCount)
                                 : tr("%1: %2 changed, %3 same, %4 new")
                                       .arg(version.tensorCount)
                                       .arg(version.changedTensors)
                                       .arg(version.sameTensors)
                                       .arg(version.newTensors));
  set(tags_, joined(version.tags, QStringLiteral(", ")));
  set(added_, dateText(version.addedAt));
  set(source_, text(version.sourceUrl));
  set(license_, text(version.license));
  set(note_, text(version.note));
}

void SummaryPane::setCount(int count, std::uint64_t originalBytes, std::uint64_t storedBytes,
                           int awaitedCount) {
  setVersion(nullptr);
  title_->setText(tr("%n version(s)", nullptr, count));
  QString words =
      tr("Original %1, stored %2").arg(bytesText(originalBytes), bytesText(storedBytes));
  if (awaitedCount > 0) words += u'\n' + tr("%n version(s) not here", nullptr, awaitedCount);
  if (count == 2) words += u'\n' + tr("Ctrl+D compares them.");
  hint_->setText(words);
}

}  // namespace strata::gui
