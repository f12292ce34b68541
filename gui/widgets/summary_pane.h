#pragma once

#include <QWidget>

#include "core/ops/list_versions.h"

class QFormLayout;
class QLabel;
class QPushButton;
class QStackedLayout;

namespace strata::gui {

class Workbench;

/// One version in short, beside the library.
class SummaryPane final : public QWidget {
  Q_OBJECT

 public:
  SummaryPane(Workbench& bench, QWidget* parent = nullptr);

  /// Null: nothing is selected.
  void setVersion(const ListRow* row);
  /// Several rows are selected.
  void setCount(int count, std::uint64_t originalBytes, std::uint64_t storedBytes,
                int awaitedCount);

 private:
  QLabel* addLine(const QString& name);

  Workbench& bench_;
  QString label_;
  QString hash_;
  QLabel* title_;
  QLabel* hint_;
  QWidget* facts_;
  QFormLayout* form_;
  QLabel *hashLine_, *base_, *parent_, *original_, *stored_, *ratio_, *change_, *fidelity_,
      *tensors_, *tags_, *here_, *added_, *source_, *license_, *note_;
};

}  // namespace strata::gui
