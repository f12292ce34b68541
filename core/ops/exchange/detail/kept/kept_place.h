#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"

namespace strata {

/// One memory for each place: whatever names a remote has had, all that a store keeps of it lies
/// under one stem (core/ops/exchange/detail/kept/remote_file.h).

/// Moves what lies under one stem to another. Where both have a list, the one of the higher number
/// counts, with its tags and notes, if they are of one remote; else that of `to` does. What cannot
/// be read stays where it is. Where it fails, the next one goes on.
void moveKept(const std::filesystem::path& storeFolder, const std::string& from,
              const std::string& to);

/// Moves all that is kept of a place under its leading stem.
void joinKept(const std::filesystem::path& storeFolder, const std::string& name);

/// Of a place that was not asked yet: takes what is kept of another place of the same remote, which
/// was moved or is reached by another URL. The newest list of that identity counts; of a former
/// remote it is moved (keepReplaced). Whether there was one. Fails with NoSpace or Io.
Result<bool> adoptKept(const std::filesystem::path& storeFolder, const std::string& name,
                       const std::string& identity);

/// Before the place of a remote is one of another identity: what is kept of this one stays under a
/// stem of its own, where adoptKept finds it. For who holds the mutex of `remotes`. Fails with
/// NoSpace or Io.
Result<void> keepReplaced(const std::filesystem::path& storeFolder, const std::string& name,
                          const std::string& identity);

/// Stems of such remotes. One whose list is missing is none: writing it was cut midway, and what it
/// was made of is where it was.
std::set<std::string> replacedStemsKept(const std::filesystem::path& storeFolder);

/// The other way round: makes a former remote the one of this place again, and forgets that it was
/// one. Whether something was kept of it. Fails with NoSpace or Io.
Result<bool> takeReplaced(const std::filesystem::path& storeFolder, const std::string& name,
                          const std::string& identity);

/// After joinKept: fails with CorruptData or Io where something lies under another stem of the
/// place still, since it is damaged or could not be moved.
Result<void> checkOtherStems(const std::filesystem::path& storeFolder, const std::string& name);

/// Deletes what lies under other stems of the place: it is known better.
void eraseOtherStems(const std::filesystem::path& storeFolder, const std::string& name);
void eraseKept(const std::filesystem::path& storeFolder, const std::string& stem);

}  // namespace strata
