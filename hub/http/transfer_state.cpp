#include "hub/http/transfer_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "hub/http/redaction.h"
#include "hub/http/url.h"

namespace strata::hub {
namespace {

constexpr std::size_t kMaxHeaderBytes = std::size_t{256} << 10U;
constexpr std::size_t kMaxErrorBodyBytes = std::size_t{64} << 10U;

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

/// 200 of "HTTP/1.1 200 OK"; 0 if there is none.
int statusOf(std::string_view line) noexcept {
  const std::size_t space = line.find(' ');
  int status = 0;
  if (space != std::string_view::npos) {
    std::from_chars(line.data() + space + 1, line.data() + line.size(), status);
  }
  return status;
}

/// 0 where the server does not say.
std::uint64_t announcedBytes(const HttpHead& head) noexcept {
  const std::string_view text = head.headers.value("Content-Length");
  std::uint64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

Error tooLong(const Hop& hop) {
  return {ErrorCode::CorruptData, fmt::format("{}: its answer is longer than {} bytes",
                                              redactUrl(hop.url), hop.request->maxBodyBytes)};
}

}  // namespace

void TransferState::expectServer(const Origin& origin, bool hasProxy) {
  server_ = origin;
  hasProxy_ = hasProxy;
}

/// Of a server behind a proxy, which alone knows its address, the name has to do.
bool TransferState::isPrivate(std::string_view remote, int remotePort) const noexcept {
  const bool isProxied = hasProxy_ || std::to_string(remotePort) != server_.port;
  return isProxied ? isPrivateHost(server_.host) : isPrivateAddress(remote);
}

void TransferState::attach(CURL* easy) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &onHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &onWrite);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &onRead);
  curl_easy_setopt(easy, CURLOPT_READDATA, this);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &onSeek);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &onConnected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
}

std::uint64_t TransferState::bodyBytes() const noexcept {
  const auto& body = hop_.request->body;
  return body && body->source != nullptr ? body->byteCount : 0;
}

void TransferState::takeBackSent() {
  if (sentBytes_ > 0 && hop_.request->meter) {
    hop_.request->meter(-static_cast<std::int64_t>(sentBytes_));
  }
  sentBytes_ = 0;
}

bool TransferState::stopWith(Error failure) {
  error = std::move(failure);
  return false;
}

/// Waits for the rate limit; false if the transfer is to stop.
bool TransferState::passes(std::uint64_t bytes) {
  limit_.pass(bytes, stop_);
  return !stop_.stop_requested() || stopWith({ErrorCode::Cancelled, "cancelled"});
}

bool TransferState::takeHeader(std::string_view line) {
  headerBytes_ += line.size();
  movedBytes += line.size();
  if (headerBytes_ > kMaxHeaderBytes) {
    return stopWith({ErrorCode::CorruptData, fmt::format("{}: its headers are longer than {} bytes",
                                                         redactUrl(hop_.url), kMaxHeaderBytes)});
  }
  if (line.starts_with("HTTP/")) {
    answer.head = HttpHead{statusOf(line), {}, hop_.url};
    return true;
  }
  const std::string_view text = trimmed(line);
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    answer.head.headers.add(std::string(text.substr(0, colon)),
                            std::string(trimmed(text.substr(colon + 1))));
    return true;
  }
  const int status = answer.head.status;
  if (!text.empty() || status < 200 || status >= 300) return true;
  if (hop_.request->onHead) {
    const Result<void> taken = hop_.request->onHead(answer.head);
    if (!taken) return stopWith(taken.error());
  }
  const bool isCollected = !hop_.request->onBody && hop_.request->method != "HEAD";
  const bool fits = announcedBytes(answer.head) <= hop_.request->maxBodyBytes;
  return !isCollected || fits || stopWith(tooLong(hop_));
}

bool TransferState::takeBody(std::span<const std::byte> bytes) {
  movedBytes += bytes.size();
  if (!passes(bytes.size())) return false;
  const int status = answer.head.status;
  const bool succeeded = status >= 200 && status < 300;
  if (succeeded && hop_.request->onBody) {
    const Result<void> taken = hop_.request->onBody(bytes);
    if (!taken) return stopWith(taken.error());
    gaveBodyBytes = true;
    if (hop_.request->meter) hop_.request->meter(static_cast<std::int64_t>(bytes.size()));
    return true;
  }
  const std::size_t limit = succeeded ? hop_.request->maxBodyBytes : kMaxErrorBodyBytes;
  const std::size_t kept = std::min(bytes.size(), limit - std::min(limit, answer.body.size()));
  answer.body.append(reinterpret_cast<const char*>(bytes.data()), kept);
  if (kept == bytes.size()) return true;
  if (succeeded) return stopWith(tooLong(hop_));
  bodyWasCut = true;
  return false;
}

std::size_t TransferState::onHeader(char* data, std::size_t one, std::size_t count,
                                    void* self) noexcept {
  auto& state = *static_cast<TransferState*>(self);
  return state.takeHeader({data, one * count}) ? one * count : 0;
}

std::size_t TransferState::onWrite(char* data, std::size_t one, std::size_t count,
                                   void* self) noexcept {
  auto& state = *static_cast<TransferState*>(self);
  const std::size_t bytes = one * count;
  // One less than was given makes libcurl stop; of no bytes it is all of them.
  return state.takeBody({reinterpret_cast<const std::byte*>(data), bytes}) ? bytes : bytes - 1;
}

std::size_t TransferState::onRead(char* data, std::size_t one, std::size_t count,
                                  void* self) noexcept {
  auto& state = *static_cast<TransferState*>(self);
  const HttpBody& body = *state.hop_.request->body;
  const std::uint64_t left = body.byteCount - state.sentBytes_;
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(one * count, left));
  if (bytes == 0) return 0;
  const Result<void> read = body.source->read(body.firstByte + state.sentBytes_,
                                              {reinterpret_cast<std::byte*>(data), bytes});
  if (!read) {
    state.error = read.error();
    return CURL_READFUNC_ABORT;
  }
  state.sentBytes_ += bytes;
  state.movedBytes += bytes;
  if (!state.passes(bytes)) return CURL_READFUNC_ABORT;
  if (state.hop_.request->meter) state.hop_.request->meter(static_cast<std::int64_t>(bytes));
  return bytes;
}

int TransferState::onSeek(void* self, curl_off_t offset, int origin) noexcept {
  auto& state = *static_cast<TransferState*>(self);
  if (origin != SEEK_SET || offset != 0) return CURL_SEEKFUNC_FAIL;
  state.takeBackSent();
  return CURL_SEEKFUNC_OK;
}

int TransferState::onConnected(void* self, char* remote, char* /*local*/, int remotePort,
                               int /*localPort*/) noexcept {
  auto& state = *static_cast<TransferState*>(self);
  state.answer.isPrivate = state.isPrivate(remote, remotePort);
  if (!state.hop_.publicOnly || !state.answer.isPrivate) return CURL_PREREQFUNC_OK;
  state.stopWith(
      {ErrorCode::CorruptData, fmt::format("{}: a public server sends us to the private address {}",
                                           redactUrl(state.hop_.url), remote)});
  return CURL_PREREQFUNC_ABORT;
}

}  // namespace strata::hub
