#include "gui/widgets/panes/summary_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/models/wording.h"
#include "gui/widgets/dialogs/note_dialog.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/views/fact_list.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

SummaryPane::SummaryPane(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      title_(new QLabel),
      hint_(new QLabel),
      facts_(new FactList(tr("Summary"))) {
  setAccessibleName(tr("Summary"));
  facts_->setFlush();
  setMinimumWidth(230);
  QFont large = title_->font();
  large.setPointSizeF(large.pointSizeF() * 1.25);
  large.setBold(true);
  title_->setFont(large);
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setWordWrap(true);
  hint_->setWordWrap(true);
  hint_->setAlignment(Qt::AlignTop);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 10, 12, 10);
  all->addWidget(title_);
  all->addWidget(hint_, 1);
  all->addWidget(facts_, 1);
  setVersion(nullptr);
}

void SummaryPane::addHash(const Digest& digest) {
  hash_ = text(toHex(digest));
  auto* copy = new QToolButton;
  copy->setIcon(icon(QStringLiteral("copy")));
  copy->setAutoRaise(true);
  copy->setToolTip(tr("Copy the whole hash"));
  copy->setAccessibleName(copy->toolTip());
  connect(copy, &QToolButton::clicked, this, [this] { bench_.copy(hash_, tr("the hash")); });
  auto* line = lineOf({new QLabel(hashText(digest)), copy});
  line->addStretch();
  facts_->addLine(tr("Hash"), line);
}

void SummaryPane::addButtons() {
  auto* details = new QPushButton(tr("Details"));
  auto* restore = new QPushButton(icon(QStringLiteral("restore")), tr("Restore..."));
  connect(details, &QPushButton::clicked, this, [this] { emit bench_.showVersion(label_); });
  connect(restore, &QPushButton::clicked, this, [this] { emit bench_.restore(label_); });
  auto* buttons = lineOf({details, restore});
  buttons->addStretch();
  facts_->addLine({}, buttons);
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
  title_->setText(label_);
  facts_->clear();
  addHash(version.contentDigest);
  facts_->add(tr("Base"), version.isBase() ? tr("is a base itself") : text(row->baseLabel));
  facts_->add(tr("Against"),
              row->parentLabel == row->baseLabel ? QString() : text(row->parentLabel));
  facts_->add(tr("Original"), bytesText(version.originalBytes),
              exactBytesText(version.originalBytes));
  facts_->add(tr("Stored"), bytesText(version.storedBytes), exactBytesText(version.storedBytes));
  facts_->add(tr("Packs"), awaitedText(row->awaited), awaitedHint(row->awaited));
  facts_->add(tr("Ratio"), ratioText(version.ratio()),
              tr("Original / stored; the base is not counted"));
  facts_->add(tr("Change"), version.hasChange() ? changeText(version) : QString(),
              tr("L2 norm of the difference, relative to the parent; of floating-point "
                 "weights"));
  facts_->add(tr("Fidelity"), fidelityText(version));
  facts_->add(tr("Tensors"), version.isBase() ? QString::number(version.tensorCount)
                                              : tr("%1: %2 changed, %3 same, %4 new")
                                                    .arg(version.tensorCount)
                                                    .arg(version.changedTensors)
                                                    .arg(version.sameTensors)
                                                    .arg(version.newTensors));
  facts_->add(tr("Tags"), joined(version.tags, QStringLiteral(", ")));
  facts_->add(tr("Added"), dateText(version.addedAt));
  const std::int64_t damagedAt = bench_.session().snapshot()->damagedAt(version);
  facts_->add(tr("Verified"), verifiedText(version, damagedAt), verifiedHint(version, damagedAt));
  facts_->add(tr("Source"), text(version.sourceUrl));
  facts_->add(tr("License"), text(version.license));
  facts_->addWithButton(tr("Note"), text(version.note), noteButton(bench_, label_));
  addButtons();
}

void SummaryPane::setCount(int count, std::uint64_t originalBytes, std::uint64_t storedBytes,
                           int awaitedCount, bool isPair) {
  setVersion(nullptr);
  title_->setText(tr("%n version(s)", nullptr, count));
  QString words =
      tr("Original %1, stored %2").arg(bytesText(originalBytes), bytesText(storedBytes));
  if (awaitedCount > 0) words += u'\n' + tr("%n version(s) not here", nullptr, awaitedCount);
  if (isPair) words += u'\n' + tr("Ctrl+D compares them.");
  hint_->setText(words);
}

}  // namespace strata::gui
