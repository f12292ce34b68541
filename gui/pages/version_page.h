#pragma once

#include <QPointer>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/ops/inspect/show_version.h"
#include "gui/jobs/job.h"
#include "gui/models/columns/tensor_columns.h"
#include "gui/models/columns/version_columns.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;

namespace strata::gui {

class Banner;
class ChartFrame;
class FactList;
class HistogramChart;
class LayerChart;
class TableView;
class Workbench;

/// One version in full: overview, tensors, distribution, bits, quality, history, metadata.
class VersionPage final : public QWidget {
  Q_OBJECT

 public:
  enum Tab { Overview, Tensors, Distribution, Bits, Quality, History, Metadata };

  VersionPage(Workbench& bench, QWidget* parent = nullptr);

  void open(const QString& label);
  void showTab(Tab tab);
  /// Arrows and Ctrl+Tab walk through the tabs from there.
  void focusTabs();
  const QString& label() const noexcept { return label_; }
  Banner& banner() noexcept { return *banner_; }
  /// Shows how a tensor's numbers are distributed.
  void openTensor(const QString& tensor);

 signals:
  void back();
  /// The version has been read and is shown.
  void shown();
  void distributionShown();

 private:
  QWidget* makeHeader();
  void offerActions(bool isThere);
  QWidget* makeTensorTab();
  QWidget* makeDistributionTab();
  void showReport(const ShowReport& report);
  void showOverview(const ShowReport& report);
  void showQuality(const ShowReport& report);
  void showMoments(const std::vector<RoleError>& errors);
  void showHistory();
  /// The list was read anew: shows a version again that somebody changed.
  void follow();
  void tensorMenu(const QPoint& place);
  void exportTensors();

  Workbench& bench_;
  QString label_;
  std::optional<VersionEntry> shown_;
  std::vector<TensorRow> tensors_;
  QPointer<Job> reading_;
  QPointer<Job> histogram_;

  Banner* banner_;
  QLabel* title_;
  QLabel* subtitle_;
  QPushButton* compare_;
  QPushButton* restore_;
  QTabWidget* tabs_;
  FactList* overview_;
  FactList* quality_;
  TensorTable* tensorTable_;
  TableView* tensorView_;
  QLabel* tensorCounts_;
  QComboBox* kindBox_;
  QCheckBox* changedOnly_;
  QComboBox* tensorBox_;
  HistogramChart* values_;
  HistogramChart* change_;
  LayerChart* layers_;
  VersionTable* historyTable_;
  TableView* historyView_;
  RecordTable<std::pair<QString, QString>>* metadataTable_;
  TableView* metadataView_;
};

}  // namespace strata::gui
