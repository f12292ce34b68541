#pragma once

#include <QList>
#include <QStringList>
#include <QUrl>
#include <QWidget>

class QLabel;

namespace strata::gui {

/// What a drop would do.
struct DropPlan {
  QStringList models;  ///< paths to add; empty: it is refused
  QString words;       ///< what will happen, or why not
};

/// Decides by names alone: files of models and folders are taken.
DropPlan planDrop(const QList<QUrl>& urls);

/// Lies over the window while something is dragged over it and says what a drop would do.
class DropOverlay final : public QWidget {
  Q_OBJECT

 public:
  explicit DropOverlay(QWidget* parent);

  void showPlan(const DropPlan& plan);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  DropPlan plan_;
};

}  // namespace strata::gui
