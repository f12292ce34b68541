#pragma once

#include <QStringList>
#include <QWidget>

#include "core/ops/exchange/pull_versions.h"
#include "core/transfer/transfer_log.h"
#include "gui/models/columns/pull_columns.h"

class QCheckBox;
class QHBoxLayout;
class QLabel;
class QPushButton;

namespace strata::gui {

class CappedText;
class TableView;
class Workbench;

/// What a pull would fetch: which versions with their parents, how many bytes, what cannot come.
class PullPane final : public QWidget {
  Q_OBJECT

 public:
  explicit PullPane(Workbench& bench, QWidget* parent = nullptr);

  /// Shows what a dry run of `request` came to.
  void showPlan(const TransferRequest& request, const PullReport& plan);
  const TransferRequest& request() const noexcept { return request_; }
  /// What the pull fetches elsewhere than on the remote. Who asks for the pull agrees to that.
  const std::vector<BaseElsewhere>& bases() const noexcept { return bases_; }

 signals:
  void closed();
  void pullRequested(const strata::TransferRequest& request);
  /// The same with other wishes: a plan of it is wanted.
  void planRequested(const strata::TransferRequest& request);

 private:
  QHBoxLayout* makeButtons();
  QStringList commands() const;

  Workbench& bench_;
  TransferRequest request_;
  std::vector<BaseElsewhere> bases_;
  QLabel* title_;
  CappedText* details_;
  PulledTable* table_;
  TableView* view_;
  QCheckBox* lazy_;
  QPushButton* pull_;
};

}  // namespace strata::gui
