#include "core/store/asked_remotes.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/temp_file.h"
#include "core/store/refs/ref_folder.h"
#include "core/store/store_places.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kPlaces = "places";
constexpr const char* kCheck = "check";
/// Beside a check of their own: earlier programs know neither.
constexpr const char* kLists = "lists";
constexpr const char* kListsCheck = "lists_check";

std::string checkOf(const Json& json) {
  const std::string text = json.dump();
  return toHex(sha256(std::as_bytes(std::span(text))));
}

/// Whether a part of the file is what its check says.
bool isSound(const Json& json, const char* part, const char* check) {
  const Json& found = anyMember(json, part);
  const auto said = textMember(json, check);
  return found.is_object() && said && *said == checkOf(found);
}

std::string digitsOf(const Digest& content) {
  return toHex(content).substr(0, LastNumber::kFormerDigits);
}

std::optional<std::uint32_t> numberOf(const std::string& text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  const bool isNumber = error == std::errc() && at == end && number > 0;
  return isNumber ? std::optional(number) : std::nullopt;
}

std::optional<AskedRemotes::Names> namesOf(const Json& place) {
  if (!place.is_object()) return std::nullopt;
  AskedRemotes::Names names;
  for (const auto& [name, all] : place.items()) {
    if (!all.is_object()) return std::nullopt;
    AskedRemotes::Numbers& numbers = names[name];
    for (const auto& [text, digits] : all.items()) {
      const auto number = numberOf(text);
      if (!number || !digits.is_string()) return std::nullopt;
      numbers.emplace(*number, digits.get<std::string>());
    }
  }
  return names;
}

tl::unexpected<Error> damaged(const fs::path& file, std::string_view what) {
  return fail(ErrorCode::CorruptData,
              file.string() + ": " + std::string(what) +
                  "; which numbers remotes gave is not known; verify --repair makes it anew");
}

}  // namespace

fs::path AskedRemotes::fileOf(const fs::path& storeFolder) { return storeFolder / "asked.json"; }

Result<AskedRemotes> AskedRemotes::load(const fs::path& storeFolder) {
  const fs::path file = fileOf(storeFolder);
  STRATA_TRY(const auto problem, placeProblem(file, PlaceKind::File));
  if (problem) return fail(ErrorCode::CorruptData, file.string() + ": " + *problem);
  const auto mapped = MappedFile::open(file);
  if (!mapped && mapped.error().code == ErrorCode::NotFound) return AskedRemotes{};
  if (!mapped) return fail(mapped.error());
  const auto bytes = mapped->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto json = parseJson(text, file.string());
  if (!json) return damaged(file, "cannot be read");
  const bool hasLists = json->contains(kLists) || json->contains(kListsCheck);
  if (!isSound(*json, kPlaces, kCheck) || (hasLists && !isSound(*json, kLists, kListsCheck))) {
    return damaged(file, "does not match its check");
  }
  AskedRemotes asked;
  for (const auto& [place, stamp] : anyMember(*json, kLists).items()) {
    if (stamp.is_string()) asked.lists_.emplace(place, stamp.get<std::string>());
  }
  for (const auto& [place, member] : anyMember(*json, kPlaces).items()) {
    auto names = namesOf(member);
    if (!names) return damaged(file, "says something else than numbers");
    asked.places_.emplace(place, *std::move(names));
  }
  return asked;
}

Result<void> AskedRemotes::save(const fs::path& storeFolder) const {
  Json places = Json::object();
  for (const auto& [place, names] : places_) {
    Json& member = places[place] = Json::object();
    for (const auto& [name, numbers] : names) {
      Json& all = member[name] = Json::object();
      for (const auto& [number, digits] : numbers) all[std::to_string(number)] = digits;
    }
  }
  Json json{{kCheck, checkOf(places)}, {kPlaces, std::move(places)}};
  if (!lists_.empty()) {
    Json lists(lists_);
    json[kListsCheck] = checkOf(lists);
    json[kLists] = std::move(lists);
  }
  return writeFileWhole(storeFolder / "tmp", fileOf(storeFolder), json.dump());
}

void AskedRemotes::note(const std::string& place, const Names& names) {
  Names& known = places_[place];
  for (const auto& [name, numbers] : names) {
    for (const auto& [number, digits] : numbers) known[name].insert_or_assign(number, digits);
  }
}

void AskedRemotes::noteList(const std::string& place, std::string stamp) {
  lists_.insert_or_assign(place, std::move(stamp));
}

bool AskedRemotes::knowsList(const std::string& place, const std::string& stamp) const {
  const auto known = lists_.find(place);
  return known != lists_.end() && known->second == stamp;
}

bool AskedRemotes::knowsList(const std::string& stamp) const {
  return std::ranges::any_of(lists_, [&](const auto& one) { return one.second == stamp; });
}

bool AskedRemotes::noteAll(const AskedRemotes& other) {
  const auto before = places_;
  for (const auto& [place, names] : other.places_) note(place, names);
  for (const auto& [place, stamp] : other.lists_) noteList(place, stamp);
  return places_ != before;
}

std::vector<std::string> AskedRemotes::places() const {
  std::vector<std::string> all;
  for (const auto& [place, names] : places_) {
    if (!place.empty()) all.push_back(place);
  }
  return all;
}

void AskedRemotes::forget(const std::string& place) {
  lists_.erase(place);
  auto forgotten = places_.extract(place);
  if (!forgotten.empty() && !place.empty()) note({}, forgotten.mapped());
}

bool AskedRemotes::allows(std::string_view name, std::uint32_t number,
                          const Digest& content) const {
  const std::string digits = digitsOf(content);
  return std::all_of(places_.begin(), places_.end(), [&](const auto& place) {
    const auto numbers = place.second.find(name);
    if (numbers == place.second.end()) return true;
    const auto given = numbers->second.find(number);
    return given == numbers->second.end() || given->second == digits;
  });
}

bool AskedRemotes::isElsewhere(const std::string& place, std::string_view name,
                               std::uint32_t number, const Digest& content) const {
  const std::string digits = digitsOf(content);
  return std::any_of(places_.begin(), places_.end(), [&](const auto& other) {
    if (other.first == place) return false;
    const auto numbers = other.second.find(name);
    if (numbers == other.second.end()) return false;
    const auto given = numbers->second.find(number);
    return given != numbers->second.end() && given->second == digits;
  });
}

std::uint64_t AskedRemotes::nextFor(std::string_view name, std::uint64_t least,
                                    const Digest& content) const {
  const std::string digits = digitsOf(content);
  std::uint64_t above = least;
  std::optional<std::uint32_t> own;
  for (const auto& [place, names] : places_) {
    const auto numbers = names.find(name);
    if (numbers == names.end()) continue;
    for (const auto& [number, given] : numbers->second) {
      above = std::max<std::uint64_t>(above, std::uint64_t{number} + 1);
      const bool isOwn = given == digits && number >= least && (!own || number < *own) &&
                         allows(name, number, content);
      if (isOwn) own = number;
    }
  }
  return own ? *own : above;
}

}  // namespace strata
