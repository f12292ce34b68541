#include "hub/oci/oci_refs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/text/json_text.h"
#include "core/text/wording.h"
#include "hub/http/base64.h"
#include "hub/oci/oci_client.h"

namespace strata::hub {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVariantType = "application/vnd.strata.variant.v1";
constexpr const char* kTagType = "application/vnd.strata.tag.v1";
constexpr const char* kIndexType = "application/vnd.strata.index.v1";
constexpr const char* kConfigSuffix = ".config.v1+json";
constexpr const char* kCreated = "org.opencontainers.image.created";
constexpr const char* kTitle = "org.opencontainers.image.title";
constexpr const char* kRefName = "vnd.strata.ref";
constexpr const char* kExpected = "vnd.strata.ref.expected";
constexpr const char* kTime = "vnd.strata.ref.time";
constexpr const char* kParent = "vnd.strata.base.content-digest";
/// Small texts ride in the manifest: one request less to read them.
constexpr std::size_t kMostEmbedded = 64 << 10;
constexpr std::size_t kTagDigits = 64;

Json descriptor(const std::string& type, const Digest& digest, std::uint64_t byteCount) {
  return {{"mediaType", type}, {"digest", ociDigest(digest)}, {"size", byteCount}};
}

Digest digestOf(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

/// "application/vnd.strata.variant.v1" -> "application/vnd.strata.variant.config.v1+json".
std::string configType(const std::string& type) {
  return type.substr(0, type.rfind('.')) + kConfigSuffix;
}

std::string layerName(RemoteObject::Kind kind) {
  switch (kind) {
    case RemoteObject::Kind::ManifestObject:
      return "manifest";
    case RemoteObject::Kind::Signatures:
      return "signatures";
    case RemoteObject::Kind::Pack:
      break;
  }
  return "pack";
}

std::optional<OciDescriptor> readDescriptor(const nlohmann::json& json) {
  const bool hasType = textMember(json, "mediaType").has_value();
  const auto digest = textMember(json, "digest");
  const auto size = countMember(json, "size");
  if (!hasType || !digest || !size || !digest->starts_with("sha256:")) return std::nullopt;
  const auto parsed = digestFromHex(std::string_view(*digest).substr(7));
  if (!parsed) return std::nullopt;
  return OciDescriptor{*parsed, *size};
}

}  // namespace

std::string hashOfRef(const RefText& text) { return toHex(digestOf(text)); }

std::string recordTag(std::string_view manifest) { return "m-" + toHex(digestOf(manifest)); }

std::string digitsOfTag(std::string_view tag) {
  if (!tag.starts_with("m-") || tag.size() != kTagDigits + 2) return {};
  return digestFromHex(tag.substr(2)) ? std::string(tag.substr(2)) : std::string();
}

std::string readableTag(const std::string& refName) {
  const std::size_t slash = refName.find('/');
  if (slash == std::string::npos || refName.find('/', slash + 1) != std::string::npos) return {};
  std::string name = refName.substr(0, slash);
  const auto isPlain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  // What a tag cannot hold: a few digits of the name's hash keep two names apart.
  if (!std::all_of(name.begin(), name.end(), isPlain)) {
    const std::string digits = toHex(digestOf(name)).substr(0, 8);
    for (std::size_t at = name.find("%2F"); at != name.npos; at = name.find("%2F")) {
      name.replace(at, 3, "_");
    }
    std::replace_if(name.begin(), name.end(), std::not_fn(isPlain), '_');
    name += "-" + digits;
  }
  const std::string tag = name + "-" + refName.substr(slash + 1);
  return tag.size() <= 128 ? tag : std::string();
}

std::string recordManifest(const RefUpdate& update, std::int64_t createdAt) {
  const std::string type = update.objects.empty() ? kTagType : kVariantType;
  Json config = descriptor(configType(type), digestOf(update.text), update.text.size());
  Json layers = Json::array();
  for (const RemoteObject& object : update.objects) {
    const std::string what = layerName(object.kind);
    Json layer =
        descriptor("application/vnd.strata." + what + ".v1", object.digest, object.byteCount);
    layer["annotations"] = {{kTitle, toHex(object.digest) + "." + what}};
    layers.push_back(std::move(layer));
  }
  if (layers.empty()) layers.push_back(config);  // readers want at least one
  if (update.text.size() <= kMostEmbedded) config["data"] = encodeBase64(update.text);
  Json annotations{{kTitle, update.name},
                   {kCreated, isoDate(createdAt)},
                   {kRefName, update.name},
                   {kExpected, update.expected ? hashOfRef(*update.expected) : ""},
                   {kTime, std::to_string(createdAt)}};
  const auto text = parseJson(update.text, update.name);
  const auto parent = text ? textMember(*text, "parent") : std::nullopt;
  if (parent && !parent->empty()) annotations[kParent] = *parent;
  return Json{{"schemaVersion", 2},          {"mediaType", kManifestType},
              {"artifactType", type},        {"config", std::move(config)},
              {"layers", std::move(layers)}, {"annotations", std::move(annotations)}}
      .dump();
}

std::string indexManifest(const std::string& document, std::int64_t createdAt) {
  const Json config = descriptor(configType(kIndexType), digestOf(document), document.size());
  return Json{{"schemaVersion", 2},
              {"mediaType", kManifestType},
              {"artifactType", kIndexType},
              {"config", config},
              {"layers", Json::array({config})},
              {"annotations", {{kTitle, kIndexTag}, {kCreated, isoDate(createdAt)}}}}
      .dump();
}

Result<ParsedRecord> parseRecordManifest(const std::string& manifest, const std::string& digits) {
  const auto damaged = [&](std::string_view why) {
    return fail(ErrorCode::CorruptData, fmt::format("tag m-{}: {}", digits, why));
  };
  if (toHex(digestOf(manifest)) != digits) return damaged("another manifest lies there");
  STRATA_TRY(const nlohmann::json json, parseJson(manifest, "tag m-" + digits));
  const auto config = readDescriptor(anyMember(json, "config"));
  if (!config || !json.contains("annotations")) return damaged("is not one of ours");
  const nlohmann::json& annotations = json["annotations"];
  const auto name = textMember(annotations, kRefName);
  const auto expected = textMember(annotations, kExpected);
  const std::string time = textMember(annotations, kTime).value_or("0");
  if (!name || !expected || config->byteCount > kMaxRefBytes) return damaged("is not one of ours");
  ParsedRecord parsed{{*name, *expected, {}, 0, digits}, {*config, {}}};
  std::from_chars(time.data(), time.data() + time.size(), parsed.record.createdAt);
  parsed.config.data = decodeBase64(textMember(json["config"], "data").value_or("")).value_or("");
  if (!parsed.config.data.empty() && digestOf(parsed.config.data) != config->digest) {
    return damaged("its embedded config does not match its digest");
  }
  return parsed;
}

Result<OciDescriptor> parseIndexManifest(const std::string& manifest) {
  STRATA_TRY(const nlohmann::json json, parseJson(manifest, kIndexTag));
  const auto config = readDescriptor(anyMember(json, "config"));
  if (config && config->byteCount <= kMaxIndexBytes) return *config;
  return fail(ErrorCode::CorruptData, fmt::format("tag {}: is not one of ours", kIndexTag));
}

Result<void> checkTagsFit(std::size_t bytesThere, std::span<const RefUpdate> changes) {
  constexpr std::size_t kRecordTagBytes = 2 + 64;  // "m-" and the digits of a hash
  std::size_t bytes = bytesThere;
  for (const RefUpdate& change : changes) {
    bytes += bytesInList(readableTag(change.name)) + kRecordTagBytes + bytesInList({});
  }
  if (bytes <= kMostTagBytes) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the registry's list of tags would have {} bytes, and at most {} are "
                          "read; push to another repository",
                          bytes, kMostTagBytes));
}

Result<std::string> serializeRegistryIndex(const RegistryIndex& index) {
  Json merged = Json::array();
  for (const std::string& digits : index.merged) merged.push_back(digits);
  STRATA_TRY(std::string text, serializeRefIndex(index.refs));
  const std::string changes = fmt::format("\"merged\":{},", merged.dump());
  if (changes.size() > kMaxIndexBytes / 2 || text.size() + changes.size() > kMaxIndexBytes) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the registry's list of {} versions and tags and of {} changes has {} "
                            "bytes, at most {} are allowed, {} of them of changes",
                            index.refs.refs.size(), index.merged.size(),
                            text.size() + changes.size(), kMaxIndexBytes, kMaxIndexBytes / 2));
  }
  return text.insert(1, changes);
}

Result<RegistryIndex> parseRegistryIndex(std::string_view text, std::string_view what) {
  RegistryIndex index;
  STRATA_TRY(index.refs, parseRefIndex(text, what));
  const auto skip = [](const std::string&, const nlohmann::json&) { return true; };
  STRATA_TRY(const nlohmann::json json, parseJsonMembers(text, what, "refs", skip));
  for (const nlohmann::json& digits : listMember(json, "merged")) {
    if (digits.is_string()) index.merged.insert(digits.get<std::string>());
  }
  return index;
}

void mergeRecords(RegistryIndex& index, std::vector<RefRecord> records) {
  std::sort(records.begin(), records.end(), [](const RefRecord& a, const RefRecord& b) {
    return std::tie(a.createdAt, a.digest) < std::tie(b.createdAt, b.digest);
  });
  // Clocks differ, so a change may stand before the one that it follows.
  for (bool hasChanged = true; hasChanged;) {
    hasChanged = false;
    for (const RefRecord& record : records) {
      if (index.merged.contains(record.digest)) continue;
      const auto current = index.refs.refs.find(record.name);
      const std::string now = current == index.refs.refs.end() ? "" : hashOfRef(current->second);
      if (now != record.expected) continue;
      if (record.text == kRemovedRef) {
        index.refs.refs.erase(record.name);
      } else {
        index.refs.refs[record.name] = record.text;
      }
      index.merged.insert(record.digest);
      hasChanged = true;
    }
  }
  for (const RefRecord& record : records) index.merged.insert(record.digest);
}

}  // namespace strata::hub
