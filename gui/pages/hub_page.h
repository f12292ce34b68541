#pragma once

#include <QPointer>
#include <QWidget>

#include "core/transfer/remote_config.h"
#include "gui/jobs/search_ops.h"
#include "gui/models/hit_columns.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace strata::gui {

class Banner;
class TableView;
class Workbench;

/// Looks for models on a hub, in a registry, a bucket or a folder, and says what each would cost to
/// fetch here.
class HubPage final : public QWidget {
  Q_OBJECT

 public:
  HubPage(Workbench& bench, QWidget* parent = nullptr);

  void search();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void searched();
  /// Versions of this remote are wanted.
  void getRequested(const QString& url);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeBar();
  QWidget* makeActions();
  void loadRemotes();
  void fillPlaces(const RemoteList& list);
  void fillBases();
  SearchRequest request() const;
  QString commandLine() const;
  void showReport(const ModelSearchReport& report);
  const SearchHit* current() const;
  void get();
  void updateButtons();

  Workbench& bench_;
  QPointer<Job> job_;
  Banner* banner_;
  QComboBox* place_;
  QLineEdit* words_;
  QComboBox* base_;
  QComboBox* sort_;
  QCheckBox* onlyStrata_;
  QPushButton* search_;
  QPushButton* get_;
  QPushButton* open_;
  QProgressBar* progress_;
  HitTable* table_;
  TableView* view_;
};

}  // namespace strata::gui
