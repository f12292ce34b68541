#include "hub/open_transport.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/store/store_location.h"
#include "core/text/url_text.h"
#include "hub/folder/folder_transport.h"
#include "hub/http/percent_code.h"
#include "hub/http/url.h"
#include "hub/remote_kinds.h"

namespace strata::hub {
namespace {

constexpr std::string_view kFile = "file://";

}  // namespace

Result<std::string> folderOfUrl(std::string_view url) {
  const auto folder = decodePercent(url.substr(kFile.size()));
  if (folder) return *folder;
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: '%' is not followed by two hexadecimal digits", url));
}

Result<void> checkRemotePlace(std::string_view url) {
  STRATA_TRY(kindOfRemote(url));
  STRATA_TRY(checkRemoteUrl(url));
  if (!url.starts_with(kFile)) return {};
  if (!authorityOf(url).empty()) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: a file URL names a whole path: file:///FOLDER", url));
  }
  STRATA_TRY(const std::string folder, folderOfUrl(url));
  return refuseInsideStore(folder);
}

std::string normalPlace(std::string_view url) {
  if (!url.starts_with(kFile) || !authorityOf(url).empty()) return std::string(url);
  const auto named = folderOfUrl(url);
  if (!named) return std::string(url);
  std::error_code status;
  std::filesystem::path folder = std::filesystem::weakly_canonical(*named, status);
  if (status) folder = std::filesystem::path(*named).lexically_normal();
  if (!folder.has_filename() && folder.has_relative_path()) folder = folder.parent_path();
  return std::string(kFile) + encodePath(folder.string());
}

std::string remoteWord(std::string_view word) {
  const bool isPath = word == "." || word == ".." || word.starts_with('/') ||
                      word.starts_with("./") || word.starts_with("../");
  if (!isPath) return normalPlace(word);
  std::error_code status;
  const std::filesystem::path folder = std::filesystem::absolute(word, status);
  return normalPlace(std::string(kFile) + encodePath(folder.string()));
}

Result<void> refuseInsideRemote(const std::filesystem::path& folder) {
  std::error_code status;
  std::filesystem::path at = std::filesystem::weakly_canonical(folder, status);
  for (; !status && at.has_relative_path(); at = at.parent_path()) {
    if (!FolderTransport::isMadeAt(at)) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: lies inside the remote {}, whose files are its own",
                            folder.string(), at.string()));
  }
  return {};
}

Result<std::unique_ptr<Transport>> openTransport(const RemoteConfig& remote,
                                                 const TransportOptions& options) {
  STRATA_TRY(checkRemotePlace(remote.url));
  STRATA_TRY(const RemoteKind* const kind, kindOfRemote(remote.url));
  return kind->open(remote, options);
}

}  // namespace strata::hub
