#include "core/ops/exchange/detail/agreed_tags.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/io/temp_file.h"
#include "core/ops/exchange/detail/remote_file.h"
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

/// What is in doubt is null. Programs that do not know that leave it out: both sides moved it then.
template <typename Value>
nlohmann::json toJson(const std::map<std::string, std::optional<Value>>& agreed) {
  nlohmann::json kept = nlohmann::json::object();
  for (const auto& [label, value] : agreed) {
    kept[label] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  return kept;
}

void writeAgreed(const fs::path& storeFolder, const std::string& name, const Agreed& agreed) {
  write(storeFolder, tagsFile(storeFolder, name), toJson(agreed.tags));
  write(storeFolder, notesFile(storeFolder, name), toJson(agreed.notes));
}

std::set<std::string> labelsOf(const RemoteLibrary& library) {
  std::set<std::string> labels;
  for (const TagRef& tag : library.tags) labels.insert(labelOf(tag));
  return labels;
}

/// Tags and notes that seem to be moved there alone may be older ones, and tags that `known` has
/// and the list lacks may be lost. `known`: nothing where the last list is not known.
Agreed doubted(Agreed agreed, const Store& store, const std::optional<RefListing>& known,
               const RefListing& listing) {
  const RemoteLibrary library = RemoteLibrary::from(listing);
  const auto matching = VersionMatching::load(store.catalog(), library);
  if (!matching) return agreed;
  const auto tags = TagMatching::load(store.catalog(), *matching, agreed.tags);
  if (!tags) return agreed;
  for (const TagRef& tag : library.tags) {
    if (tags->changeOf(tag) == TagChange::There) agreed.tags[labelOf(tag)].reset();
  }
  const std::set<std::string> there = labelsOf(library);
  const auto before = known ? std::optional(labelsOf(RemoteLibrary::from(*known))) : std::nullopt;
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

bool isMendedSince(const std::optional<RefListing>& known, const RefListing& listing) {
  return listing.mendedAbove > 0 && (!known || listing.mendedAbove != known->mendedAbove);
}

/// Nothing where the list was not mended since. What the store kept is read for mended lists alone:
/// it may be long.
std::optional<Agreed> doubtsOf(const Store& store, const std::string& name,
                               const RefListing& listing) {
  if (name.empty() || listing.mendedAbove == 0) return std::nullopt;
  const auto known = readKnown(store, name).value_or(std::nullopt);
  if (!isMendedSince(known, listing)) return std::nullopt;
  return doubted(readAgreed(store.folder(), name), store, known, listing);
}

}  // namespace

std::string labelOf(const TagRef& tag) { return tag.name + ":" + tag.tag; }

Agreed readAgreed(const fs::path& storeFolder, const std::string& name) {
  Agreed agreed;
  if (name.empty()) return agreed;
  if (const auto tags = read(tagsFile(storeFolder, name))) {
    for (const auto& [label, number] : tags->items()) {
      if (number.is_number_unsigned()) agreed.tags.emplace(label, number.get<std::uint32_t>());
      if (number.is_null()) agreed.tags.emplace(label, std::nullopt);
    }
  }
  if (const auto notes = read(notesFile(storeFolder, name))) {
    for (const auto& [label, note] : notes->items()) {
      if (note.is_string()) agreed.notes.emplace(label, note.get<std::string>());
      if (note.is_null()) agreed.notes.emplace(label, std::nullopt);
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
  Agreed kept;
  for (const TagRef& tag : library.tags) {
    const std::string label = labelOf(tag);
    const auto known = agreed.tags.find(label);
    if (tags->changeOf(tag) == TagChange::None) {
      kept.tags.emplace(label, tag.number);
    } else if (known != agreed.tags.end()) {
      kept.tags.insert(*known);
    }
  }
  // Of tags that were taken off the remote: else a push would put them back.
  const std::set<std::string> there = labelsOf(library);
  for (const auto& [label, number] : agreed.tags) {
    if (!there.contains(label) && tags->isHere(label)) kept.tags.emplace(label, number);
  }
  kept.notes = agreedNotes(agreed.notes, *matching, library);
  writeAgreed(store.folder(), name, kept);
}

Agreed agreedFor(const Store& store, const std::string& name, const RefListing& listing) {
  auto doubts = doubtsOf(store, name, listing);
  return doubts ? *std::move(doubts) : readAgreed(store.folder(), name);
}

void keepDoubts(const Store& store, const std::string& name, const RefListing& listing) {
  if (const auto doubts = doubtsOf(store, name, listing)) {
    writeAgreed(store.folder(), name, *doubts);
  }
}

void doubtAgreed(const Store& store, const std::string& name, const RefListing& known,
                 const RefListing& listing) {
  if (name.empty()) return;
  writeAgreed(store.folder(), name,
              doubted(readAgreed(store.folder(), name), store, known, listing));
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
    if (!agreed->second) return TagChange::Both;
    return stoodThere ? TagChange::Here : TagChange::There;
  }
  const std::uint32_t number = numberThere(*mine);
  if (number == there.number) return TagChange::None;
  if (!isKnown) return TagChange::Both;
  if (stoodThere) return TagChange::Here;
  return agreed->second == number ? TagChange::There : TagChange::Both;
}

}  // namespace strata
