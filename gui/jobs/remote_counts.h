#pragma once

#include <QObject>
#include <QPointer>
#include <optional>
#include <vector>

#include "core/ops/exchange/remote_difference.h"
#include "core/transfer/remote_config.h"
#include "gui/jobs/store_session.h"

namespace strata::gui {

/// A remote of the store and how far it and the store are apart.
struct RemoteCount {
  RemoteConfig remote;
  std::optional<RemoteDifference> difference;  ///< nothing for one that was never asked
};

/// What is to push to each remote and to pull from it, by what the remotes listed last. Counts anew
/// on a worker when the store or what is known of its remotes changes; never asks a remote. UI
/// thread only.
class RemoteCounts final : public QObject {
  Q_OBJECT

 public:
  explicit RemoteCounts(StoreSession& session, QObject* parent = nullptr);

  const std::vector<RemoteCount>& counts() const noexcept { return counts_; }

 signals:
  void changed(const std::vector<strata::gui::RemoteCount>& counts);

 private:
  void count();
  void take(std::vector<RemoteCount> counts);

  StoreSession& session_;
  std::vector<RemoteCount> counts_;
  QPointer<Job> job_;
  bool isStale_ = false;  ///< something changed while it was counted
};

}  // namespace strata::gui
