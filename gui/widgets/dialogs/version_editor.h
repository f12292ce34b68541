#pragma once

#include <QObject>
#include <QStringList>
#include <optional>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/operation_history.h"
#include "core/ops/versions/recode_version.h"
#include "gui/models/problem_text.h"

class QWidget;

namespace strata::gui {

class Banner;
class Workbench;

/// Changes that people make to versions of the open store. Each asks in a dialog what it must know,
/// runs as a job, says what was done (Workbench::done) and offers to take it back.
class VersionEditor final : public QObject {
  Q_OBJECT

 public:
  /// Dialogs lie over `window`; `banner` says what became of a recoding. All is borrowed.
  VersionEditor(Workbench& bench, Banner& banner, QWidget* window);

  void tag(const QString& label);
  void rename(const QString& name);
  void remove(const QStringList& labels);
  /// `name` is offered; it may be empty.
  void prune(const QString& name);
  void recode(const ListRow& version);
  void editNote(const ListRow& version);
  /// Takes an operation back, or does it again.
  void revert(const Operation& operation, bool again);

 signals:
  void failed(const strata::gui::Problem& problem);
  void revertFailed(const strata::gui::Problem& problem);
  /// All versions of a name have another one now.
  void renamed(const QString& name, const QString& newName);
  void reverted(const strata::Operation& operation, bool again);

 private:
  void renameTo(const QString& name, const QString& newName);
  void recodeAs(const RecodeOptions& options);
  /// Says what was done, offers to take it back, and reads the list anew.
  void conclude(const QString& what, const std::optional<Operation>& operation);

  Workbench& bench_;
  Banner& banner_;
  QWidget* window_;
};

}  // namespace strata::gui
