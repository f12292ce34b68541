#include "hub/huggingface/lfs_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"

namespace strata::hub {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxParts = 10'000;

std::vector<std::string> textsOf(const json& list) {
  std::vector<std::string> texts;
  for (const json& one : list) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

bool isPrintable(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char letter) { return letter >= ' ' && letter <= '~'; });
}

/// One object on its way.
class PartsUpload {
 public:
  PartsUpload(HfApi& api, LfsParts parts, const RemoteObject& object, const ObjectSource& source,
              KeptUpload& kept, const std::stop_token& stop, const TransferMeter& meter)
      : api_(api),
        parts_(std::move(parts)),
        isOfEarlierRun_(!parts_.etags.empty()),
        object_(object),
        source_(source),
        kept_(kept),
        stop_(stop),
        meter_(meter) {}

  Result<bool> run() {
    Result<bool> sent = send();
    const bool isMendable = !sent && (sent.error().code == ErrorCode::Network ||
                                      sent.error().code == ErrorCode::Cancelled ||
                                      sent.error().code == ErrorCode::LoginRequired);
    if (!isMendable) kept_.write("");
    if (sent && !*sent) tell(-static_cast<std::int64_t>(toldBytes_));
    return sent;
  }

 private:
  Result<bool> send() {
    for (std::size_t i = 0; i < parts_.urls.size(); ++i) {
      const std::uint64_t first = i * parts_.chunkBytes;
      const std::uint64_t byteCount = std::min(parts_.chunkBytes, object_.byteCount - first);
      if (i < parts_.etags.size()) {
        tell(static_cast<std::int64_t>(byteCount));
      } else {
        STRATA_TRY(const bool isThere, sendPart(i, first, byteCount));
        if (!isThere) return false;
      }
      toldBytes_ += byteCount;
    }
    return complete();
  }

  Result<bool> sendPart(std::size_t number, std::uint64_t first, std::uint64_t byteCount) {
    const HttpRequest request = lfsPut(parts_.urls[number], source_, first, byteCount, meter_);
    STRATA_TRY(const HttpResponse answer, api_.client().send(request, stop_));
    const std::string where =
        fmt::format("uploading part {} of object {}", number + 1, shortHex(object_.digest));
    if (isOver(answer)) return false;
    if (!answer.succeeded()) return fail(api_.failure(answer, where));
    const std::string_view etag = answer.head.headers.value("ETag");
    if (!isPrintable(etag)) {
      return fail(ErrorCode::CorruptData, where + ": the server gives no ETag that can be used");
    }
    parts_.etags.emplace_back(etag);
    kept_.write(parts_.text());
    return true;
  }

  Result<bool> complete() {
    json list = json::array();
    for (std::size_t i = 0; i < parts_.etags.size(); ++i) {
      list.push_back({{"partNumber", i + 1}, {"etag", parts_.etags[i]}});
    }
    const json body{{"oid", toHex(object_.digest)}, {"parts", std::move(list)}};
    STRATA_TRY(const HttpResponse answer,
               api_.client().send(lfsPost(parts_.completeUrl, body), stop_));
    const std::string where = "completing object " + shortHex(object_.digest);
    if (isOver(answer)) return false;
    if (!answer.succeeded()) return fail(api_.failure(answer, where));
    // Some storages begin a success before they know that they failed.
    const auto said = parseJson(answer.body, where);
    const bool isRefused =
        answer.body.find("<Error>") != std::string::npos || (said && textMember(*said, "error"));
    if (isRefused && isOfEarlierRun_) return false;
    if (isRefused) {
      return fail(ErrorCode::Network, where + ": the storage reports an error");
    }
    return true;
  }

  /// What was signed has expired; of an earlier run's upload any refusal means that it is gone.
  bool isOver(const HttpResponse& answer) const noexcept {
    const int status = answer.head.status;
    return status == 403 || (isOfEarlierRun_ && status >= 400 && status < 500 && status != 429 &&
                             status != 407 && status != 408);
  }

  void tell(std::int64_t bytes) const {
    if (meter_ && bytes != 0) meter_(bytes);
  }

  HfApi& api_;
  LfsParts parts_;
  bool isOfEarlierRun_;
  const RemoteObject& object_;
  const ObjectSource& source_;
  KeptUpload& kept_;
  const std::stop_token& stop_;
  const TransferMeter& meter_;
  std::uint64_t toldBytes_ = 0;  ///< of whole parts, to the meter
};

}  // namespace

std::string LfsParts::text() const {
  return json{{"chunk", chunkBytes}, {"complete", completeUrl}, {"etags", etags}, {"urls", urls}}
      .dump();
}

std::optional<LfsParts> LfsParts::read(std::string_view text, const RemoteObject& object,
                                       const HfApi& api) {
  const auto json = parseJson(text, "an upload");
  if (!json) return std::nullopt;
  LfsParts parts{countMember(*json, "chunk").value_or(0), textsOf(listMember(*json, "urls")),
                 textMember(*json, "complete").value_or(""), textsOf(listMember(*json, "etags"))};
  const bool isWhole = arePartsOf(object, parts.chunkBytes, parts.urls.size()) &&
                       parts.etags.size() <= parts.urls.size() && !parts.etags.empty() &&
                       std::all_of(parts.etags.begin(), parts.etags.end(), isPrintable);
  const auto isOurs = [&](const std::string& url) { return api.ownUrl(url) == url; };
  if (!isWhole || !isOurs(parts.completeUrl) ||
      !std::all_of(parts.urls.begin(), parts.urls.end(), isOurs)) {
    return std::nullopt;
  }
  return parts;
}

bool arePartsOf(const RemoteObject& object, std::uint64_t chunkBytes, std::size_t partCount) {
  if (chunkBytes == 0 || object.byteCount == 0 || partCount > kMaxParts) return false;
  return (object.byteCount - 1) / chunkBytes + 1 == partCount;
}

HttpRequest lfsPost(const std::string& url, const json& body) {
  HttpRequest request{.method = "POST", .url = url};
  request.headers.add("Accept", kLfsType);
  request.headers.add("Content-Type", kLfsType);
  request.body = HttpBody{.text = body.dump()};
  return request;
}

HttpRequest lfsPut(const std::string& url, const ObjectSource& source, std::uint64_t firstByte,
                   std::uint64_t byteCount, const TransferMeter& meter) {
  HttpRequest request{.method = "PUT", .url = url};
  request.body = HttpBody{.source = &source, .firstByte = firstByte, .byteCount = byteCount};
  request.meter = meter;
  return request;
}

Result<bool> sendParts(HfApi& api, LfsParts parts, const RemoteObject& object,
                       const ObjectSource& source, KeptUpload& kept, const std::stop_token& stop,
                       const TransferMeter& meter) {
  return PartsUpload(api, std::move(parts), object, source, kept, stop, meter).run();
}

}  // namespace strata::hub
