#include "hub/http/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hub/http/redaction.h"

namespace strata::hub {
namespace {

std::optional<std::uint64_t> numberIn(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end == text.data()) return std::nullopt;
  return number;
}

/// Where the next byte goes, and the checks of what a server says about that.
class Position {
 public:
  Position(Download& job, const TransferMeter& meter) : job_(job), meter_(meter) {}

  std::uint64_t offset() const noexcept { return job_.firstByte; }
  bool isComplete() const noexcept { return offset() == job_.byteCount; }

  Result<void> restart() {
    if (offset() == 0) return {};
    STRATA_TRY(job_.sink->restart());
    if (meter_) meter_(-static_cast<std::int64_t>(offset()));
    job_.firstByte = 0;
    return {};
  }

  Result<void> begin(const HttpHead& head) {
    // Some servers, rclone's among them, send the range that was asked for with status 200.
    const bool isRange = offset() > 0 && head.headers.find("Content-Range") != nullptr;
    if (head.status == 206 || isRange) return checkRange(head);
    STRATA_TRY(restart());
    const auto announced = numberIn(head.headers.value("Content-Length"));
    const bool isCoded = head.headers.find("Content-Encoding") != nullptr;
    if (announced && *announced != job_.byteCount && !isCoded) {
      return refuse(fmt::format("announces {} bytes", *announced));
    }
    return {};
  }

  Result<void> take(std::span<const std::byte> bytes) {
    if (bytes.size() > job_.byteCount - offset()) return refuse("sends more bytes");
    STRATA_TRY(job_.sink->append(bytes));
    job_.firstByte += bytes.size();
    return {};
  }

  tl::unexpected<Error> refuse(std::string_view what) const {
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: the server {}, expected {}", redactUrl(job_.request.url), what,
                            job_.byteCount));
  }

 private:
  /// "bytes 5-9/10": it begins where we are, and the whole is as long as we know.
  Result<void> checkRange(const HttpHead& head) const {
    const std::string_view range = head.headers.value("Content-Range");
    const std::size_t space = range.find(' ');
    const std::size_t slash = range.find('/');
    const auto first =
        space == std::string_view::npos ? std::nullopt : numberIn(range.substr(space + 1));
    if (!first || *first != offset()) {
      return refuse(fmt::format("sends the range \"{}\" for bytes from {} on", range, offset()));
    }
    const auto whole =
        slash == std::string_view::npos ? std::nullopt : numberIn(range.substr(slash + 1));
    if (whole && *whole != job_.byteCount) return refuse(fmt::format("has {} bytes", *whole));
    return {};
  }

  Download& job_;  ///< its firstByte is where the next byte goes
  const TransferMeter& meter_;
};

/// Whether a download gets on: what came since it last did, waits and failures included, is what
/// the least rate makes it. A byte now and then is not.
class Headway {
 public:
  Headway(const HttpSettings& settings, std::uint64_t offset)
      : settings_(settings), since_(settings.clock->now()), offset_(offset) {}

  bool isMade(std::uint64_t offset) {
    const auto now = settings_.clock->now();
    offset_ = std::min(offset_, offset);  // it may have begun anew
    const auto elapsed = static_cast<std::uint64_t>((now - since_).count());
    const std::uint64_t bytes = offset - offset_;
    if (bytes == 0 || bytes < settings_.leastRate() * elapsed / 1000) return false;
    since_ = now;
    offset_ = offset;
    return true;
  }

  /// Whether nothing came for as long as a silent server is waited for.
  bool isGivenUp() const {
    const auto longest = settings_.answerLimit * settings_.retry.silentTries;
    return settings_.clock->now() - since_ >= longest;
  }

 private:
  const HttpSettings& settings_;
  HttpClock::Milliseconds since_;
  std::uint64_t offset_;
};

HttpRequest requestFrom(const Download& job, Position& position, const TransferMeter& meter) {
  HttpRequest request = job.request;
  request.retries = false;
  request.meter = meter;
  if (position.offset() > 0) {
    request.headers.add("Range", fmt::format("bytes={}-", position.offset()));
  }
  request.onHead = [&position](const HttpHead& head) { return position.begin(head); };
  request.onBody = [&position](std::span<const std::byte> bytes) { return position.take(bytes); };
  return request;
}

}  // namespace

Result<HttpResponse> download(HttpClient& client, Download& job, const std::stop_token& stop,
                              const TransferMeter& meter) {
  Position position(job, meter);
  HttpResponse nothingLeft;
  nothingLeft.head.status = 206;
  nothingLeft.head.url = job.request.url;
  if (position.isComplete() && job.byteCount > 0) return nothingLeft;
  const RetryPolicy& retry = client.settings().retry;
  Headway headway(client.settings(), position.offset());
  for (unsigned failures = 0;;) {
    const std::uint64_t before = position.offset();
    Result<HttpResponse> sent = client.send(requestFrom(job, position, meter), stop);
    if (!sent && sent.error().code != ErrorCode::Network) return sent;
    if (sent && sent->succeeded() && position.isComplete()) return sent;
    if (headway.isMade(position.offset())) failures = 0;
    std::optional<HttpClock::Milliseconds> asked;
    if (sent && sent->head.status == 416 && before > 0) {
      STRATA_TRY(position.restart());
    } else if (sent && !sent->succeeded()) {
      asked = askedWait(sent->head);
      const bool isTooLong = asked && *asked > retry.longest;
      if (!isWorthARetry(sent->head.status) || isTooLong) return sent;
    }
    const bool isSilent = !sent && headway.isGivenUp();
    if (++failures >= retry.tries || isSilent || client.settings().offline) {
      if (sent && sent->succeeded()) {
        return position.refuse(fmt::format("sends {} bytes", position.offset()));
      }
      return sent;
    }
    client.settings().clock->sleep(waitBefore(failures + 1, retry, asked), stop);
    if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "cancelled");
  }
}

}  // namespace strata::hub
