#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/transfer/remote_object.h"
#include "hub/oci/chunked_upload.h"
#include "hub/oci/oci_auth.h"

namespace strata::hub {

/// The media type of a manifest (OCI image specification 1.1), whatever artifact it names.
inline constexpr const char* kManifestType = "application/vnd.oci.image.manifest.v1+json";

/// A repository of a registry: `oci://HOST/REPOSITORY`.
struct OciAddress {
  std::string origin;      ///< "https://ghcr.io"
  std::string repository;  ///< "org/models"

  /// Registries of this machine and those with `plainHttp` are spoken to without TLS.
  /// Fails with InvalidArgument.
  static Result<OciAddress> parse(std::string_view url, bool plainHttp);
  /// As parse, of a whole registry: `oci://HOST`; the repository is empty.
  static Result<OciAddress> parseRegistry(std::string_view url, bool plainHttp);
  /// With TLS for a registry of this machine, too, where the settings speak of certificates.
  OciAddress reachedBy(const HttpSettings& http) const;
};

/// The requests of the OCI distribution specification that Strata makes of one repository. Safe to
/// use from several threads. All functions fail as HttpClient::send and failureOf do.
class OciClient {
 public:
  OciClient(const OciAddress& address, std::optional<Credential> credential, HttpSettings http);

  const OciAddress& address() const noexcept { return address_; }
  HttpClient& http() noexcept { return http_; }

  /// Whether the registry answers, and lets us read. The server's own name, if it has one.
  Result<std::string> ping(const std::stop_token& stop);

  /// The size of a blob; nothing if it is not there.
  Result<std::optional<std::uint64_t>> blobSize(const Digest& digest, const std::stop_token& stop);
  /// The text of a small blob; checked. Fails with NotFound, CorruptData.
  Result<std::string> readBlob(const Digest& digest, std::size_t maxBytes,
                               const std::stop_token& stop);
  Result<void> putBlob(const Digest& digest, const std::string& text, const std::stop_token& stop);
  /// Sends a blob: whole, or in pieces, which go on after a cut.
  Result<void> putBlob(const RemoteObject& object, const ObjectSource& source,
                       const ChunkOptions& chunks, const std::stop_token& stop,
                       const TransferMeter& meter);
  /// Takes a blob out of the repository; one that is not there is no error. Fails with Unsupported
  /// where the registry deletes nothing.
  Result<void> removeBlob(const Digest& digest, const std::stop_token& stop);
  /// Takes a blob over from another repository of the registry. False if it does not have it.
  Result<bool> mountBlob(const Digest& digest, const std::string& from,
                         const std::stop_token& stop);
  /// Gives up the uploads that earlier runs left in a folder to go on with; how many.
  Result<std::size_t> abandonUploads(const std::filesystem::path& stateFolder,
                                     const std::stop_token& stop);
  /// Fetches a blob from `firstByte` on.
  Result<void> getBlob(const RemoteObject& object, std::uint64_t firstByte, ObjectSink& sink,
                       const std::stop_token& stop, const TransferMeter& meter);

  /// A manifest by tag or digest; nothing if there is none.
  Result<std::optional<std::string>> readManifest(const std::string& reference,
                                                  const std::stop_token& stop);
  /// Stores a manifest under a tag.
  Result<void> putManifest(const std::string& tag, const std::string& manifest,
                           const std::stop_token& stop);
  /// All tags of the repository; none if there is no such repository.
  Result<std::vector<std::string>> tags(const std::stop_token& stop);
  /// All repositories of the registry. Many registries keep that to themselves: LoginRequired,
  /// NotFound or Unsupported.
  Result<std::vector<std::string>> repositories(const std::stop_token& stop);

 private:
  static constexpr unsigned kMostForgotten = 3;
  enum class Access { Pull, Push, Delete };
  std::string scopeOf(Access access) const;
  std::string url(std::string_view rest) const;
  /// An answer of any status; shows credentials where they are asked for.
  Result<HttpResponse> send(HttpRequest request, const std::string& scope,
                            const std::stop_token& stop);
  Result<void> remove(const std::string& path, const std::string& what,
                      const std::stop_token& stop);
  Error failure(const HttpResponse& response, std::string_view action) const;
  Result<std::string> beginUpload(const std::string& query, const std::string& scope,
                                  const std::stop_token& stop);
  /// What a registry makes of the bytes that end an upload. One that was restarted may have
  /// forgotten it, with all that it got.
  enum class Upload { Done, Forgotten };
  Result<Upload> endWith(const std::string& location, const Digest& digest, HttpBody body,
                         const std::stop_token& stop, const TransferMeter& meter);
  /// A blob in one upload of its own; begins another one where the registry forgets it.
  Result<void> putWhole(const Digest& digest, const HttpBody& body, const std::stop_token& stop,
                        const TransferMeter& meter);
  Error forgottenUpload(const Digest& digest) const;
  Result<std::string> location(const HttpResponse& response) const;
  /// Whether a kept location is one of this registry.
  bool isOwn(const std::string& location) const;
  /// Ends an upload; one that the registry has forgotten is no error.
  Result<void> endUpload(const std::string& location, const std::stop_token& stop);
  /// The texts of list `member`, from `page` and those that follow it; `missing` is what 404 means.
  Result<std::vector<std::string>> readList(std::string page, const char* member,
                                            const std::string& scope, const std::stop_token& stop);
  friend class ChunkedUpload;

  OciAddress address_;
  HttpClient http_;
  OciAuth auth_;
};

/// Whether a registry does not know an upload. It says 404; docker's says 400 where it was
/// restarted and signs with another secret since.
bool forgotUpload(const HttpResponse& response);

/// "sha256:…".
std::string ociDigest(const Digest& digest);

}  // namespace strata::hub
