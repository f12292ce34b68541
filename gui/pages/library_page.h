#pragma once

#include <QWidget>

#include "gui/jobs/store_session.h"
#include "gui/models/lineage_model.h"

namespace strata::gui {

class Banner;
class FilterEdit;
class LineageView;
class SummaryPane;
class TimelineChart;
class Workbench;

/// All models of the store: lineage, timeline of one name, summary of one version.
class LibraryPage final : public QWidget {
  Q_OBJECT

 public:
  LibraryPage(Workbench& bench, QWidget* parent = nullptr);

  /// Labels of the selected rows; of a name the newest version's.
  QStringList selection() const;
  /// Labels of all selected versions.
  QStringList selectedVersions() const;
  void select(const QString& label);
  void setShown(LineageModel::Shown shown);
  Banner& banner() noexcept { return *banner_; }
  LineageView& view() noexcept { return *view_; }
  LineageModel& model() noexcept { return *model_; }

 signals:
  void selectionChanged();
  void menuRequested(const QPoint& place);

 private:
  void showSnapshot(const SnapshotPtr& snapshot);
  void showSelection();
  void showEmptyText();

  Workbench& bench_;
  Banner* banner_;
  FilterEdit* filter_;
  LineageModel* model_;
  LineageView* view_;
  TimelineChart* timeline_;
  SummaryPane* summary_;
};

}  // namespace strata::gui
