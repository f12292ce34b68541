#include "core/ops/exchange/asked_lists.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/folder_mutex.h"
#include "core/io/mapped_file.h"
#include "core/io/store_modes.h"
#include "core/ops/exchange/detail/kept/kept_listing.h"
#include "core/ops/exchange/detail/kept/remote_file.h"
#include "core/store/asked_remotes.h"
#include "core/transfer/remote_config.h"
#include "core/transfer/remote_library.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";

bool isThere(const fs::path& file) {
  std::error_code ignored;
  return fs::symlink_status(file, ignored).type() != fs::file_type::not_found;
}

AskedRemotes::Names numbersIn(const RefListing& listing) {
  AskedRemotes::Names names;
  const RemoteLibrary library = RemoteLibrary::from(listing);
  for (const RemoteVersion* const version : library.all()) {
    const VersionRef& ref = version->ref;
    names[ref.name][ref.number] = toHex(ref.contentDigest).substr(0, LastNumber::kFormerDigits);
  }
  return names;
}

std::string_view textOf(const MappedFile& file) {
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<MappedFile> openList(const fs::path& storeFolder, const std::string& stem) {
  const fs::path file = keptFile(storeFolder, stem, kEnding);
  STRATA_TRY(checkIsOwnFile(file));
  return MappedFile::open(file);
}

/// Whether `asked` has the numbers of all lists that are kept and can be read.
bool knowsLists(const AskedRemotes& asked, const fs::path& storeFolder) {
  const std::vector<std::string> stems = stemsKept(storeFolder);
  // Without the list of remotes nobody knows the places of their names.
  const bool hasRemotes = RemoteList::load(storeFolder).has_value();
  return std::all_of(stems.begin(), stems.end(), [&](const std::string& stem) {
    const auto list = openList(storeFolder, stem);
    const auto stamp = list ? stampKept(textOf(*list)) : std::nullopt;
    if (!stamp) return true;
    return hasRemotes ? asked.knowsList(placeOf(storeFolder, stem), *stamp)
                      : asked.knowsList(*stamp);
  });
}

/// Whether the file names the place, also where it is damaged.
bool namesPlace(const fs::path& storeFolder, const std::string& place) {
  const fs::path file = AskedRemotes::fileOf(storeFolder);
  const auto mapped = checkIsOwnFile(file) ? MappedFile::open(file) : fail(ErrorCode::Io, "");
  return mapped && textOf(*mapped).find("\"" + place + "\"") != std::string_view::npos;
}

/// Of a remote under whose place something is kept; empty: of none.
std::string nameOf(const fs::path& storeFolder, const RemoteList& remotes,
                   const std::string& stem) {
  for (const RemoteConfig& remote : remotes.remotes) {
    const auto stems = stemsOfPlace(storeFolder, remote.name);
    if (std::find(stems.begin(), stems.end(), stem) != stems.end()) return remote.name;
  }
  return {};
}

/// Whether anything is kept of a remote: of one that was never asked there is nothing.
bool isAnyKept(const fs::path& storeFolder, const std::string& name) {
  constexpr std::string_view kEndings[] = {kEnding, ".tags", ".notes"};
  const std::vector<std::string> stems = stemsOfPlace(storeFolder, name);
  return std::any_of(stems.begin(), stems.end(), [&](const std::string& stem) {
    return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
      return isThere(keptFile(storeFolder, stem, ending));
    });
  });
}

/// What becomes of a list that cannot be read.
enum class Unreadable { Refused, Salvaged };

/// Adds what a list says that is kept under `stem`, of a remote `name`, which may be empty.
Result<void> noteKept(AskedRemotes& asked, const fs::path& storeFolder, const std::string& stem,
                      const std::string& name, Unreadable unreadable) {
  const std::string place = placeOf(storeFolder, stem);
  const auto list = openList(storeFolder, stem);
  const fs::path file = keptFile(storeFolder, stem, kEnding);
  const auto kept = list ? parseKept(textOf(*list), file.string()) : fail(list.error());
  if (kept) {
    asked.note(place, numbersIn(kept->listing));
    asked.noteList(place, listStamp(kept->listing));
    return {};
  }
  if (unreadable == Unreadable::Salvaged) {
    asked.note(place, list ? numbersIn(salvageKept(textOf(*list))) : AskedRemotes::Names{});
    return {};
  }
  // Of a place without a name nobody would mend it.
  if (name.empty()) return {};
  return fail(kept.error().code,
              kept.error().message + "; which numbers the remote gave is not known; strata fetch " +
                  name +
                  " mends it, and without a network strata verify --repair goes by what can be "
                  "read of it");
}

/// Of all lists that are kept. Where it was damaged, remotes count as asked of which anything is
/// kept, and those that it names.
Result<AskedRemotes> askedByLists(const fs::path& storeFolder, bool wasDamaged,
                                  Unreadable unreadable) {
  AskedRemotes asked;
  STRATA_TRY(const RemoteList remotes, RemoteList::load(storeFolder));
  for (const std::string& stem : stemsKept(storeFolder)) {
    const std::string name = nameOf(storeFolder, remotes, stem);
    STRATA_TRY(noteKept(asked, storeFolder, stem, name, unreadable));
  }
  for (const RemoteConfig& remote : remotes.remotes) {
    const std::string place = placeOf(storeFolder, remote.name);
    const bool wasAsked =
        wasDamaged && (isAnyKept(storeFolder, remote.name) || namesPlace(storeFolder, place));
    if (wasAsked) asked.note(place, {});
  }
  return asked;
}

/// Nothing where all is well.
Result<std::optional<AskedRemotes>> madeAnew(const fs::path& storeFolder, Unreadable unreadable) {
  const bool isMissing = !isThere(AskedRemotes::fileOf(storeFolder));
  if (isMissing && stemsKept(storeFolder).empty()) return std::nullopt;
  const auto loaded = AskedRemotes::load(storeFolder);
  if (!loaded && loaded.error().code != ErrorCode::CorruptData) return fail(loaded.error());
  if (loaded && !isMissing) return std::nullopt;
  STRATA_TRY(AskedRemotes asked, askedByLists(storeFolder, !isMissing, unreadable));
  return asked;
}

/// Makes the file anew where it is missing or damaged, and adds what the lists say. Whether places
/// or numbers were new.
Result<bool> bringUpToDate(const fs::path& storeFolder, Unreadable unreadable) {
  const fs::path folder = storeFolder / "remotes";
  if (!isThere(folder) && !isThere(AskedRemotes::fileOf(storeFolder))) return false;
  STRATA_TRY(makeStoreFolder(folder));
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(folder));
  STRATA_TRY(auto asked, madeAnew(storeFolder, unreadable));
  bool isNew = asked.has_value();
  if (!asked) {
    STRATA_TRY(asked, AskedRemotes::load(storeFolder));
    const AskedRemotes before = *asked;
    STRATA_TRY(const AskedRemotes listed, askedByLists(storeFolder, false, Unreadable::Salvaged));
    isNew = asked->noteAll(listed);
    if (*asked == before) return false;
  }
  STRATA_TRY(asked->save(storeFolder));
  return isNew;
}

}  // namespace

Result<void> noteAsked(const fs::path& storeFolder, const std::string& name,
                       const RefListing& listing) {
  STRATA_TRY(auto asked, madeAnew(storeFolder, Unreadable::Refused));
  const bool isNew = asked.has_value();
  if (!asked) {
    STRATA_TRY(asked, AskedRemotes::load(storeFolder));
  }
  const AskedRemotes before = *asked;
  asked->note(placeOf(storeFolder, name), numbersIn(listing));
  asked->noteList(placeOf(storeFolder, name), listStamp(listing));
  if (!isNew && *asked == before) return {};
  return asked->save(storeFolder);
}

void forgetAsked(const fs::path& storeFolder, const std::string& name) {
  const fs::path folder = storeFolder / "remotes";
  const auto lock = isThere(folder) ? std::optional(FolderMutex::take(folder)) : std::nullopt;
  if (lock && !*lock) return;
  auto asked = AskedRemotes::load(storeFolder);
  const std::string place = placeOf(storeFolder, name);
  if (!asked || !asked->contains(place)) return;
  asked->forget(place);
  static_cast<void>(asked->save(storeFolder));
}

bool isNoted(const fs::path& storeFolder, const std::string& name) {
  const auto asked = AskedRemotes::load(storeFolder);
  return asked && asked->contains(placeOf(storeFolder, name));
}

bool isListLost(const fs::path& storeFolder, const std::string& name) {
  const auto asked = AskedRemotes::load(storeFolder);
  // Where the file is damaged, a remote that was never asked looks like one that lost all.
  const std::string place = placeOf(storeFolder, name);
  if (!asked && !isAnyKept(storeFolder, name) && !namesPlace(storeFolder, place)) return false;
  if (asked && !asked->contains(place)) return false;
  const std::vector<std::string> stems = stemsOfPlace(storeFolder, name);
  return std::none_of(stems.begin(), stems.end(), [&](const std::string& stem) {
    return isThere(keptFile(storeFolder, stem, kEnding));
  });
}

std::vector<std::string> perhapsLost(const fs::path& storeFolder) {
  std::vector<std::string> names;
  const auto remotes = RemoteList::load(storeFolder);
  if (AskedRemotes::load(storeFolder) || !remotes) return names;
  for (const RemoteConfig& remote : remotes->remotes) {
    const bool isKnown = isAnyKept(storeFolder, remote.name) ||
                         namesPlace(storeFolder, placeOf(storeFolder, remote.name));
    if (!isKnown) names.push_back(remote.name);
  }
  return names;
}

Result<void> ensureAsked(const fs::path& storeFolder) {
  if (isThere(AskedRemotes::fileOf(storeFolder))) {
    const auto asked = AskedRemotes::load(storeFolder);
    // Who gives the number says what is wrong with it.
    if (!asked || knowsLists(*asked, storeFolder)) return {};
  }
  STRATA_TRY(bringUpToDate(storeFolder, Unreadable::Refused));
  return {};
}

Result<bool> mendAsked(const fs::path& storeFolder) {
  return bringUpToDate(storeFolder, Unreadable::Salvaged);
}

}  // namespace strata
