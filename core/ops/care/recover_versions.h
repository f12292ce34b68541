#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/store/store.h"

namespace strata {

struct RecoverReport {
  std::vector<std::string> rewritten;  ///< labels of versions whose refs were written anew
  /// Those of them whose files' permissions nothing knows any more: what is restored is its owner's
  /// alone from now on, as it may have been.
  std::vector<std::string> madePrivate;
  std::vector<std::string> named;  ///< labels that models got which no name led to
  /// Versions and tags of a change that could not be read: done as the catalog knows it.
  std::vector<std::string> finished;
  /// Where files are now that cannot be read: refs whose versions nothing else knows, changes of
  /// several refs, marks of renames.
  std::vector<std::filesystem::path> setAside;
  /// The same of what was kept of remotes that have no name here: such a place counts as never
  /// asked from now on.
  std::vector<std::filesystem::path> forgotten;
  bool numbersMade = false;  ///< asked.json was made anew (core/ops/exchange/asked_lists.h)
};

/// Brings back what lost its ref. Versions that the catalog lists get their refs anew, if their
/// manifests are here. Versions whose manifest is gone rest on another one of their content, where
/// a version or a model without a name has it with all packs. Models that no name leads to become
/// versions: under the former name and number where a kept list of a remote names the content, or
/// one tag the number and one model is left, else of the name "recovered". All parents of other
/// versions, and of the rest those that are whole and that no pull is fetching. Refs that cannot be
/// read and that the catalog does not know either get other file names. One of them may have named
/// a model that lacks packs, so that gets a name, too: it is damage that can be mended, and not
/// garbage. Fails with StoreLocked, Cancelled, NoSpace, Io, CorruptData (the catalog).
Result<RecoverReport> recoverVersions(Store& store, std::stop_token stop);

}  // namespace strata
