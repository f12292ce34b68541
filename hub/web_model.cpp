#include "hub/web_model.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "core/io/free_space.h"
#include "core/io/store_modes.h"
#include "core/model/model_path.h"
#include "core/progress_meter.h"
#include "hub/http/file_sink.h"
#include "hub/http/http_failure.h"
#include "hub/http/percent_code.h"
#include "hub/http/redaction.h"
#include "hub/remote_http.h"

namespace strata::hub {
namespace {

/// The last part of a URL's path, as a file may be called.
std::string fileNameOf(std::string_view url) {
  const std::string_view path = url.substr(0, url.find_first_of("?#"));
  const auto name = decodePercent(path.substr(path.rfind('/') + 1));
  const bool isName = name && isModelPath(*name) && name->find('/') == std::string::npos;
  return isName ? *name : "model";
}

std::uint64_t announcedBytes(const HttpHead& head) {
  const std::string_view text = head.headers.value("Content-Length");
  std::uint64_t bytes = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return status == std::errc{} && end == text.data() + text.size() ? bytes : 0;
}

}  // namespace

bool isWebUrl(std::string_view url) noexcept {
  return url.starts_with("https://") || url.starts_with("http://");
}

Result<FetchedModel> fetchWebModel(const RemoteConfig& remote, const TransportOptions& options,
                                   const std::filesystem::path& folder, std::stop_token stop,
                                   const ProgressSink& progress, std::uint64_t mostBytes) {
  STRATA_TRY(HttpSettings settings, httpSettingsOf(remote, options));
  HttpClient client(std::move(settings));
  STRATA_TRY(const bool isNew, makeStoreFolder(folder));
  static_cast<void>(isNew);
  FetchedModel model;
  model.url = redactUrl(remote.url);
  model.path = folder / fileNameOf(remote.url);
  STRATA_TRY(FileSink sink, FileSink::open(model.path, mostBytes));
  STRATA_TRY(sink.restart());
  std::optional<ProgressMeter> meter;
  HttpRequest request;
  request.url = remote.url;
  const auto checkBytes = [&](std::uint64_t bytes) -> Result<void> {
    if (bytes <= mostBytes) return {};
    return fail(ErrorCode::CorruptData,
                fmt::format("{}: has {} bytes or more, expected {}", model.url, bytes, mostBytes));
  };
  request.onHead = [&](const HttpHead& head) -> Result<void> {
    const std::uint64_t bytes = announcedBytes(head);
    STRATA_TRY(checkBytes(bytes));
    meter.emplace(progress, "fetching", bytes);
    return checkFreeSpace(folder, bytes);
  };
  request.onBody = [&](std::span<const std::byte> bytes) -> Result<void> {
    STRATA_TRY(checkBytes(sink.byteCount() + bytes.size()));
    meter->add(bytes.size(), model.path.filename().string());
    return sink.append(bytes);
  };
  STRATA_TRY(const HttpResponse answer, client.send(request, stop));
  if (!answer.succeeded()) return fail(failureOf(client, answer, "fetching " + model.url));
  if (meter) meter->finish({});
  model.byteCount = sink.byteCount();
  STRATA_TRY(sink.close());
  return model;
}

}  // namespace strata::hub
