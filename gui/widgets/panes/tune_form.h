#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/profile/profile.h"
#include "gui/jobs/tune_job.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSlider;
class QSpinBox;
class QToolButton;

namespace strata::gui {
class CommandText;
}

namespace strata::gui {

/// The settings side of the profile editor: which model, what to begin with, what to reach. Says
/// what is wanted; the page runs it.
class TuneForm final : public QWidget {
  Q_OBJECT

 public:
  /// What the page is doing; buttons follow.
  struct State {
    bool isSearching = false;
    bool isMeasuring = false;
    bool isPreviewing = false;
    bool hasTrials = false;
  };

  explicit TuneForm(QWidget* parent = nullptr);

  void setProfiles(const std::vector<Profile>& profiles);
  void setModel(const QString& path);
  QString model() const;
  void setTarget(const QString& kind, const QString& value);
  /// "size=20MB".
  QString target() const;
  /// What is to be measured; without a target.
  TuneRequest request() const;
  /// The search, or the preview, as a command for the store at `folder`.
  QString commandLine(const QString& folder) const;
  QString previewCommand(const QString& folder) const;
  /// Whether edits are to be previewed.
  bool isLive() const;
  /// What the preview of the settings is made of, in words; empty: there is none. `worst` are the
  /// tensors that lose most, which one button protects.
  void showPreview(const QString& text, const QStringList& worst = {});
  /// Keeps tensors of this name, or these, exactly.
  void protect(const QStringList& globs);
  void setState(const State& state);
  /// Shows the settings of a trial as text.
  void showSettings(const QString& text);

 signals:
  /// The last edit is a moment ago, and edits are to be previewed.
  void edited();
  /// What was previewed is not what the form says now.
  void outdated();
  void targetChanged();
  void measureRequested();
  void findRequested();
  void stopRequested();
  void copyRequested();
  void copyPreviewRequested();
  void saveRequested(const QString& name);

 private:
  void makeKnobs(QFormLayout& form);
  void makePreview(QFormLayout& form);
  void makeGoal(QFormLayout& form);
  void makeKeeping(QFormLayout& form);
  void joinEdits();
  QStringList protectedGlobs() const;
  CommandText begun(const QString& folder) const;
  void updateButtons();

  State state_;
  QLineEdit* model_;
  QComboBox* profile_;
  QSlider* step_;
  QLabel* stepText_;
  QSpinBox* rank_;
  QDoubleSpinBox* prune_;
  QLineEdit* protect_;
  QStringList worst_;
  QPushButton* protectWorst_;
  QCheckBox* live_;
  QLabel* preview_;
  QToolButton* copyPreview_;
  QPushButton* measure_;
  QComboBox* targetKind_;
  QLineEdit* target_;
  QLineEdit* evaluator_;
  QSpinBox* budget_;
  QPushButton* find_;
  QPushButton* stop_;
  QPlainTextEdit* settings_;
  QLineEdit* saveName_;
  QPushButton* save_;
};

}  // namespace strata::gui
