#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/transfer/remote_object.h"
#include "hub/huggingface/hf_api.h"
#include "hub/kept_upload.h"

namespace strata::hub {

/// The type of what git-lfs asks and is answered.
inline constexpr const char* kLfsType = "application/vnd.git-lfs+json";

/// An upload of one object in parts, the hub's dialect of git-lfs: the server signs a URL for each
/// part and one that completes them.
struct LfsParts {
  std::uint64_t chunkBytes = 0;  ///< of each part but the last
  std::vector<std::string> urls;
  std::string completeUrl;
  std::vector<std::string> etags = {};  ///< of the parts that are there, from the first on

  /// What a KeptUpload holds. The URLs are secrets: they let anyone send these parts until they
  /// expire.
  std::string text() const;
  /// Nothing where the text is cut or of another object, or a URL leads where none may.
  static std::optional<LfsParts> read(std::string_view text, const RemoteObject& object,
                                      const HfApi& api);
};

/// Whether so many parts of so many bytes make up an object.
bool arePartsOf(const RemoteObject& object, std::uint64_t chunkBytes, std::size_t partCount);

/// A POST of LFS JSON to a URL that the server gave; without our token.
HttpRequest lfsPost(const std::string& url, const nlohmann::json& body);

/// A PUT of part of an object to a URL that the server gave.
HttpRequest lfsPut(const std::string& url, const ObjectSource& source, std::uint64_t firstByte,
                   std::uint64_t byteCount, const TransferMeter& meter);

/// Sends the parts that are not there yet, notes each in `kept`, and completes the object. False
/// where the URLs have expired, or the server does not know parts of an earlier run any more: then
/// nothing is kept, and the meter has taken back what it was told. Fails with what HttpClient and
/// HfApi::failure fail with, CorruptData; what a later run cannot mend is not kept.
Result<bool> sendParts(HfApi& api, LfsParts parts, const RemoteObject& object,
                       const ObjectSource& source, KeptUpload& kept, const std::stop_token& stop,
                       const TransferMeter& meter);

}  // namespace strata::hub
