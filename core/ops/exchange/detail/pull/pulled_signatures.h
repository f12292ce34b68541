#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/ops/detail/pull_plan.h"
#include "core/transfer/transport.h"

namespace strata {

/// The signatures of versions that a pull brings: objects that hold those of many.
class PulledSignatures {
 public:
  /// Without its signature a version can be restored, and is not found as a base: that is worth a
  /// line of `problems`, and no failure. Fails with what readBack() fails with.
  Result<void> fetch(Transport& remote, const PullPlan& plan, unsigned parallel,
                     const std::stop_token& stop, std::vector<std::string>& problems);

  /// The ref that a version gets here.
  VersionRef refFor(const RemoteVersion& version) const;

 private:
  std::map<Digest, std::string> objects_;
};

}  // namespace strata
