#include "gui/widgets/dialogs/version_editor.h"

#include <QSet>

#include "gui/jobs/change_ops.h"
#include "gui/models/columns/operation_columns.h"
#include "gui/models/wording.h"
#include "gui/widgets/banner.h"
#include "gui/widgets/dialogs/note_dialog.h"
#include "gui/widgets/dialogs/prune_dialog.h"
#include "gui/widgets/dialogs/recode_dialog.h"
#include "gui/widgets/dialogs/rename_dialog.h"
#include "gui/widgets/dialogs/tag_dialog.h"
#include "gui/widgets/workbench.h"

namespace strata::gui {

VersionEditor::VersionEditor(Workbench& bench, Banner& banner, QWidget* window)
    : QObject(window), bench_(bench), banner_(banner), window_(window) {}

void VersionEditor::tag(const QString& label) {
  const std::string name = label.section(u':', 0, 0).toStdString();
  QStringList own;
  QStringList others;
  for (const ListRow& row : bench_.session().snapshot()->rows) {
    if (row.version.name != name) continue;
    QStringList& list = labelText(row.version) == label ? own : others;
    for (const std::string& tag : row.version.tags) list << text(tag);
  }
  auto* dialog = new TagDialog(bench_, label, own, others, window_);
  const auto run = [this](auto* job, const QString& what) {
    connect(job, &Job::failed, this, &VersionEditor::failed);
    connect(job, &Job::finished, this,
            [this, job, what] { conclude(what, job->report().operation); });
    bench_.edit(job);
  };
  connect(dialog, &TagDialog::addRequested, this,
          [this, label, run](const QString& tag, const QString& note, bool move) {
            run(tagJob(bench_.store(), {.reference = label.toStdString(),
                                        .tag = tag.toStdString(),
                                        .move = move,
                                        .note = note.toStdString()}),
                tr("Tagged %1 as %2").arg(label, tag));
          });
  connect(dialog, &TagDialog::removeRequested, this, [this, name, run](const QString& tag) {
    const QString reference = text(name) + u':' + tag;
    run(untagJob(bench_.store(), reference), tr("Took the tag %1 off").arg(reference));
  });
  dialog->open();
}

void VersionEditor::rename(const QString& name) {
  if (name.isEmpty()) return;
  QSet<QString> taken;
  int versionCount = 0;
  for (const ListRow& row : bench_.session().snapshot()->rows) {
    taken << text(row.version.name);
    versionCount += text(row.version.name) == name ? 1 : 0;
  }
  auto* dialog = new RenameDialog(bench_, name, versionCount, taken.values(), window_);
  connect(dialog, &RenameDialog::renameRequested, this,
          [this, name](const QString& newName) { renameTo(name, newName); });
  dialog->open();
}

void VersionEditor::renameTo(const QString& name, const QString& newName) {
  auto* job =
      renameJob(bench_.store(), {.name = name.toStdString(), .newName = newName.toStdString()});
  connect(job, &Job::failed, this, &VersionEditor::failed);
  connect(job, &Job::finished, this, [this, job, name, newName] {
    emit renamed(name, newName);
    conclude(tr("%1 is called %2 now").arg(name, newName), job->report().operation);
  });
  bench_.edit(job);
}

void VersionEditor::remove(const QStringList& labels) {
  if (!bench_.store() || labels.isEmpty()) return;
  RemoveOptions options;
  for (const QString& label : labels) options.references.push_back(label.toStdString());
  auto* job = removeJob(bench_.store(), options);
  connect(job, &Job::failed, this, &VersionEditor::failed);
  connect(job, &Job::finished, this, [this, job] {
    QStringList removed;
    for (const VersionEntry& version : job->report().report.versions) {
      removed << labelText(version);
    }
    conclude(tr("Moved %1 to the trash").arg(removed.join(QStringLiteral(", "))),
             job->report().operation);
  });
  bench_.edit(job);
}

void VersionEditor::prune(const QString& name) {
  if (!bench_.store()) return;
  auto* dialog = new PruneDialog(bench_, name, window_);
  connect(dialog, &PruneDialog::pruneRequested, this, [this](const PruneOptions& options) {
    auto* job = pruneJob(bench_.store(), options);
    connect(job, &Job::failed, this, &VersionEditor::failed);
    connect(job, &Job::finished, this, [this, job] {
      const PruneReport& report = job->report().report;
      conclude(tr("Moved %n version(s) to the trash", nullptr,
                  static_cast<int>(report.removal.versions.size())),
               job->report().operation);
    });
    bench_.edit(job);
  });
  dialog->open();
}

void VersionEditor::recode(const ListRow& version) {
  auto* dialog = new RecodeDialog(bench_, version, window_);
  connect(dialog, &RecodeDialog::recodeRequested, this, &VersionEditor::recodeAs);
  dialog->open();
}

void VersionEditor::recodeAs(const RecodeOptions& options) {
  auto* job = recodeJob(bench_.store(), options);
  connect(job, &Job::failed, this, &VersionEditor::failed);
  connect(job, &Job::finished, this, [this, job, options] {
    const QStringList words = recodedText(job->report(), false).split(u'\n');
    emit bench_.done(words.front(), {}, {});
    const bool isKept = job->report().outcome == RecodeReport::Outcome::NotSmaller;
    banner_.showNotice(isKept ? Banner::Kind::Notice : Banner::Kind::Good, words.front(),
                       words.mid(1).join(u'\n'));
    if (isKept) {
      RecodeOptions forced = options;
      forced.force = true;
      banner_.addAction(tr("Recode all the same"), [this, forced] { recodeAs(forced); });
    }
    bench_.session().refresh();
  });
  bench_.write(job);
}

void VersionEditor::editNote(const ListRow& version) {
  const QString label = labelText(version.version);
  auto* dialog = new NoteDialog(bench_, label, exactText(version.version.note), window_);
  connect(dialog, &NoteDialog::noteRequested, this, [this, label](const QString& note) {
    auto* job =
        noteJob(bench_.store(), {.reference = label.toStdString(), .text = note.toStdString()});
    connect(job, &Job::failed, this, &VersionEditor::failed);
    connect(job, &Job::finished, this, [this, job, label] {
      conclude(tr("Wrote the note of %1").arg(label), job->report().operation);
    });
    bench_.edit(job);
  });
  dialog->open();
}

void VersionEditor::conclude(const QString& what, const std::optional<Operation>& operation) {
  if (operation) {
    emit bench_.done(what, tr("Undo"), [this, done = *operation] { revert(done, false); });
  } else {
    emit bench_.done(what, {}, {});
  }
  bench_.session().refresh();
}

void VersionEditor::revert(const Operation& operation, bool again) {
  if (!bench_.store()) return;
  auto* job = undoJob(bench_.store(), operation, {.again = again, .id = operation.id});
  connect(job, &Job::failed, this, &VersionEditor::revertFailed);
  connect(job, &Job::finished, this, [this, operation, again] {
    emit reverted(operation, again);
    const QString what = operationText(operation);
    emit bench_.done(again ? tr("Did again: %1").arg(what) : tr("Took back: %1").arg(what),
                     again ? tr("Undo") : tr("Redo"),
                     [this, operation, again] { revert(operation, !again); });
    bench_.session().refresh();
  });
  bench_.edit(job);
}

}  // namespace strata::gui
