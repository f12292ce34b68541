#include "tests/fuzz/scripted_channel.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "hub/http/channel.h"
#include "hub/http/url.h"

namespace strata::test {
namespace {

/// Limits of hub/http/transfer_state.cpp.
constexpr std::size_t kMaxErrorBodyBytes = std::size_t{64} << 10U;
/// More of an object is not read to be sent.
constexpr std::uint64_t kMostSentBytes = 1 << 20;

struct Script {
  std::string_view rest;
  bool hasMore = false;
  std::string origin;
  std::string leak;
};

Script& script() {
  static Script now;
  return now;
}

std::string_view cutAt(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

hub::HttpHead readHead(std::string_view& answer, const std::string& url) {
  hub::HttpHead head;
  head.url = url;
  const std::string_view status = cutAt(answer, '\n');
  std::from_chars(status.data(), status.data() + status.size(), head.status);
  while (!answer.empty()) {
    const std::string_view line = cutAt(answer, '\n');
    const std::size_t colon = line.find(':');
    if (line.empty()) break;
    if (colon == std::string_view::npos) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    head.headers.add(std::string(line.substr(0, colon)), std::string(value));
  }
  return head;
}

/// Reads what is to be sent, as libcurl would.
Result<void> send(const hub::HttpRequest& request) {
  if (!request.body || request.body->source == nullptr) return {};
  std::vector<std::byte> block(std::min(request.body->byteCount, kMostSentBytes));
  STRATA_TRY(request.body->source->read(request.body->firstByte, block));
  if (request.meter) request.meter(static_cast<std::int64_t>(block.size()));
  return {};
}

/// Gives the body to whoever wants it, in two pieces. Whether a byte was given is in `gave`.
Result<void> receive(const hub::HttpRequest& request, std::string_view body, hub::HopAnswer& answer,
                     bool& gave) {
  const bool succeeded = answer.head.status >= 200 && answer.head.status < 300;
  if (succeeded && request.onHead) STRATA_TRY(request.onHead(answer.head));
  if (request.method == "HEAD") return {};
  if (!succeeded || !request.onBody) {
    const std::size_t limit = succeeded ? request.maxBodyBytes : kMaxErrorBodyBytes;
    if (succeeded && body.size() > limit) return fail(ErrorCode::CorruptData, "is too long");
    answer.body = body.substr(0, limit);
    return {};
  }
  const auto bytes = std::as_bytes(std::span(body));
  for (const auto piece : {bytes.first(bytes.size() / 2), bytes.subspan(bytes.size() / 2)}) {
    if (piece.empty()) continue;
    STRATA_TRY(request.onBody(piece));
    gave = true;
    if (request.meter) request.meter(static_cast<std::int64_t>(piece.size()));
  }
  return {};
}

void lookForLeaks(const hub::Hop& hop) {
  const bool hasSecret = !hop.request->authorization.empty() || hop.request->aws;
  if (!hop.withCredentials || !hasSecret || script().origin.empty()) return;
  const auto to = hub::originOf(hop.url);
  const auto own = hub::originOf(script().origin);
  if (!to || !own || *to != *own) script().leak = hop.url;
}

}  // namespace

void scriptAnswers(std::string_view answers, std::string_view origin) {
  script() = {answers, !answers.empty(), std::string(origin), {}};
}

std::string leakedTo() { return script().leak; }

}  // namespace strata::test

namespace strata::hub {

Channel::Channel(const HttpSettings& settings, CURLSH* share)
    : settings_(settings),
      share_(share),
      multi_(nullptr, &curl_multi_cleanup),
      easy_(nullptr, &curl_easy_cleanup) {}

Channel::~Channel() = default;

tl::expected<HopAnswer, HopFailure> Channel::perform(const Hop& hop, RateLimit& /*limit*/,
                                                     const std::stop_token& /*stop*/) {
  test::lookForLeaks(hop);
  test::Script& script = test::script();
  if (!script.hasMore) {
    return tl::unexpected(HopFailure{{ErrorCode::Network, "the line broke"}});
  }
  std::string_view text = test::cutAt(script.rest, test::kNextAnswer);
  script.hasMore = !script.rest.empty();
  HopAnswer answer;
  bool gaveBodyBytes = false;
  Result<void> done = test::send(*hop.request);
  answer.head = test::readHead(text, hop.url);
  if (done) done = test::receive(*hop.request, text, answer, gaveBodyBytes);
  if (done) return answer;
  HopFailure failure{done.error()};
  failure.gaveBodyBytes = gaveBodyBytes;
  return tl::unexpected(std::move(failure));
}

}  // namespace strata::hub
