#include "gui/widgets/panes/trust_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gui/jobs/care_ops.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/command_button.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {
namespace {

QString lineOf(const ReviewedStatement& one) {
  const QString said = text(one.statement.what) + QStringLiteral(" = ") + text(one.statement.says);
  return one.isConfirmed ? TrustPane::tr("%1  (confirmed)").arg(said)
                         : TrustPane::tr("%1  (does not count)").arg(said);
}

}  // namespace

TrustPane::TrustPane(Workbench& bench, Banner& banner, QWidget* parent)
    : QWidget(parent),
      bench_(bench),
      banner_(banner),
      statements_(new QLabel),
      confirm_(new QPushButton(tr("Confirm what it says"))) {
  statements_->setTextFormat(Qt::PlainText);
  statements_->setWordWrap(true);
  statements_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  statements_->setAccessibleName(tr("What this store says"));
  confirm_->setToolTip(
      tr("Its servers, proxy and checks count from now on. A change of theirs asks again"));
  auto* line = new QHBoxLayout;
  line->addWidget(confirm_);
  line->addWidget(new CommandButton(bench_, [this] {
    return QStringList{bench_.command(QStringLiteral("config"))
                           .word(QStringLiteral("trust"))
                           .flag(QStringLiteral("--yes"), true)
                           .text()};
  }));
  line->addStretch();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(statements_);
  column->addLayout(line);
  connect(confirm_, &QPushButton::clicked, this, &TrustPane::confirm);
  show({});
}

void TrustPane::load(const QString& folder) {
  if (folder.isEmpty()) return show({});
  auto* job = trustJob(folder);
  connect(job, &Job::failed, this, [this] { show({}); });  // the list says what is wrong
  connect(job, &Job::finished, this, [this, job] { show(job->report()); });
  bench_.read(job);
}

void TrustPane::show(const TrustReview& review) {
  review_ = review;
  QStringList lines;
  for (const ReviewedStatement& one : review.statements) lines << lineOf(one);
  statements_->setText(lines.isEmpty() ? tr("Nothing that would need your word.")
                                       : lines.join(u'\n'));
  confirm_->setEnabled(!review.isComplete());
  emit shown();
}

void TrustPane::confirm() {
  auto* job = confirmTrustJob(review_);
  connect(job, &Job::failed, &banner_, &Banner::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    show(job->report());
    banner_.showNotice(Banner::Kind::Good, tr("What the store says counts from now on."));
    emit confirmed();
  });
  bench_.read(job);
}

}  // namespace strata::gui
