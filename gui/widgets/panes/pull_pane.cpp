#include "gui/widgets/panes/pull_pane.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/wording.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/look/icons.h"
#include "gui/widgets/look/layouts.h"
#include "gui/widgets/views/capped_text.h"
#include "gui/widgets/views/table_view.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

QString labelsOf(const std::vector<VersionEntry>& versions) {
  QStringList labels;
  for (const VersionEntry& version : versions) labels << labelText(version);
  return labels.join(QStringLiteral(", "));
}

/// What the table does not say.
QStringList detailsOf(const PullReport& plan) {
  QStringList lines;
  const std::uint64_t coming = plan.byteCount - std::min(plan.byteCount, plan.keptBytes);
  const std::uint64_t left = plan.freeBytes - std::min(plan.freeBytes, coming);
  lines << PullPane::tr("%1 free on the disk of the store, %2 afterwards")
               .arg(bytesText(plan.freeBytes), bytesText(left));
  if (plan.keptBytes > 0) {
    lines << PullPane::tr("%1 of it came with an earlier try").arg(bytesText(plan.keptBytes));
  }
  if (!plan.completed.empty()) {
    lines << PullPane::tr("Brings what is missing of %1").arg(labelsOf(plan.completed));
  }
  if (!plan.alreadyHere.empty()) {
    lines << PullPane::tr("Here already: %1").arg(labelsOf(plan.alreadyHere));
  }
  for (const BaseElsewhere& base : plan.bases) {
    lines << PullPane::tr("Also fetches what the remote does not hold: %1")
                 .arg(text(placeText(base)));
  }
  for (const FailedTransfer& failed : plan.failed) {
    lines << PullPane::tr("Cannot come: %1").arg(text(failed.error.message));
  }
  return lines;
}

}  // namespace

PullPane::PullPane(Workbench& bench, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      title_(new QLabel),
      details_(new CappedText(tr("What else there is to know"))),
      table_(makePulledTable(this)),
      view_(new TableView(tr("Versions to pull"))),
      lazy_(new QCheckBox(tr("Only manifests: the rest comes when it is needed"))),
      pull_(new QPushButton(icon(QStringLiteral("pull")), tr("Pull"))) {
  makeTitle(*title_);
  title_->setWordWrap(true);
  view_->setRecords(table_);
  view_->setSortingEnabled(false);  // parents stand before what is a difference to them
  view_->setEmptyText(tr("No version comes that is not here."));
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(title_);
  all->addWidget(details_);
  all->addWidget(view_, 1);
  all->addLayout(makeButtons());
}

QHBoxLayout* PullPane::makeButtons() {
  auto* cancel = new QPushButton(tr("Cancel"));
  auto* line = new QHBoxLayout;
  line->addWidget(lazy_);
  line->addStretch(1);
  line->addWidget(new CommandButton(bench_, [this] { return commands(); }));
  line->addWidget(cancel);
  line->addWidget(pull_);
  connect(lazy_, &QCheckBox::toggled, this, [this](bool isLazy) {
    TransferRequest wanted = request_;
    wanted.lazy = isLazy;
    emit planRequested(wanted);
  });
  connect(cancel, &QPushButton::clicked, this, &PullPane::closed);
  connect(pull_, &QPushButton::clicked, this, [this] {
    emit closed();
    emit pullRequested(request_);
  });
  return line;
}

void PullPane::showPlan(const TransferRequest& request, const PullReport& plan) {
  request_ = request;
  bases_ = plan.bases;
  title_->setText(
      tr("Would fetch %1 from %2: %n version(s)", nullptr, static_cast<int>(plan.pulled.size()))
          .arg(bytesText(plan.byteCount), text(request.remote)));
  details_->setText(detailsOf(plan).join(u'\n'), Qt::PlainText);
  table_->setRows(plan.pulled);
  view_->fitColumns();
  const QSignalBlocker quiet(lazy_);
  lazy_->setChecked(request.lazy);
  pull_->setEnabled(!plan.pulled.empty() || !plan.completed.empty());
}

QStringList PullPane::commands() const {
  QStringList words;
  for (const std::string& word : request_.references) words << text(word);
  return {bench_.command(QStringLiteral("pull"))
              .words(words)
              .word(text(request_.remote))
              .flag(QStringLiteral("--lazy"), request_.lazy)
              .flag(QStringLiteral("--fetch-bases"), !bases_.empty())
              .text()};
}

}  // namespace strata::gui
