#include "hub/oci/chunked_upload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "hub/oci/oci_client.h"

namespace strata::hub {
namespace {

constexpr unsigned kMostFailures = 5;

/// N of `Range: 0-N`, which counts inclusively; nothing if there is none.
std::optional<std::uint64_t> lastByte(std::string_view range) noexcept {
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::uint64_t last = 0;
  const auto [stopped, status] =
      std::from_chars(range.data() + dash + 1, range.data() + range.size(), last);
  if (status != std::errc{}) return std::nullopt;
  return last;
}

}  // namespace

ChunkedUpload::ChunkedUpload(OciClient& client, const RemoteObject& object,
                             const ObjectSource& source, const ChunkOptions& options)
    : client_(client),
      object_(object),
      source_(source),
      chunkBytes_(options.chunkBytes),
      kept_(KeptUpload::open(options.stateFolder, client.url(""), object.digest)) {}

/// Takes up an earlier run's upload if the registry still knows it.
Result<void> ChunkedUpload::begin(const std::stop_token& stop, const TransferMeter& meter) {
  if (client_.isOwn(kept_.text())) {
    location_ = kept_.text();
    return recover(stop, meter);
  }
  STRATA_TRY(location_, client_.beginUpload("", client_.scopeOf(OciClient::Access::Push), stop));
  return {};
}

Result<void> ChunkedUpload::run(const std::stop_token& stop, const TransferMeter& meter) {
  STRATA_TRY(begin(stop, meter));
  for (unsigned count = 0; count < OciClient::kMostForgotten; ++count) {
    STRATA_TRY(sendAll(stop, meter));
    const auto done = client_.endWith(location_, object_.digest, HttpBody{}, stop, {});
    const bool isMendable = !done && (done.error().code == ErrorCode::Network ||
                                      done.error().code == ErrorCode::Cancelled);
    // Refused as a whole, it is not gone on with either.
    if (!isMendable) kept_.forget();
    if (!done) return fail(done.error());
    if (*done == OciClient::Upload::Done) return {};
    STRATA_TRY(recover(stop, meter));
  }
  return fail(client_.forgottenUpload(object_.digest));
}

Result<void> ChunkedUpload::sendAll(const std::stop_token& stop, const TransferMeter& meter) {
  unsigned failures = 0;
  while (sentBytes_ < object_.byteCount) {
    const auto sent = sendChunk(stop, meter);
    if (sent && *sent) continue;
    const bool isTransient = sent || sent.error().code == ErrorCode::Network;
    if (!isTransient || ++failures > kMostFailures) {
      return sent ? fail(ErrorCode::Network,
                         "the registry takes no pieces of a blob; send it "
                         "whole (\"strata remote set NAME --chunk 0\")")
                  : fail(sent.error());
    }
    STRATA_TRY(recover(stop, meter));
  }
  return {};
}

/// False if the registry wants to be asked where to go on.
Result<bool> ChunkedUpload::sendChunk(const std::stop_token& stop, const TransferMeter& meter) {
  const std::uint64_t count = std::min(chunkBytes_, object_.byteCount - sentBytes_);
  HttpRequest request;
  request.method = "PATCH";
  request.url = location_;
  request.headers.add("Content-Type", "application/octet-stream");
  request.headers.add("Content-Range", fmt::format("{}-{}", sentBytes_, sentBytes_ + count - 1));
  request.body = HttpBody{.source = &source_, .firstByte = sentBytes_, .byteCount = count};
  request.redirects = Redirects::Answer;
  request.retries = false;  // bytes may have arrived
  request.meter = meter;
  STRATA_TRY(const HttpResponse response,
             client_.send(std::move(request), client_.scopeOf(OciClient::Access::Push), stop));
  if (response.head.status == 416 || forgotUpload(response)) return false;
  if (response.head.status != 202) return fail(client_.failure(response, "sending a piece"));
  STRATA_TRY(location_, client_.location(response));
  const auto last = lastByte(response.head.headers.value("Range"));
  if (last && *last + 1 != sentBytes_ + count) {
    if (meter) meter(-static_cast<std::int64_t>(count));
    return false;
  }
  sentBytes_ += count;
  kept_.write(location_);
  return true;
}

Result<void> ChunkedUpload::recover(const std::stop_token& stop, const TransferMeter& meter) {
  HttpRequest request;
  request.url = location_;
  request.redirects = Redirects::Answer;
  STRATA_TRY(const HttpResponse response,
             client_.send(std::move(request), client_.scopeOf(OciClient::Access::Push), stop));
  const auto last = lastByte(response.head.headers.value("Range"));
  const std::uint64_t before = sentBytes_;
  if (response.head.status == 204 && last && *last < object_.byteCount) {
    STRATA_TRY(location_, client_.location(response));
    sentBytes_ = *last == 0 ? 0 : *last + 1;  // "0-0" stands for nothing, too
  } else {
    STRATA_TRY(location_, client_.beginUpload("", client_.scopeOf(OciClient::Access::Push), stop));
    sentBytes_ = 0;
  }
  if (meter && sentBytes_ != before) {
    meter(static_cast<std::int64_t>(sentBytes_) - static_cast<std::int64_t>(before));
  }
  return {};
}

}  // namespace strata::hub
