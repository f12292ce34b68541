#pragma once

#include <QObject>
#include <QString>

#include "core/ops/exchange/pull_versions.h"

namespace strata::gui {

class Banner;
class Workbench;

/// Takes versions out of a bundle: says first what it holds that is not here, and which bases have
/// to be fetched from elsewhere for that.
class BundleImport final : public QObject {
  Q_OBJECT

 public:
  /// Speaks in `banner`, which must outlive it.
  BundleImport(Workbench& bench, Banner& banner, QObject* parent = nullptr);

  /// Looks into the bundle and offers to take what it has.
  void offer(const QString& file);

 signals:
  void offered();
  void taken();

 private:
  void showPlan(const QString& file, const PullReport& plan);
  /// `agreed`: bases whose place and size people saw, and that may be fetched from there.
  void take(const QString& file, const std::vector<BaseElsewhere>& agreed);

  Workbench& bench_;
  Banner& banner_;
};

}  // namespace strata::gui
