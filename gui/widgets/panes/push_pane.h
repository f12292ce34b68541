#pragma once

#include <QStringList>
#include <QWidget>

#include "core/ops/exchange/push_versions.h"
#include "core/transfer/transfer_log.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace strata::gui {

class CappedText;
class PushChoice;
class TableView;
class Workbench;

/// What a push would send: which versions, what becomes of tags, who may see a new repository.
class PushPane final : public QWidget {
  Q_OBJECT

 public:
  explicit PushPane(Workbench& bench, QWidget* parent = nullptr);

  /// Shows the plan of pushing `asked`, all versions if that is empty, to a remote. `url` says
  /// whether its repositories can be private.
  void showPlan(const QString& remote, const QString& url, const QStringList& asked,
                const PushReport& plan);
  /// Whether a plan says that a push would do something, or why it cannot.
  static bool isWorthShowing(const PushReport& plan);
  /// The push that the boxes stand for.
  TransferRequest request() const;

 signals:
  void closed();
  void pushRequested(const strata::TransferRequest& request);

 private:
  QHBoxLayout* makeButtons();
  QStringList commands() const;
  void showChoice();
  static bool hasWords(const PushReport& plan);
  static QStringList wordsOf(const PushReport& plan);

  Workbench& bench_;
  QString remote_;
  QStringList asked_;
  PushReport plan_;
  QLabel* title_;
  CappedText* details_;
  PushChoice* choice_;
  TableView* view_;
  QCheckBox* tags_;
  QLabel* visibilityName_;
  QComboBox* visibility_;
  QPushButton* push_;
};

}  // namespace strata::gui
