#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/transfer/remote_object.h"

namespace strata::hub {

/// Header lines in their order. Names are compared without case.
class HttpHeaders {
 public:
  using Line = std::pair<std::string, std::string>;
  void add(std::string name, std::string value);
  /// Of the last line with this name; nullptr if there is none.
  const std::string* find(std::string_view name) const noexcept;
  /// As find, empty if there is none.
  std::string_view value(std::string_view name) const noexcept;
  const std::vector<Line>& lines() const noexcept { return lines_; }

 private:
  std::vector<Line> lines_;
};

/// Status and headers of one answer.
struct HttpHead {
  int status = 0;
  HttpHeaders headers;
  std::string url;  ///< that answered; may hold a signed query: redactUrl() before it is shown
};

/// An answer as it was collected.
struct HttpResponse {
  HttpHead head;
  std::vector<HttpHead> redirects;  ///< the answers that led there, first one first
  std::string body;                 ///< empty where a sink took it
  bool succeeded() const noexcept { return head.status >= 200 && head.status < 300; }
};

/// The body of a request: a text, or part of an object, which is read while it is sent.
struct HttpBody {
  std::string text = {};
  const ObjectSource* source = nullptr;  ///< borrowed for the call; wins over `text`
  std::uint64_t firstByte = 0;           ///< of the source; a retry rewinds to it
  std::uint64_t byteCount = 0;           ///< of the source
};

/// AWS signature version 4; libcurl signs. Keys are secrets.
struct AwsSignature {
  std::string region;
  std::string service = "s3";
  std::string accessKey;
  std::string secretKey;
  std::string sessionToken = {};  ///< of keys that are lent for a while; a header of its own
};

/// What to do about 3xx answers.
enum class Redirects {
  Follow,      ///< GET and HEAD: within the limits of HttpClient
  SameOrigin,  ///< the same, but a redirect to another origin is the answer
  Answer,      ///< every redirect is the answer
};

/// A request. `authorization` and `aws` go to the origin of `url` only, never on to another host.
struct HttpRequest {
  std::string method = "GET";
  std::string url;
  HttpHeaders headers = {};
  std::string authorization = {};  ///< value of the header: "Bearer …", "Basic …"; a secret
  std::optional<AwsSignature> aws = {};
  std::optional<HttpBody> body = {};
  std::vector<std::string> secrets = {};  ///< of other headers and the body: cut out of all texts
  Redirects redirects = Redirects::Follow;
  bool retries = true;          ///< false where repeating may do harm, such as a commit
  bool expectContinue = false;  ///< ask before a large body is sent
  std::size_t maxBodyBytes = std::size_t{16} << 20U;  ///< of an answer that no sink takes
  /// Called once a successful (2xx) answer's headers are there; an error ends the transfer.
  std::function<Result<void>(const HttpHead&)> onHead = {};
  /// Takes the body of a 2xx answer. Such a request is not retried once a byte came:
  /// download() in download.h does that, with ranges.
  std::function<Result<void>(std::span<const std::byte>)> onBody = {};
  TransferMeter meter = {};  ///< of body bytes sent, or received by onBody
};

}  // namespace strata::hub
