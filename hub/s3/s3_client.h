#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/digest.h"
#include "hub/aws/aws_key_source.h"
#include "hub/http/http_client.h"
#include "hub/s3/s3_address.h"

namespace strata::hub {

/// One key of a listing.
struct S3Key {
  std::string key;  ///< below the prefix
  std::uint64_t byteCount = 0;
  std::int64_t changedAt = 0;  ///< seconds since 1970, UTC; 0: not known
  std::string etag = {};       ///< the server's ETag: another one where the bytes are others
};

/// The requests that Strata makes of an object store, signed with signature version 4. All keys
/// lie below the address's prefix. Safe to use from several threads. All functions fail as
/// HttpClient::send, failureOf and AwsKeySource do; texts name bucket and action.
class S3Client {
 public:
  /// Without keys requests are not signed: public buckets can be read so.
  S3Client(S3Address address, std::string region, std::unique_ptr<AwsKeySource> keys,
           HttpSettings http);

  const S3Address& address() const noexcept { return address_; }
  HttpClient& http() noexcept { return http_; }

  /// An answer of any status to a request with this body; the payload's hash is signed.
  Result<HttpResponse> send(std::string method, std::string url, HttpHeaders headers,
                            std::optional<HttpBody> body, const Digest& bodyHash,
                            const std::stop_token& stop, const TransferMeter& meter = {});

  /// The size of a key; nothing if it is not there.
  Result<std::optional<std::uint64_t>> size(const std::string& key, const std::stop_token& stop);
  /// The text of a small key; nothing if it is not there.
  Result<std::optional<std::string>> read(const std::string& key, std::size_t maxBytes,
                                          const std::stop_token& stop);
  /// Keys that begin with `prefix`, sorted, page by page; `each` is called for every one. `after`:
  /// those up to this key may be left out.
  Result<void> list(const std::string& prefix, const std::function<void(S3Key)>& each,
                    const std::stop_token& stop, const std::string& after = {});

  /// The folders right below the address's prefix, without slashes; at most a thousand.
  Result<std::vector<std::string>> folders(const std::stop_token& stop);

  /// What became of a conditional write.
  enum class Created { Yes, Existed, Raced, Unsupported };
  /// Writes a key that must not exist. Servers that ignore the condition say Yes all the same.
  Result<Created> create(const std::string& key, const std::string& text,
                         const std::stop_token& stop);
  /// Writes a key, over one that is there.
  Result<void> write(const std::string& key, const std::string& text, const std::stop_token& stop);
  /// Removes a key; one that is not there is no error.
  Result<void> remove(const std::string& key, const std::stop_token& stop);

  /// A request for the body of a key, for download().
  Result<HttpRequest> getRequest(const std::string& key, const std::stop_token& stop);

  /// An answer that is no success as an error, with what to do where we know it.
  Error failure(const HttpResponse& response, std::string_view action) const;

 private:
  Result<void> sign(HttpRequest& request, const Digest& bodyHash, const std::stop_token& stop);

  S3Address address_;
  std::string region_;
  std::unique_ptr<AwsKeySource> keys_;
  std::atomic<bool> isAnonymous_ = false;  ///< there were no keys to sign with
  HttpClient http_;
};

/// SHA-256 of a text, as the payload's hash.
Digest hashOf(std::string_view text);

}  // namespace strata::hub
