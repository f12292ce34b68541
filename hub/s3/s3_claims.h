#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "hub/s3/s3_client.h"

namespace strata::hub {

/// How writers of one bucket keep apart. Found out by the first of them and kept in the remote's
/// marker, so that all do the same.
enum class ClaimMode {
  Conditional,  ///< the server has create-if-absent
  Lock,         ///< it has not: a lock object, good for a limited time
};

/// "conditional", "lock": as the marker says it.
std::string_view name(ClaimMode mode) noexcept;

/// Whether the server refuses to create a key that exists: creates a scratch key twice.
/// Fails as S3Client's functions.
Result<ClaimMode> probeClaims(S3Client& client, const std::stop_token& stop);

/// The lock of ClaimMode::Lock: an object `lock/ID` that is the only one of its kind. Stands on
/// lists that show what was written before, and on writers that finish within the limit.
class S3Lock {
 public:
  explicit S3Lock(S3Client& client) : client_(client) {}
  ~S3Lock();
  S3Lock(const S3Lock&) = delete;
  S3Lock& operator=(const S3Lock&) = delete;

  /// Waits for other writers; removes locks of writers that died.
  /// Fails as S3Client's functions, StoreLocked if the others do not end, Cancelled.
  Result<void> take(const std::stop_token& stop);
  /// Whether there is still time for a write that must not be late.
  bool isGood() const noexcept;

 private:
  Result<bool> tryOnce(const std::stop_token& stop);

  S3Client& client_;
  std::string key_;
  HttpClock::Milliseconds takenAt_{0};
};

}  // namespace strata::hub
