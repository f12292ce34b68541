#include "hub/oci/oci_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/download.h"
#include "hub/http/http_failure.h"
#include "hub/http/page_limit.h"
#include "hub/http/url.h"
#include "hub/oci/chunked_upload.h"

namespace strata::hub {
namespace {

constexpr PageLimit kListLimit(1000, std::uint64_t{64} << 20U);
constexpr std::size_t kMostNames = 1'000'000;
constexpr std::size_t kMostManifestBytes = std::size_t{4} << 20U;

/// Lower-case words with single separators, as the specification has it.
bool isRepository(std::string_view name) noexcept {
  if (name.empty() || name.size() > 255) return false;
  bool wasLetter = false;
  for (const char c : name) {
    const bool isLetter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const bool isSeparator = c == '.' || c == '_' || c == '-' || c == '/';
    if (!isLetter && !isSeparator) return false;
    if (c == '/' && !wasLetter) return false;
    if (c == '.' && !wasLetter) return false;
    wasLetter = isLetter;
  }
  return wasLetter;
}

/// The URL of `<url>; rel="next"`; empty if there is none.
std::string nextLink(std::string_view header) {
  const std::size_t open = header.find('<');
  const std::size_t close = header.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  if (header.find("rel=\"next\"") == std::string_view::npos) return {};
  return std::string(header.substr(open + 1, close - open - 1));
}

/// Whether a manifest was refused for a blob that the registry does not see. Blobs are sent before
/// manifests, but docker's registry loses sight of one for the moment in which another client
/// writes the same.
bool missesBlob(const HttpResponse& response) {
  return (response.head.status == 400 || response.head.status == 404) &&
         response.body.find("BLOB_UNKNOWN") != std::string::npos;
}

}  // namespace

bool forgotUpload(const HttpResponse& response) {
  const std::string& text = response.body;
  return response.head.status == 404 ||
         (response.head.status == 400 && text.find("BLOB_UPLOAD_") != std::string::npos);
}

std::string ociDigest(const Digest& digest) { return "sha256:" + toHex(digest); }

Result<OciAddress> OciAddress::parseRegistry(std::string_view url, bool plainHttp) {
  const std::string host = hostOfUrl(url);
  if (host.empty()) {
    return fail(ErrorCode::InvalidArgument, fmt::format("{}: expected oci://HOST", url));
  }
  const std::string name =
      host.substr(0, host.rfind(':') == std::string::npos || host.back() == ']' ? host.size()
                                                                                : host.rfind(':'));
  const bool isPlain = plainHttp || isLoopbackHost(name);
  OciAddress address{(isPlain ? "http://" : "https://") + host, {}};
  if (host == "docker.io") address.origin = "https://registry-1.docker.io";
  STRATA_TRY(originOf(address.origin));
  return address;
}

Result<OciAddress> OciAddress::parse(std::string_view url, bool plainHttp) {
  constexpr std::string_view kScheme = "oci://";
  const std::string whole(url);
  if (url.starts_with(kScheme)) url.remove_prefix(kScheme.size());
  const std::size_t slash = std::min(url.find('/'), url.size());
  const std::string repository(url.substr(std::min(slash + 1, url.size())));
  if (slash == 0 || !isRepository(repository)) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: expected oci://HOST/REPOSITORY, the repository in lower case and "
                            "without a tag",
                            whole));
  }
  STRATA_TRY(OciAddress address, parseRegistry(url.substr(0, slash), plainHttp));
  address.repository = repository;
  return address;
}

OciAddress OciAddress::reachedBy(const HttpSettings& http) const {
  constexpr std::string_view kPlain = "http://";
  const bool wantsTls = !http.caFile.empty() || !http.clientCertificate.empty() || http.insecure;
  OciAddress address = *this;
  if (wantsTls && !http.plainHttp && origin.starts_with(kPlain)) {
    address.origin = "https://" + origin.substr(kPlain.size());
  }
  return address;
}

OciClient::OciClient(const OciAddress& address, std::optional<Credential> credential,
                     HttpSettings http)
    : address_(address.reachedBy(http)),
      http_(std::move(http)),
      auth_(http_, address_.origin, std::move(credential)) {}

std::string OciClient::scopeOf(Access access) const {
  const std::string_view actions = access == Access::Pull   ? "pull"
                                   : access == Access::Push ? "pull,push"
                                                            : "pull,push,delete";
  return fmt::format("repository:{}:{}", address_.repository, actions);
}

std::string OciClient::url(std::string_view rest) const {
  return fmt::format("{}/v2/{}/{}", address_.origin, address_.repository, rest);
}

Error OciClient::failure(const HttpResponse& response, std::string_view action) const {
  Error error = failureOf(
      http_, response,
      fmt::format("oci://{}/{}: {}", hostOfUrl(address_.origin), address_.repository, action));
  if (error.code == ErrorCode::LoginRequired && !auth_.hasCredential()) {
    error.message +=
        fmt::format("; log in with \"strata auth login oci://{}\"", hostOfUrl(address_.origin));
  }
  return error;
}

Result<HttpResponse> OciClient::send(HttpRequest request, const std::string& scope,
                                     const std::stop_token& stop) {
  request.authorization = auth_.header(scope);
  STRATA_TRY(HttpResponse response, http_.send(request, stop));
  if (response.head.status != 401) return response;
  const AuthChallenge challenge = readChallenge(response.head.headers.value("Www-Authenticate"));
  STRATA_TRY(auth_.answer(challenge, scope, stop));
  std::string header = auth_.header(scope);
  if (header == request.authorization) return response;
  request.authorization = std::move(header);
  return http_.send(request, stop);
}

Result<std::string> OciClient::ping(const std::stop_token& stop) {
  HttpRequest request;
  request.url = address_.origin + "/v2/";
  const std::string scope = address_.repository.empty() ? "" : scopeOf(Access::Pull);
  STRATA_TRY(const HttpResponse response, send(std::move(request), scope, stop));
  if (!response.succeeded()) return fail(failure(response, "asking for the registry"));
  return hostOfUrl(address_.origin);
}

Result<std::optional<std::uint64_t>> OciClient::blobSize(const Digest& digest,
                                                         const std::stop_token& stop) {
  HttpRequest request;
  request.method = "HEAD";
  request.url = url("blobs/" + ociDigest(digest));
  STRATA_TRY(const HttpResponse response, send(std::move(request), scopeOf(Access::Pull), stop));
  if (response.head.status == 404) return std::nullopt;
  if (!response.succeeded()) return fail(failure(response, "looking for a blob"));
  const std::string length(response.head.headers.value("Content-Length"));
  std::uint64_t size = 0;
  std::from_chars(length.data(), length.data() + length.size(), size);
  return size;
}

Result<std::string> OciClient::readBlob(const Digest& digest, std::size_t maxBytes,
                                        const std::stop_token& stop) {
  HttpRequest request;
  request.url = url("blobs/" + ociDigest(digest));
  request.maxBodyBytes = maxBytes;
  constexpr int kTries = 3;
  for (int count = 0; count < kTries; ++count) {
    STRATA_TRY(HttpResponse response, send(request, scopeOf(Access::Pull), stop));
    if (!response.succeeded()) return fail(failure(response, "reading a blob"));
    if (sha256(std::as_bytes(std::span(response.body))) == digest) return std::move(response.body);
  }
  return fail(ErrorCode::CorruptData,
              fmt::format("blob {}: what came does not match it", ociDigest(digest)));
}

Result<std::string> OciClient::location(const HttpResponse& response) const {
  const std::string_view where = response.head.headers.value("Location");
  if (where.empty()) {
    return fail(ErrorCode::CorruptData, "the registry began an upload without a Location");
  }
  STRATA_TRY(std::string whole, resolveUrl(response.head.url, std::string(where)));
  STRATA_TRY(const Origin to, originOf(whole));
  STRATA_TRY(const Origin from, originOf(address_.origin));
  if (to == from) return whole;
  // Registries behind proxies name themselves wrongly; credentials stay with the one we know.
  return fail(ErrorCode::CorruptData,
              fmt::format("the registry sends uploads to another host, {}", to.host));
}

Result<std::string> OciClient::beginUpload(const std::string& query, const std::string& scope,
                                           const std::stop_token& stop) {
  HttpRequest request;
  request.method = "POST";
  request.url = url("blobs/uploads/" + query);
  request.body = HttpBody{};
  request.redirects = Redirects::Answer;
  STRATA_TRY(const HttpResponse response, send(std::move(request), scope, stop));
  if (response.head.status == 201) return std::string();  // mounted
  if (response.head.status != 202) return fail(failure(response, "beginning an upload"));
  return location(response);
}

Result<OciClient::Upload> OciClient::endWith(const std::string& location, const Digest& digest,
                                             HttpBody body, const std::stop_token& stop,
                                             const TransferMeter& meter) {
  HttpRequest request;
  request.method = "PUT";
  request.url =
      fmt::format("{}{}digest={}", location, location.find('?') == std::string::npos ? '?' : '&',
                  encodeSegment(ociDigest(digest)));
  request.headers.add("Content-Type", "application/octet-stream");
  request.body = std::move(body);
  request.redirects = Redirects::Answer;
  request.expectContinue = auth_.hasCredential();
  request.meter = meter;
  STRATA_TRY(const HttpResponse response, send(std::move(request), scopeOf(Access::Push), stop));
  if (response.head.status == 201) return Upload::Done;
  if (forgotUpload(response)) return Upload::Forgotten;
  return fail(failure(response, "sending " + ociDigest(digest)));
}

Result<void> OciClient::putWhole(const Digest& digest, const HttpBody& body,
                                 const std::stop_token& stop, const TransferMeter& meter) {
  for (unsigned count = 0; count < kMostForgotten; ++count) {
    std::int64_t moved = 0;
    const auto tell = [&](std::int64_t bytes) {
      moved += bytes;
      if (meter) meter(bytes);
    };
    STRATA_TRY(const std::string where, beginUpload("", scopeOf(Access::Push), stop));
    STRATA_TRY(const Upload upload, endWith(where, digest, body, stop, tell));
    if (upload == Upload::Done) return {};
    if (meter) meter(-moved);
  }
  return fail(forgottenUpload(digest));
}

Error OciClient::forgottenUpload(const Digest& digest) const {
  return {ErrorCode::Network,
          fmt::format(
              "oci://{}/{}: the registry has forgotten the upload of {}, {} times in a row; "
              "nothing is lost, push again",
              hostOfUrl(address_.origin), address_.repository, ociDigest(digest), kMostForgotten)};
}

Result<void> OciClient::putBlob(const Digest& digest, const std::string& text,
                                const std::stop_token& stop) {
  STRATA_TRY(const auto there, blobSize(digest, stop));
  if (there == text.size()) return {};
  return putWhole(digest, HttpBody{.text = text}, stop, {});
}

Result<void> OciClient::putBlob(const RemoteObject& object, const ObjectSource& source,
                                const ChunkOptions& chunks, const std::stop_token& stop,
                                const TransferMeter& meter) {
  if (chunks.chunkBytes > 0 && object.byteCount > chunks.chunkBytes) {
    return ChunkedUpload(*this, object, source, chunks).run(stop, meter);
  }
  return putWhole(object.digest, HttpBody{.source = &source, .byteCount = object.byteCount}, stop,
                  meter);
}

Result<bool> OciClient::mountBlob(const Digest& digest, const std::string& from,
                                  const std::stop_token& stop) {
  STRATA_TRY(const std::string where,
             beginUpload(fmt::format("?from={}&mount={}", encodeSegment(from),
                                     encodeSegment(ociDigest(digest))),
                         fmt::format("{} repository:{}:pull", scopeOf(Access::Push), from), stop));
  if (where.empty()) return true;
  // An ordinary upload has begun instead; the registry drops it sooner or later.
  static_cast<void>(endUpload(where, stop));
  return false;
}

Result<void> OciClient::remove(const std::string& path, const std::string& what,
                               const std::stop_token& stop) {
  HttpRequest request;
  request.method = "DELETE";
  request.url = url(path);
  request.redirects = Redirects::Answer;
  STRATA_TRY(const HttpResponse response, send(std::move(request), scopeOf(Access::Delete), stop));
  if (response.succeeded() || response.head.status == 404) return {};
  Error error = failure(response, "deleting " + what);
  if (response.head.status == 405) {
    error.code = ErrorCode::Unsupported;
    error.message +=
        "; the registry deletes nothing: its operator allows it (docker's registry: "
        "REGISTRY_STORAGE_DELETE_ENABLED=true)";
  }
  return fail(std::move(error));
}

Result<void> OciClient::removeBlob(const Digest& digest, const std::stop_token& stop) {
  return remove("blobs/" + ociDigest(digest), ociDigest(digest), stop);
}

bool OciClient::isOwn(const std::string& location) const {
  return location.starts_with(address_.origin + "/");
}

Result<void> OciClient::endUpload(const std::string& location, const std::stop_token& stop) {
  HttpRequest request;
  request.method = "DELETE";
  request.url = location;
  request.redirects = Redirects::Answer;
  request.retries = false;
  STRATA_TRY(const HttpResponse response, send(std::move(request), scopeOf(Access::Push), stop));
  if (response.succeeded() || response.head.status == 404) return {};
  return fail(failure(response, "ending an upload"));
}

Result<std::size_t> OciClient::abandonUploads(const std::filesystem::path& stateFolder,
                                              const std::stop_token& stop) {
  std::vector<KeptUpload> left = KeptUpload::leftAt(stateFolder, url(""));
  for (KeptUpload& upload : left) {
    if (isOwn(upload.text())) STRATA_TRY(endUpload(upload.text(), stop));
    upload.forget();
  }
  return left.size();
}

Result<void> OciClient::getBlob(const RemoteObject& object, std::uint64_t firstByte,
                                ObjectSink& sink, const std::stop_token& stop,
                                const TransferMeter& meter) {
  const std::string scope = scopeOf(Access::Pull);
  Download job;
  job.byteCount = object.byteCount;
  job.firstByte = firstByte;
  job.sink = &sink;
  job.request.url = url("blobs/" + ociDigest(object.digest));
  job.request.authorization = auth_.header(scope);
  STRATA_TRY(HttpResponse response, download(http_, job, stop, meter));
  if (response.head.status == 401) {
    const AuthChallenge challenge = readChallenge(response.head.headers.value("Www-Authenticate"));
    STRATA_TRY(auth_.answer(challenge, scope, stop));
    std::string header = auth_.header(scope);
    if (header != job.request.authorization) {
      job.request.authorization = std::move(header);
      STRATA_TRY(response, download(http_, job, stop, meter));
    }
  }
  if (response.succeeded()) return {};
  return fail(failure(response, "fetching " + ociDigest(object.digest)));
}

Result<std::optional<std::string>> OciClient::readManifest(const std::string& reference,
                                                           const std::stop_token& stop) {
  HttpRequest request;
  request.url = url("manifests/" + reference);
  request.headers.add("Accept", kManifestType);
  request.maxBodyBytes = kMostManifestBytes;
  STRATA_TRY(HttpResponse response, send(std::move(request), scopeOf(Access::Pull), stop));
  if (response.head.status == 404) return std::nullopt;
  if (!response.succeeded()) return fail(failure(response, "reading manifest " + reference));
  return std::move(response.body);
}

Result<void> OciClient::putManifest(const std::string& tag, const std::string& manifest,
                                    const std::stop_token& stop) {
  HttpRequest request;
  request.method = "PUT";
  request.url = url("manifests/" + tag);
  request.headers.add("Content-Type", kManifestType);
  request.body = HttpBody{.text = manifest};
  request.redirects = Redirects::Answer;
  const RetryPolicy& retry = http_.settings().retry;
  for (unsigned count = 1;; ++count) {
    STRATA_TRY(const HttpResponse response, send(request, scopeOf(Access::Push), stop));
    if (response.head.status == 201) return {};
    if (!missesBlob(response) || count >= retry.tries) {
      return fail(failure(response, "writing manifest " + tag));
    }
    http_.settings().clock->sleep(waitBefore(count + 1, retry, std::nullopt), stop);
  }
}

Result<std::vector<std::string>> OciClient::readList(std::string page, const char* member,
                                                     const std::string& scope,
                                                     const std::stop_token& stop) {
  std::vector<std::string> all;
  for (PageLimit limit = kListLimit;;) {
    HttpRequest request;
    request.url = page;
    STRATA_TRY(const HttpResponse response, send(std::move(request), scope, stop));
    if (!response.succeeded()) return fail(failure(response, fmt::format("listing {}", member)));
    if (!limit.take(response.body.size())) break;
    STRATA_TRY(const nlohmann::json answer, parseJson(response.body, "the registry's list"));
    for (const nlohmann::json& word : listMember(answer, member)) {
      if (word.is_string()) all.push_back(word.get<std::string>());
    }
    if (all.size() > kMostNames) break;
    const std::string next = nextLink(response.head.headers.value("Link"));
    if (next.empty()) return all;
    STRATA_TRY(std::string whole, resolveUrl(page, next));
    STRATA_TRY(const Origin to, originOf(whole));
    STRATA_TRY(const Origin from, originOf(address_.origin));
    if (to != from || whole == page) break;
    page = std::move(whole);
  }
  return fail(ErrorCode::CorruptData,
              fmt::format("the registry's list of {} leads elsewhere, or does not end", member));
}

Result<std::vector<std::string>> OciClient::tags(const std::stop_token& stop) {
  auto all = readList(url("tags/list?n=1000"), "tags", scopeOf(Access::Pull), stop);
  if (!all && all.error().code == ErrorCode::NotFound) return std::vector<std::string>{};
  return all;
}

Result<std::vector<std::string>> OciClient::repositories(const std::stop_token& stop) {
  return readList(address_.origin + "/v2/_catalog?n=1000", "repositories", "registry:catalog:*",
                  stop);
}

}  // namespace strata::hub
