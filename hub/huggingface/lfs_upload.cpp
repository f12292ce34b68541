#include "hub/huggingface/lfs_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"

namespace strata::hub {
namespace {

using nlohmann::json;

constexpr const char* kLfsType = "application/vnd.git-lfs+json";
constexpr std::uint64_t kMaxParts = 10'000;

std::optional<std::uint64_t> wholeNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

tl::unexpected<Error> refuse(const RemoteObject& object, std::string_view why) {
  return fail(ErrorCode::CorruptData,
              fmt::format("uploading object {}: the server {}", shortHex(object.digest), why));
}

/// Headers of an action; the multipart dialect keeps its part URLs among them.
Result<void> readHeaders(const HfApi& api, const RemoteObject& object, const json& action,
                         LfsActions& actions) {
  const auto headers = action.find("header");
  if (headers == action.end() || !headers->is_object()) return {};
  std::map<std::uint64_t, std::string> parts;
  for (const auto& [name, value] : headers->items()) {
    if (!value.is_string()) continue;
    const std::string text = value.get<std::string>();
    if (name == "chunk_size") {
      actions.chunkBytes = wholeNumber(text).value_or(0);
      if (actions.chunkBytes == 0) return refuse(object, "names a part size that is none");
    } else if (const auto number = wholeNumber(name)) {
      STRATA_TRY(std::string url, api.ownUrl(text));
      if (!parts.emplace(*number, std::move(url)).second) {
        return refuse(object, fmt::format("names part {} twice", *number));
      }
    } else {
      actions.headers.add(name, text);
    }
  }
  for (auto& [number, url] : parts) actions.partUrls.push_back(std::move(url));
  return {};
}

Result<LfsActions> readActions(const HfApi& api, const RemoteObject& object, const json& entry) {
  LfsActions read;
  if (const auto error = entry.find("error"); error != entry.end() && error->is_object()) {
    return refuse(object, fmt::format("refuses it: {} {}", countMember(*error, "code").value_or(0),
                                      api.redacted(textMember(*error, "message").value_or(""))));
  }
  const auto actions = entry.find("actions");
  const auto upload =
      actions == entry.end() || !actions->is_object() ? entry.end() : actions->find("upload");
  if (actions == entry.end() || !actions->is_object() || upload == actions->end()) {
    read.isStored = true;
    return read;
  }
  STRATA_TRY(read.href, api.ownUrl(textMember(*upload, "href").value_or("")));
  STRATA_TRY(readHeaders(api, object, *upload, read));
  if (read.chunkBytes > 0) {
    const std::uint64_t expected = (object.byteCount + read.chunkBytes - 1) / read.chunkBytes;
    if (expected != read.partUrls.size() || expected > kMaxParts) {
      return refuse(object, fmt::format("names {} parts of {} bytes for {} bytes",
                                        read.partUrls.size(), read.chunkBytes, object.byteCount));
    }
  }
  if (const auto verify = actions->find("verify"); verify != actions->end()) {
    STRATA_TRY(read.verifyHref, api.ownUrl(textMember(*verify, "href").value_or("")));
    LfsActions given;
    STRATA_TRY(readHeaders(api, object, *verify, given));
    read.verifyHeaders = std::move(given.headers);
  }
  return read;
}

/// A POST of LFS JSON to a URL that the server gave; without our token.
HttpRequest lfsPost(const std::string& url, const json& body) {
  HttpRequest request{.method = "POST", .url = url};
  request.headers.add("Accept", kLfsType);
  request.headers.add("Content-Type", kLfsType);
  request.body = HttpBody{.text = body.dump()};
  return request;
}

/// A PUT of part of an object to a URL that the server gave.
HttpRequest putRequest(const std::string& url, const ObjectSource& source, std::uint64_t firstByte,
                       std::uint64_t byteCount, const TransferMeter& meter) {
  HttpRequest request{.method = "PUT", .url = url};
  request.body = HttpBody{.source = &source, .firstByte = firstByte, .byteCount = byteCount};
  request.meter = meter;
  return request;
}

}  // namespace

Result<void> LfsUpload::ask(std::span<const RemoteObject> objects, const std::stop_token& stop) {
  json list = json::array();
  std::map<std::string, RemoteObject> asked;
  for (const RemoteObject& object : objects) {
    list.push_back({{"oid", toHex(object.digest)}, {"size", object.byteCount}});
    asked.emplace(toHex(object.digest), object);
  }
  const json body{{"operation", "upload"},
                  {"transfers", {"basic", "multipart"}},
                  {"hash_algo", "sha256"},
                  {"ref", {{"name", api_.repository().revision}}},
                  {"objects", std::move(list)}};
  HttpRequest request =
      api_.post(fmt::format("/{}.git/info/lfs/objects/batch", api_.repository().id), body.dump());
  request.headers = {};
  request.headers.add("Accept", kLfsType);
  request.headers.add("Content-Type", kLfsType);
  STRATA_TRY(const HttpResponse answer, api_.client().send(request, stop));
  if (!answer.succeeded()) return fail(api_.failure(answer, "asking what is there"));
  STRATA_TRY(const json batch, parseJson(answer.body, "the answer to the LFS batch"));
  const std::scoped_lock lock(mutex_);
  for (const json& entry : listMember(batch, "objects")) {
    const auto found = asked.find(textMember(entry, "oid").value_or(""));
    if (found == asked.end()) continue;
    Result<LfsActions> actions = readActions(api_, found->second, entry);
    // A refusal counts when the object is sent: the others are not harmed.
    if (!actions) {
      refused_.insert_or_assign(found->second.digest, actions.error());
    } else {
      refused_.erase(found->second.digest);
      known_.insert_or_assign(found->second.digest, *std::move(actions));
    }
    asked.erase(found);
  }
  if (!asked.empty()) return refuse(asked.begin()->second, "does not answer for it");
  return {};
}

Result<std::set<Digest>> LfsUpload::stored(std::span<const RemoteObject> objects,
                                           std::stop_token stop) {
  constexpr std::size_t kMost = 256;
  std::set<Digest> found;
  for (std::size_t first = 0; first < objects.size(); first += kMost) {
    STRATA_TRY(ask(objects.subspan(first, std::min(kMost, objects.size() - first)), stop));
  }
  const std::scoped_lock lock(mutex_);
  for (const RemoteObject& object : objects) {
    const auto known = known_.find(object.digest);
    if (known != known_.end() && known->second.isStored) found.insert(object.digest);
  }
  return found;
}

Result<LfsActions> LfsUpload::actionsOf(const RemoteObject& object, bool anew,
                                        const std::stop_token& stop) {
  for (bool mayAsk = true;; mayAsk = false) {
    {
      const std::scoped_lock lock(mutex_);
      if (!anew || !mayAsk) {
        if (const auto refusal = refused_.find(object.digest); refusal != refused_.end()) {
          return fail(refusal->second);
        }
        if (const auto known = known_.find(object.digest); known != known_.end()) {
          return known->second;
        }
      }
    }
    if (!mayAsk) return refuse(object, "does not answer for it");
    STRATA_TRY(ask(std::span(&object, 1), stop));
  }
}

Result<void> LfsUpload::put(const RemoteObject& object, const ObjectSource& source,
                            std::stop_token stop, const TransferMeter& meter) {
  constexpr int kAttempts = 3;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    STRATA_TRY(const LfsActions actions, actionsOf(object, attempt > 1, stop));
    if (actions.isStored) return {};
    STRATA_TRY(const bool isSent, actions.chunkBytes > 0
                                      ? sendParts(object, actions, source, stop, meter)
                                      : send(object, actions, source, stop, meter));
    if (isSent) return verify(object, actions, stop);
  }
  return fail(ErrorCode::Network,
              fmt::format("uploading object {}: its addresses expire before it is sent",
                          shortHex(object.digest)));
}

/// False where the signed URL has expired.
Result<bool> LfsUpload::send(const RemoteObject& object, const LfsActions& actions,
                             const ObjectSource& source, const std::stop_token& stop,
                             const TransferMeter& meter) {
  HttpRequest request = putRequest(actions.href, source, 0, object.byteCount, meter);
  for (const auto& [name, value] : actions.headers.lines()) request.headers.add(name, value);
  STRATA_TRY(const HttpResponse answer, api_.client().send(request, stop));
  if (answer.succeeded()) return true;
  if (answer.head.status == 403) return false;
  return fail(api_.failure(answer, "uploading object " + shortHex(object.digest)));
}

Result<bool> LfsUpload::sendParts(const RemoteObject& object, const LfsActions& actions,
                                  const ObjectSource& source, const std::stop_token& stop,
                                  const TransferMeter& meter) {
  json parts = json::array();
  for (std::size_t i = 0; i < actions.partUrls.size(); ++i) {
    const std::uint64_t first = i * actions.chunkBytes;
    const std::uint64_t byteCount = std::min(actions.chunkBytes, object.byteCount - first);
    STRATA_TRY(
        const HttpResponse answer,
        api_.client().send(putRequest(actions.partUrls[i], source, first, byteCount, meter), stop));
    if (answer.head.status == 403) {
      if (meter) meter(-static_cast<std::int64_t>(first));
      return false;
    }
    const std::string where =
        fmt::format("uploading part {} of object {}", i + 1, shortHex(object.digest));
    if (!answer.succeeded()) return fail(api_.failure(answer, where));
    const std::string* const etag = answer.head.headers.find("ETag");
    if (etag == nullptr) return refuse(object, fmt::format("gives no ETag for part {}", i + 1));
    parts.push_back({{"partNumber", i + 1}, {"etag", *etag}});
  }
  const json body{{"oid", toHex(object.digest)}, {"parts", std::move(parts)}};
  STRATA_TRY(const HttpResponse answer, api_.client().send(lfsPost(actions.href, body), stop));
  const std::string where = "completing object " + shortHex(object.digest);
  if (!answer.succeeded()) return fail(api_.failure(answer, where));
  // Some storages begin a success before they know that they failed.
  const auto said = parseJson(answer.body, where);
  if (answer.body.find("<Error>") != std::string::npos || (said && textMember(*said, "error"))) {
    return fail(ErrorCode::Network, where + ": the storage reports an error");
  }
  return true;
}

Result<void> LfsUpload::verify(const RemoteObject& object, const LfsActions& actions,
                               const std::stop_token& stop) {
  if (actions.verifyHref.empty()) return {};
  const json body{{"oid", toHex(object.digest)}, {"size", object.byteCount}};
  HttpRequest request = lfsPost(actions.verifyHref, body);
  for (const auto& [name, value] : actions.verifyHeaders.lines()) request.headers.add(name, value);
  const bool hasOwn = actions.verifyHeaders.find("Authorization") != nullptr;
  if (!hasOwn && api_.isOurs(actions.verifyHref)) {
    request.authorization = api_.post("/", {}).authorization;
  }
  STRATA_TRY(const HttpResponse answer, api_.client().send(request, stop));
  if (answer.succeeded()) return {};
  return fail(api_.failure(answer, "verifying object " + shortHex(object.digest)));
}

}  // namespace strata::hub
