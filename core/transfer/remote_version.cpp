#include "core/transfer/remote_version.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/evaluate/score_change.h"
#include "core/store/reference.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxPacks = 10'000;
constexpr std::size_t kMaxScores = 100;
constexpr std::uint32_t kMaxNumber = 999'999'999;

tl::unexpected<Error> damaged(const std::string& name, std::string_view why) {
  return fail(ErrorCode::CorruptData, fmt::format("remote ref {}: {}", name, why));
}

/// The text of a ref file, which is JSON in canonical form, as a member and back.
Json embed(const std::string& refFile) { return Json::parse(refFile, nullptr, false); }
std::string refFileOf(const Json& embedded) { return embedded.dump() + "\n"; }

Result<Json> parseRecord(const std::string& name, const RefText& text, std::string_view kind) {
  if (text.size() > kMaxRefBytes) {
    return damaged(name,
                   fmt::format("has {} bytes, at most {} are allowed", text.size(), kMaxRefBytes));
  }
  STRATA_TRY(Json record, parseJson(text, "remote ref " + name));
  if (!record.is_object() || record.value("kind", "") != kind || !record.contains("ref")) {
    return damaged(name, fmt::format("is not of a {}", kind));
  }
  return record;
}

bool isCount(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number_unsigned();
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
    if (!digest || !seen.insert(*digest).second) return std::nullopt;
    packs.push_back({*digest, pack[1].get<std::uint64_t>(), RemoteObject::Kind::Pack});
  }
  return packs;
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
    const Json reference = entry.is_object() ? entry.value("reference", Json()) : Json();
    const Json score = entry.is_object() ? entry.value("score", Json()) : Json();
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

std::string refNameOf(const VersionRef& version) {
  return fmt::format("{}/v{}", version.name, version.number);
}

std::string refNameOf(const TagRef& tag) { return fmt::format("{}/tags/{}", tag.name, tag.tag); }

RefText toRefText(const RemoteVersion& version) {
  VersionRef ref = version.ref;
  ref.awaited.reset();  // what this store lacks
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
  if (!version.scores.empty()) record["scores"] = scoresJson(version.scores);
  return record.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RefText toRefText(const TagRef& tag) {
  return Json{{"kind", "tag"}, {"ref", embed(serializeTagRef(tag))}}.dump();
}

Result<RemoteVersion> parseRemoteVersion(const std::string& name, const RefText& text) {
  STRATA_TRY(const Json record, parseRecord(name, text, "version"));
  auto ref = parseVersionRef(refFileOf(record["ref"]));
  if (!ref) return fail(ref.error().within("remote ref " + name));
  if (refNameOf(*ref) != name || !checkName(ref->name) || ref->number > kMaxNumber) {
    return damaged(name, fmt::format("is the ref of {}", ref->label()));
  }
  for (const std::string* words : {&ref->note, &ref->license, &ref->sourceUrl}) {
    if (!checkText("note", *words)) return damaged(name, "holds a malformed text");
  }
  RemoteVersion version;
  version.ref = *std::move(ref);
  version.ref.awaited.reset();
  const auto packs = packsOf(record.value("packs", Json()));
  const Json parent = record.value("parent", Json());
  const Json format = record.value("format", Json());
  const Json lossy = record.value("lossy", Json());
  const auto scores = scoresOf(record.value("scores", Json::array()));
  if (!packs || !scores || !parent.is_string() || !format.is_string() || !lossy.is_boolean() ||
      !isCount(record, "manifest_bytes") || !isCount(record, "original_bytes")) {
    return damaged(name, "lacks a field or has a malformed one");
  }
  if (!parent.get<std::string>().empty()) {
    version.parentDigest = digestFromHex(parent.get<std::string>());
    if (!version.parentDigest) return damaged(name, "its parent is no digest");
  }
  version.packs = *packs;
  version.scores = *scores;
  version.manifestBytes = record["manifest_bytes"].get<std::uint64_t>();
  version.originalBytes = record["original_bytes"].get<std::uint64_t>();
  version.format = format.get<std::string>();
  version.lossy = lossy.get<bool>();
  return version;
}

Result<TagRef> parseRemoteTag(const std::string& name, const RefText& text) {
  STRATA_TRY(const Json record, parseRecord(name, text, "tag"));
  auto ref = parseTagRef(refFileOf(record["ref"]));
  if (!ref) return fail(ref.error().within("remote ref " + name));
  if (refNameOf(*ref) != name || !checkName(ref->name) || !checkTag(ref->tag) ||
      !checkText("note", ref->note)) {
    return damaged(name, fmt::format("is the ref of {}:{}", ref->name, ref->tag));
  }
  return ref;
}

}  // namespace strata
