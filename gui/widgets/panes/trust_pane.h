#pragma once

#include <QWidget>

#include "core/ops/exchange/trust_store.h"

class QLabel;
class QPushButton;

namespace strata::gui {

class Banner;
class Workbench;

/// What the store's own files say of servers, checks and owners, and the button that makes it
/// count: `strata config trust`.
class TrustPane final : public QWidget {
  Q_OBJECT

 public:
  /// Says what came of it in `banner`, which must outlive it.
  TrustPane(Workbench& bench, Banner& banner, QWidget* parent = nullptr);

  /// Reads anew what the store in a folder says. Empty: there is no store.
  void load(const QString& folder);

 signals:
  void shown();
  /// Settings and remotes of the store count from now on.
  void confirmed();

 private:
  void show(const TrustReview& review);
  void confirm();

  Workbench& bench_;
  Banner& banner_;
  TrustReview review_;
  QLabel* statements_;
  QPushButton* confirm_;
};

}  // namespace strata::gui
