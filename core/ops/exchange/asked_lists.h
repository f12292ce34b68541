#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/transfer/remote_refs.h"

namespace strata {

/// The file asked.json (core/store/asked_remotes.h) and the lists of remotes that a store keeps:
/// each tells when the other was lost.

/// Notes what a remote lists: before that is kept where the place is known, so that no number is
/// missed; else after that, so that no list is missed. Makes a damaged file anew. Fails as
/// ensureAsked.
Result<void> noteAsked(const std::filesystem::path& storeFolder, const std::string& name,
                       const RefListing& listing);

/// The place of a remote counts as never asked; need not be known.
void forgetAsked(const std::filesystem::path& storeFolder, const std::string& name);

/// Whether it is noted that the remote was asked.
bool isNoted(const std::filesystem::path& storeFolder, const std::string& name);

/// Whether the remote was asked, and nothing is kept of it under any of its names.
bool isListLost(const std::filesystem::path& storeFolder, const std::string& name);

/// Where the file is damaged: remotes of which nothing is kept, so that nobody knows whether that
/// was lost.
std::vector<std::string> perhapsLost(const std::filesystem::path& storeFolder);

/// Before a version gets a number: adds what the kept lists say that the file lacks, as after a
/// kill or in an older copy, and makes it of them where there is none, as in stores of earlier
/// programs. Reads the first lines of lists that it knows. Fails with CorruptData if one of these
/// cannot be read and there is no file, saying what to do, NoSpace or Io.
Result<void> ensureAsked(const std::filesystem::path& storeFolder);

/// The same where the file is damaged, too. Goes by what can be read of the lists. Whether places
/// or numbers were added.
Result<bool> mendAsked(const std::filesystem::path& storeFolder);

}  // namespace strata
