#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/transfer/ref_index.h"
#include "core/transfer/remote_refs.h"

namespace strata::hub {

/// How refs lie in a registry. Tags cannot be written conditionally, so each change of a ref is an
/// artifact of its own, tagged `m-<digest>`, about which two writers never disagree. The artifact
/// tagged kIndexTag sums up those that its writer saw; whoever finds further ones adds them.
inline constexpr const char* kIndexTag = "strata-index";

/// A blob as a manifest names it.
struct OciDescriptor {
  Digest digest;
  std::uint64_t byteCount = 0;
};

/// One change of a ref.
struct RefRecord {
  std::string name;
  std::string expected;  ///< SHA-256 of the text that the ref had; empty: there was none
  RefText text;
  std::int64_t createdAt = 0;  ///< seconds since 1970 by the writer's clock
  std::string digest;          ///< of the artifact's manifest, 64 digits
};

/// The tag of an artifact, "m-<64 digits>", and the digits of one; empty for other tags.
std::string recordTag(std::string_view manifest);
std::string digitsOfTag(std::string_view tag);
/// The tag that people see: "sst2-v2" of "sst2/v2", "org_sst2-1f0e9a7c-v2" of "org%2Fsst2/v2";
/// empty for other refs.
std::string readableTag(const std::string& refName);

/// Most bytes of a list of tags that registries give in one answer, and that is read.
inline constexpr std::size_t kMostTagBytes = (std::size_t{16} << 20U) - 4096;
/// What a tag takes in such a list.
inline std::size_t bytesInList(std::string_view tag) noexcept { return tag.size() + 3; }
/// Fails with InvalidArgument where the tags that these changes add to a list of so many bytes
/// would make one that nobody can read.
Result<void> checkTagsFit(std::size_t bytesThere, std::span<const RefUpdate> changes);

/// The manifest of a change. Its config is the ref's text, its layers are the objects of a version.
std::string recordManifest(const RefUpdate& update, std::int64_t createdAt);
/// The manifest of the index, whose config is `document`.
std::string indexManifest(const std::string& document, std::int64_t createdAt);

/// A config: embedded in the manifest or to be fetched.
struct OciConfig {
  OciDescriptor descriptor;
  std::string data;  ///< empty: it is not embedded
};

/// Reads the manifest of a change, all but its text. `digits` are those of its tag.
/// Fails with CorruptData, naming the tag.
struct ParsedRecord {
  RefRecord record;
  OciConfig config;
};
Result<ParsedRecord> parseRecordManifest(const std::string& manifest, const std::string& digits);
/// Where the index lies. Fails with CorruptData.
Result<OciDescriptor> parseIndexManifest(const std::string& manifest);

/// What the index artifact says.
struct RegistryIndex {
  RefIndex refs;
  std::set<std::string> merged;  ///< digits of the artifacts that are in it
};
/// Fails as serializeRefIndex.
Result<std::string> serializeRegistryIndex(const RegistryIndex& index);
/// Fails with CorruptData or FormatTooNew.
Result<RegistryIndex> parseRegistryIndex(std::string_view text, std::string_view what);

/// Adds changes to an index, the earliest first; one whose ref meanwhile says something else than
/// it expected is void. The same for all who see the same artifacts.
void mergeRecords(RegistryIndex& index, std::vector<RefRecord> records);

/// SHA-256 of a ref's text, 64 digits.
std::string hashOfRef(const RefText& text);

}  // namespace strata::hub
