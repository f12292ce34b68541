#pragma once

#include <QWidget>

#include "gui/jobs/hub_model_ops.h"

class QComboBox;
class QLineEdit;

namespace strata::gui {

class Workbench;

/// As what a plain model of a hub is stored: a name, and in full or as a version of a base.
class ImportChoice final : public QWidget {
  Q_OBJECT

 public:
  explicit ImportChoice(Workbench& bench, QWidget* parent = nullptr);

  void setName(const QString& name);
  HubImport choice() const;
  /// Whether there is a name.
  bool isWhole() const;
  /// What the import is on the command line.
  QString command(const QString& url) const;

 signals:
  void changed();

 private:
  void fillBases();

  Workbench& bench_;
  QLineEdit* name_;
  QComboBox* base_;
};

}  // namespace strata::gui
