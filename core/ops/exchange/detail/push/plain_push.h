#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/archive/read/version_reader.h"
#include "core/ops/exchange/push_versions.h"

namespace strata {

/// The plain files of one version on their way to a remote.
class PlainPush {
 public:
  /// `label` is what the remote calls the version. `store` must outlive this.
  /// Fails with NotFound or CorruptData.
  static Result<PlainPush> open(const Store& store, const VersionEntry& version, std::string label);

  /// Asks the remote what has to be sent. Fails with what Transport::planPlain fails with.
  Result<void> plan(Transport& remote, const std::stop_token& stop);
  /// Restores and sends what is missing. Fails with the first failure.
  Result<void> send(Transport& remote, unsigned parallel, const std::stop_token& stop,
                    const ProgressSink& progress) const;

  /// What the push makes visible; nothing if just that is there.
  std::optional<PlainSet> change() const;
  PushReport::Plain report() const;

 private:
  std::shared_ptr<const VersionReader> reader_;
  PlainSet set_;
  PlainPlan plan_;
};

/// The version whose plain files stand on a remote from an earlier push; empty: none. Fails with
/// what Transport::planPlain fails with.
Result<std::string> standingPlain(Transport& remote, const std::stop_token& stop);

/// Of the versions that a push names, the one whose plain files go along: the newest that is no
/// base, else the newest base. `named` is not empty.
const VersionEntry& plainVersionOf(const std::vector<VersionEntry>& named);

}  // namespace strata
