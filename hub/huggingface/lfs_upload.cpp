#include "hub/huggingface/lfs_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "hub/http/http_failure.h"

namespace strata::hub {
namespace {

using nlohmann::json;

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
  std::map<std::uint64_t, std::string> urls;
  std::uint64_t chunkBytes = 0;
  for (const auto& [name, value] : headers->items()) {
    if (!value.is_string()) continue;
    const std::string text = value.get<std::string>();
    if (name == "chunk_size") {
      chunkBytes = wholeNumber(text).value_or(0);
      if (chunkBytes == 0) return refuse(object, "names a part size that is none");
    } else if (const auto number = wholeNumber(name)) {
      STRATA_TRY(std::string url, api.ownUrl(text));
      if (!urls.emplace(*number, std::move(url)).second) {
        return refuse(object, fmt::format("names part {} twice", *number));
      }
    } else {
      actions.headers.add(name, text);
    }
  }
  if (chunkBytes == 0) return {};
  if (!arePartsOf(object, chunkBytes, urls.size())) {
    return refuse(object, fmt::format("names {} parts of {} bytes for {} bytes", urls.size(),
                                      chunkBytes, object.byteCount));
  }
  actions.parts = LfsParts{chunkBytes, {}, actions.href};
  for (auto& [number, url] : urls) actions.parts->urls.push_back(std::move(url));
  return {};
}

Result<LfsActions> readActions(const HfApi& api, const RemoteObject& object, const json& entry) {
  LfsActions read;
  if (const auto error = entry.find("error"); error != entry.end() && error->is_object()) {
    const std::string words = api.redacted(textMember(*error, "message").value_or(""));
    return refuse(object, fmt::format("refuses it: {} {}", countMember(*error, "code").value_or(0),
                                      shortened(words)));
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
  if (const auto verify = actions->find("verify"); verify != actions->end()) {
    STRATA_TRY(read.verifyHref, api.ownUrl(textMember(*verify, "href").value_or("")));
    LfsActions given;
    STRATA_TRY(readHeaders(api, object, *verify, given));
    read.verifyHeaders = std::move(given.headers);
  }
  return read;
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
    if (actions.isStored) {
      if (meter) meter(static_cast<std::int64_t>(object.byteCount));
      return {};
    }
    STRATA_TRY(const bool isSent, actions.parts
                                      ? sendInParts(object, *actions.parts, source, stop, meter)
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
  HttpRequest request = lfsPut(actions.href, source, 0, object.byteCount, meter);
  for (const auto& [name, value] : actions.headers.lines()) request.headers.add(name, value);
  STRATA_TRY(const HttpResponse answer, api_.client().send(request, stop));
  if (answer.succeeded()) return true;
  if (answer.head.status == 403) return false;
  return fail(api_.failure(answer, "uploading object " + shortHex(object.digest)));
}

/// First on with an earlier run's upload, if there is one. False where the signed URLs have
/// expired.
Result<bool> LfsUpload::sendInParts(const RemoteObject& object, const LfsParts& parts,
                                    const ObjectSource& source, const std::stop_token& stop,
                                    const TransferMeter& meter) {
  KeptUpload kept = KeptUpload::open(stateFolder_, place(), object.digest);
  if (auto begun = LfsParts::read(kept.text(), object, api_)) {
    STRATA_TRY(const bool isSent,
               sendParts(api_, *std::move(begun), object, source, kept, stop, meter));
    if (isSent) return true;
  }
  return sendParts(api_, parts, object, source, kept, stop, meter);
}

/// Where a repository's uploads are told apart from those of others.
std::string LfsUpload::place() const { return api_.endpoint() + '/' + api_.repository().id; }

std::size_t LfsUpload::forgetLeft() {
  std::vector<KeptUpload> left = KeptUpload::leftAt(stateFolder_, place());
  for (KeptUpload& upload : left) upload.forget();
  return left.size();
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
