#pragma once

#include <stop_token>
#include <string>

#include "core/transfer/remote_object.h"
#include "hub/kept_upload.h"
#include "hub/s3/s3_client.h"

namespace strata::hub {

/// Larger objects are sent in parts of kUploadPartBytes, so that an interrupted upload, of this
/// program or an earlier run of it, goes on with the part it was in.
inline constexpr std::uint64_t kSingleUploadBytes = std::uint64_t{32} << 20U;
inline constexpr std::uint64_t kUploadPartBytes = std::uint64_t{16} << 20U;

/// Sends an object to a key. The server checks the hash of each request's body, so that what
/// arrives is what the store holds. An upload in parts that fails is ended, unless `kept` will let
/// a later run go on with it. Fails as S3Client's functions; CorruptData if the source is not the
/// object.
Result<void> uploadObject(S3Client& client, const std::string& key, const RemoteObject& object,
                          const ObjectSource& source, KeptUpload kept, const std::stop_token& stop,
                          const TransferMeter& meter);

/// Ends an upload in parts that an earlier run left, and forgets it.
Result<void> endKeptUpload(S3Client& client, const std::string& key, KeptUpload& kept,
                           const std::stop_token& stop);

/// Ends the uploads in parts of keys with a prefix that were begun before a time (seconds since
/// 1970, UTC), whoever began them.
Result<void> endOldUploads(S3Client& client, const std::string& prefix, std::int64_t begunBefore,
                           const std::stop_token& stop);

}  // namespace strata::hub
