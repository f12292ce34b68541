#pragma once

#include <QDialog>
#include <QStringList>

class QCheckBox;
class QLineEdit;
class QPushButton;

namespace strata::gui {

class Workbench;

/// Puts a tag on one version, or takes one off.
class TagDialog final : public QDialog {
  Q_OBJECT

 public:
  /// `own` are the version's tags, `others` those of other versions of its name.
  TagDialog(Workbench& bench, const QString& label, const QStringList& own,
            const QStringList& others, QWidget* parent = nullptr);

 signals:
  void addRequested(const QString& tag, const QString& note, bool move);
  void removeRequested(const QString& tag);

 private:
  void update();
  QStringList commands() const;

  Workbench& bench_;
  QString label_;
  QStringList own_;
  QStringList others_;
  QLineEdit* tag_;
  QLineEdit* note_;
  QCheckBox* move_;
  QPushButton* add_;
};

}  // namespace strata::gui
