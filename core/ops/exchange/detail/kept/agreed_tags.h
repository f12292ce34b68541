#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/ops/exchange/detail/kept/agreed_notes.h"
#include "core/ops/exchange/version_matching.h"
#include "core/store/store.h"
#include "core/transfer/remote_library.h"

namespace strata {

/// Which tags pointed to the same version here and on a remote when both were last exchanged, and
/// to which, as the remote numbers it: by "sst2:prod". What is otherwise by now was moved since, on
/// one side or on both. No number: both sides agreed, and nobody knows any more on what (doubted).
using AgreedTags = std::map<std::string, std::optional<std::uint32_t>>;

/// What a store and a remote agreed on when both were last exchanged.
struct Agreed {
  AgreedTags tags = {};
  AgreedNotes notes = {};
  /// Tags of this store that the remote lacks, and of which it is not known any more whether they
  /// were taken off there: what was kept was lost.
  std::set<std::string> perhapsTaken = {};
  /// The file of the tags was lost or is damaged: all that it would have said is in doubt.
  bool areTagsLost = false;
  bool areNotesLost = false;
};

/// Empty where nothing was exchanged yet. `name`: of a remote of the store, or a URL; empty: of no
/// remote.
Agreed readAgreed(const std::filesystem::path& storeFolder, const std::string& name);

/// A file of what was agreed on that is lost or damaged.
struct LostAgreed {
  std::filesystem::path file;
  std::string reason;  ///< "FILE: is missing"
};
std::vector<LostAgreed> lostAgreed(const std::filesystem::path& storeFolder,
                                   const std::string& name);

/// Whether one of the files is there, whatever it says.
bool hasAgreedFiles(const std::filesystem::path& storeFolder, const std::string& name);
/// Whether they say something, so that a list was kept before them: empty ones are made before the
/// first list is.
bool rememberAgreed(const std::filesystem::path& storeFolder, const std::string& name);

/// Keeps what agrees by now, and of the rest what is known. Fails with Io, NoSpace, saying what
/// follows, and as the catalog: what was exchanged is there all the same.
Result<void> keepAgreed(const Store& store, const std::string& name, const RemoteLibrary& library);

/// Makes the files of what was agreed on where nothing was exchanged yet: one that is missing later
/// was lost. Fails with Io or NoSpace.
Result<void> beginAgreed(const std::filesystem::path& storeFolder, const std::string& name);

/// What was agreed on, but for what is in doubt, for who goes by `listing`, the remote's list now.
/// There are doubts where the list was mended since the store kept the last one: who mended it may
/// not have seen what this store agreed on. There are where it is another remote's, and where what
/// was kept was lost. Writes nothing.
Agreed agreedFor(const Store& store, const std::string& name, const RefListing& listing);

/// Keeps these doubts. Before `listing`, or what follows it, is kept: then nothing tells them any
/// more. Fails as keepAgreed.
Result<void> keepDoubts(const Store& store, const std::string& name, const RefListing& listing);

/// The same where the user takes an older list than `former`, the last one.
Result<void> doubtAgreed(const Store& store, const std::string& name, const RefListing& former,
                         const RefListing& listing);

/// The same of notes alone, by the labels of versions there. Before keepAgreed.
Result<void> doubtNotes(const Store& store, const std::string& name,
                        const std::vector<std::string>& labels);

/// What became of a tag of a remote since it and the store agreed on it.
enum class TagChange {
  None,   ///< it points to the same version on both sides
  New,    ///< this store has no such tag, and had none
  There,  ///< it was moved on the remote alone
  Here,   ///< it was moved or removed here alone
  Both    ///< both sides moved it, or nobody knows who did; here it may be removed (wasRemoved)
};

/// Tells what a pull or push is to do about tags.
class TagMatching {
 public:
  /// `matching` has to outlive this. Fails with what the catalog fails with.
  static Result<TagMatching> load(const Catalog& catalog, const VersionMatching& matching,
                                  Agreed agreed);

  /// `there`: a tag that the remote lists.
  TagChange changeOf(const TagRef& there) const;
  /// The same of a tag that is here and that the remote lacks. Here: it is new, or was moved since
  /// the remote lost it, or the remote may have lost it with its list; There: it was taken off the
  /// remote and stayed as it was here; Both: nobody knows any more which of these it is.
  TagChange changeWhereGone(const TagRef& here) const;
  /// The tag of that name here; nullptr if there is none.
  const TagRef* here(const TagRef& there) const;
  /// Whether a tag that the remote lists was removed here, while its version stayed.
  bool wasRemoved(const TagRef& there) const;
  bool isHere(const std::string& label) const { return here_.contains(label); }
  std::vector<std::string> labelsHere() const;
  /// The number on the remote of the version that has the tag here; 0 for one that is not there.
  std::uint32_t numberThere(const TagRef& here) const;

 private:
  explicit TagMatching(const VersionMatching& matching) : matching_(&matching) {}

  const VersionMatching* matching_;
  Agreed agreed_;
  std::map<std::string, TagRef> here_;                 ///< by "sst2:prod"
  std::map<std::string, std::uint32_t> numbersThere_;  ///< the same; 0: its version is not there
};

/// "sst2:prod".
std::string labelOf(const TagRef& tag);

}  // namespace strata
