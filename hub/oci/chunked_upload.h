#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "core/transfer/remote_object.h"
#include "hub/kept_upload.h"

namespace strata::hub {

class OciClient;

/// How blobs are sent in pieces.
struct ChunkOptions {
  std::uint64_t chunkBytes = 0;            ///< 0: whole
  std::filesystem::path stateFolder = {};  ///< for the locations of uploads; empty: not kept
};

/// A blob sent in pieces (PATCH), for lines on which a whole one never arrives. After a failure the
/// registry is asked how far it got; one that has forgotten gets the blob anew. Where the upload
/// stands is kept in a file, so that a later run goes on. Opt-in: many registries do pieces badly.
class ChunkedUpload {
 public:
  ChunkedUpload(OciClient& client, const RemoteObject& object, const ObjectSource& source,
                const ChunkOptions& options);

  Result<void> run(const std::stop_token& stop, const TransferMeter& meter);

 private:
  Result<void> sendAll(const std::stop_token& stop, const TransferMeter& meter);
  Result<bool> sendChunk(const std::stop_token& stop, const TransferMeter& meter);
  Result<void> begin(const std::stop_token& stop, const TransferMeter& meter);
  Result<void> recover(const std::stop_token& stop, const TransferMeter& meter);
  OciClient& client_;
  const RemoteObject& object_;
  const ObjectSource& source_;
  std::uint64_t chunkBytes_;
  KeptUpload kept_;  ///< holds the location
  std::string location_;
  std::uint64_t sentBytes_ = 0;
};

}  // namespace strata::hub
