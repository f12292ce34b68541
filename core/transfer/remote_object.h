#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "core/digest.h"
#include "core/result.h"

namespace strata {

/// An immutable object as two stores speak of it.
struct RemoteObject {
  enum class Kind { ManifestObject, Pack, Signatures };
  Digest digest;
  std::uint64_t byteCount = 0;
  Kind kind = Kind::Pack;
};

/// Sizes of objects in bytes.
using ObjectSizes = std::map<Digest, std::uint64_t>;

/// Objects that a remote has with their sizes.
struct ObjectsThere {
  std::set<Digest> kept;     ///< need not be sent
  std::set<Digest> visible;  ///< of those: who pulls finds them; others need a push to name them
};

/// An object as a remote lists it, whether a ref needs it or not.
struct StockedObject {
  Digest digest;
  std::uint64_t byteCount = 0;
  /// Seconds since 1970, UTC, by the remote's clock. Nothing: an object without a ref is no part of
  /// a push that is under way.
  std::optional<std::int64_t> changedAt = {};
};

/// Gives the bytes of an object that is sent. Used by one thread at a time.
class ObjectSource {
 public:
  virtual ~ObjectSource() = default;
  virtual std::uint64_t byteCount() const noexcept = 0;
  /// Fills `out` from `offset` on, any number of times: a retry rewinds. Within byteCount().
  virtual Result<void> read(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

/// Takes the bytes of an object that is fetched, in order. Used by one thread at a time.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  virtual Result<void> append(std::span<const std::byte> bytes) = 0;
  /// The server starts anew: what came so far, an earlier run's part included, is void.
  virtual Result<void> restart() = 0;
};

/// Told of bytes as they move; `bytes` is negative when some have to move again. Called from the
/// thread of the transfer. May be empty.
using TransferMeter = std::function<void(std::int64_t bytes)>;

}  // namespace strata
