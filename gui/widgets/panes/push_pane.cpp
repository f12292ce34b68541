#include "gui/widgets/panes/push_pane.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/models/push_choice.h"
#include "gui/models/wording.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/dialogs/choice_name.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/views/capped_text.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

PushPane::PushPane(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      title_(new QLabel),
      details_(new CappedText(tr("What else there is to know"))),
      choice_(new PushChoice(this)),
      view_(new TableView(tr("Versions to push"))),
      tags_(new QCheckBox(tr("Move tags"))),
      visibilityName_(new QLabel(tr("A new repository is"))),
      visibility_(new QComboBox),
      push_(new QPushButton(icon(QStringLiteral("push")), tr("Push"))) {
  makeTitle(*title_);
  title_->setWordWrap(true);
  view_->setRecords(choice_);
  view_->setSortingEnabled(false);  // parents stand before what is a difference to them
  nameChoice(*visibility_, visibilityName_->text());
  visibility_->addItem(tr("private"), false);
  visibility_->addItem(tr("public"), true);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(title_);
  all->addWidget(details_);
  all->addWidget(view_, 1);
  all->addLayout(makeButtons());
  connect(choice_, &PushChoice::choiceChanged, this, &PushPane::showChoice);
}

QHBoxLayout* PushPane::makeButtons() {
  auto* cancel = new QPushButton(tr("Cancel"));
  auto* line = new QHBoxLayout;
  line->addWidget(tags_);
  line->addStretch(1);
  line->addWidget(visibilityName_);
  line->addWidget(visibility_);
  line->addSpacing(12);
  line->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  line->addWidget(cancel);
  line->addWidget(push_);
  connect(cancel, &QPushButton::clicked, this, &PushPane::closed);
  connect(push_, &QPushButton::clicked, this, [this] {
    emit closed();
    emit pushRequested(request());
  });
  return line;
}

void PushPane::showPlan(const QString& remote, const QString& url, const QStringList& asked,
                        const PushReport& plan) {
  remote_ = remote;
  asked_ = asked;
  plan_ = plan;
  QStringList lines;
  if (plan.skippedBytes > 0) lines << tr("%1 are there already").arg(bytesText(plan.skippedBytes));
  for (const FailedTransfer& failed : plan.failed) {
    lines << tr("Cannot go: %1").arg(text(failed.error.message));
  }
  lines << wordsOf(plan);
  details_->setText(lines.join(u'\n'), Qt::PlainText);
  details_->setVisible(!lines.isEmpty());
  tags_->setChecked(false);
  std::vector<std::string> forced = plan.tagsElsewhere;
  const bool movesAlone = plan.tagsTakenThere.empty() && plan.tagsInDoubt.empty();
  forced.insert(forced.end(), plan.tagsTakenThere.begin(), plan.tagsTakenThere.end());
  forced.insert(forced.end(), plan.tagsInDoubt.begin(), plan.tagsInDoubt.end());
  const QString names = joined(forced, QStringLiteral(", "));
  tags_->setText(movesAlone ? tr("Move the tags that point elsewhere there: %1").arg(names)
                            : tr("Tags there as here: %1").arg(names));
  tags_->setVisible(!forced.empty());
  const bool isHub = url.startsWith(QStringLiteral("hf://"));
  visibilityName_->setVisible(isHub);
  visibility_->setVisible(isHub);
  visibility_->setCurrentIndex(0);
  choice_->setItems(plan.pushed);
  view_->fitColumns();
  view_->setCurrentIndex(view_->model()->index(0, 0));
}

bool PushPane::isWorthShowing(const PushReport& plan) {
  return !plan.pushed.empty() || !plan.failed.empty() || hasWords(plan);
}

/// Whether it would change something for versions that are there already.
bool PushPane::hasWords(const PushReport& plan) {
  return !plan.tags.empty() || !plan.notes.empty() || !plan.tagsElsewhere.empty() ||
         !plan.tagsTakenThere.empty() || !plan.tagsInDoubt.empty();
}

/// What the command line says of tags, notes and permissions.
QStringList PushPane::wordsOf(const PushReport& plan) {
  QStringList lines;
  for (const PushReport::Tag& tag : plan.tags) {
    lines << (tag.from.empty() ? tr("Tag %1 would be %2 there").arg(text(tag.tag), text(tag.to))
                               : tr("Tag %1 would be %2 there, before %3")
                                     .arg(text(tag.tag), text(tag.to), text(tag.from)));
  }
  for (const std::string& tag : plan.tagsMovedThere) {
    lines << tr("Tag %1 was moved there; a pull brings it").arg(text(tag));
  }
  for (const std::string& tag : plan.tagsTakenThere) {
    lines << tr("Tag %1 was taken off there and stays off").arg(text(tag));
  }
  for (const std::string& tag : plan.tagsInDoubt) {
    lines << tr("Tag %1 is not there and stays off; whether it was taken off is not known here")
                 .arg(text(tag));
  }
  for (const std::string& tag : plan.tagsRemovedHere) {
    lines << tr("Tag %1 was removed here and is still there").arg(text(tag));
  }
  for (const std::string& label : plan.notes) {
    lines << tr("The note of %1 would go").arg(text(label));
  }
  for (const std::string& label : plan.notesElsewhere) {
    lines << tr("%1 has another note there, and each side keeps its own").arg(text(label));
  }
  for (const std::string& label : plan.notesEditedThere) {
    lines << tr("The note of %1 was edited there; a pull brings it").arg(text(label));
  }
  for (const std::string& label : plan.modesElsewhere) {
    lines
        << tr("%1 may have other permissions there, and each side keeps its own").arg(text(label));
  }
  return lines;
}

void PushPane::showChoice() {
  const int count = static_cast<int>(choice_->chosen().size());
  const QString bytes = bytesText(choice_->chosenBytes());
  title_->setText(
      choice_->isWhole()
          ? tr("Would send %1 in %2 packs and %3 manifests to %4")
                .arg(bytesText(plan_.byteCount))
                .arg(plan_.packCount)
                .arg(plan_.manifestCount)
                .arg(remote_)
          : tr("Would send %n version(s), %1, to %2", nullptr, count).arg(bytes, remote_));
  push_->setEnabled(count > 0 || (choice_->isWhole() && hasWords(plan_)));
}

TransferRequest PushPane::request() const {
  TransferRequest request{.direction = TransferRequest::Direction::Push,
                          .remote = remote_.toStdString()};
  // What was asked for stands for what it means by then, unless a box was unchecked.
  for (const QString& label : choice_->isWhole() ? asked_ : choice_->chosen()) {
    request.references.push_back(label.toStdString());
  }
  request.forceTags = tags_->isChecked();
  request.makePublic = visibility_->currentData().toBool();
  return request;
}

QStringList PushPane::commands() const {
  const TransferRequest wanted = request();
  QStringList words;
  for (const std::string& word : wanted.references) words << text(word);
  return {bench_.command(QStringLiteral("push"))
              .words(words)
              .word(remote_)
              .flag(QStringLiteral("--force-tag"), wanted.forceTags)
              .flag(QStringLiteral("--public"), wanted.makePublic)
              .text()};
}

}  // namespace strata::gui
