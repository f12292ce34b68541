#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/profile/profile.h"
#include "gui/jobs/tune_job.h"
#include "gui/models/record_table.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QSlider;
class QSpinBox;
class QCheckBox;

namespace strata::gui {

class Banner;
class TableView;
class TradeOffChart;
class Workbench;

/// The profile editor: settings on the left, what they cost on the right, and the search for the
/// best ones. A point that is clicked shows its settings.
class TunePage final : public QWidget {
  Q_OBJECT

 public:
  TunePage(Workbench& bench, QWidget* parent = nullptr);

  void setProfiles(const std::vector<Profile>& profiles);
  void begin(const QString& model);
  void setTarget(const QString& kind, const QString& value);
  void findBest();
  Banner& banner() noexcept { return *banner_; }

 signals:
  void profileSaved(const QString& name);
  /// A search or a measurement is over.
  void ended();

 private:
  QWidget* makeSettings();
  QWidget* makeResults();
  TuneRequest request() const;
  QString targetText() const;
  void measure();
  void start(TuneJob* job, bool isSearch);
  void addTrial(const Trial& trial);
  void showPoints();
  void showTrial(int row);
  void saveProfile();
  void updateButtons();
  QString commandLine() const;

  Workbench& bench_;
  std::vector<Profile> profiles_;
  std::vector<Trial> trials_;
  int chosen_ = -1;
  QualityPlan plan_;
  QPointer<Job> searching_;
  QPointer<Job> measuring_;
  QTimer delay_;

  Banner* banner_;
  QLineEdit* model_;
  QComboBox* profile_;
  QSlider* step_;
  QLabel* stepText_;
  QSpinBox* rank_;
  QDoubleSpinBox* prune_;
  QCheckBox* live_;
  QComboBox* targetKind_;
  QLineEdit* target_;
  QLineEdit* evaluator_;
  QSpinBox* budget_;
  QPushButton* find_;
  QPushButton* measure_;
  QPushButton* stop_;
  QPushButton* save_;
  QLineEdit* saveName_;
  QProgressBar* progress_;
  TradeOffChart* chart_;
  RecordTable<Trial>* table_;
  TableView* view_;
  QPlainTextEdit* settings_;
};

}  // namespace strata::gui
