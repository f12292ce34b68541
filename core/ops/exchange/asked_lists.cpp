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
#include "core/ops/exchange/detail/kept_listing.h"
#include "core/ops/exchange/detail/remote_file.h"
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

Result<FetchedListing> readStem(const fs::path& storeFolder, const std::string& stem) {
  const fs::path file = storeFolder / "remotes" / (stem + std::string(kEnding));
  STRATA_TRY(checkIsOwnFile(file));
  STRATA_TRY(const MappedFile mapped, MappedFile::open(file));
  const auto bytes = mapped.bytes();
  return parseKept({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file.string());
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

/// Of all lists that are kept. Where it was damaged, remotes count as asked of which anything is
/// kept.
Result<AskedRemotes> askedByLists(const fs::path& storeFolder, bool wasDamaged) {
  AskedRemotes asked;
  STRATA_TRY(const RemoteList remotes, RemoteList::load(storeFolder));
  for (const std::string& stem : stemsKept(storeFolder)) {
    const auto kept = readStem(storeFolder, stem);
    const std::string name = kept ? std::string() : nameOf(storeFolder, remotes, stem);
    // Of a place without a name nobody would mend it.
    if (!kept && name.empty()) continue;
    if (!kept) {
      return fail(kept.error().code, kept.error().message +
                                         "; which numbers the remote gave is not known; strata "
                                         "fetch " +
                                         name + " mends it");
    }
    asked.note(placeOf(storeFolder, stem), numbersIn(kept->listing));
  }
  for (const RemoteConfig& remote : remotes.remotes) {
    if (wasDamaged && isAnyKept(storeFolder, remote.name))
      asked.note(placeOf(storeFolder, remote.name), {});
  }
  return asked;
}

/// Nothing where all is well.
Result<std::optional<AskedRemotes>> madeAnew(const fs::path& storeFolder) {
  const bool isMissing = !isThere(AskedRemotes::fileOf(storeFolder));
  if (isMissing && stemsKept(storeFolder).empty()) return std::nullopt;
  const auto loaded = AskedRemotes::load(storeFolder);
  if (!loaded && loaded.error().code != ErrorCode::CorruptData) return fail(loaded.error());
  if (loaded && !isMissing) return std::nullopt;
  STRATA_TRY(AskedRemotes asked, askedByLists(storeFolder, !isMissing));
  return asked;
}

}  // namespace

Result<void> noteAsked(const fs::path& storeFolder, const std::string& name,
                       const RefListing& listing) {
  STRATA_TRY(auto asked, madeAnew(storeFolder));
  const bool isNew = asked.has_value();
  if (!asked) {
    STRATA_TRY(asked, AskedRemotes::load(storeFolder));
  }
  const AskedRemotes before = *asked;
  asked->note(placeOf(storeFolder, name), numbersIn(listing));
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
  if (!asked && !isAnyKept(storeFolder, name)) return false;
  if (asked && !asked->contains(placeOf(storeFolder, name))) return false;
  const std::vector<std::string> stems = stemsOfPlace(storeFolder, name);
  return std::none_of(stems.begin(), stems.end(), [&](const std::string& stem) {
    return isThere(keptFile(storeFolder, stem, kEnding));
  });
}

Result<void> ensureAsked(const fs::path& storeFolder) {
  if (isThere(AskedRemotes::fileOf(storeFolder))) return {};
  STRATA_TRY(mendAsked(storeFolder));
  return {};
}

Result<bool> mendAsked(const fs::path& storeFolder) {
  const fs::path folder = storeFolder / "remotes";
  if (!isThere(folder) && !isThere(AskedRemotes::fileOf(storeFolder))) return false;
  STRATA_TRY(makeStoreFolder(folder));
  STRATA_TRY(const FolderMutex lock, FolderMutex::take(folder));
  STRATA_TRY(auto asked, madeAnew(storeFolder));
  if (!asked) {
    STRATA_TRY(asked, AskedRemotes::load(storeFolder));
    const auto listed = askedByLists(storeFolder, false);
    if (!listed || !asked->noteAll(*listed)) return false;
  }
  STRATA_TRY(asked->save(storeFolder));
  return true;
}

}  // namespace strata
