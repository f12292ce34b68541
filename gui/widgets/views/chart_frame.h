#pragma once

#include <QByteArray>
#include <QStringList>
#include <QWidget>

#include "gui/charts/chart.h"
#include "gui/models/columns/record_table.h"

class QHBoxLayout;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace strata::gui {

class TableView;

/// A chart with its title and buttons: show as table, save as picture.
class ChartFrame final : public QWidget {
  Q_OBJECT

 public:
  /// Takes the chart over.
  ChartFrame(const QString& title, Chart* chart, QWidget* parent = nullptr);

  Chart* chart() const noexcept { return chart_; }
  void showAsTable(bool asTable);
  bool isTable() const;
  void setTitle(const QString& title);

 signals:
  /// A picture is to be written to a file.
  void exported(const QString& file, const QByteArray& picture);

 private:
  void fillTable();
  void chooseFile();

  Chart* chart_;
  QLabel* title_;
  QToolButton* tableButton_;
  QStackedWidget* stack_;
  TableView* view_;
  QHBoxLayout* bar_;
};

}  // namespace strata::gui
