#include <QSet>

#include "gui/jobs/store_ops.h"
#include "gui/main_window.h"
#include "gui/models/wording.h"
#include "gui/pages/library_page.h"
#include "gui/pages/version_page.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/rename_dialog.h"
#include "gui/widgets/tag_dialog.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

void MainWindow::tagSelected() {
  const QString label = selectedLabel();
  const std::string name = label.section(u':', 0, 0).toStdString();
  QStringList own;
  QStringList others;
  for (const ListRow& row : bench_->session().snapshot()->rows) {
    if (row.version.name != name) continue;
    QStringList& list = labelText(row.version) == label ? own : others;
    for (const std::string& tag : row.version.tags) list << text(tag);
  }
  auto* dialog = new TagDialog(*bench_, label, own, others, this);
  const auto run = [this](auto* job, const QString& what) {
    connect(job, &Job::failed, this, &MainWindow::showProblem);
    connect(job, &Job::finished, this, [this, what] {
      emit bench_->done(what, {}, {});
      bench_->session().refresh();
    });
    bench_->write(job);
  };
  connect(dialog, &TagDialog::addRequested, this,
          [this, label, run](const QString& tag, const QString& note, bool move) {
            run(tagJob(bench_->store(), {.reference = label.toStdString(),
                                         .tag = tag.toStdString(),
                                         .move = move,
                                         .note = note.toStdString()}),
                tr("Tagged %1 as %2").arg(label, tag));
          });
  connect(dialog, &TagDialog::removeRequested, this, [this, name, run](const QString& tag) {
    const QString reference = text(name) + u':' + tag;
    run(untagJob(bench_->store(), reference), tr("Took the tag %1 off").arg(reference));
  });
  dialog->open();
}

void MainWindow::renameSelected() {
  const QString name = selectedName();
  if (name.isEmpty()) return;
  QSet<QString> taken;
  int versionCount = 0;
  for (const ListRow& row : bench_->session().snapshot()->rows) {
    taken << text(row.version.name);
    versionCount += text(row.version.name) == name ? 1 : 0;
  }
  auto* dialog = new RenameDialog(*bench_, name, versionCount, taken.values(), this);
  connect(dialog, &RenameDialog::renameRequested, this,
          [this, name](const QString& newName) { rename(name, newName); });
  dialog->open();
}

void MainWindow::rename(const QString& name, const QString& newName) {
  const QString chosen = selectedLabel();
  auto* job =
      renameJob(bench_->store(), {.name = name.toStdString(), .newName = newName.toStdString()});
  connect(job, &Job::failed, this, &MainWindow::showProblem);
  connect(job, &Job::finished, this, [this, name, newName, chosen] {
    const auto renamed = [&](const QString& label) {
      return label.section(u':', 0, 0) == name ? newName + label.mid(name.size()) : label;
    };
    for (QString& label : removed_) label = renamed(label);
    emit bench_->done(tr("%1 is called %2 now").arg(name, newName), tr("Undo"),
                      [this, name, newName] { rename(newName, name); });
    const QString label = renamed(chosen);
    if (page() == Page::Version && version_->label() == chosen) version_->open(label);
    connect(
        &bench_->session(), &StoreSession::listed, this, [this, label] { library_->select(label); },
        Qt::SingleShotConnection);
    bench_->session().refresh();
  });
  bench_->write(job);
}

void MainWindow::removeVersions(const QStringList& labels) {
  if (!bench_->store() || labels.isEmpty()) return;
  RemoveOptions options;
  for (const QString& label : labels) options.references.push_back(label.toStdString());
  auto* job = removeJob(bench_->store(), options);
  connect(job, &Job::failed, this, &MainWindow::showProblem);
  connect(job, &Job::finished, this, [this, job] {
    removed_.clear();
    for (const VersionEntry& version : job->report().versions) removed_ << labelText(version);
    emit bench_->done(tr("Moved %1 to the trash").arg(removed_.join(QStringLiteral(", "))),
                      tr("Undo"), [this] { undoRemove(); });
    bench_->session().refresh();
  });
  bench_->write(job);
}

void MainWindow::undoRemove() {
  if (!bench_->store() || removed_.isEmpty()) return;
  auto* job = untrashJob(bench_->store(), removed_);
  connect(job, &Job::failed, this, &MainWindow::showProblem);
  connect(job, &Job::finished, this, [this] {
    emit bench_->done(tr("Brought back %1").arg(removed_.join(QStringLiteral(", "))), {}, {});
    removed_.clear();
    library_->banner().clear();
    bench_->session().refresh();
  });
  bench_->write(job);
}

}  // namespace strata::gui
