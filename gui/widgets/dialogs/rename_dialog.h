#pragma once

#include <QDialog>
#include <QStringList>

class QLabel;
class QLineEdit;
class QPushButton;

namespace strata::gui {

class Workbench;

/// Asks for another name of all versions of one.
class RenameDialog final : public QDialog {
  Q_OBJECT

 public:
  /// `taken`: names of versions that are listed; the store knows those of the trash, too.
  RenameDialog(Workbench& bench, const QString& name, int versionCount, const QStringList& taken,
               QWidget* parent = nullptr);

 signals:
  void renameRequested(const QString& newName);

 private:
  void update();

  QString name_;
  QStringList taken_;
  QLineEdit* newName_;
  QLabel* objection_;
  QPushButton* rename_;
};

}  // namespace strata::gui
