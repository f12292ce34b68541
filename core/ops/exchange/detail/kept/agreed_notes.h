#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/ops/exchange/version_matching.h"
#include "core/transfer/remote_library.h"

namespace strata {

/// The notes that versions had here and on a remote alike when both were last exchanged, by the
/// label that the version has there. Read and kept with the tags (agreed_tags.h), in a file of
/// their own. A note that is missing counts as empty: what either side says by then is newer. No
/// text: both sides agreed, and nobody knows any more on what.
using AgreedNotes = std::map<std::string, std::optional<std::string>>;

/// What became of a version's note since the store and the remote agreed on it.
enum class NoteChange {
  None,   ///< it is the same on both sides
  There,  ///< it was edited on the remote alone
  Here,   ///< it was edited here alone
  Both
};

/// `here` and `there` are one version. Removed ones, which have no name there, keep their notes.
NoteChange noteChange(const AgreedNotes& agreed, const VersionEntry& here,
                      const RemoteVersion& there);

/// Those that agree by now, and of the others what is known.
AgreedNotes agreedNotes(const AgreedNotes& known, const VersionMatching& matching,
                        const RemoteLibrary& library);

}  // namespace strata
