#pragma once

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include "gui/jobs/store_ops.h"

class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;

namespace strata::gui {

class Banner;
class BaseChooser;
class FactList;
class Workbench;

/// Adds one model: which file, which base and profile, what it will take, what it took. Several
/// dropped files are added one after the other.
class AddPage final : public QWidget {
  Q_OBJECT

 public:
  AddPage(Workbench& bench, QWidget* parent = nullptr);

  /// Looks at the first model and offers to add it; the others follow.
  void begin(const QStringList& paths);
  void setProfiles(const QStringList& names);
  void setProfile(const QString& name);
  Banner& banner() noexcept { return *banner_; }

 signals:
  void closed();
  /// The model was looked at.
  void inspected();
  void added(const QString& label);

 private:
  QFormLayout* makeForm();
  QHBoxLayout* makeButtons();
  void chooseFile();
  void inspect(const QString& path);
  void showFacts(const ModelFacts& facts);
  void updateName();
  void updateButtons();
  /// Another base or profile: what was estimated or stored with the one before is no answer.
  void forgetOutcome();
  AddRequest request() const;
  void estimate();
  /// `nearest` as in AddRequest.
  void add(std::optional<QuantizeSettings> nearest = {});
  void showOutcome(const AddOutcome& outcome);
  QString commandLine() const;

  Workbench& bench_;
  QStringList waiting_;
  ModelFacts facts_;
  QPointer<Job> inspecting_;
  QPointer<Job> estimating_;
  QPointer<Job> adding_;

  Banner* banner_;
  QLineEdit* path_;
  QLabel* factsLine_;
  BaseChooser* bases_;
  QLineEdit* name_;
  QLabel* nameHint_;
  QLineEdit* note_;
  QLineEdit* tags_;
  QComboBox* profile_;
  QLineEdit* maxError_;
  QLabel* maxErrorLabel_;
  QLineEdit* evaluator_;
  QLabel* evaluatorLabel_;
  QLabel* estimate_;
  QPushButton* estimateButton_;
  QPushButton* tuneButton_;
  QPushButton* addButton_;
  QPushButton* cancelButton_;
  QProgressBar* progress_;
  QLabel* progressText_;
  FactList* result_;
};

}  // namespace strata::gui
