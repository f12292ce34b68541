#pragma once

#include <QDialog>
#include <QPointer>

#include "core/ops/inspect/list_versions.h"
#include "core/ops/versions/recode_version.h"
#include "gui/jobs/job.h"

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace strata::gui {

class Workbench;

/// What a recode came to, in a sentence: "sst2:v2 takes 12.1 MB instead of 17.4 MB". Of a dry run
/// what it would come to.
QString recodedText(const RecodeReport& report, bool isDryRun);

/// Codes a version anew, in its place: on another base, with more effort, or in full. Tries it
/// first where that is asked for.
class RecodeDialog final : public QDialog {
  Q_OBJECT

 public:
  RecodeDialog(Workbench& bench, const ListRow& version, QWidget* parent = nullptr);

  RecodeOptions options() const;

 signals:
  /// A try is over.
  void tried();
  void recodeRequested(const strata::RecodeOptions& options);

 private:
  QFormLayout* makeForm();
  void fillBases(const ListRow& version);
  void tryIt();
  void forgetTry();
  QStringList commands() const;

  Workbench& bench_;
  std::string reference_;
  QPointer<Job> trying_;
  QComboBox* base_;
  QComboBox* effort_;
  QCheckBox* force_;
  QLabel* now_;
  QLabel* outcome_;
  QProgressBar* progress_;
  QPushButton* try_;
  QPushButton* recode_;
};

}  // namespace strata::gui
