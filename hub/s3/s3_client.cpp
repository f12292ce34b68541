#include "hub/s3/s3_client.h"

#include <fmt/format.h>

#include <charconv>

#include "hub/aws/aws_keys.h"
#include "hub/http/http_failure.h"
#include "hub/http/page_limit.h"
#include "hub/http/xml_text.h"
#include "hub/s3/s3_failure.h"

namespace strata::hub {
namespace {

/// Some three million keys: more objects than a library of models will ever have.
constexpr PageLimit kListLimit(10'000, std::uint64_t{1} << 30U);

std::uint64_t numberOf(const std::string& text) noexcept {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Digest hashOf(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

S3Client::S3Client(S3Address address, std::string region, std::unique_ptr<AwsKeySource> keys,
                   HttpSettings http)
    : address_(std::move(address)),
      region_(std::move(region)),
      keys_(std::move(keys)),
      http_(std::move(http)) {}

Result<void> S3Client::sign(HttpRequest& request, const Digest& bodyHash,
                            const std::stop_token& stop) {
  STRATA_TRY(const std::optional<Credential> keys, keys_->current(stop));
  isAnonymous_ = !keys;
  if (!keys) return {};
  request.headers.add("x-amz-content-sha256", toHex(bodyHash));
  request.aws = AwsSignature{.region = region_,
                             .accessKey = keys->user,
                             .secretKey = keys->secret,
                             .sessionToken = keys->sessionToken};
  return {};
}

Result<HttpResponse> S3Client::send(std::string method, std::string url, HttpHeaders headers,
                                    std::optional<HttpBody> body, const Digest& bodyHash,
                                    const std::stop_token& stop, const TransferMeter& meter) {
  HttpRequest request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = std::move(headers);
  request.body = std::move(body);
  request.redirects = Redirects::Answer;
  request.meter = meter;
  STRATA_TRY(sign(request, bodyHash, stop));
  return http_.send(request, stop);
}

Result<HttpRequest> S3Client::getRequest(const std::string& key, const std::stop_token& stop) {
  HttpRequest request;
  request.url = address_.keyUrl(key);
  STRATA_TRY(sign(request, hashOf(""), stop));
  return request;
}

Error S3Client::failure(const HttpResponse& response, std::string_view action) const {
  Error error = failureOf(http_, response, fmt::format("{}: {}", address_.url(), action));
  adviseOnRefusal(response, isAnonymous_ ? keys_->places() : std::string(), error);
  return error;
}

Result<std::optional<std::uint64_t>> S3Client::size(const std::string& key,
                                                    const std::stop_token& stop) {
  STRATA_TRY(const HttpResponse response,
             send("HEAD", address_.keyUrl(key), {}, std::nullopt, hashOf(""), stop));
  if (response.head.status == 404) return std::nullopt;
  if (!response.succeeded()) return fail(failure(response, "looking for " + key));
  return numberOf(std::string(response.head.headers.value("Content-Length")));
}

Result<std::optional<std::string>> S3Client::read(const std::string& key, std::size_t maxBytes,
                                                  const std::stop_token& stop) {
  STRATA_TRY(HttpRequest request, getRequest(key, stop));
  request.maxBodyBytes = maxBytes;
  STRATA_TRY(HttpResponse response, http_.send(request, stop));
  if (response.head.status == 404) {
    if (xmlText(response.body, "Code") == "NoSuchBucket") {
      return fail(failure(response, "reading " + key));
    }
    return std::nullopt;
  }
  if (!response.succeeded()) return fail(failure(response, "reading " + key));
  return std::move(response.body);
}

Result<void> S3Client::list(const std::string& prefix, const std::function<void(S3Key)>& each,
                            const std::stop_token& stop, const std::string& after) {
  std::string token;
  for (PageLimit limit = kListLimit;;) {
    S3Address::Query query{
        {"list-type", "2"}, {"max-keys", "1000"}, {"prefix", address_.prefix + prefix}};
    if (!token.empty()) query.emplace_back("continuation-token", token);
    if (!after.empty()) query.emplace_back("start-after", address_.prefix + after);
    STRATA_TRY(const HttpResponse response, send("GET", address_.bucketUrl(std::move(query)), {},
                                                 std::nullopt, hashOf(""), stop));
    if (!response.succeeded()) return fail(failure(response, "listing " + prefix));
    if (!limit.take(response.body.size())) break;
    for (const std::string_view entry : xmlElements(response.body, "Contents")) {
      const std::string key = xmlText(entry, "Key");
      if (!key.starts_with(address_.prefix + prefix)) continue;
      each({key.substr(address_.prefix.size()), numberOf(xmlText(entry, "Size")),
            awsTime(xmlText(entry, "LastModified")), xmlText(entry, "ETag")});
    }
    const std::string next = xmlText(response.body, "NextContinuationToken");
    if (xmlText(response.body, "IsTruncated") != "true" || next.empty()) return {};
    if (next == token) break;
    token = next;
  }
  return fail(ErrorCode::CorruptData,
              fmt::format("{}: the list of {} has no end", address_.url(), prefix));
}

Result<std::vector<std::string>> S3Client::folders(const std::stop_token& stop) {
  const S3Address::Query query{
      {"delimiter", "/"}, {"list-type", "2"}, {"max-keys", "1000"}, {"prefix", address_.prefix}};
  STRATA_TRY(const HttpResponse response,
             send("GET", address_.bucketUrl(query), {}, std::nullopt, hashOf(""), stop));
  if (!response.succeeded()) return fail(failure(response, "listing folders"));
  std::vector<std::string> names;
  for (const std::string_view entry : xmlElements(response.body, "CommonPrefixes")) {
    std::string path = xmlText(entry, "Prefix");
    if (!path.starts_with(address_.prefix) || !path.ends_with('/')) continue;
    names.push_back(path.substr(address_.prefix.size(), path.size() - address_.prefix.size() - 1));
  }
  return names;
}

Result<S3Client::Created> S3Client::create(const std::string& key, const std::string& text,
                                           const std::stop_token& stop) {
  HttpHeaders headers;
  headers.add("If-None-Match", "*");
  STRATA_TRY(const HttpResponse response, send("PUT", address_.keyUrl(key), std::move(headers),
                                               HttpBody{.text = text}, hashOf(text), stop));
  if (response.succeeded()) return Created::Yes;
  if (response.head.status == 412) return Created::Existed;
  if (response.head.status == 409) return Created::Raced;
  if (response.head.status == 501) return Created::Unsupported;
  return fail(failure(response, "writing " + key));
}

Result<void> S3Client::write(const std::string& key, const std::string& text,
                             const std::stop_token& stop) {
  STRATA_TRY(const HttpResponse response,
             send("PUT", address_.keyUrl(key), {}, HttpBody{.text = text}, hashOf(text), stop));
  if (response.succeeded()) return {};
  return fail(failure(response, "writing " + key));
}

Result<void> S3Client::remove(const std::string& key, const std::stop_token& stop) {
  STRATA_TRY(const HttpResponse response,
             send("DELETE", address_.keyUrl(key), {}, std::nullopt, hashOf(""), stop));
  if (response.succeeded() || response.head.status == 404) return {};
  return fail(failure(response, "removing " + key));
}

}  // namespace strata::hub
