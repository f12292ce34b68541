#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "hub/s3/s3_transport.h"
#include "tests/support/fault_server.h"
#include "tests/unit/hub/fake_clock.h"

namespace strata::test {

/// The keys of a bucket, in memory, with a server in front of them.
class MemoryBucket {
 public:
  MemoryBucket() { settings_.clock = &clock_; }

  std::unique_ptr<hub::S3Transport> connect() {
    hub::Credential key{.user = "key", .secret = "secret"};
    auto source = std::make_unique<hub::AwsKeySource>(
        key, [](const std::string&) { return std::string(); }, settings_, "us-east-1");
    std::string endpoint = server_.url("");
    auto address = hub::S3Address::parse("s3://bucket", endpoint, "us-east-1", "path").value();
    return std::make_unique<hub::S3Transport>(
        std::make_unique<hub::S3Client>(address, "us-east-1", std::move(source), settings_), "");
  }

  std::map<std::string, std::string> keys;
  std::function<void(const std::string& key)> afterPut;
  bool hasConditions = true;
  bool hasTags = true;
  bool listsBackwards = false;
  bool refusesNumbers = false;  ///< says that each list is there that is not
  unsigned listsRead = 0;       ///< lists of refs whose text was asked for
  std::size_t bytesMoved = 0;   ///< in bodies, both ways
  bool refusesLists = false;
  std::optional<FaultReply> refusal;

 private:
  FaultReply answer(const SeenRequest& request) {
    FaultReply reply = refusal ? *refusal : answerOf(request);
    bytesMoved += request.body.size() + reply.body.size();
    return reply;
  }

  FaultReply answerOf(const SeenRequest& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    const std::string key = path.size() > 8 ? path.substr(8) : "";
    if (request.method == "GET" && key.empty()) return list(request.target);
    if (request.method == "DELETE") {
      keys.erase(key);
      return {.status = 204};
    }
    if (request.method == "PUT") {
      if (refusesNumbers && key.starts_with("refs/")) return {.status = 412};
      if (hasConditions && request.headers.contains("if-none-match") && keys.contains(key)) {
        return {.status = 412};
      }
      keys[key] = request.body;
      if (afterPut) afterPut(key);
      return {};
    }
    const auto found = keys.find(key);
    if (found == keys.end()) return {.status = 404};
    if (request.method == "GET" && key.starts_with("refs/")) ++listsRead;
    return {.body = found->second};
  }

  /// A query's value; slashes come encoded.
  static std::string query(const std::string& target, const std::string& name) {
    const std::size_t at = target.find(name + "=");
    if (at == std::string::npos) return {};
    std::string value = target.substr(at + name.size() + 1);
    value = value.substr(0, value.find('&'));
    for (std::size_t i; (i = value.find("%2F")) != std::string::npos;) value.replace(i, 3, "/");
    return value;
  }

  FaultReply list(const std::string& target) const {
    if (refusesLists) return {.status = 403};
    const std::string prefix = query(target, "prefix");
    const std::string after = query(target, "start-after");
    std::string entries;
    for (const auto& [key, text] : keys) {
      if (!key.starts_with(prefix) || key <= after) continue;
      std::string body =
          "<Contents><Key>" + key + "</Key><Size>" + std::to_string(text.size()) + "</Size>";
      if (hasTags) {
        body += "<ETag>\"" + toHex(sha256(std::as_bytes(std::span(text)))) + "\"</ETag>";
      }
      body += "</Contents>";
      listsBackwards ? void(entries.insert(0, body)) : void(entries += body);
    }
    return {.body = "<ListBucketResult>" + entries + "</ListBucketResult>"};
  }

  FakeClock clock_;
  hub::HttpSettings settings_;
  FaultServer server_{[this](const SeenRequest& request) { return answer(request); }};
};

}  // namespace strata::test
