#include "core/store/refs/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include "core/store/refs/ref_renumber.h"
#include "core/store/refs/reference.h"
#include "core/store/store_writer.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

using Json = nlohmann::json;
using Where = VersionState::Where;

constexpr std::string_view kOwnKinds[] = {"verify", "settle", "rebuild", "arrival"};

constexpr const char* kPlaces[] = {"absent", "live", "trash"};

std::string randomToken() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}", device(), device());
}

/// As the refs have it now. Nothing where they cannot be read.
std::optional<VersionState> stateNow(const RefFolder& refs, const VersionRef& ref) {
  for (const Place place : {Place::Live, Place::Trash}) {
    const auto now = refs.readVersion(ref.name, ref.number, place);
    if (now) return VersionState::of(*now);
    if (now.error().code != ErrorCode::NotFound) return std::nullopt;
  }
  return VersionState{};
}

/// Adds a tag's step; false if the tag as it is cannot be read.
bool addTagStep(Operation& operation, const RefFolder& refs, const TagRef& tag,
                const std::optional<TagRef>& after) {
  for (TagStep& known : operation.tags) {
    if (known.name != tag.name || known.tag != tag.tag) continue;
    if (after) known.after = after;
    return true;
  }
  TagStep step{tag.name, tag.tag, std::nullopt, after};
  const auto now = refs.readTag(tag.name, tag.tag);
  if (now) {
    step.before = *now;
  } else if (now.error().code != ErrorCode::NotFound) {
    return false;
  }
  operation.tags.push_back(std::move(step));
  return true;
}

bool addAll(Operation& operation, const RefFolder& refs, const RefChange& change) {
  for (const VersionRef& ref : change.versions) {
    const auto before = stateNow(refs, ref);
    if (!before) return false;
    operation.versions.push_back(
        {ref.name, ref.number, ref.contentDigest, *before, VersionState::of(ref)});
    if (ref.place() == Place::Live) continue;
    for (const TagRef& tag : ref.tags) {
      if (!addTagStep(operation, refs, tag, std::nullopt)) return false;
    }
  }
  for (const VersionRef& left : change.renumbered) {
    operation.versions.push_back(
        {left.name, left.number, left.contentDigest, VersionState::of(left), {}});
  }
  for (const TagRef& tag : change.tags) {
    if (!addTagStep(operation, refs, tag, tag)) return false;
  }
  for (const TagRef& tag : change.erasedTags) {
    if (!addTagStep(operation, refs, tag, std::nullopt)) return false;
  }
  return true;
}

Json stateJson(const VersionState& state) {
  if (state.where == Where::Absent) return nullptr;
  return {{"place", kPlaces[static_cast<int>(state.where)]},
          {"manifest", toHex(state.manifestDigest)},
          {"note", state.note},
          {"license", state.license},
          {"source", state.sourceUrl}};
}

std::optional<VersionState> stateFrom(const Json& json) {
  if (json.is_null()) return VersionState{};
  const auto place = textMember(json, "place");
  const auto manifest = digestFromHex(textMember(json, "manifest").value_or(""));
  const auto note = textMember(json, "note");
  const auto license = textMember(json, "license");
  const auto source = textMember(json, "source");
  if (!place || !manifest || !note || !license || !source) return std::nullopt;
  if (*place != kPlaces[1] && *place != kPlaces[2]) return std::nullopt;
  return VersionState{*place == kPlaces[1] ? Where::Live : Where::Trash, *manifest, *note, *license,
                      *source};
}

Json tagJson(const std::optional<TagRef>& tag) {
  if (!tag) return nullptr;
  return {{"number", tag->number}, {"note", tag->note}, {"at", tag->taggedAt}};
}

/// False for what is no tag.
bool readTag(const Json& json, TagStep& step, std::optional<TagRef>& tag) {
  if (json.is_null()) return true;
  const auto number = countMember(json, "number");
  const auto note = textMember(json, "note");
  const auto at = countMember(json, "at");
  if (!number || *number == 0 || *number > UINT32_MAX || !note || !at) return false;
  tag = TagRef{step.name, step.tag, static_cast<std::uint32_t>(*number), *note,
               static_cast<std::int64_t>(*at)};
  return true;
}

tl::unexpected<Error> damaged() {
  return fail(ErrorCode::CorruptData, "an entry of the log of operations cannot be read");
}

Result<void> readSteps(const Json& json, Operation& operation) {
  for (const Json& one : listMember(json, "versions")) {
    const auto content = digestFromHex(textMember(one, "content").value_or(""));
    const auto name = textMember(one, "name").value_or("");
    const auto number = countMember(one, "number");
    const auto before = stateFrom(anyMember(one, "before"));
    const auto after = stateFrom(anyMember(one, "after"));
    if (!content || !number || *number == 0 || *number > UINT32_MAX || !before || !after ||
        !checkName(name)) {
      return damaged();
    }
    operation.versions.push_back(
        {name, static_cast<std::uint32_t>(*number), *content, *before, *after});
  }
  for (const Json& one : listMember(json, "tags")) {
    TagStep step{textMember(one, "name").value_or(""), textMember(one, "tag").value_or(""), {}, {}};
    if (!checkName(step.name) || !checkTag(step.tag)) return damaged();
    if (!readTag(anyMember(one, "before"), step, step.before)) return damaged();
    if (!readTag(anyMember(one, "after"), step, step.after)) return damaged();
    operation.tags.push_back(std::move(step));
  }
  return {};
}

/// What a step of the same thing made of it later counts; each thing is looked up once.
template <typename Step, typename KeyOf>
void joinSteps(std::vector<Step>& earlier, const std::vector<Step>& later, const KeyOf& keyOf) {
  std::map<decltype(keyOf(later.front())), std::size_t> places;
  for (std::size_t i = 0; i < earlier.size(); ++i) places.emplace(keyOf(earlier[i]), i);
  for (const Step& step : later) {
    const auto [known, isNew] = places.emplace(keyOf(step), earlier.size());
    if (isNew) {
      earlier.push_back(step);
    } else {
      earlier[known->second].after = step.after;
    }
  }
}

/// Of a list as labelsOf() makes it: "sst2:v1, sst2:v2".
std::vector<std::string_view> wordsOf(std::string_view list) {
  constexpr std::string_view kComma = ", ";
  std::vector<std::string_view> words;
  for (std::size_t end = 0; end != list.npos;) {
    end = list.find(kComma);
    words.push_back(list.substr(0, end));
    if (end != list.npos) list.remove_prefix(end + kComma.size());
  }
  return words;
}

std::string stepText(const VersionStep& step) {
  const auto said = [&](std::string_view what) {
    return fmt::format("{}: {}", step.label(), what);
  };
  if (step.before.where == Where::Absent) return said("new");
  if (step.before.where != step.after.where) {
    return said(step.after.where == Where::Trash ? "to the trash" : "out of the trash");
  }
  if (step.before.manifestDigest != step.after.manifestDigest) return said("coded anew");
  return said(step.before.note == step.after.note ? "source" : "note");
}

std::string stepText(const TagStep& step) {
  const auto where = [](const std::optional<TagRef>& tag) {
    return tag ? fmt::format("v{}", tag->number) : std::string("none");
  };
  return fmt::format("tag {}:{}: {} -> {}", step.name, step.tag, where(step.before),
                     where(step.after));
}

}  // namespace

VersionState VersionState::of(const VersionRef& ref) {
  return {ref.place() == Place::Live ? Where::Live : Where::Trash, ref.manifestDigest, ref.note,
          ref.license, ref.sourceUrl};
}

bool isOwnKind(std::string_view kind) noexcept {
  return std::find(std::begin(kOwnKinds), std::end(kOwnKinds), kind) != std::end(kOwnKinds);
}

Operation makeOperation(std::string_view kind, std::string_view detail) {
  Operation operation;
  operation.at = currentTime();
  operation.kind = kind;
  operation.detail = detail;
  operation.token = randomToken();
  return operation;
}

std::string makeCommandToken() { return randomToken(); }

bool extend(Operation& earlier, const Operation& later) {
  const auto hasSteps = [](const Operation& one) {
    return !one.versions.empty() || !one.tags.empty();
  };
  if (!hasSteps(earlier) || !hasSteps(later)) return false;
  joinSteps(earlier.versions, later.versions,
            [](const VersionStep& step) { return std::pair(step.name, step.number); });
  joinSteps(earlier.tags, later.tags,
            [](const TagStep& step) { return std::pair(step.name, step.tag); });
  std::set<std::string_view> named;
  for (const std::string_view word : wordsOf(earlier.detail)) named.insert(word);
  std::string detail = earlier.detail;
  for (const std::string_view word : wordsOf(later.detail)) {
    if (named.insert(word).second) detail.append(", ").append(word);
  }
  earlier.detail = std::move(detail);
  return true;
}

void addSteps(Operation& operation, const RefFolder& refs, const RefChange& change) {
  if (addAll(operation, refs, change)) return;
  operation.versions.clear();
  operation.tags.clear();
}

std::string serializeOperation(const Operation& operation) {
  Json json{{"kind", operation.kind},
            {"detail", operation.detail},
            {"at", operation.at},
            {"token", operation.token},
            {"versions", Json::array()},
            {"tags", Json::array()},
            {"from", operation.renamedFrom},
            {"to", operation.renamedTo},
            {"command", operation.command},
            {"reverted", operation.reverted},
            {"undoes", operation.undoes}};
  for (const VersionStep& step : operation.versions) {
    json["versions"].push_back({{"name", step.name},
                                {"number", step.number},
                                {"content", toHex(step.contentDigest)},
                                {"before", stateJson(step.before)},
                                {"after", stateJson(step.after)}});
  }
  for (const TagStep& step : operation.tags) {
    json["tags"].push_back({{"name", step.name},
                            {"tag", step.tag},
                            {"before", tagJson(step.before)},
                            {"after", tagJson(step.after)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Operation> parseOperation(std::string_view text) {
  const auto json = parseJson(text, "an entry of the log of operations");
  if (!json) return fail(json.error());
  const auto kind = textMember(*json, "kind");
  const auto detail = textMember(*json, "detail");
  const auto at = countMember(*json, "at");
  const auto token = textMember(*json, "token");
  if (!kind || !detail || !at || !token) return damaged();
  Operation operation;
  operation.at = static_cast<std::int64_t>(*at);
  operation.kind = *kind;
  operation.detail = *detail;
  operation.token = *token;
  operation.renamedFrom = textMember(*json, "from").value_or("");
  operation.renamedTo = textMember(*json, "to").value_or("");
  operation.command = textMember(*json, "command").value_or("");
  operation.reverted = textMember(*json, "reverted").value_or("");
  operation.undoes = anyMember(*json, "undoes") == true;
  for (const std::string* name : {&operation.renamedFrom, &operation.renamedTo}) {
    if (!name->empty() && !checkName(*name)) return damaged();
  }
  STRATA_TRY(readSteps(*json, operation));
  return operation;
}

std::vector<std::string> stepTexts(const Operation& operation) {
  std::vector<std::string> texts;
  const std::vector<NumberStep> renumbered = numberSteps(operation, false);
  for (const NumberStep& step : renumbered) {
    texts.push_back(fmt::format("{0}:v{1} -> {0}:v{2}", step.name, step.from, step.to));
  }
  for (const VersionStep& step : operation.versions) {
    if (renumbered.empty()) texts.push_back(stepText(step));
  }
  for (const TagStep& step : operation.tags) texts.push_back(stepText(step));
  if (!operation.renamedFrom.empty()) {
    texts.push_back(fmt::format("name {} -> {}", operation.renamedFrom, operation.renamedTo));
  }
  return texts;
}

}  // namespace strata
