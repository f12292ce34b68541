#include "gui/widgets/job_strip.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include "gui/jobs/job_queue.h"
#include "gui/models/wording.h"
#include "gui/widgets/look/icons.h"

namespace strata::gui {

JobStrip::JobStrip(JobQueue& queue, QWidget* parent)
    : QWidget(parent), queue_(queue), text_(new QLabel), bar_(new QProgressBar) {
  bar_->setFixedWidth(120);
  bar_->setMaximumHeight(14);
  bar_->setTextVisible(false);
  bar_->setAccessibleName(tr("Progress of the running job"));
  auto* stop = new QToolButton;
  stop->setIcon(icon(QStringLiteral("close")));
  stop->setAutoRaise(true);
  stop->setToolTip(tr("Stop the running job"));
  stop->setAccessibleName(stop->toolTip());
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  for (QWidget* part : std::initializer_list<QWidget*>{text_, bar_, stop}) line->addWidget(part);
  connect(stop, &QToolButton::clicked, this, [this] {
    const QList<Job*>& jobs = queue_.writing();
    if (!jobs.isEmpty()) jobs.front()->cancel();
  });
  connect(&queue_, &JobQueue::changed, this, &JobStrip::showJobs);
  hide();
}

void JobStrip::showJobs() {
  const QList<Job*>& jobs = queue_.writing();
  setVisible(!jobs.isEmpty());
  if (jobs.isEmpty()) return;
  const Job& job = *jobs.front();
  QString words = job.title();
  if (job.progress().totalBytes > 0) words += u' ' + shareText(job.progress().share());
  if (jobs.size() > 1) words += tr(", %n waiting", nullptr, static_cast<int>(jobs.size() - 1));
  text_->setText(words);
  bar_->setRange(0, job.progress().totalBytes > 0 ? 1000 : 0);
  bar_->setValue(static_cast<int>(1000 * job.progress().share()));
}

}  // namespace strata::gui
