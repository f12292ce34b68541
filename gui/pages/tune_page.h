#pragma once

#include <QPointer>
#include <QWidget>
#include <vector>

#include "core/profile/profile.h"
#include "gui/jobs/preview_job.h"
#include "gui/models/columns/trial_columns.h"

class QProgressBar;
class QTimer;

namespace strata::gui {

class Banner;
class TableView;
class TradeOffChart;
class TuneForm;
class Workbench;

/// The profile editor: settings on the left, what they cost on the right, and the search for the
/// best ones. Each edit is previewed from a sample of the model. A point that is clicked shows its
/// settings.
class TunePage final : public QWidget {
  Q_OBJECT

 public:
  TunePage(Workbench& bench, QWidget* parent = nullptr);

  void setProfiles(const std::vector<Profile>& profiles);
  void begin(const QString& model);
  /// Keeps a tensor exactly, whatever the other settings are.
  void protect(const QString& tensor);
  void setTarget(const QString& kind, const QString& value);
  void findBest();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void profileSaved(const QString& name);
  /// A search or a measurement is over.
  void ended();
  /// The preview of the settings in the form is there, or could not be made.
  void previewed();

 private:
  QWidget* makeResults();
  void preview();
  void showPreview(const Preview& preview);
  void forgetPreview();
  void measure();
  void start(TuneJob* job);
  void conclude(const TuneReport& report);
  void addTrial(const Trial& trial);
  void forgetTrials();
  void showPoints();
  void showTrial(int row);
  void saveProfile(const QString& name);
  void updateState();

  Workbench& bench_;
  std::vector<Trial> trials_;
  int chosen_ = -1;
  QualityPlan plan_;
  QString countedName_;  ///< of the profile, in the sizes of the trials
  QPointer<Job> searching_;
  QPointer<Job> measuring_;
  QPointer<Job> previewing_;
  PreviewSourcePtr source_;  ///< of the last preview; let go after a while
  std::optional<Preview> preview_;
  bool isPreviewTold_ = false;  ///< the banner says why there is no preview
  QTimer* release_;

  Banner* banner_;
  TuneForm* form_;
  QProgressBar* progress_;
  TradeOffChart* chart_;
  TrialTable* table_;
  TableView* view_;
};

}  // namespace strata::gui
