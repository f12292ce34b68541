#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/digest.h"
#include "core/result.h"
#include "core/store/refs/ref_folder.h"

namespace strata {

/// What an operation found of a version, or made of it.
struct VersionState {
  enum class Where { Absent, Live, Trash };
  Where where = Where::Absent;
  Digest manifestDigest = {};  ///< this and the rest mean nothing of a version that is absent
  std::string note = {};
  std::string license = {};
  std::string sourceUrl = {};

  static VersionState of(const VersionRef& ref);
};

/// One version that an operation changed.
struct VersionStep {
  std::string name;
  std::uint32_t number = 0;
  Digest contentDigest;
  VersionState before, after;

  std::string label() const { return name + ":v" + std::to_string(number); }
};

/// One tag that an operation put, moved or took away.
struct TagStep {
  std::string name;
  std::string tag;
  std::optional<TagRef> before, after;  ///< nothing: there is no such tag
};

/// One entry of a store's log of operations: what was done, and what it takes to take it back. The
/// catalog keeps it (Catalog::log). A change of several refs carries it in `change.json` until it
/// is done, so that the entry is there just when the change is.
struct Operation {
  std::int64_t id = 0;     ///< in the catalog
  std::int64_t at = 0;     ///< seconds since 1970, UTC
  std::string kind;        ///< "add", "remove", …
  std::string detail;      ///< for people
  std::string token = {};  ///< random; tells whether it is in the catalog already
  std::vector<VersionStep> versions = {};
  std::vector<TagStep> tags = {};
  std::string renamedFrom = {};  ///< of a rename alone
  std::string renamedTo = {};
  std::string command = {};   ///< the same for all that one command did; empty: it did this alone
  std::string reverted = {};  ///< token of the operation that it takes back, or does again
  bool undoes = false;        ///< with `reverted`: it takes back
  bool isUndone = false;      ///< it was taken back since
};

/// Whether operations of this kind are checks, and settlings of what writers left. Nobody asked for
/// a change then.
bool isOwnKind(std::string_view kind) noexcept;

/// One that happens now, without steps.
Operation makeOperation(std::string_view kind, std::string_view detail);

/// For Operation::command.
std::string makeCommandToken();

/// Makes one entry of two that the same command did, the later one into the earlier. False, and
/// nothing is changed, where one of them has no steps: half of it could not be taken back.
bool extend(Operation& earlier, const Operation& later);

/// Adds what `change` will make of the refs as they are. Where one of them cannot be read, none of
/// it: what was before is not known.
void addSteps(Operation& operation, const RefFolder& refs, const RefChange& change);

/// A text and back; id and `isUndone` are not in it. `text` is untrusted: fails with CorruptData.
std::string serializeOperation(const Operation& operation);
Result<Operation> parseOperation(std::string_view text);

/// "sst2:v2: to the trash", "tag sst2:prod: v1 -> v2", "name a -> b": what it changed, for people.
std::vector<std::string> stepTexts(const Operation& operation);

}  // namespace strata
