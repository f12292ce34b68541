#pragma once

#include <curl/curl.h>

#include <memory>
#include <stop_token>
#include <string>

#include "hub/http/http_client.h"
#include "hub/http/rate_limit.h"

namespace strata::hub {

/// One request as it goes over the line: no redirect, no repetition.
struct Hop {
  const HttpRequest* request = nullptr;
  std::string url;
  bool withCredentials = true;
  bool publicOnly = false;  ///< came from a public address and may not reach a private one
};

/// What came back.
struct HopAnswer {
  HttpHead head;
  std::string body;
  bool isPrivate = false;  ///< the server's address
};

/// What the person needs to know of a hop that failed.
struct HopFailure {
  Error error;
  bool isTransient = false;    ///< of the network; a repetition may help
  bool gaveBodyBytes = false;  ///< to request.onBody
  bool wasSilent = false;      ///< no answer came in HttpSettings::answerLimit
};

/// A libcurl multi handle with one transfer at a time, and the connections it keeps alive. Used by
/// one thread at a time; callbacks run on that thread.
class Channel {
 public:
  Channel(const HttpSettings& settings, CURLSH* share);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  tl::expected<HopAnswer, HopFailure> perform(const Hop& hop, RateLimit& limit,
                                              const std::stop_token& stop);

 private:
  const HttpSettings& settings_;
  CURLSH* share_;
  std::unique_ptr<CURLM, CURLMcode (*)(CURLM*)> multi_;
  std::unique_ptr<CURL, void (*)(CURL*)> easy_;
};

}  // namespace strata::hub
