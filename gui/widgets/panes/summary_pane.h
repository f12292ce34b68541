#pragma once

#include <QWidget>

#include "core/ops/inspect/list_versions.h"

class QLabel;

namespace strata::gui {

class FactList;
class Workbench;

/// One version in short, beside the library.
class SummaryPane final : public QWidget {
  Q_OBJECT

 public:
  SummaryPane(Workbench& bench, QWidget* parent = nullptr);

  /// Null: nothing is selected.
  void setVersion(const ListRow* row);
  /// Several versions are selected, perhaps by the row of their name. Two rows are a pair.
  void setCount(int count, std::uint64_t originalBytes, std::uint64_t storedBytes, int awaitedCount,
                bool isPair);

 private:
  void addHash(const Digest& digest);
  void addButtons();

  Workbench& bench_;
  QString label_;
  QString hash_;
  QLabel* title_;
  QLabel* hint_;
  FactList* facts_;
};

}  // namespace strata::gui
