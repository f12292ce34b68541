#include "core/ops/detail/agreed_tags.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/detail/remote_file.h"
#include "core/text/json_text.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

/// What neither side says: then both have moved.
constexpr std::uint32_t kNoNumber = std::numeric_limits<std::uint32_t>::max();
constexpr const char* kNoNote = "\x01 not known";

fs::path tagsFile(const fs::path& storeFolder, const std::string& name) {
  return remoteFile(storeFolder, name, ".tags");
}

/// Not beside the tags in their file: a program that knows only tags writes that file anew.
fs::path notesFile(const fs::path& storeFolder, const std::string& name) {
  return remoteFile(storeFolder, name, ".notes");
}

Result<nlohmann::json> read(const fs::path& file) {
  STRATA_TRY(const MappedFile mapped, MappedFile::open(file));
  const auto bytes = mapped.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return parseJson(text, file.string());
}

void write(const fs::path& storeFolder, const fs::path& file, const nlohmann::json& kept) {
  if (!makeStoreFolder(file.parent_path())) return;
  static_cast<void>(writeFileWhole(storeFolder / "tmp", file, kept.dump()));
}

}  // namespace

std::string labelOf(const TagRef& tag) { return tag.name + ":" + tag.tag; }

Agreed readAgreed(const fs::path& storeFolder, const std::string& name) {
  Agreed agreed;
  if (name.empty()) return agreed;
  if (const auto tags = read(tagsFile(storeFolder, name))) {
    for (const auto& [label, number] : tags->items()) {
      if (number.is_number_unsigned()) agreed.tags.emplace(label, number.get<std::uint32_t>());
    }
  }
  if (const auto notes = read(notesFile(storeFolder, name))) {
    for (const auto& [label, note] : notes->items()) {
      if (note.is_string()) agreed.notes.emplace(label, note.get<std::string>());
    }
  }
  return agreed;
}

void keepAgreed(const Store& store, const std::string& name, const RemoteLibrary& library) {
  if (name.empty()) return;
  const Agreed agreed = readAgreed(store.folder(), name);
  const auto matching = VersionMatching::load(store.catalog(), library);
  if (!matching) return;
  const auto tags = TagMatching::load(store.catalog(), *matching, {});
  if (!tags) return;
  nlohmann::json kept = nlohmann::json::object();
  std::set<std::string> there;
  for (const TagRef& tag : library.tags) {
    const std::string label = labelOf(tag);
    there.insert(label);
    const auto known = agreed.tags.find(label);
    if (tags->changeOf(tag) == TagChange::None) {
      kept[label] = tag.number;
    } else if (known != agreed.tags.end()) {
      kept[label] = known->second;
    }
  }
  // Of tags that were taken off the remote: else a push would put them back.
  for (const auto& [label, number] : agreed.tags) {
    if (!there.contains(label) && tags->isHere(label)) kept[label] = number;
  }
  nlohmann::json notes = nlohmann::json::object();
  for (const auto& [label, note] : agreedNotes(agreed.notes, *matching, library)) {
    notes[label] = note;
  }
  write(store.folder(), tagsFile(store.folder(), name), kept);
  write(store.folder(), notesFile(store.folder(), name), notes);
}

void doubtAgreed(const Store& store, const std::string& name, const RefListing& listing) {
  if (name.empty()) return;
  const RemoteLibrary library = RemoteLibrary::from(listing);
  Agreed agreed = readAgreed(store.folder(), name);
  const auto matching = VersionMatching::load(store.catalog(), library);
  if (!matching) return;
  const auto tags = TagMatching::load(store.catalog(), *matching, agreed.tags);
  if (!tags) return;
  for (const TagRef& tag : library.tags) {
    if (tags->changeOf(tag) == TagChange::There) agreed.tags[labelOf(tag)] = kNoNumber;
  }
  for (const RemoteVersion& there : library.versions) {
    const VersionEntry* const here = matching->here(there);
    const bool isDoubtful =
        here != nullptr && noteChange(agreed.notes, *here, there) == NoteChange::There;
    if (isDoubtful) agreed.notes[there.ref.label()] = kNoNote;
  }
  write(store.folder(), tagsFile(store.folder(), name), agreed.tags);
  write(store.folder(), notesFile(store.folder(), name), agreed.notes);
}

void renameAgreed(const fs::path& storeFolder, const std::string& name,
                  const std::string& newName) {
  std::error_code ignored;
  fs::rename(tagsFile(storeFolder, name), tagsFile(storeFolder, newName), ignored);
  fs::rename(notesFile(storeFolder, name), notesFile(storeFolder, newName), ignored);
}

void forgetAgreed(const fs::path& storeFolder, const std::string& name) {
  std::error_code ignored;
  fs::remove(tagsFile(storeFolder, name), ignored);
  fs::remove(notesFile(storeFolder, name), ignored);
}

Result<TagMatching> TagMatching::load(const Catalog& catalog, const VersionMatching& matching,
                                      AgreedTags agreed) {
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

TagChange TagMatching::changeWhereGone(const TagRef& here) const {
  const auto agreed = agreed_.find(labelOf(here));
  const bool isAsAgreed = agreed != agreed_.end() && agreed->second == numberThere(here);
  return isAsAgreed ? TagChange::There : TagChange::Here;
}

TagChange TagMatching::changeOf(const TagRef& there) const {
  const auto agreed = agreed_.find(labelOf(there));
  const bool isKnown = agreed != agreed_.end();
  const bool stoodThere = isKnown && agreed->second == there.number;
  const TagRef* const mine = here(there);
  if (mine == nullptr) {
    if (!isKnown) return TagChange::New;
    return stoodThere ? TagChange::Here : TagChange::There;
  }
  const std::uint32_t number = numberThere(*mine);
  if (number == there.number) return TagChange::None;
  if (!isKnown) return TagChange::Both;
  if (stoodThere) return TagChange::Here;
  return number == agreed->second ? TagChange::There : TagChange::Both;
}

}  // namespace strata
