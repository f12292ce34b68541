#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <functional>

#include "gui/jobs/hub_model_ops.h"
#include "gui/models/columns/file_columns.h"
#include "gui/models/columns/remote_columns.h"
#include "gui/models/found_row.h"

class QTabWidget;

namespace strata::gui {

class CardView;
class TableView;
class Workbench;

/// What a found repository holds, without fetching a model: its card, its files, its versions and
/// what each is a difference to. Each page is asked for when it is looked at.
class RepositoryPane final : public QWidget {
  Q_OBJECT

 public:
  explicit RepositoryPane(Workbench& bench, QWidget* parent = nullptr);
  ~RepositoryPane() override;

  /// `place`: where it was found, as in HubModel. Null: nothing.
  void showRepository(const FoundRow* model, const QString& place);

 signals:
  /// The page that is looked at is shown, or why there is nothing.
  void loaded();
  /// A link of a model card was clicked.
  void linkRequested(const QUrl& link);

 private:
  enum Tab { Card, Files, Versions, TabCount };

  void load();
  void loadCard();
  void loadFiles();
  void loadVersions();
  /// Runs a job for the current tab; `show` gets it once it is finished.
  template <typename ReportJob>
  void run(ReportJob* job, std::function<void(ReportJob*)> show);
  /// Instead of content: on the page that is looked at.
  void say(const QString& words);

  Workbench& bench_;
  FoundRow model_;
  QString place_;
  bool isAsked_[TabCount] = {};
  QPointer<Job> jobs_[TabCount];
  QTimer delay_;
  QTabWidget* tabs_;
  CardView* card_;
  HubFileTable* files_;
  TableView* fileView_;
  RemoteTable* versions_;
  TableView* versionView_;
};

}  // namespace strata::gui
