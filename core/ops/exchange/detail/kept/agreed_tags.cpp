#include "core/ops/exchange/detail/kept/agreed_tags.h"

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/exchange/asked_lists.h"
#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/ops/exchange/detail/kept/remote_file.h"
#include "core/ops/exchange/fetch_remote.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

fs::path tagsFile(const fs::path& storeFolder, const std::string& name) {
  return remoteFile(storeFolder, name, ".tags");
}

/// Not beside the tags in their file: a program that knows only tags writes that file anew.
fs::path notesFile(const fs::path& storeFolder, const std::string& name) {
  return remoteFile(storeFolder, name, ".notes");
}

using Json = nlohmann::json;

constexpr const char* kCheck = "check";  // no label: those have a colon

std::string checkOf(const Json& kept) {
  const std::string text = kept.dump();
  return toHex(sha256(std::as_bytes(std::span(text))));
}

/// Fails with NotFound, and with CorruptData. What earlier programs wrote has no check.
Result<Json> read(const fs::path& file) {
  STRATA_TRY(checkIsOwnFile(file));
  STRATA_TRY(const MappedFile mapped, MappedFile::open(file));
  const auto bytes = mapped.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  STRATA_TRY(Json kept, parseJson(text, file.string()));
  if (!kept.is_object()) return fail(ErrorCode::CorruptData, file.string() + ": is no JSON object");
  const auto check = textMember(kept, kCheck);
  kept.erase(kCheck);
  if (!check || *check == checkOf(kept)) return kept;
  return fail(ErrorCode::CorruptData, file.string() + ": does not match its check");
}

Result<void> write(const fs::path& storeFolder, const fs::path& file, Json kept) {
  STRATA_TRY(makeStoreFolder(file.parent_path()));
  STRATA_TRY(makeRoomFor(file));
  kept[kCheck] = checkOf(kept);
  return writeFileWhole(storeFolder / "tmp", file, kept.dump());
}

Error notKept(Error error) {
  error.message +=
      "; which tags and notes were agreed on with the remote is not kept here, so "
      "what others move or take off there may be said wrongly; fetch keeps it";
  return error;
}

/// Whether files of what was agreed on have to be there.
bool hasAgreed(const fs::path& storeFolder, const std::string& name) {
  const auto marks = readMarks(storeFolder, name);
  if (!marks) return true;
  return *marks ? (*marks)->hasAgreed : isListLost(storeFolder, name);
}

/// What is wrong with a file; nothing for a sound one, or where there was none yet.
std::optional<std::string> problemOf(const Result<Json>& kept, const fs::path& file,
                                     const fs::path& storeFolder, const std::string& name) {
  if (kept) return std::nullopt;
  if (kept.error().code != ErrorCode::NotFound) return kept.error().message;
  if (!hasAgreed(storeFolder, name)) return std::nullopt;
  return file.string() + ": is missing";
}

/// What is in doubt is null. Programs that do not know that leave it out: both sides moved it then.
template <typename Value>
nlohmann::json toJson(const std::map<std::string, std::optional<Value>>& agreed) {
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [label, value] : agreed) {
    kept[label] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  return kept;
}

/// What is lost says by itself that it is in doubt: its file stays as it is. keepAgreed alone,
/// which knows all of the remote, writes it anew.
Result<void> writeAgreed(const fs::path& storeFolder, const std::string& name,
                         const Agreed& agreed) {
  if (!agreed.areTagsLost) {
    Json tags = toJson(agreed.tags);
    for (const std::string& label : agreed.perhapsTaken) tags[label] = false;
    STRATA_TRY(write(storeFolder, tagsFile(storeFolder, name), std::move(tags)).map_error(notKept));
  }
  if (agreed.areNotesLost) return {};
  return write(storeFolder, notesFile(storeFolder, name), toJson(agreed.notes)).map_error(notKept);
}

std::set<std::string> labelsOf(const RemoteLibrary& library) {
  std::set<std::string> labels;
  for (const TagRef& tag : library.tags) labels.insert(labelOf(tag));
  return labels;
}

/// Tags and notes that seem to be moved there alone may be older ones, and tags that `former` has
/// and the list lacks may be lost. `former`: nothing where the last list is not known.
Agreed doubted(Agreed agreed, const Store& store, const std::optional<RefListing>& former,
               const RefListing& listing) {
  const RemoteLibrary library = RemoteLibrary::from(listing);
  const auto matching = VersionMatching::load(store.catalog(), library);
  if (!matching) return agreed;
  const auto tags = TagMatching::load(store.catalog(), *matching, agreed);
  if (!tags) return agreed;
  for (const TagRef& tag : library.tags) {
    if (tags->changeOf(tag) == TagChange::There) agreed.tags[labelOf(tag)].reset();
  }
  const std::set<std::string> there = labelsOf(library);
  const auto before = former ? std::optional(labelsOf(RemoteLibrary::from(*former))) : std::nullopt;
  for (auto& [label, number] : agreed.tags) {
    // One that the last list lacked was taken off.
    if (!there.contains(label) && (!before || before->contains(label))) number.reset();
  }
  for (const RemoteVersion& version : library.versions) {
    const VersionEntry* const here = matching->here(version);
    const bool isDoubtful =
        here != nullptr && noteChange(agreed.notes, *here, version) == NoteChange::There;
    if (isDoubtful) agreed.notes[version.ref.label()].reset();
  }
  return agreed;
}

bool isDoubtful(const std::optional<KeptMarks>& former, const RefListing& listing) {
  if (former && isOtherRemote(former->identity, listing)) return true;
  return listing.mendedAbove > 0 && (!former || listing.mendedAbove != former->mendedAbove);
}

/// Every note that differs, where the file of the notes is lost.
void doubtLostNotes(AgreedNotes& notes, const VersionMatching& matching,
                    const RemoteLibrary& library) {
  for (const RemoteVersion& version : library.versions) {
    const VersionEntry* const here = matching.here(version);
    const bool differs = here != nullptr && here->note != version.ref.note;
    if (differs) notes.insert_or_assign(version.ref.label(), std::nullopt);
  }
}

/// Nothing where the list gives no reason for doubt. The list that the store kept is read only
/// where there is one: it may be long.
std::optional<Agreed> doubtsOf(const Store& store, const std::string& name,
                               const RefListing& listing) {
  if (name.empty()) return std::nullopt;
  const auto marks = readMarks(store.folder(), name).value_or(std::nullopt);
  if (!isDoubtful(marks, listing)) return std::nullopt;
  const auto former = readFormer(store, name).value_or(std::nullopt);
  return doubted(readAgreed(store.folder(), name), store, former, listing);
}

}  // namespace

std::string labelOf(const TagRef& tag) { return tag.name + ":" + tag.tag; }

Agreed readAgreed(const fs::path& storeFolder, const std::string& name) {
  Agreed agreed;
  if (name.empty()) return agreed;
  const fs::path tagsPlace = tagsFile(storeFolder, name);
  const fs::path notesPlace = notesFile(storeFolder, name);
  const auto tags = read(tagsPlace);
  const auto notes = read(notesPlace);
  agreed.areTagsLost = problemOf(tags, tagsPlace, storeFolder, name).has_value();
  agreed.areNotesLost = problemOf(notes, notesPlace, storeFolder, name).has_value();
  if (tags) {
    for (const auto& [label, number] : tags->items()) {
      if (number.is_number_unsigned()) agreed.tags.emplace(label, number.get<std::uint32_t>());
      if (number.is_null()) agreed.tags.emplace(label, std::nullopt);
      if (number.is_boolean()) agreed.perhapsTaken.insert(label);
    }
  }
  if (notes) {
    for (const auto& [label, note] : notes->items()) {
      if (note.is_string()) agreed.notes.emplace(label, note.get<std::string>());
      if (note.is_null()) agreed.notes.emplace(label, std::nullopt);
    }
  }
  return agreed;
}

std::vector<LostAgreed> lostAgreed(const fs::path& storeFolder, const std::string& name) {
  std::vector<LostAgreed> all;
  for (const fs::path& file : {tagsFile(storeFolder, name), notesFile(storeFolder, name)}) {
    auto problem = problemOf(read(file), file, storeFolder, name);
    if (problem) all.push_back({file, *std::move(problem)});
  }
  return all;
}

bool hasAgreedFiles(const fs::path& storeFolder, const std::string& name) {
  std::error_code ignored;
  return fs::exists(tagsFile(storeFolder, name), ignored) ||
         fs::exists(notesFile(storeFolder, name), ignored);
}

bool rememberAgreed(const fs::path& storeFolder, const std::string& name) {
  const fs::path files[] = {tagsFile(storeFolder, name), notesFile(storeFolder, name)};
  return std::any_of(std::begin(files), std::end(files), [](const fs::path& file) {
    const auto kept = read(file);
    return kept ? !kept->empty() : kept.error().code != ErrorCode::NotFound;
  });
}

Result<void> keepAgreed(const Store& store, const std::string& name, const RemoteLibrary& library) {
  if (name.empty()) return {};
  const Agreed agreed = readAgreed(store.folder(), name);
  STRATA_TRY(const VersionMatching matching, VersionMatching::load(store.catalog(), library));
  STRATA_TRY(const TagMatching tags, TagMatching::load(store.catalog(), matching, {}));
  Agreed kept;
  for (const TagRef& tag : library.tags) {
    const std::string label = labelOf(tag);
    const auto known = agreed.tags.find(label);
    if (tags.changeOf(tag) == TagChange::None) {
      kept.tags.emplace(label, tag.number);
    } else if (known != agreed.tags.end()) {
      kept.tags.insert(*known);
    } else if (agreed.areTagsLost) {
      kept.tags.emplace(label, std::nullopt);
    }
  }
  // Of tags that were taken off the remote: else a push would put them back.
  const std::set<std::string> there = labelsOf(library);
  for (const auto& [label, number] : agreed.tags) {
    if (!there.contains(label) && tags.isHere(label)) kept.tags.emplace(label, number);
  }
  for (const std::string& label : tags.labelsHere()) {
    const bool isDoubtful = agreed.areTagsLost || agreed.perhapsTaken.contains(label);
    if (isDoubtful && !there.contains(label) && !agreed.tags.contains(label)) {
      kept.perhapsTaken.insert(label);
    }
  }
  kept.notes = agreedNotes(agreed.notes, matching, library);
  if (agreed.areNotesLost) doubtLostNotes(kept.notes, matching, library);
  return writeAgreed(store.folder(), name, kept);
}

Result<void> beginAgreed(const fs::path& storeFolder, const std::string& name) {
  if (hasAgreed(storeFolder, name)) return {};
  for (const fs::path& file : {tagsFile(storeFolder, name), notesFile(storeFolder, name)}) {
    std::error_code status;
    if (fs::exists(file, status)) continue;
    STRATA_TRY(write(storeFolder, file, Json::object()));
  }
  return {};
}

Agreed agreedFor(const Store& store, const std::string& name, const RefListing& listing) {
  auto doubts = doubtsOf(store, name, listing);
  Agreed agreed = doubts ? *std::move(doubts) : readAgreed(store.folder(), name);
  if (!agreed.areNotesLost) return agreed;
  const RemoteLibrary library = RemoteLibrary::from(listing);
  const auto matching = VersionMatching::load(store.catalog(), library);
  if (matching) doubtLostNotes(agreed.notes, *matching, library);
  return agreed;
}

Result<void> keepDoubts(const Store& store, const std::string& name, const RefListing& listing) {
  if (!hasAgreedFiles(store.folder(), name)) return {};  // there is nothing to doubt
  const auto doubts = doubtsOf(store, name, listing);
  return doubts ? writeAgreed(store.folder(), name, *doubts) : Result<void>();
}

Result<void> doubtAgreed(const Store& store, const std::string& name, const RefListing& former,
                         const RefListing& listing) {
  if (name.empty()) return {};
  const Agreed agreed = readAgreed(store.folder(), name);
  return writeAgreed(store.folder(), name, doubted(agreed, store, former, listing));
}

Result<void> doubtNotes(const Store& store, const std::string& name,
                        const std::vector<std::string>& labels) {
  if (name.empty() || labels.empty()) return {};
  Agreed agreed = readAgreed(store.folder(), name);
  for (const std::string& label : labels) agreed.notes[label].reset();
  return writeAgreed(store.folder(), name, agreed);
}

Result<TagMatching> TagMatching::load(const Catalog& catalog, const VersionMatching& matching,
                                      Agreed agreed) {
  TagMatching tags(matching);
  tags.agreed_ = std::move(agreed);
  STRATA_TRY(const std::vector<TagRef> here, catalog.tags());
  for (const TagRef& tag : here) {
    STRATA_TRY(const auto version, catalog.version(tag.name, tag.number));
    const RemoteVersion* const there = version ? matching.there(*version) : nullptr;
    tags.numbersThere_.emplace(labelOf(tag), there == nullptr ? 0 : there->ref.number);
    tags.here_.emplace(labelOf(tag), tag);
  }
  return tags;
}

const TagRef* TagMatching::here(const TagRef& there) const {
  const auto found = here_.find(labelOf(there));
  return found == here_.end() ? nullptr : &found->second;
}

std::uint32_t TagMatching::numberThere(const TagRef& here) const {
  const auto found = numbersThere_.find(labelOf(here));
  return found == numbersThere_.end() ? 0 : found->second;
}

std::vector<std::string> TagMatching::labelsHere() const {
  std::vector<std::string> labels;
  for (const auto& [label, tag] : here_) labels.push_back(label);
  return labels;
}

bool TagMatching::wasRemoved(const TagRef& there) const {
  const auto agreed = agreed_.tags.find(labelOf(there));
  if (here(there) != nullptr || agreed == agreed_.tags.end() || !agreed->second) return false;
  RemoteVersion had;
  had.ref.name = there.name;
  had.ref.number = *agreed->second;
  return matching_->here(had) != nullptr;
}

TagChange TagMatching::changeWhereGone(const TagRef& here) const {
  const auto agreed = agreed_.tags.find(labelOf(here));
  if (agreed == agreed_.tags.end()) {
    const bool isDoubtful = agreed_.areTagsLost || agreed_.perhapsTaken.contains(labelOf(here));
    return isDoubtful ? TagChange::Both : TagChange::Here;
  }
  const bool isAsAgreed = agreed->second == numberThere(here);
  return isAsAgreed ? TagChange::There : TagChange::Here;
}

TagChange TagMatching::changeOf(const TagRef& there) const {
  const auto agreed = agreed_.tags.find(labelOf(there));
  const bool isKnown = agreed != agreed_.tags.end();
  const bool stoodThere = isKnown && agreed->second == there.number;
  const TagRef* const mine = here(there);
  if (mine == nullptr) {
    if (!isKnown) return agreed_.areTagsLost ? TagChange::Both : TagChange::New;
    if (!agreed->second) return TagChange::Both;
    if (stoodThere) return TagChange::Here;
    return wasRemoved(there) ? TagChange::Both : TagChange::There;
  }
  const std::uint32_t number = numberThere(*mine);
  if (number == there.number) return TagChange::None;
  if (!isKnown) return TagChange::Both;
  if (stoodThere) return TagChange::Here;
  return agreed->second == number ? TagChange::There : TagChange::Both;
}

}  // namespace strata
