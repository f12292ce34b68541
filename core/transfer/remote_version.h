#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/ref_folder.h"
#include "core/transfer/transport.h"

namespace strata {

/// A version as a remote lists it: what its ref file says, and what must be known of it before its
/// manifest is here. docs/FORMAT.md, "Remotes". Comes from outside: the manifest decides.
struct RemoteVersion {
  VersionRef ref;
  std::uint64_t manifestBytes = 0;
  std::vector<RemoteObject> packs;     ///< that restoring needs beside the parent
  std::optional<Digest> parentDigest;  ///< content digest; nothing for a base
  std::uint64_t originalBytes = 0;
  std::string format;  ///< "onnx", "safetensors", "folder"
  bool lossy = false;

  /// The manifest, then the packs.
  std::vector<RemoteObject> objects() const;
};

/// "sst2/v2" and "sst2/tags/prod".
std::string refNameOf(const VersionRef& version);
std::string refNameOf(const TagRef& tag);

RefText toRefText(const RemoteVersion& version);
RefText toRefText(const TagRef& tag);

/// `name` is the ref's. Fails with CorruptData, naming it, or FormatTooNew.
Result<RemoteVersion> parseRemoteVersion(const std::string& name, const RefText& text);
Result<TagRef> parseRemoteTag(const std::string& name, const RefText& text);

}  // namespace strata
