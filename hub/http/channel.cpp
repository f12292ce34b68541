#include "hub/http/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "hub/http/proxy.h"
#include "hub/http/redaction.h"
#include "hub/http/transfer_state.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

using Headers = std::unique_ptr<curl_slist, void (*)(curl_slist*)>;

void addLine(Headers& headers, const std::string& line) {
  curl_slist* const longer = curl_slist_append(headers.get(), line.c_str());
  if (longer == nullptr) return;
  static_cast<void>(headers.release());  // the same list, or nothing
  headers.reset(longer);
}

Headers headersOf(const Hop& hop) {
  const HttpRequest& request = *hop.request;
  Headers headers(nullptr, &curl_slist_free_all);
  for (const auto& [name, value] : request.headers.lines()) {
    addLine(headers, fmt::format("{}: {}", name, value));
  }
  if (hop.withCredentials && !request.authorization.empty()) {
    addLine(headers, "Authorization: " + request.authorization);
  }
  // libcurl would sign the lines that only keep it from adding headers of its own.
  const bool isSigned = hop.withCredentials && request.aws.has_value();
  if (isSigned && !request.aws->sessionToken.empty()) {
    addLine(headers, "x-amz-security-token: " + request.aws->sessionToken);
  }
  if (request.headers.find("Content-Type") == nullptr && (!isSigned || request.body)) {
    addLine(headers, isSigned ? "Content-Type: application/octet-stream" : "Content-Type:");
  }
  if (!request.expectContinue && !isSigned) addLine(headers, "Expect:");
  return headers;
}

void setSigning(CURL* easy, const AwsSignature& aws) {
  const std::string provider = fmt::format("aws:amz:{}:{}", aws.region, aws.service);
  curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, provider.c_str());
  curl_easy_setopt(easy, CURLOPT_USERNAME, aws.accessKey.c_str());
  curl_easy_setopt(easy, CURLOPT_PASSWORD, aws.secretKey.c_str());
}

void setBody(CURL* easy, const HttpRequest& request) {
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    return;
  }
  if (request.body && request.body->source != nullptr) {
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
                     static_cast<curl_off_t>(request.body->byteCount));
  } else if (request.body || request.method == "POST") {
    const std::string_view text = request.body ? std::string_view(request.body->text) : "";
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(text.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, text.data());
  }
  if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
}

void setConnection(CURL* easy, const HttpSettings& settings, const std::string& url) {
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(settings.connectLimit.count()));
  // What a proxy answers to CONNECT is no answer of the server.
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy, CURLOPT_USERAGENT, settings.userAgent.c_str());
  const auto origin = originOf(url);
  const auto proxy = origin ? proxyFor(settings, *origin) : std::nullopt;
  curl_easy_setopt(easy, CURLOPT_PROXY, proxy ? proxy->url.c_str() : "");
  const char* const caFile = std::getenv("SSL_CERT_FILE");
  if (!settings.caFile.empty()) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, settings.caFile.c_str());
  } else if (caFile != nullptr && *caFile != 0) {
    curl_easy_setopt(easy, CURLOPT_CAINFO, caFile);
  }
  if (!settings.clientCertificate.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLCERT, settings.clientCertificate.c_str());
  }
  if (!settings.clientKey.empty()) {
    curl_easy_setopt(easy, CURLOPT_SSLKEY, settings.clientKey.c_str());
  }
  if (settings.insecure) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

/// Ends a transfer that moves too little for too long.
class StallWatch {
 public:
  explicit StallWatch(const HttpSettings& settings)
      : settings_(settings),
        leastBytes_(std::max<std::uint64_t>(
            1,
            settings.leastRate() * static_cast<std::uint64_t>(settings.stallLimit.count()) / 1000)),
        since_(settings.clock->now()) {}

  bool isStalled(const TransferState& state) {
    const auto now = settings_.clock->now();
    const bool isMoving = state.isSending() || state.hasAnswer();
    if (state.movedBytes >= bytes_ + leastBytes_ || isMoving != wasMoving_) {
      bytes_ = state.movedBytes;
      since_ = now;
      wasMoving_ = isMoving;
    }
    return now - since_ > limit();
  }

  /// Once it is stalled: there was no answer at all.
  bool isSilent() const noexcept { return !wasMoving_; }

  std::string problem(const TransferState& state) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit()).count();
    if (!wasMoving_) return fmt::format("the transfer stalled: no answer for {} s", seconds);
    const std::uint64_t moved = state.movedBytes - bytes_;
    if (moved == 0) return fmt::format("the transfer stalled: nothing moved for {} s", seconds);
    return fmt::format(
        "the transfer stalled: {} bytes moved in {} s, expected {} (setting transfer.least)", moved,
        seconds, leastBytes_);
  }

 private:
  HttpClock::Milliseconds limit() const noexcept {
    return wasMoving_ ? settings_.stallLimit : settings_.answerLimit;
  }

  const HttpSettings& settings_;
  const std::uint64_t leastBytes_;
  HttpClock::Milliseconds since_;
  std::uint64_t bytes_ = 0;
  bool wasMoving_ = false;
};

/// What libcurl's own code means. `detail` is its text.
HopFailure failureOf(CURLcode code, const std::string& url, std::string_view detail) {
  const std::string place = redactUrl(url);
  switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
      return {{ErrorCode::Network,
               fmt::format("{}: its certificate is not trusted: {}; name its issuer with "
                           "--ca-file",
                           place, detail)}};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {{ErrorCode::Network,
               fmt::format("{}: the {} name is not known ({})", place,
                           code == CURLE_COULDNT_RESOLVE_HOST ? "host's" : "proxy's", detail)},
              true};
    default:
      return {{ErrorCode::Network, fmt::format("{}: {}", place, detail)}, true};
  }
}

/// What a proxy answered that makes no tunnel, such as 407; 0 otherwise.
int refusedTunnel(CURL* easy) {
  long status = 0;
  const CURLcode code = curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &status);
  return code == CURLE_OK && status >= 300 ? static_cast<int>(status) : 0;
}

/// The handles themselves are not as they should be: of no use to try again.
HopFailure failureOf(CURLMcode problem, const std::string& url) {
  return {{ErrorCode::Internal, fmt::format("{}: libcurl's multi interface fails with {}",
                                            redactUrl(url), static_cast<int>(problem))}};
}

/// Lets the one transfer of a multi handle run to its end, or to where it is to stop.
tl::expected<CURLcode, HopFailure> drive(CURLM* multi, StallWatch watch, const TransferState& state,
                                         const std::string& url, const std::stop_token& stop) {
  constexpr int kPollMilliseconds = 100;
  CURLcode code = CURLE_OK;
  for (int running = 1;;) {
    CURLMcode problem = curl_multi_perform(multi, &running);
    int waiting = 0;
    while (const CURLMsg* const message = curl_multi_info_read(multi, &waiting)) {
      if (message->msg == CURLMSG_DONE) code = message->data.result;
    }
    if (running == 0 && problem == CURLM_OK) return code;
    if (stop.stop_requested()) {
      return tl::unexpected(HopFailure{{ErrorCode::Cancelled, "cancelled"}});
    }
    if (watch.isStalled(state)) {
      HopFailure stalled{{ErrorCode::Network, redactUrl(url) + ": " + watch.problem(state)}, true};
      stalled.wasSilent = watch.isSilent();
      return tl::unexpected(std::move(stalled));
    }
    if (problem == CURLM_OK) {
      problem = curl_multi_poll(multi, nullptr, 0, kPollMilliseconds, nullptr);
    }
    if (problem != CURLM_OK) return tl::unexpected(failureOf(problem, url));
  }
}

}  // namespace

Channel::Channel(const HttpSettings& settings, CURLSH* share)
    : settings_(settings),
      share_(share),
      multi_(curl_multi_init(), &curl_multi_cleanup),
      easy_(curl_easy_init(), &curl_easy_cleanup) {}

Channel::~Channel() = default;

tl::expected<HopAnswer, HopFailure> Channel::perform(const Hop& hop, RateLimit& limit,
                                                     const std::stop_token& stop) {
  CURL* const easy = easy_.get();
  curl_easy_reset(easy);
  char detail[CURL_ERROR_SIZE] = {};
  TransferState state(hop, limit, stop);
  const Headers headers = headersOf(hop);
  curl_easy_setopt(easy, CURLOPT_URL, hop.url.c_str());
  curl_easy_setopt(easy, CURLOPT_SHARE, share_);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, detail);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  setConnection(easy, settings_, hop.url);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, limit.bufferBytes(512L << 10));
  curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, limit.bufferBytes(1L << 20));
  setBody(easy, *hop.request);
  if (hop.withCredentials && hop.request->aws) setSigning(easy, *hop.request->aws);
  state.attach(easy);
  if (const auto origin = originOf(hop.url)) state.expectServer(*origin, !settings_.proxy.empty());

  const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi_.get()); });
  if (const CURLMcode problem = curl_multi_add_handle(multi_.get(), easy); problem != CURLM_OK) {
    return tl::unexpected(failureOf(problem, hop.url));
  }
  const tl::expected<CURLcode, HopFailure> driven =
      drive(multi_.get(), StallWatch(settings_), state, hop.url, stop);
  curl_multi_remove_handle(multi_.get(), easy);
  const CURLcode code = driven.value_or(CURLE_OK);
  std::optional<HopFailure> ended;
  if (!driven) ended = driven.error();
  if (state.answer.head.status == 0) state.answer.head = {refusedTunnel(easy), {}, hop.url};
  if (state.error) ended = HopFailure{std::move(*state.error)};
  // The status counts more than how the body ended: some servers announce wrong lengths of errors.
  const bool hasError = state.answer.head.status >= 300;
  if (!ended && code != CURLE_OK && !state.bodyWasCut && !hasError) {
    ended = failureOf(code, hop.url, *detail != 0 ? detail : curl_easy_strerror(code));
  }
  // What a server refused is no progress.
  if (!ended && hasError) state.takeBackSent();
  if (!ended) return std::move(state.answer);
  state.takeBackSent();
  ended->gaveBodyBytes = state.gaveBodyBytes;
  return tl::unexpected(std::move(*ended));
}

}  // namespace strata::hub
