#include "gui/widgets/dialogs/import_choice.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>

#include "gui/models/wording.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

constexpr int kChoice = Qt::UserRole + 1;  ///< a BaseChoice, beside the label of a base

}  // namespace

ImportChoice::ImportChoice(Workbench& bench, QWidget* parent)
    : QWidget(parent), bench_(bench), name_(new QLineEdit), base_(new QComboBox) {
  auto* label = new QLabel(tr("Stored as"));
  name_->setAccessibleName(label->text());
  name_->setMaximumWidth(200);
  nameChoice(*base_, tr("As a base or a version"));
  base_->setToolTip(
      tr("A base is stored in full, a version as an exact difference to a stored base"));
  base_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  base_->setMinimumContentsLength(18);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->addWidget(label);
  line->addWidget(name_);
  line->addWidget(base_);
  fillBases();
  connect(name_, &QLineEdit::textChanged, this, &ImportChoice::changed);
  connect(base_, &QComboBox::currentIndexChanged, this, &ImportChoice::changed);
  connect(&bench_.session(), &StoreSession::listed, this, &ImportChoice::fillBases);
}

void ImportChoice::setName(const QString& name) { name_->setText(name); }

void ImportChoice::fillBases() {
  const QString kept = base_->currentText();
  const auto add = [this](const QString& words, BaseChoice choice, const QString& label) {
    base_->addItem(words, label);
    base_->setItemData(base_->count() - 1, static_cast<int>(choice), kChoice);
  };
  base_->clear();
  add(tr("a base"), BaseChoice::None, {});
  const SnapshotPtr& snapshot = bench_.session().snapshot();
  if (snapshot) {
    add(tr("a version of the best base"), BaseChoice::Auto, {});
    for (const ListRow& row : snapshot->rows) {
      if (!row.version.isBase()) continue;
      const QString label = labelText(row.version);
      add(tr("a version of %1").arg(label), BaseChoice::Reference, label);
    }
  }
  base_->setCurrentIndex(std::max(0, base_->findText(kept)));
}

HubImport ImportChoice::choice() const {
  return {.name = name_->text().trimmed(),
          .baseChoice = static_cast<BaseChoice>(base_->currentData(kChoice).toInt()),
          .base = base_->currentData().toString()};
}

bool ImportChoice::isWhole() const { return !name_->text().trimmed().isEmpty(); }

QString ImportChoice::command(const QString& url) const {
  const HubImport how = choice();
  if (how.baseChoice == BaseChoice::None) {
    return bench_.command(QStringLiteral("import"))
        .word(url)
        .option(QStringLiteral("--name"), how.name)
        .text();
  }
  return bench_.command(QStringLiteral("add"))
      .words({how.name, url})
      .option(QStringLiteral("--base"), how.base)
      .flag(QStringLiteral("--exact"), true)
      .text();
}

}  // namespace strata::gui
