#include "hub/http/http_client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "hub/http/base64.h"
#include "hub/http/channel.h"
#include "hub/http/proxy.h"
#include "hub/http/rate_limit.h"
#include "hub/http/redaction.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

constexpr unsigned kMaxRedirects = 10;

bool isRedirect(int status) noexcept {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// What a server wants in a header of another request may not begin further headers.
bool isOneLine(std::string_view text) noexcept {
  return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
}

/// Names and sessions known to all channels of a client.
class Share {
 public:
  Share() : handle_(curl_share_init()) {
    curl_share_setopt(handle_, CURLSHOPT_LOCKFUNC, &lock);
    curl_share_setopt(handle_, CURLSHOPT_UNLOCKFUNC, &unlock);
    curl_share_setopt(handle_, CURLSHOPT_USERDATA, this);
    curl_share_setopt(handle_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS);
    curl_share_setopt(handle_, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  }
  ~Share() { curl_share_cleanup(handle_); }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  CURLSH* handle() const noexcept { return handle_; }

 private:
  static void lock(CURL*, curl_lock_data data, curl_lock_access, void* self) {
    static_cast<Share*>(self)->mutexes_[data].lock();
  }
  static void unlock(CURL*, curl_lock_data data, void* self) {
    static_cast<Share*>(self)->mutexes_[data].unlock();
  }

  CURLSH* handle_;
  std::array<std::mutex, CURL_LOCK_DATA_LAST> mutexes_;  // each guards libcurl's data of its kind
};

/// Once for the whole program.
CURLcode initialize() {
  static const CURLcode kDone = curl_global_init(CURL_GLOBAL_DEFAULT);
  return kDone;
}

}  // namespace

struct HttpClient::State {
  explicit State(HttpSettings given)
      : settings(std::move(given)), limit(settings.bytesPerSecond, *settings.clock) {}

  using Sent = tl::expected<HttpResponse, HopFailure>;

  Result<std::unique_ptr<Channel>> take(const std::stop_token& stop);
  void giveBack(std::unique_ptr<Channel> channel);
  Sent sendOnce(const HttpRequest& request, const std::stop_token& stop);
  Sent follow(Channel& channel, const HttpRequest& request, const std::stop_token& stop);
  struct Further {
    Hop hop;
    bool isSameOrigin = false;
  };
  Result<Further> next(const Hop& hop, const HopAnswer& answer, bool firstWasPrivate) const;
  Result<void> check(const HttpRequest& request) const;
  void learnSecrets(const HttpRequest& request);
  /// Whether the first server that answered has a public address.
  bool hasPublicHome();
  void learnHome(bool isPrivate);

  HttpSettings settings;
  RateLimit limit;
  Share share;
  Redactor redactor;
  std::mutex mutex;  // guards idle, busy and homeIsPrivate
  std::condition_variable_any freed;
  std::vector<std::unique_ptr<Channel>> idle;
  unsigned busy = 0;
  std::optional<bool> homeIsPrivate;
};

bool HttpClient::State::hasPublicHome() {
  const std::scoped_lock lock(mutex);
  return homeIsPrivate == false;
}

void HttpClient::State::learnHome(bool isPrivate) {
  const std::scoped_lock lock(mutex);
  if (!homeIsPrivate) homeIsPrivate = isPrivate;
}

Result<std::unique_ptr<Channel>> HttpClient::State::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex);
  const unsigned most = std::max(settings.parallel, 1U);
  if (!freed.wait(lock, stop, [&] { return busy < most; })) {
    return fail(ErrorCode::Cancelled, "cancelled");
  }
  ++busy;
  if (idle.empty()) return std::make_unique<Channel>(settings, share.handle());
  // The one used last: its connection is the least likely to have been closed.
  std::unique_ptr<Channel> channel = std::move(idle.back());
  idle.pop_back();
  return channel;
}

void HttpClient::State::giveBack(std::unique_ptr<Channel> channel) {
  {
    const std::scoped_lock lock(mutex);
    --busy;
    idle.push_back(std::move(channel));
  }
  freed.notify_one();
}

Result<void> HttpClient::State::check(const HttpRequest& request) const {
  if (const CURLcode code = initialize(); code != CURLE_OK) {
    return fail(ErrorCode::Network, redactUrl(request.url) + ": " + curl_easy_strerror(code));
  }
  STRATA_TRY(const Origin origin, originOf(request.url));
  const auto& lines = request.headers.lines();
  if (!isOneLine(request.authorization) ||
      !std::all_of(lines.begin(), lines.end(), [](const HttpHeaders::Line& line) {
        return isOneLine(line.first) && isOneLine(line.second);
      })) {
    return fail(ErrorCode::CorruptData,
                redactUrl(request.url) + ": a header to be sent is more than one line");
  }
  if (settings.offline) {
    return fail(ErrorCode::Network, redactUrl(request.url) +
                                        ": not asked, because the network is not to be used "
                                        "(--offline, STRATA_OFFLINE, HF_HUB_OFFLINE)");
  }
  if (origin.scheme == "http" && !settings.plainHttp && !isLoopbackHost(origin.host)) {
    return fail(ErrorCode::InvalidArgument,
                redactUrl(request.url) + ": is not encrypted; allow it with --plain-http");
  }
  return {};
}

void HttpClient::State::learnSecrets(const HttpRequest& request) {
  const std::string_view value = request.authorization;
  const std::string_view secret =
      value.substr(value.find(' ') == std::string_view::npos ? 0 : value.find(' ') + 1);
  redactor.learn(secret);
  // A server may say a user and a password in plain words that came to it as base64.
  const auto plain = value.starts_with("Basic ") ? decodeBase64(secret) : std::nullopt;
  if (plain) redactor.learn(std::string_view(*plain).substr(plain->find(':') + 1));
  if (request.aws) redactor.learn(request.aws->secretKey);
  if (request.aws) redactor.learn(request.aws->sessionToken);
  for (const std::string& other : request.secrets) redactor.learn(other);
  const auto origin = originOf(request.url);
  const auto proxy = origin ? proxyFor(settings, *origin) : std::nullopt;
  if (proxy) redactor.learn(proxy->password());
}

auto HttpClient::State::next(const Hop& hop, const HopAnswer& answer, bool firstWasPrivate) const
    -> Result<Further> {
  STRATA_TRY(std::string target,
             resolveUrl(hop.url, std::string(answer.head.headers.value("Location"))));
  const auto to = originOf(target);
  STRATA_TRY(const Origin from, originOf(hop.url));
  if (!to || (from.scheme == "https" && to->scheme != "https")) {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: redirects to {}, which is not encrypted or no web address",
                            redactUrl(hop.url), redactUrl(target)));
  }
  const bool isForbidden = to->scheme == "http" && !settings.plainHttp && !isLoopbackHost(to->host);
  if (isForbidden || (!firstWasPrivate && isPrivateHost(to->host))) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: redirects to {}, which is not allowed",
                                                    redactUrl(hop.url), redactUrl(target)));
  }
  const bool isSameOrigin = *to == from;
  return Further{
      {hop.request, std::move(target), hop.withCredentials && isSameOrigin, !firstWasPrivate},
      isSameOrigin};
}

HttpClient::State::Sent HttpClient::State::follow(Channel& channel, const HttpRequest& request,
                                                  const std::stop_token& stop) {
  HttpResponse response;
  Hop hop{.request = &request, .url = request.url, .publicOnly = hasPublicHome()};
  std::optional<bool> firstWasPrivate;
  for (unsigned count = 0; count <= kMaxRedirects; ++count) {
    auto answer = channel.perform(hop, limit, stop);
    if (!answer) return tl::unexpected(std::move(answer).error());
    learnHome(answer->isPrivate);
    if (!firstWasPrivate) firstWasPrivate = answer->isPrivate;
    const bool mayFollow = (request.method == "GET" || request.method == "HEAD") &&
                           request.redirects != Redirects::Answer;
    if (isRedirect(answer->head.status) && answer->head.headers.find("Location") != nullptr &&
        mayFollow) {
      Result<Further> further = next(hop, *answer, *firstWasPrivate);
      if (!further) return tl::unexpected(HopFailure{std::move(further).error()});
      if (further->isSameOrigin || request.redirects == Redirects::Follow) {
        response.redirects.push_back(std::move(answer->head));
        hop = std::move(further->hop);
        continue;
      }
    }
    response.head = std::move(answer->head);
    response.body = std::move(answer->body);
    return response;
  }
  return tl::unexpected(
      HopFailure{{ErrorCode::CorruptData, fmt::format("{}: more than {} redirects",
                                                      redactUrl(request.url), kMaxRedirects)}});
}

HttpClient::State::Sent HttpClient::State::sendOnce(const HttpRequest& request,
                                                    const std::stop_token& stop) {
  auto channel = take(stop);
  if (!channel) return tl::unexpected(HopFailure{std::move(channel).error()});
  Sent sent = follow(**channel, request, stop);
  giveBack(std::move(*channel));
  return sent;
}

std::uint64_t HttpSettings::leastRate() const noexcept {
  constexpr std::uint64_t kMost = 1'000'000'000;  // times milliseconds it is still a number
  const std::uint64_t wanted = std::min(leastBytesPerSecond, kMost);
  if (bytesPerSecond == 0) return wanted;
  return std::min(wanted, bytesPerSecond / (std::uint64_t{2} * std::max(1U, parallel)));
}

HttpClient::HttpClient(HttpSettings settings) {
  initialize();
  state_ = std::make_unique<State>(std::move(settings));
}

HttpClient::~HttpClient() = default;

const HttpSettings& HttpClient::settings() const noexcept { return state_->settings; }

std::string HttpClient::redacted(std::string_view text) const {
  return state_->redactor.redact(text);
}

Result<HttpResponse> HttpClient::send(const HttpRequest& request, const std::stop_token& stop) {
  STRATA_TRY(state_->check(request));
  state_->learnSecrets(request);
  const RetryPolicy& retry = state_->settings.retry;
  unsigned silences = 0;
  for (unsigned count = 1;; ++count) {
    auto sent = state_->sendOnce(request, stop);
    if (!sent && sent.error().wasSilent) ++silences;
    const bool isLast = !request.retries || count >= retry.tries || silences >= retry.silentTries;
    std::optional<HttpClock::Milliseconds> asked;
    if (sent) {
      asked = askedWait(sent->head);
      const bool isTooLong = asked && *asked > retry.longest;
      if (isLast || isTooLong || !isWorthARetry(sent->head.status)) return std::move(*sent);
    } else if (isLast || !sent.error().isTransient || sent.error().gaveBodyBytes) {
      Error error = std::move(sent.error().error);
      error.message = redacted(error.message);
      if (count > 1) error.message += fmt::format(" (after {} tries)", count);
      return fail(std::move(error));
    }
    state_->settings.clock->sleep(waitBefore(count + 1, retry, asked), stop);
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  }
}

}  // namespace strata::hub
