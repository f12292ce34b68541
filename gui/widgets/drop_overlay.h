#pragma once

#include <QStringList>
#include <QWidget>

class QMimeData;

namespace strata::gui {

/// What a drop would do.
struct DropPlan {
  enum class Kind {
    Refused,
    Models,  ///< add them
    Bundle,  ///< take versions out of a file of `strata bundle create`
    Remote   ///< get versions from a hub, a bucket or a shared folder
  };
  Kind kind = Kind::Refused;
  QStringList paths;  ///< of models, or of the bundle
  QString url;        ///< of the remote
  QString words;      ///< what will happen, or why not
};

/// Decides by names alone: files of models, folders, bundles, and URLs as links or as text.
DropPlan planDrop(const QMimeData& data);

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
