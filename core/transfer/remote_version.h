#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/store/refs/ref_folder.h"
#include "core/transfer/base_elsewhere.h"
#include "core/transfer/remote_refs.h"

namespace strata {

/// A score that was measured when a lossy version was added, as the remote's list tells it.
struct RemoteScore {
  std::string data;      ///< "choice" or "test", as QualityScore
  std::string metric;    ///< "accuracy"
  double reference = 0;  ///< of the original
  double score = 0;
  std::uint64_t samples = 0;  ///< 0: not known
};

/// Where a remote has the signature of a version (core/match/signature.h): in an object that holds
/// those of many, so that the list stays small. docs/FORMAT.md, "Remotes".
struct SignaturePlace {
  RemoteObject object;
  std::uint64_t firstByte = 0;
  std::uint64_t byteCount = 0;
};

/// A version as a remote lists it: what its ref file says, and what must be known of it before its
/// manifest is here. docs/FORMAT.md, "Remotes". Comes from outside: the manifest decides.
struct RemoteVersion {
  VersionRef ref;  ///< `isUnlisted`: no name leads to it there, others are differences to it
  std::uint64_t manifestBytes = 0;
  std::vector<RemoteObject> packs;     ///< that restoring needs beside the parent
  std::optional<Digest> parentDigest;  ///< content digest; nothing for a base
  std::uint64_t originalBytes = 0;
  std::string format;  ///< "onnx", "safetensors", "folder"
  bool lossy = false;
  bool isWeightsOnly = false;  ///< as core/store/run_tags.h has it; false of old lists
  std::vector<RemoteScore> scores = {};
  /// Where the parent lies if the remote was not given it; see RemoteLibrary::elsewhere.
  std::optional<BaseElsewhere> base = {};
  /// Nothing: there is none, or `ref` has the signature itself, as earlier programs wrote it.
  std::optional<SignaturePlace> signature = {};

  /// The manifest, then the packs: what a store has of it, too.
  std::vector<RemoteObject> objects() const;
  /// The same, then the object with its signature: all that the remote has to have.
  std::vector<RemoteObject> allObjects() const;
};

/// "accuracy 0.876 -> 0.873 on 872 samples": the scores of data that the settings were not chosen
/// on, else all; empty if there are none.
std::string scoresText(const RemoteVersion& version);

/// "sst2/v2" and "sst2/tags/prod".
std::string refNameOf(std::string_view name, std::uint32_t number);
std::string refNameOf(const VersionRef& version);
std::string refNameOf(const TagRef& tag);

/// What such a name stands for.
struct RefName {
  std::string name;          ///< as the store has it: "org/model" of "org%2Fmodel"
  std::string tag;           ///< empty for a version
  std::uint32_t number = 0;  ///< of a version

  bool isTag() const noexcept { return !tag.empty(); }
};
/// Nothing for a text that refNameOf() never gives.
std::optional<RefName> parseRefName(std::string_view text);

/// "org%2Fa/v1" and "a/tags/prod" as people write them: "org/a:v1", "a:prod".
std::string labelOfRef(const std::string& name);

RefText toRefText(const RemoteVersion& version);
RefText toRefText(const TagRef& tag);

/// `name` is the ref's. Fails with CorruptData, naming it, or FormatTooNew.
Result<RemoteVersion> parseRemoteVersion(const std::string& name, const RefText& text);
Result<TagRef> parseRemoteTag(const std::string& name, const RefText& text);

}  // namespace strata
