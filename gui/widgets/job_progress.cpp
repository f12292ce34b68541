#include "gui/widgets/job_progress.h"

#include <QLabel>
#include <QProgressBar>

#include "gui/jobs/job.h"

namespace strata::gui {

void showProgress(Job* job, QProgressBar* bar, QLabel* text) {
  bar->setRange(0, 0);
  bar->show();
  text->setText(job->title());
  QObject::connect(job, &Job::progressed, bar, [bar, text](const JobProgress& progress) {
    bar->setRange(0, 1000);
    bar->setValue(static_cast<int>(1000 * progress.share()));
    text->setText(progress.text());
  });
  QObject::connect(job, &Job::ended, bar, [bar, text] {
    bar->hide();
    text->clear();
  });
}

}  // namespace strata::gui
