#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace strata {

/// Where a store keeps what it knows of a remote: `remotes/NAME` and `ending`. `name` is that of a
/// remote of the store, or a URL. Names begin with no dot, so neither takes the other's file.
std::filesystem::path remoteFile(const std::filesystem::path& storeFolder, const std::string& name,
                                 std::string_view ending);

/// Stands for the place of a remote, whatever it is called: its URL, without showing it.
/// A name that no remote of the store has stands for itself.
std::string placeOf(const std::filesystem::path& storeFolder, const std::string& name);

/// The other names under which the place of a remote is known, and its URL.
std::vector<std::string> otherNames(const std::filesystem::path& storeFolder,
                                    const std::string& name);

/// Fails with CorruptData if something else lies there than a file of the store.
Result<void> checkIsOwnFile(const std::filesystem::path& file);

/// What lies in the place of a file of the remote and is none, and what becomes of it: for people.
std::vector<std::string> oddPlaces(const std::filesystem::path& storeFolder,
                                   const std::string& name);

/// Before such a file is written anew: what lies there and is none that can be read (a folder, a
/// link, a file without permission) gets a name that the store does not use, "hub.tags.damaged".
/// Nobody's file is deleted. Fails with Io.
Result<void> makeRoomFor(const std::filesystem::path& file);

}  // namespace strata
