#pragma once

#include <stop_token>
#include <string>

#include "core/transfer/transport.h"

namespace strata::hub {

class OciClient;

/// A blob sent in pieces (PATCH), for lines on which a whole one never arrives. After a failure the
/// registry is asked how far it got; one that has forgotten gets the blob anew. Opt-in: many
/// registries do pieces badly.
class ChunkedUpload {
 public:
  ChunkedUpload(OciClient& client, const RemoteObject& object, const ObjectSource& source,
                std::uint64_t chunkBytes)
      : client_(client), object_(object), source_(source), chunkBytes_(chunkBytes) {}

  /// `location` is that of a new upload.
  Result<void> run(std::string location, const std::stop_token& stop, const TransferMeter& meter);

 private:
  Result<bool> sendChunk(const std::stop_token& stop, const TransferMeter& meter);
  Result<void> recover(const std::stop_token& stop, const TransferMeter& meter);

  OciClient& client_;
  const RemoteObject& object_;
  const ObjectSource& source_;
  std::uint64_t chunkBytes_;
  std::string location_;
  std::uint64_t sentBytes_ = 0;
};

}  // namespace strata::hub
