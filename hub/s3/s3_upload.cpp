#include "hub/s3/s3_upload.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/transfer/transfer_queue.h"
#include "hub/aws/aws_keys.h"
#include "hub/http/http_failure.h"
#include "hub/http/xml_text.h"

namespace strata::hub {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr unsigned kMostPartPages = 20;
/// At one object whose uploads the server drops.
constexpr int kAttempts = 3;

/// What names a part's bytes: SHA-256 for the signature, MD5 because servers call parts by it.
struct PartHash {
  Digest sha256;
  std::string md5;  ///< hexadecimal; empty unless it was asked for
};

/// Gives several threads their turns at a source.
class SharedSource final : public ObjectSource {
 public:
  explicit SharedSource(const ObjectSource& source) : source_(source) {}
  std::uint64_t byteCount() const noexcept override { return source_.byteCount(); }
  Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
    const std::scoped_lock lock(mutex_);
    return source_.read(offset, out);
  }

 private:
  const ObjectSource& source_;
  mutable std::mutex mutex_;  // guards reads of source_
};

Result<PartHash> hashPart(const ObjectSource& source, std::uint64_t first, std::uint64_t count,
                          bool withMd5, const std::stop_token& stop) {
  Sha256 sha;
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> md5(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  EVP_DigestInit_ex(md5.get(), EVP_md5(), nullptr);
  std::vector<std::byte> block(std::min<std::uint64_t>(kBlockBytes, count));
  for (std::uint64_t done = 0; done < count; done += block.size()) {
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
    block.resize(std::min<std::uint64_t>(block.size(), count - done));
    STRATA_TRY(source.read(first + done, block));
    sha.update(block);
    if (withMd5) EVP_DigestUpdate(md5.get(), block.data(), block.size());
  }
  PartHash hash{sha.finish(), {}};
  if (!withMd5) return hash;
  unsigned char raw[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(md5.get(), raw, &size);
  for (unsigned int i = 0; i < size; ++i) hash.md5 += fmt::format("{:02x}", raw[i]);
  return hash;
}

/// Not every server checks what arrives.
Result<void> checkHash(const RemoteObject& object, const ObjectSource& source,
                       const std::stop_token& stop) {
  STRATA_TRY(const PartHash whole, hashPart(source, 0, object.byteCount, false, stop));
  if (whole.sha256 == object.digest) return {};
  return fail(ErrorCode::CorruptData,
              fmt::format("object {}: its bytes in this store do not match its hash",
                          toHex(object.digest)));
}

/// An upload that was begun and not ended.
struct OpenUpload {
  std::string key;  ///< below the address's prefix
  std::string id;
  std::int64_t begunAt = 0;  ///< seconds since 1970, UTC; 0: not known
};

/// Those of keys that begin with `prefix`; the first thousand.
Result<void> listUploads(S3Client& client, const std::string& prefix,
                         const std::function<void(OpenUpload)>& each, const std::stop_token& stop) {
  const std::string& root = client.address().prefix;
  STRATA_TRY(
      const HttpResponse listed,
      client.send("GET", client.address().bucketUrl({{"prefix", root + prefix}, {"uploads", ""}}),
                  {}, std::nullopt, hashOf(""), stop));
  if (!listed.succeeded()) return fail(client.failure(listed, "listing uploads"));
  for (const std::string_view entry : xmlElements(listed.body, "Upload")) {
    const std::string key = xmlText(entry, "Key");
    OpenUpload upload{{}, xmlText(entry, "UploadId"), awsTime(xmlText(entry, "Initiated"))};
    if (!key.starts_with(root + prefix) || upload.id.empty()) continue;
    upload.key = key.substr(root.size());
    each(std::move(upload));
  }
  return {};
}

/// One that the server has forgotten is no error.
Result<void> endUpload(S3Client& client, const std::string& key, const std::string& id,
                       const std::stop_token& stop) {
  STRATA_TRY(const HttpResponse ended,
             client.send("DELETE", client.address().keyUrl(key, {{"uploadId", id}}), {},
                         std::nullopt, hashOf(""), stop));
  if (ended.succeeded() || ended.head.status == 404) return {};
  return fail(client.failure(ended, "ending an upload of " + key));
}

/// One object in parts, as many at once as the client sends.
class PartUpload {
 public:
  PartUpload(S3Client& client, std::string key, const RemoteObject& object,
             const ObjectSource& source, KeptUpload kept, const std::stop_token& stop,
             const TransferMeter& meter)
      : client_(client),
        key_(std::move(key)),
        object_(object),
        source_(source),
        kept_(std::move(kept)),
        stop_(stop),
        meter_(meter) {}

  Result<void> run() {
    for (int attempt = 1;; ++attempt) {
      Result<void> sent = sendParts();
      if (sent) break;
      // Another pusher of the object may have taken part in this upload, and completed it.
      const bool isGone = sent.error().code == ErrorCode::NotFound;
      if (isGone && isThere()) break;
      if (isGone && attempt < kAttempts) {
        startAnew();
        continue;
      }
      endUnlessKept(sent.error().code);
      return sent;
    }
    kept_.forget();
    return {};
  }

 private:
  struct Part {
    std::uint64_t byteCount = 0;
    std::string etag;
  };
  using Parts = std::map<std::uint64_t, Part>;

  Result<void> sendParts() {
    STRATA_TRY(id_, findOrStart());
    kept_.write(id_);
    STRATA_TRY(const Parts there, partsThere());
    std::vector<std::string> etags((object_.byteCount + kUploadPartBytes - 1) / kUploadPartBytes);
    const auto results = runTransfers(etags.size() + 1, client_.http().settings().parallel + 1,
                                      stop_, [&](std::size_t number) -> Result<void> {
                                        if (number == 0) return checkWhole();
                                        STRATA_TRY(etags[number - 1], part(number, there));
                                        return {};
                                      });
    for (const Result<void>& result : results) STRATA_TRY(result);
    std::string list;
    for (std::size_t i = 0; i < etags.size(); ++i) {
      list +=
          fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1, etags[i]);
    }
    return complete("<CompleteMultipartUpload>" + list + "</CompleteMultipartUpload>");
  }

  /// The server checks the hash of each part; that all are those of the object we check.
  Result<void> checkWhole() { return checkHash(object_, source_, stop_); }

  bool isThere() {
    const auto size = client_.size(key_, stop_);
    return size && *size == object_.byteCount;
  }

  /// The server has dropped the upload.
  void startAnew() {
    if (meter_) meter_(-static_cast<std::int64_t>(doneBytes_.exchange(0)));
    id_.clear();
    kept_.write("");
    mayTakeOver_ = false;
  }

  /// What nobody will go on with must not lie in the bucket, which people pay for.
  void endUnlessKept(ErrorCode code) {
    const bool isMendable = code == ErrorCode::Network || code == ErrorCode::Cancelled ||
                            code == ErrorCode::LoginRequired;
    if (id_.empty() || (kept_.isKept() && isMendable)) return;
    // Also where the transfer was stopped; a failure leaves it to the bucket's own rule.
    if (endUpload(client_, key_, id_, {})) kept_.forget();
  }

  Result<HttpResponse> ask(const char* method, std::string url, std::string text = {}) {
    std::optional<HttpBody> body;
    const Digest hash = hashOf(text);
    if (*method == 'P') body = HttpBody{.text = std::move(text)};
    return client_.send(method, std::move(url), {}, std::move(body), hash, stop_);
  }

  /// The upload of this key that an earlier run began, else a new one.
  Result<std::string> findOrStart() {
    if (mayTakeOver_ && !kept_.text().empty()) return kept_.text();
    if (mayTakeOver_) {
      std::string found;
      const auto listed = listUploads(
          client_, key_,
          [&](const OpenUpload& upload) {
            if (upload.key == key_) found = upload.id;
          },
          stop_);
      if (!listed && listed.error().code == ErrorCode::Cancelled) return fail(listed.error());
      if (!found.empty()) return found;
    }
    STRATA_TRY(const HttpResponse started,
               ask("POST", client_.address().keyUrl(key_, {{"uploads", ""}})));
    const std::string id = xmlText(started.body, "UploadId");
    if (!started.succeeded()) return fail(client_.failure(started, "beginning " + key_));
    if (id.empty()) {
      return fail(ErrorCode::CorruptData, key_ + ": the server began an upload without an id");
    }
    return id;
  }

  Result<Parts> partsThere() {
    Parts parts;
    std::string marker;
    for (unsigned page = 0; page < kMostPartPages; ++page) {
      S3Address::Query query{{"uploadId", id_}};
      if (!marker.empty()) query.emplace_back("part-number-marker", marker);
      STRATA_TRY(const HttpResponse listed,
                 ask("GET", client_.address().keyUrl(key_, std::move(query))));
      if (listed.head.status == 404) return fail(client_.failure(listed, "going on with " + key_));
      if (!listed.succeeded()) break;  // then all are sent again
      for (const std::string_view entry : xmlElements(listed.body, "Part")) {
        parts[std::strtoull(xmlText(entry, "PartNumber").c_str(), nullptr, 10)] = {
            std::strtoull(xmlText(entry, "Size").c_str(), nullptr, 10), xmlText(entry, "ETag")};
      }
      const std::string next = xmlText(listed.body, "NextPartNumberMarker");
      if (xmlText(listed.body, "IsTruncated") != "true" || next.empty() || next == marker) break;
      marker = next;
    }
    return parts;
  }

  /// Sends a part unless it is there; its ETag.
  Result<std::string> part(std::uint64_t number, const Parts& there) {
    const std::uint64_t first = (number - 1) * kUploadPartBytes;
    const std::uint64_t count = std::min(kUploadPartBytes, object_.byteCount - first);
    const auto found = there.find(number);
    STRATA_TRY(const PartHash hash, hashPart(source_, first, count, found != there.end(), stop_));
    if (found != there.end() && found->second.byteCount == count &&
        found->second.etag.find(hash.md5) != std::string::npos) {
      if (meter_) meter_(static_cast<std::int64_t>(count));
      doneBytes_ += count;
      return found->second.etag;
    }
    const std::string url =
        client_.address().keyUrl(key_, {{"partNumber", std::to_string(number)}, {"uploadId", id_}});
    STRATA_TRY(const HttpResponse sent,
               client_.send("PUT", url, {},
                            HttpBody{.source = &source_, .firstByte = first, .byteCount = count},
                            hash.sha256, stop_, meter_));
    if (!sent.succeeded()) {
      return fail(client_.failure(sent, fmt::format("sending part {} of {}", number, key_)));
    }
    std::string etag(sent.head.headers.value("ETag"));
    if (etag.empty() || etag.find_first_of("<>&") != std::string::npos) {
      return fail(ErrorCode::CorruptData,
                  fmt::format("{}: part {} got no ETag that can be used", key_, number));
    }
    doneBytes_ += count;
    return etag;
  }

  /// The answer may be 200 with an error in it, and a repetition may find the work done.
  Result<void> complete(const std::string& list) {
    STRATA_TRY(const HttpResponse done,
               ask("POST", client_.address().keyUrl(key_, {{"uploadId", id_}}), list));
    const bool isWhole = done.succeeded() && done.body.find("<Error>") == std::string::npos;
    STRATA_TRY(const auto size, client_.size(key_, stop_));
    if (size == object_.byteCount) return {};
    if (!done.succeeded()) return fail(client_.failure(done, "completing " + key_));
    return fail(ErrorCode::Network,
                fmt::format("completing {}: {}", key_,
                            isWhole ? fmt::format("the server has {} bytes, expected {}",
                                                  size.value_or(0), object_.byteCount)
                                    : client_.http().redacted(serverWords(done))));
  }

  S3Client& client_;
  std::string key_;
  const RemoteObject& object_;
  const SharedSource source_;
  KeptUpload kept_;
  const std::stop_token& stop_;
  const TransferMeter& meter_;
  std::string id_;
  std::atomic<std::uint64_t> doneBytes_ = 0;  ///< told to the meter, of whole parts
  bool mayTakeOver_ = true;                   ///< an upload that is there already
};

}  // namespace

Result<void> uploadObject(S3Client& client, const std::string& key, const RemoteObject& object,
                          const ObjectSource& source, KeptUpload kept, const std::stop_token& stop,
                          const TransferMeter& meter) {
  if (source.byteCount() != object.byteCount) {
    return fail(ErrorCode::CorruptData,
                fmt::format("object {}: has {} bytes in this store, expected {}",
                            toHex(object.digest), source.byteCount(), object.byteCount));
  }
  if (object.byteCount > kSingleUploadBytes) {
    return PartUpload(client, key, object, source, std::move(kept), stop, meter).run();
  }
  STRATA_TRY(checkHash(object, source, stop));
  STRATA_TRY(const HttpResponse sent,
             client.send("PUT", client.address().keyUrl(key), {},
                         HttpBody{.source = &source, .byteCount = object.byteCount}, object.digest,
                         stop, meter));
  if (sent.succeeded()) return {};
  return fail(client.failure(sent, "sending " + key));
}

Result<void> endOldUploads(S3Client& client, const std::string& prefix, std::int64_t begunBefore,
                           const std::stop_token& stop) {
  std::vector<OpenUpload> old;
  STRATA_TRY(listUploads(
      client, prefix,
      [&](OpenUpload upload) {
        if (upload.begunAt > 0 && upload.begunAt < begunBefore) old.push_back(std::move(upload));
      },
      stop));
  for (const OpenUpload& upload : old) STRATA_TRY(endUpload(client, upload.key, upload.id, stop));
  return {};
}

Result<void> endKeptUpload(S3Client& client, const std::string& key, KeptUpload& kept,
                           const std::stop_token& stop) {
  if (!kept.text().empty()) STRATA_TRY(endUpload(client, key, kept.text(), stop));
  kept.forget();
  return {};
}

}  // namespace strata::hub
