#include "core/transfer/remote_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "core/evaluate/score_change.h"
#include "core/store/refs/embedded_ref.h"
#include "core/store/refs/reference.h"
#include "core/text/json_text.h"
#include "core/transfer/base_elsewhere_json.h"
#include "core/transfer/signature_pack.h"

namespace strata {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxPacks = 10'000;
/// Far above what writers make; docs/FORMAT.md, "Remotes".
constexpr std::uint64_t kMaxManifestBytes = std::uint64_t{513} << 20U;
constexpr std::uint64_t kMaxPackBytes = std::uint64_t{1} << 40U;
constexpr std::size_t kMaxScores = 100;

tl::unexpected<Error> damaged(const std::string& name, std::string_view why) {
  return fail(ErrorCode::CorruptData, fmt::format("remote ref {}: {}", name, why));
}

/// The text of a ref file, which is JSON in canonical form, as a member.
Json embed(const std::string& refFile) { return Json::parse(refFile, nullptr, false); }

Result<Json> parseRecord(const std::string& name, const RefText& text, std::string_view kind) {
  if (text.size() > kMaxRefBytes) {
    return damaged(name,
                   fmt::format("has {} bytes, at most {} are allowed", text.size(), kMaxRefBytes));
  }
  STRATA_TRY(Json record, parseJson(text, "remote ref " + name));
  if (textMember(record, "kind") != kind || !record.contains("ref")) {
    return damaged(name, fmt::format("is not of a {}", kind));
  }
  return record;
}

/// Pairs of digest and size; nothing if one is malformed or stands twice.
std::optional<std::vector<RemoteObject>> packsOf(const Json& list) {
  if (!list.is_array() || list.size() > kMaxPacks) return std::nullopt;
  std::vector<RemoteObject> packs;
  std::set<Digest> seen;
  for (const Json& pack : list) {
    if (!pack.is_array() || pack.size() != 2 || !pack[0].is_string() ||
        !pack[1].is_number_unsigned()) {
      return std::nullopt;
    }
    const auto digest = digestFromHex(pack[0].get<std::string>());
    const auto byteCount = pack[1].get<std::uint64_t>();
    if (!digest || !seen.insert(*digest).second || byteCount > kMaxPackBytes) return std::nullopt;
    packs.push_back({*digest, byteCount, RemoteObject::Kind::Pack});
  }
  return packs;
}

/// Nothing if it is malformed.
std::optional<SignaturePlace> signatureOf(const Json& place) {
  if (!place.is_array() || place.size() != 4 || !place[0].is_string()) return std::nullopt;
  if (!std::all_of(place.begin() + 1, place.end(),
                   [](const Json& number) { return number.is_number_unsigned(); })) {
    return std::nullopt;
  }
  const auto digest = digestFromHex(place[0].get<std::string>());
  const auto objectBytes = place[1].get<std::uint64_t>();
  const auto firstByte = place[2].get<std::uint64_t>();
  const auto byteCount = place[3].get<std::uint64_t>();
  const bool fits = objectBytes <= kMaxSignaturePackBytes && firstByte <= objectBytes &&
                    byteCount <= objectBytes - firstByte;
  if (!digest || !fits) return std::nullopt;
  return SignaturePlace{
      {*digest, objectBytes, RemoteObject::Kind::Signatures}, firstByte, byteCount};
}

Json scoresJson(const std::vector<RemoteScore>& scores) {
  Json list = Json::array();
  for (const RemoteScore& one : scores) {
    list.push_back({{"data", one.data},
                    {"metric", one.metric},
                    {"reference", one.reference},
                    {"score", one.score},
                    {"samples", one.samples}});
  }
  return list;
}

/// Nothing if a member is missing or malformed.
std::optional<std::vector<RemoteScore>> scoresOf(const Json& list) {
  if (!list.is_array() || list.size() > kMaxScores) return std::nullopt;
  std::vector<RemoteScore> scores;
  for (const Json& entry : list) {
    const auto data = textMember(entry, "data");
    const auto metric = textMember(entry, "metric");
    const auto samples = countMember(entry, "samples");
    const Json& reference = anyMember(entry, "reference");
    const Json& score = anyMember(entry, "score");
    if (!data || !metric || !samples || !reference.is_number() || !score.is_number() ||
        !checkText("metric", *metric)) {
      return std::nullopt;
    }
    scores.push_back({*data, *metric, reference.get<double>(), score.get<double>(), *samples});
  }
  return scores;
}

}  // namespace

std::string scoresText(const RemoteVersion& version) {
  const bool isTested = std::any_of(version.scores.begin(), version.scores.end(),
                                    [](const RemoteScore& one) { return one.data == "test"; });
  std::string text;
  for (const RemoteScore& one : version.scores) {
    if (isTested && one.data != "test") continue;
    text += (text.empty() ? "" : "; ") +
            scoreChangeText(one.metric, one.reference, one.score, one.samples, std::nullopt);
  }
  return text;
}

std::vector<RemoteObject> RemoteVersion::objects() const {
  std::vector<RemoteObject> all{
      {ref.manifestDigest, manifestBytes, RemoteObject::Kind::ManifestObject}};
  all.insert(all.end(), packs.begin(), packs.end());
  return all;
}

std::vector<RemoteObject> RemoteVersion::allObjects() const {
  std::vector<RemoteObject> all = objects();
  if (signature) all.push_back(signature->object);
  return all;
}

std::string refNameOf(std::string_view name, std::uint32_t number) {
  return fmt::format("{}/v{}", nameKey(name), number);
}

std::string refNameOf(const VersionRef& version) { return refNameOf(version.name, version.number); }

std::string refNameOf(const TagRef& tag) {
  return fmt::format("{}/tags/{}", nameKey(tag.name), tag.tag);
}

std::optional<RefName> parseRefName(std::string_view text) {
  constexpr std::string_view kTags = "tags/";
  const std::size_t slash = text.find('/');
  const auto name = nameOfKey(text.substr(0, slash));
  if (!name || slash == std::string_view::npos) return std::nullopt;
  RefName parts{*name, {}, 0};
  std::string_view rest = text.substr(slash + 1);
  if (rest.starts_with(kTags)) {
    parts.tag = rest.substr(kTags.size());
    if (!checkTag(parts.tag)) return std::nullopt;
    return parts;
  }
  if (!rest.starts_with('v')) return std::nullopt;
  rest.remove_prefix(1);
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), parts.number);
  const bool isNumber = status == std::errc() && end == rest.data() + rest.size();
  if (!isNumber || parts.number == 0 || rest.front() == '0') return std::nullopt;
  return parts;
}

std::string labelOfRef(const std::string& name) {
  const auto parts = parseRefName(name);
  if (!parts) return name;
  return fmt::format("{}:{}", parts->name,
                     parts->isTag() ? parts->tag : fmt::format("v{}", parts->number));
}

RefText toRefText(const RemoteVersion& version) {
  VersionRef ref = version.ref;
  ref.awaited.reset();  // what this store lacks
  if (version.signature) ref.signature.clear();
  Json packs = Json::array();
  for (const RemoteObject& pack : version.packs) {
    packs.push_back(Json::array({toHex(pack.digest), pack.byteCount}));
  }
  Json record{{"kind", "version"},
              {"ref", embed(serializeVersionRef(ref))},
              {"manifest_bytes", version.manifestBytes},
              {"packs", std::move(packs)},
              {"parent", version.parentDigest ? toHex(*version.parentDigest) : ""},
              {"original_bytes", version.originalBytes},
              {"format", version.format},
              {"lossy", version.lossy}};
  if (const auto& place = version.signature) {
    record["signature"] = Json::array(
        {toHex(place->object.digest), place->object.byteCount, place->firstByte, place->byteCount});
  }
  if (!version.scores.empty()) record["scores"] = scoresJson(version.scores);
  if (version.isWeightsOnly) record["weights_only"] = true;
  if (version.base) record["base"] = toJson(*version.base);
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RefText toRefText(const TagRef& tag) {
  return Json{{"kind", "tag"}, {"ref", embed(serializeTagRef(tag))}}.dump();
}

Result<RemoteVersion> parseRemoteVersion(const std::string& name, const RefText& text) {
  STRATA_TRY(const Json record, parseRecord(name, text, "version"));
  auto ref = parseEmbeddedVersionRef(record["ref"]);
  if (!ref) return fail(ref.error().within("remote ref " + name));
  if (refNameOf(*ref) != name || !checkName(ref->name)) {
    return damaged(name, fmt::format("is the ref of {}", ref->label()));
  }
  for (const std::string* words : {&ref->note, &ref->license, &ref->sourceUrl}) {
    if (!checkText("note", *words)) return damaged(name, "holds a malformed text");
  }
  RemoteVersion version;
  version.ref = *std::move(ref);
  version.ref.awaited.reset();
  if (!version.ref.isUnlisted) version.ref.removedAt = 0;
  const auto packs = packsOf(anyMember(record, "packs"));
  const auto parent = textMember(record, "parent");
  const auto format = textMember(record, "format");
  const Json& lossy = anyMember(record, "lossy");
  const auto scores = scoresOf(record.contains("scores") ? record["scores"] : Json::array());
  const auto manifestBytes = countMember(record, "manifest_bytes");
  const auto originalBytes = countMember(record, "original_bytes");
  if (!packs || !scores || !parent || !format || !lossy.is_boolean() || !manifestBytes ||
      !originalBytes) {
    return damaged(name, "lacks a field or has a malformed one");
  }
  if (*manifestBytes > kMaxManifestBytes) {
    return damaged(name, fmt::format("its manifest has {} bytes, at most {} are allowed",
                                     *manifestBytes, kMaxManifestBytes));
  }
  if (!parent->empty()) {
    version.parentDigest = digestFromHex(*parent);
    if (!version.parentDigest) return damaged(name, "its parent is no digest");
  }
  if (record.contains("base") && version.parentDigest) {
    version.base = baseElsewhereOf(record["base"], *version.parentDigest);
    if (!version.base) return damaged(name, "says of its base what cannot be fetched");
  }
  if (record.contains("signature")) {
    version.signature = signatureOf(record["signature"]);
    if (!version.signature) return damaged(name, "names a malformed place of its signature");
  }
  version.packs = *packs;
  version.scores = *scores;
  version.manifestBytes = *manifestBytes;
  version.originalBytes = *originalBytes;
  version.format = *format;
  version.lossy = lossy.get<bool>();
  const Json& weightsOnly = anyMember(record, "weights_only");
  version.isWeightsOnly = version.lossy && weightsOnly.is_boolean() && weightsOnly.get<bool>();
  return version;
}

Result<TagRef> parseRemoteTag(const std::string& name, const RefText& text) {
  STRATA_TRY(const Json record, parseRecord(name, text, "tag"));
  auto ref = parseEmbeddedTagRef(record["ref"]);
  if (!ref) return fail(ref.error().within("remote ref " + name));
  if (refNameOf(*ref) != name || !checkName(ref->name) || !checkTag(ref->tag) ||
      !checkText("note", ref->note)) {
    return damaged(name, fmt::format("is the ref of {}:{}", ref->name, ref->tag));
  }
  return ref;
}

}  // namespace strata
