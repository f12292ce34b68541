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

std::string checkOf(const Json& places) {
  const std::string text = places.dump();
  return toHex(sha256(std::as_bytes(std::span(text))));
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
  const Json& places = anyMember(*json, kPlaces);
  const auto check = textMember(*json, kCheck);
  const bool isSound = places.is_object() && check && *check == checkOf(places);
  if (!isSound) return damaged(file, "does not match its check");
  AskedRemotes asked;
  for (const auto& [place, member] : places.items()) {
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
  std::string check = checkOf(places);
  const Json json{{kPlaces, std::move(places)}, {kCheck, std::move(check)}};
  return writeFileWhole(storeFolder / "tmp", fileOf(storeFolder), json.dump());
}

void AskedRemotes::note(const std::string& place, const Names& names) {
  Names& known = places_[place];
  for (const auto& [name, numbers] : names) {
    for (const auto& [number, digits] : numbers) known[name].insert_or_assign(number, digits);
  }
}

bool AskedRemotes::noteAll(const AskedRemotes& other) {
  const AskedRemotes before = *this;
  for (const auto& [place, names] : other.places_) note(place, names);
  return !(*this == before);
}

void AskedRemotes::forget(const std::string& place) {
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
