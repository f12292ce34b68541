#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"

namespace strata::hub {

/// A request as the server hands it to whoever answers.
struct WebRequest {
  std::string method;  ///< "GET", "HEAD", "POST"; HEAD is answered as GET, without the body
  std::string target;  ///< path and query as they were sent, percent-encoded
  std::string body;    ///< of a POST, at most kMostBodyBytes
  std::function<std::string(const char* name)> header;  ///< empty if there is no such line
};

/// A body that is made while it is sent.
class BodySource {
 public:
  virtual ~BodySource() = default;
  /// The bytes from `offset` on, as many as come cheaply, at least one. They stay valid until the
  /// next call. One thread at a time.
  virtual Result<std::span<const std::byte>> read(std::uint64_t offset) = 0;
};

/// What goes back.
struct WebAnswer {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string contentType = "application/json";
  std::string body = {};
  std::unique_ptr<BodySource> source = {};  ///< wins over `body`
  std::uint64_t firstByte = 0;              ///< of the source
  std::uint64_t byteCount = 0;              ///< of the source, from there on; not 0
};

/// Answers requests; called from many threads at once.
using WebHandler = std::function<WebAnswer(const WebRequest&)>;

/// Told of each answer that was sent: for a log. `failure` is empty unless the body broke off.
struct WebLogEntry {
  std::string client;  ///< address
  std::string method;
  std::string path;  ///< without the query
  int status = 0;
  std::uint64_t sentBytes = 0;  ///< of the body
  std::string failure = {};
};
using WebLog = std::function<void(const WebLogEntry&)>;

}  // namespace strata::hub
