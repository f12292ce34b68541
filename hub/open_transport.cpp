#include "hub/open_transport.h"

#include <fmt/format.h>

#include "hub/folder/folder_transport.h"
#include "hub/huggingface/open_hf.h"
#include "hub/oci/open_oci.h"
#include "hub/s3/open_s3.h"

namespace strata::hub {
namespace {

constexpr std::string_view kFile = "file://";

/// The bytes that a percent-encoded path stands for. Fails with InvalidArgument.
Result<std::string> decoded(std::string_view path) {
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      text += path[i];
      continue;
    }
    const int high = i + 2 < path.size() ? digit(path[i + 1]) : -1;
    const int low = i + 2 < path.size() ? digit(path[i + 2]) : -1;
    const int value = high * 16 + low;
    if (high < 0 || low < 0 || value == 0) {
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("file://{}: '%' is not followed by two hexadecimal digits", path));
    }
    text += static_cast<char>(value);
    i += 2;
  }
  return text;
}

}  // namespace

Result<std::string> folderOfUrl(std::string_view url) { return decoded(url.substr(kFile.size())); }

Result<std::unique_ptr<Transport>> openTransport(const RemoteConfig& remote,
                                                 const TransportOptions& options) {
  STRATA_TRY(checkRemoteUrl(remote.url));
  const std::string_view url = remote.url;
  if (url.starts_with(kFile)) {
    STRATA_TRY(const std::string folder, folderOfUrl(url));
    return std::make_unique<FolderTransport>(folder);
  }
  if (url.starts_with("hf://")) return openHfTransport(remote, options);
  if (url.starts_with("oci://")) return openOci(remote, options);
  if (url.starts_with("s3://")) return openS3(remote, options);
  return fail(ErrorCode::Unsupported,
              fmt::format("{}: this kind of remote is not supported yet", remote.url));
}

}  // namespace strata::hub
