#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// What a store knows of a remote lies in `remotes`, in files of one *stem* and three endings:
/// ".json", ".tags", ".notes". The stem is the name of the remote, or stands for a URL. Names begin
/// with no dot, so neither takes the other's files.
std::string stemOf(const std::string& name);
std::filesystem::path keptFile(const std::filesystem::path& storeFolder, const std::string& stem,
                               std::string_view ending);

/// Stems under which files of the place of a remote may lie: the names of its URL, sorted, and the
/// URL's own. All is kept under the first (joinKept).
std::vector<std::string> stemsOfPlace(const std::filesystem::path& storeFolder,
                                      const std::string& name);
std::string leadingStem(const std::filesystem::path& storeFolder, const std::string& name);
/// All stems of lists that are kept, sorted.
std::vector<std::string> stemsKept(const std::filesystem::path& storeFolder);
/// Whether it is the stem of a URL.
bool isUrlStem(std::string_view stem) noexcept;
/// Those under which a file of any ending lies.
std::set<std::string> urlStemsKept(const std::filesystem::path& storeFolder);

/// The file of the place of a remote. `name` is that of a remote of the store, or a URL.
std::filesystem::path remoteFile(const std::filesystem::path& storeFolder, const std::string& name,
                                 std::string_view ending);

/// Stands for the place of a remote, whatever it is called: its URL, without showing it.
/// A name that no remote of the store has stands for itself.
std::string placeOf(const std::filesystem::path& storeFolder, const std::string& name);

/// Fails with CorruptData if something else lies there than a file of the store.
Result<void> checkIsOwnFile(const std::filesystem::path& file);

/// What lies in the place of a file of the remote and is none, and what becomes of it: for people.
std::vector<std::string> oddPlaces(const std::filesystem::path& storeFolder,
                                   const std::string& name);

/// Gives all files of a stem that are there names that the store does not use, and returns those.
/// Fails with Io.
Result<std::vector<std::filesystem::path>> setAsideKept(const std::filesystem::path& storeFolder,
                                                        const std::string& stem);

/// Before such a file is written anew: what lies there and is none that can be read (a folder, a
/// link, a file without permission) gets a name that the store does not use, "hub.tags.damaged".
/// Nobody's file is deleted. Fails with Io.
Result<void> makeRoomFor(const std::filesystem::path& file);

}  // namespace strata
