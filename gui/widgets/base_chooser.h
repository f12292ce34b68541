#pragma once

#include <QWidget>

#include "gui/jobs/store_ops.h"

class QButtonGroup;
class QVBoxLayout;

namespace strata::gui {

/// The stored bases that a model could be a difference to, the best first, and "none".
class BaseChooser final : public QWidget {
  Q_OBJECT

 public:
  explicit BaseChooser(QWidget* parent = nullptr);

  /// Offers the bases of `facts` and chooses the first that serves.
  void setFacts(const ModelFacts& facts);
  /// Whether the version is to be exact: what it takes then is known.
  void setExact(bool isExact);
  /// Whether the model is to be stored in full.
  bool isNone() const;
  /// The label of the chosen base; empty for none.
  QString base() const;

 signals:
  void changed();

 private:
  QVBoxLayout* rows_;
  QButtonGroup* group_ = nullptr;
  QStringList labels_;
  ModelFacts facts_;
  bool isExact_ = true;
};

}  // namespace strata::gui
