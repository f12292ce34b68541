#include "gui/widgets/base_chooser.h"

#include <QButtonGroup>
#include <QRadioButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/wording.h"

namespace strata::gui {
namespace {

constexpr int kMostBases = 5;
constexpr int kNone = -2;  // of the button group

/// How much would be stored is known of exact versions.
QString wordsFor(const BaseCandidate& base, std::uint64_t byteCount, bool isExact) {
  const auto stored =
      static_cast<std::uint64_t>(base.estimatedShare * static_cast<double>(byteCount));
  QString words = BaseChooser::tr("%1   a like weight for %2 of the bytes")
                      .arg(labelText(base.version), shareText(base.matchedShare));
  if (isExact) words += BaseChooser::tr(", would store about %1").arg(bytesText(stored));
  return base.serves ? words : words + BaseChooser::tr("   ! poor match");
}

}  // namespace

BaseChooser::BaseChooser(QWidget* parent) : QWidget(parent), rows_(new QVBoxLayout(this)) {
  rows_->setContentsMargins(0, 0, 0, 0);
}

void BaseChooser::setFacts(const ModelFacts& facts) {
  while (QLayoutItem* item = rows_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  delete group_;
  group_ = new QButtonGroup(this);
  labels_.clear();
  facts_ = facts;
  const auto addChoice = [this](const QString& words, int id) {
    auto* button = new QRadioButton(words);
    rows_->addWidget(button);
    group_->addButton(button, id);
    return button;
  };
  const std::size_t count = std::min<std::size_t>(kMostBases, facts.bases.size());
  for (std::size_t i = 0; i < count; ++i) {
    labels_ << labelText(facts.bases[i].version);
    addChoice(wordsFor(facts.bases[i], facts.byteCount, isExact_), static_cast<int>(i))
        ->setChecked(i == 0 && facts.bases[i].serves);
  }
  auto* none = addChoice(count == 0 ? tr("None: store it in full, as a base")
                                    : tr("None: store it in full, as a new base"),
                         kNone);
  if (group_->checkedButton() == nullptr) none->setChecked(true);
  connect(group_, &QButtonGroup::idToggled, this, &BaseChooser::changed);
  emit changed();
}

void BaseChooser::setExact(bool isExact) {
  isExact_ = isExact;
  for (qsizetype i = 0; i < labels_.size(); ++i) {
    const BaseCandidate& base = facts_.bases[static_cast<std::size_t>(i)];
    group_->button(static_cast<int>(i))->setText(wordsFor(base, facts_.byteCount, isExact_));
  }
}

bool BaseChooser::isNone() const { return group_ == nullptr || group_->checkedId() == kNone; }

QString BaseChooser::base() const {
  return isNone() ? QString() : labels_.value(group_->checkedId());
}

}  // namespace strata::gui
