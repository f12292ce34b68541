#pragma once

#include <QPointer>
#include <QWidget>

#include "core/transfer/remote_config.h"
#include "gui/jobs/found_list.h"
#include "gui/jobs/search_ops.h"
#include "gui/models/columns/hit_columns.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace strata::gui {

class Banner;
class ImportChoice;
class RepositoryPane;
class TableView;
class Workbench;

/// Looks for models on a hub, in a registry, a bucket or a folder, and says what each would cost to
/// fetch here. What was found stays for the next run of the program.
class HubPage final : public QWidget {
  Q_OBJECT

 public:
  HubPage(Workbench& bench, QWidget* parent = nullptr);
  ~HubPage() override;

  void search();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void searched();
  /// What an earlier run found is shown.
  void loaded();
  void imported(const QString& label);
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
  void fillLicenses();
  SearchRequest request() const;
  QString commandLine() const;
  QStringList commands() const;
  void loadFound();
  void showReport(const ModelSearchReport& report);
  void showFound();
  const FoundRow* current() const;
  /// Name and content of the model that is current now.
  void showCurrent();
  void get();
  void importPlain(const FoundRow& model);
  void updateButtons();

  Workbench& bench_;
  QPointer<Job> job_;
  FoundList found_;
  Banner* banner_;
  QComboBox* place_;
  QLineEdit* words_;
  QComboBox* base_;
  QComboBox* sort_;
  QComboBox* size_;
  QComboBox* license_;
  QCheckBox* onlyStrata_;
  QPushButton* search_;
  QPushButton* get_;
  QPushButton* open_;
  QLabel* age_;
  ImportChoice* import_;
  QProgressBar* progress_;
  RepositoryPane* repository_;
  HitTable* table_;
  TableView* view_;
};

}  // namespace strata::gui
