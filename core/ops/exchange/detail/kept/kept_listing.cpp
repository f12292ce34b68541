#include "core/ops/exchange/detail/kept/kept_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/ops/exchange/detail/kept/remote_file.h"
#include "core/text/json_text.h"
#include "core/transfer/list_stamps_json.h"
#include "core/transfer/ref_index.h"
#include "core/transfer/ref_pages.h"

namespace strata {
namespace {

using Json = nlohmann::json;

/// Of all that is kept: because of it a remote is not asked again.
std::string checkOf(const Json& head, std::string_view list) {
  Sha256 hash;
  const std::string text = head.dump();
  hash.update(std::as_bytes(std::span(text)));
  hash.update(std::as_bytes(std::span(list)));
  return toHex(hash.finish());
}

Json pagesJson(const RefListing& listing) {
  Json pages = Json::array();
  if (listing.generation == 0) return pages;  // such lists have no pages
  for (const RefPage& page : pagesAfter(listing.refs, listing.pages)) {
    pages.push_back(Json::array({page.first, toHex(page.digest), page.byteCount, page.number}));
  }
  return pages;
}

/// Those that cannot be read are not known.
std::vector<RefPage> pagesOf(const Json& head) {
  std::vector<RefPage> pages;
  for (const Json& word : listMember(head, "pages")) {
    const bool isPage = word.is_array() && word.size() == 4 && word[0].is_string() &&
                        word[1].is_string() && word[2].is_number_unsigned() &&
                        word[3].is_number_unsigned();
    const auto digest = isPage ? digestFromHex(word[1].get<std::string>()) : std::nullopt;
    if (!digest) return {};
    pages.push_back({word[3].get<std::uint64_t>(), *digest, word[2].get<std::uint64_t>(),
                     word[0].get<std::string>()});
  }
  return pages;
}

/// The two parts of a text. The second is empty in what earlier programs wrote.
struct Kept {
  Json head;
  std::string_view list;
  bool isChecked = false;  ///< it has a check, which is right
};

Result<Kept> open(std::string_view text, std::string_view what) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  Kept kept;
  STRATA_TRY(kept.head, parseJson(text.substr(0, end), what));
  kept.list = text.substr(std::min(end + 1, text.size()));
  const auto check = textMember(kept.head, "check");
  if (check) kept.head.erase("check");
  const bool mayLackIt = kept.list.empty();
  kept.isChecked = check && *check == checkOf(kept.head, kept.list);
  if (!kept.isChecked && (check || !mayLackIt)) {
    return fail(ErrorCode::CorruptData, fmt::format("{}: does not match its check", what));
  }
  return kept;
}

std::string joined(Json head, std::string_view list) {
  head["check"] = checkOf(head, list);
  return fmt::format("{}\n{}", head.dump(), list);
}

/// All but the refs.
FetchedListing headOf(const Kept& kept) {
  FetchedListing fetched;
  fetched.listing.generation = countMember(kept.head, "generation").value_or(0);
  fetched.listing.endedSweeps = countMember(kept.head, "swept").value_or(0);
  fetched.listing.mendedAbove = countMember(kept.head, "mended").value_or(0);
  // What earlier programs kept tells what was there, and spares no question.
  if (kept.isChecked) {
    fetched.listing.revision = textMember(kept.head, "revision").value_or("");
    fetched.listing.etag = textMember(kept.head, "tag").value_or("");
    fetched.listing.pages = pagesOf(kept.head);
    fetched.listing.identity = textMember(kept.head, "id").value_or("");
    for (const Json& number : listMember(kept.head, "unseen")) {
      if (number.is_number_unsigned()) fetched.listing.unseen.insert(number.get<std::uint64_t>());
    }
    for (const Json& number : listMember(kept.head, "found")) {
      if (number.is_number_unsigned()) fetched.listing.found.insert(number.get<std::uint64_t>());
    }
    for (const auto& [name, text] : anyMember(kept.head, "missing").items()) {
      if (text.is_string()) fetched.listing.missing.emplace(name, text.get<std::string>());
    }
    fetched.listing.check = textMember(kept.head, "stamp").value_or("");
    fetched.listing.follows = stampsOf(anyMember(kept.head, "before"), 0);
    for (const Json& word : listMember(kept.head, "off")) {
      const auto content =
          word.is_string() ? digestFromHex(word.get<std::string>()) : std::optional<Digest>();
      if (content) fetched.listing.takenOff.insert(*content);
    }
    // An earlier program has left out what the next list has to say, too.
    if (!kept.head.contains("stamp")) fetched.listing.etag.clear();
    const auto versions = countMember(kept.head, "versions");
    const auto tags = countMember(kept.head, "tags");
    if (versions && tags) fetched.counts = {*versions, *tags};
  }
  fetched.fetchedAt = static_cast<std::int64_t>(countMember(kept.head, "fetched_at").value_or(0));
  return fetched;
}

}  // namespace

Result<std::string> keptText(const FetchedListing& fetched) {
  const RefListing& listing = fetched.listing;
  STRATA_TRY(const std::string list, serializeRefIndex(RefIndex{listing.refs}));
  Json head{{"fetched_at", fetched.fetchedAt},  {"revision", listing.revision},
            {"generation", listing.generation}, {"swept", listing.endedSweeps},
            {"mended", listing.mendedAbove},    {"tag", listing.etag},
            {"pages", pagesJson(listing)},      {"id", listing.identity},
            {"unseen", listing.unseen},         {"found", listing.found},
            {"stamp", listing.check},           {"agreed", true}};
  if (listing.follows) head["before"] = stampsJson(*listing.follows);
  for (const Digest& content : listing.takenOff) head["off"].push_back(toHex(content));
  for (const auto& [name, text] : listing.missing) head["missing"][name] = text;
  if (fetched.counts) {
    head["versions"] = fetched.counts->versions;
    head["tags"] = fetched.counts->tags;
  }
  return joined(std::move(head), list);
}

Result<FetchedListing> parseKept(std::string_view text, std::string_view what) {
  STRATA_TRY(const Kept kept, open(text, what));
  FetchedListing fetched = headOf(kept);
  if (kept.list.empty()) {
    STRATA_TRY(RefIndex index, parseRefIndex(textMember(kept.head, "index").value_or(""), what));
    fetched.listing.refs = std::move(index.refs);
  } else {
    STRATA_TRY(fetched.listing.refs, parseRefLines(kept.list, what));
  }
  return fetched;
}

Result<KeptMarks> parseMarks(std::string_view text, std::string_view what) {
  STRATA_TRY(const Kept kept, open(text, what));
  return KeptMarks{.generation = countMember(kept.head, "generation").value_or(0),
                   .mendedAbove = countMember(kept.head, "mended").value_or(0),
                   .identity = textMember(kept.head, "id").value_or(""),
                   .hasAgreed = kept.head.contains("agreed")};
}

Result<std::optional<KeptMarks>> readMarks(const std::filesystem::path& storeFolder,
                                           const std::string& name) {
  return marksUnder(storeFolder, leadingStem(storeFolder, name));
}

Result<std::optional<KeptMarks>> marksUnder(const std::filesystem::path& storeFolder,
                                            const std::string& stem) {
  const std::filesystem::path file = keptFile(storeFolder, stem, ".json");
  STRATA_TRY(checkIsOwnFile(file));
  const auto mapped = MappedFile::open(file);
  if (!mapped && mapped.error().code == ErrorCode::NotFound) return std::nullopt;
  if (!mapped) return fail(mapped.error());
  const auto bytes = mapped->bytes();
  STRATA_TRY(
      KeptMarks marks,
      parseMarks({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string()));
  return marks;
}

bool isOtherRemote(const std::string& identity, const RefListing& listing) {
  return !identity.empty() && !listing.identity.empty() && identity != listing.identity;
}

std::optional<FetchedListing> headKept(std::string_view text) {
  const auto kept = open(text, "");
  if (!kept || !kept->isChecked) return std::nullopt;
  return headOf(*kept);
}

Result<std::string> keptAgain(std::string_view text, std::int64_t fetchedAt) {
  STRATA_TRY(Kept kept, open(text, ""));
  kept.head["fetched_at"] = fetchedAt;
  return joined(std::move(kept.head), kept.list);
}

std::string listStamp(const RefListing& listing) {
  return fmt::format("{} {} {}", listing.generation, listing.revision, listing.check);
}

std::optional<std::string> stampKept(std::string_view text) {
  const auto head = parseJson(text.substr(0, text.find('\n')), "");
  if (!head || !head->is_object()) return std::nullopt;
  RefListing listing;
  listing.generation = countMember(*head, "generation").value_or(0);
  if (head->contains("check")) {
    listing.revision = textMember(*head, "revision").value_or("");
    listing.check = textMember(*head, "stamp").value_or("");
  }
  return listStamp(listing);
}

RefListing salvageKept(std::string_view text) {
  RefListing salvaged;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with(',')) line.remove_suffix(1);
    const auto refs =
        parseRefLines(fmt::format("{{\"format\":1,\"refs\":{{\n{}\n}}}}\n", line), "");
    if (refs) salvaged.refs.insert(refs->begin(), refs->end());
  }
  return salvaged;
}

}  // namespace strata
