#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/store/refs/embedded_ref.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/refs/ref_renumber.h"
#include "core/store/refs/reference.h"

namespace strata {
namespace {

using Json = nlohmann::json;

constexpr int kRefSchema = 1;
/// Of a change that gives versions other numbers: a program that knows the first one alone would
/// leave the old refs.
constexpr int kRenumberSchema = 2;

std::string checksumOf(std::string_view text) {
  return fmt::format("{:016x}", xxh3(std::as_bytes(std::span(text))));
}

constexpr std::string_view kHead = "{\"checksum\":\"";
constexpr std::string_view kMiddle = "\",\"ref\":";
constexpr std::string_view kTail = "}\n";
constexpr std::size_t kChecksumDigits = 16;

/// `{"checksum":"…","ref":…}`: always this spelling, so that reading need not parse before the
/// checksum is known to match.
std::string seal(const Json& ref) {
  const std::string body = ref.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{}{}{}{}{}", kHead, checksumOf(body), kMiddle, body, kTail);
}

tl::unexpected<Error> damaged(std::string_view why) {
  return fail(ErrorCode::CorruptData, std::string(why));
}

/// The content, if it is of the kind asked for.
Result<void> checkBody(const Json& ref, std::string_view kind, int newest = kRefSchema) {
  if (!ref.is_object()) return damaged("is no ref file");
  const auto schema = ref.find("schema");
  if (schema == ref.end() || !schema->is_number_integer()) return damaged("has no schema");
  if (*schema > newest) {
    return fail(ErrorCode::FormatTooNew, fmt::format("has schema {}, this program reads {}",
                                                     schema->get<std::int64_t>(), newest));
  }
  const auto kept = ref.find("kind");
  if (kept == ref.end() || *kept != kind) return damaged(fmt::format("is not of a {}", kind));
  return {};
}

/// The content of a sealed text, of the kind asked for.
Result<Json> unseal(std::string_view text, std::string_view kind, int newest = kRefSchema) {
  constexpr std::size_t kBodyAt = kHead.size() + kChecksumDigits + kMiddle.size();
  if (text.size() < kBodyAt + kTail.size() || !text.starts_with(kHead) || !text.ends_with(kTail) ||
      text.substr(kHead.size() + kChecksumDigits, kMiddle.size()) != kMiddle) {
    return damaged("is no ref file");
  }
  const std::string_view body = text.substr(kBodyAt, text.size() - kBodyAt - kTail.size());
  if (text.substr(kHead.size(), kChecksumDigits) != checksumOf(body)) {
    return damaged("does not match its checksum");
  }
  Json ref = Json::parse(body, nullptr, false);
  STRATA_TRY(checkBody(ref, kind, newest));
  return ref;
}

/// The same of a sealed text that was parsed: its spelling is canonical.
Result<const Json*> unseal(const Json& sealed, std::string_view kind) {
  const auto checksum = sealed.find("checksum");
  const auto ref = sealed.find("ref");
  const bool isSealed = sealed.is_object() && sealed.size() == 2 && checksum != sealed.end() &&
                        checksum->is_string() && ref != sealed.end();
  if (!isSealed) return damaged("is no ref file");
  const std::string body = ref->dump(-1, ' ', false, Json::error_handler_t::replace);
  if (*checksum != checksumOf(body)) return damaged("does not match its checksum");
  STRATA_TRY(checkBody(*ref, kind));
  return &*ref;
}

/// Reads fields and remembers the first that is missing or of another type.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  std::string text(const char* key) {
    const auto found = json_.find(key);
    if (found != json_.end() && found->is_string()) return found->get<std::string>();
    return blame(key), std::string{};
  }
  std::int64_t integer(const char* key) {
    const auto found = json_.find(key);
    if (found != json_.end() && found->is_number_integer()) return found->get<std::int64_t>();
    return blame(key), 0;
  }
  std::uint32_t number(const char* key) {
    const std::int64_t value = integer(key);
    if (value >= 1 && value <= 0xFFFF'FFFF) return static_cast<std::uint32_t>(value);
    return blame(key), 0;
  }
  Digest digest(const char* key) {
    const auto parsed = digestFromHex(text(key));
    if (parsed) return *parsed;
    return blame(key), Digest{};
  }
  std::string binary(const char* key) {
    const std::string hex = text(key);
    std::string bytes(hex.size() / 2, '\0');
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    if (hex.size() % 2 != 0 || hex.find_first_not_of("0123456789abcdef") != hex.npos) blame(key);
    if (bad_) return {};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<char>(value(hex[2 * i]) << 4 | value(hex[2 * i + 1]));
    }
    return bytes;
  }
  void blame(const char* key) {
    if (!bad_) bad_ = key;
  }
  Result<void> outcome() const {
    if (bad_) return damaged(fmt::format("field \"{}\" is missing or malformed", *bad_));
    return {};
  }

 private:
  const Json& json_;
  std::optional<std::string> bad_;
};

std::string hexOf(std::string_view bytes) {
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    hex += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
  }
  return hex;
}

Json tagJson(const TagRef& tag) {
  return {{"kind", "tag"},           {"schema", kRefSchema}, {"name", tag.name},
          {"tag", tag.tag},          {"number", tag.number}, {"note", tag.note},
          {"taggedAt", tag.taggedAt}};
}

Result<TagRef> tagFrom(const Json& json) {
  Fields fields(json);
  TagRef tag;
  tag.name = fields.text("name");
  tag.tag = fields.text("tag");
  tag.number = fields.number("number");
  tag.note = fields.text("note");
  tag.taggedAt = fields.integer("taggedAt");
  if (!checkName(tag.name)) fields.blame("name");
  if (!checkTag(tag.tag)) fields.blame("tag");
  STRATA_TRY(fields.outcome());
  return tag;
}

/// Nothing for a version that came with its packs.
Result<std::optional<AwaitedPacks>> awaitedFrom(const Json& json) {
  const auto found = json.find("awaited");
  if (found == json.end()) return std::nullopt;
  if (!found->is_object()) return damaged("field \"awaited\" is no object");
  Fields fields(*found);
  AwaitedPacks awaited{fields.text("remote"), fields.text("version")};
  STRATA_TRY(fields.outcome());
  const auto sizes = found->find("packBytes");
  if (sizes == found->end()) return awaited;  // an earlier program's
  if (!sizes->is_array()) return damaged("field \"packBytes\" is no list");
  for (const Json& size : *sizes) {
    if (!size.is_number_unsigned()) return damaged("field \"packBytes\" is no list of sizes");
    awaited.packBytes.push_back(size.get<std::uint64_t>());
  }
  return awaited;
}

Json versionJson(const VersionRef& ref) {
  Json json = {{"kind", "version"},
               {"schema", kRefSchema},
               {"name", ref.name},
               {"number", ref.number},
               {"content", toHex(ref.contentDigest)},
               {"manifest", toHex(ref.manifestDigest)},
               {"addedAt", ref.addedAt},
               {"removedAt", ref.removedAt},
               {"note", ref.note},
               {"license", ref.license},
               {"source", ref.sourceUrl},
               {"storedBytes", ref.storedBytes},
               {"probe", fmt::format("{:016x}", ref.probe)},
               {"signature", hexOf(ref.signature)},
               {"tags", Json::array()}};
  for (const TagRef& tag : ref.tags) json["tags"].push_back(tagJson(tag));
  if (ref.awaited) {
    json["awaited"] = {{"remote", ref.awaited->remote}, {"version", ref.awaited->reference}};
    if (!ref.awaited->packBytes.empty()) json["awaited"]["packBytes"] = ref.awaited->packBytes;
  }
  if (ref.isUnlisted) json["unlisted"] = true;
  return json;
}

/// The objects of a field that is a list of them.
Result<std::vector<Json>> listIn(const Json& json, const char* key) {
  const auto list = json.find(key);
  if (list == json.end() || !list->is_array()) {
    return damaged(fmt::format("field \"{}\" is no list", key));
  }
  for (const Json& one : *list) {
    if (!one.is_object()) return damaged(fmt::format("field \"{}\" is no list of objects", key));
  }
  return list->get<std::vector<Json>>();
}

Result<VersionRef> versionFrom(const Json& json) {
  Fields fields(json);
  VersionRef ref;
  ref.name = fields.text("name");
  ref.number = fields.number("number");
  ref.contentDigest = fields.digest("content");
  ref.manifestDigest = fields.digest("manifest");
  ref.addedAt = fields.integer("addedAt");
  ref.removedAt = fields.integer("removedAt");
  ref.note = fields.text("note");
  ref.license = fields.text("license");
  ref.sourceUrl = fields.text("source");
  ref.storedBytes = static_cast<std::uint64_t>(fields.integer("storedBytes"));
  for (const char c : fields.binary("probe")) {
    ref.probe = ref.probe << 8 | static_cast<unsigned char>(c);
  }
  ref.signature = fields.binary("signature");
  if (!checkName(ref.name)) fields.blame("name");
  STRATA_TRY(fields.outcome());
  STRATA_TRY(const std::vector<Json> tags, listIn(json, "tags"));
  for (const Json& one : tags) {
    STRATA_TRY(TagRef tag, tagFrom(one));
    ref.tags.push_back(std::move(tag));
  }
  STRATA_TRY(ref.awaited, awaitedFrom(json));
  const auto unlisted = json.find("unlisted");
  if (unlisted == json.end()) return ref;
  if (!unlisted->is_boolean()) return damaged("field \"unlisted\" is neither true nor false");
  // One that is live has its name, whatever an earlier program left in its ref.
  ref.isUnlisted = unlisted->get<bool>() && ref.removedAt != 0;
  return ref;
}

}  // namespace

std::string serializeVersionRef(const VersionRef& ref) { return seal(versionJson(ref)); }

Result<VersionRef> parseVersionRef(std::string_view text) {
  STRATA_TRY(const Json json, unseal(text, "version"));
  return versionFrom(json);
}

Result<VersionRef> parseEmbeddedVersionRef(const Json& embedded) {
  STRATA_TRY(const Json* const json, unseal(embedded, "version"));
  return versionFrom(*json);
}

Result<TagRef> parseEmbeddedTagRef(const Json& embedded) {
  STRATA_TRY(const Json* const json, unseal(embedded, "tag"));
  return tagFrom(*json);
}

std::string serializeTagRef(const TagRef& ref) { return seal(tagJson(ref)); }

std::string serializeLastNumber(std::string_view name, const LastNumber& last) {
  Json json = tagJson({std::string(name), "last", last.number, last.movedTo});
  Json& former = json["former"] = Json::object();  // also an empty one: see parseLastNumber
  for (const auto& [number, content] : last.former) former[std::to_string(number)] = content;
  if (last.unknownTo != 0) json["unknownTo"] = last.unknownTo;
  for (const auto& [number, source] : last.sources)
    json["sources"][std::to_string(number)] = source;
  return seal(json);
}

namespace {

/// An object of numbers up to `highest` and texts.
Result<std::map<std::uint32_t, std::string>> numberedTexts(const Json& json, const char* field,
                                                           std::uint32_t highest) {
  std::map<std::uint32_t, std::string> texts;
  const auto found = json.find(field);
  if (found == json.end()) return texts;
  if (!found->is_object()) return damaged(fmt::format("field \"{}\" is no object", field));
  for (const auto& [key, content] : found->items()) {
    std::uint32_t number = 0;
    const auto parsed = std::from_chars(key.data(), key.data() + key.size(), number);
    const bool isWhole = parsed.ec == std::errc() && parsed.ptr == key.data() + key.size();
    if (!isWhole || number == 0 || number > highest || !content.is_string()) {
      return damaged(fmt::format("field \"{}\" is no list of numbers and contents", field));
    }
    texts.emplace(number, content.get<std::string>());
  }
  return texts;
}

}  // namespace

Result<LastNumber> parseLastNumber(std::string_view text) {
  STRATA_TRY(const Json json, unseal(text, "tag"));
  STRATA_TRY(TagRef ref, tagFrom(json));
  LastNumber last{ref.number, std::move(ref.note)};
  if (json.contains("unknownTo")) {
    Fields fields(json);
    last.unknownTo = fields.number("unknownTo");
    STRATA_TRY(fields.outcome());
  }
  STRATA_TRY(last.sources, numberedTexts(json, "sources", last.number));
  // An earlier program's did not keep what its numbers stood for.
  if (!json.contains("former")) last.unknownTo = last.number;
  STRATA_TRY(last.former, numberedTexts(json, "former", last.number));
  return last;
}

bool LastNumber::allows(std::uint32_t one, const Digest& content) const {
  const auto had = former.find(one);
  if (had == former.end()) return one > unknownTo;
  return had->second == toHex(content).substr(0, kFormerDigits);
}

Result<TagRef> parseTagRef(std::string_view text) {
  STRATA_TRY(const Json json, unseal(text, "tag"));
  return tagFrom(json);
}

namespace {

Result<std::vector<VersionRef>> renumberedFrom(const Json& json, const RefChange& change) {
  std::vector<VersionRef> all;
  STRATA_TRY(const std::vector<Json> renumbered, listIn(json, "renumbered"));
  for (const Json& one : renumbered) {
    STRATA_TRY(VersionRef left, versionFrom(one));
    const bool isThere =
        all.size() < change.versions.size() && isRenumbered(left, change.versions[all.size()]);
    if (!isThere) return damaged("field \"renumbered\" names what is no version of the change");
    all.push_back(std::move(left));
  }
  return all;
}

}  // namespace

std::string serializeRefChange(const RefChange& change) {
  Json json = {{"kind", "change"},
               {"schema", change.renumbered.empty() ? kRefSchema : kRenumberSchema},
               {"versions", Json::array()},
               {"tags", Json::array()}};
  for (const VersionRef& ref : change.versions) json["versions"].push_back(versionJson(ref));
  for (const TagRef& tag : change.tags) json["tags"].push_back(tagJson(tag));
  for (const TagRef& tag : change.erasedTags) json["erasedTags"].push_back(tagJson(tag));
  for (const VersionRef& ref : change.renumbered) json["renumbered"].push_back(versionJson(ref));
  if (!change.operation.empty()) json["operation"] = change.operation;
  return seal(json);
}

Result<RefChange> parseRefChange(std::string_view text) {
  STRATA_TRY(const Json json, unseal(text, "change", kRenumberSchema));
  STRATA_TRY(const std::vector<Json> versions, listIn(json, "versions"));
  STRATA_TRY(const std::vector<Json> tags, listIn(json, "tags"));
  RefChange change;
  for (const Json& one : versions) {
    STRATA_TRY(VersionRef ref, versionFrom(one));
    change.versions.push_back(std::move(ref));
  }
  for (const Json& one : tags) {
    STRATA_TRY(TagRef tag, tagFrom(one));
    change.tags.push_back(std::move(tag));
  }
  if (json.contains("erasedTags")) {
    STRATA_TRY(const std::vector<Json> erased, listIn(json, "erasedTags"));
    for (const Json& one : erased) {
      STRATA_TRY(TagRef tag, tagFrom(one));
      change.erasedTags.push_back(std::move(tag));
    }
  }
  if (json.contains("renumbered")) {
    STRATA_TRY(change.renumbered, renumberedFrom(json, change));
  }
  const auto operation = json.find("operation");
  if (operation != json.end() && operation->is_string()) {
    change.operation = operation->get<std::string>();
  }
  return change;
}

}  // namespace strata
